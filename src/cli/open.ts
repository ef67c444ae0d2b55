import { mkdirSync, statSync } from 'node:fs';
import type { Config } from '../config.js';
import type { Database, Db } from '../db/database.js';
import { migrate, migrationState } from '../db/migrate.js';
import { migrations, openDatabase, sqliteFile } from '../db/open.js';
import { Refusal } from './io.js';

export const databaseFile = (config: Config): string => sqliteFile(config.databaseUrl);

/** An empty file is no database yet: SQLite makes one before it writes the first page. */
export const hasContent = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** What is in it is nobody else's business. */
export const makeDataDir = (config: Config): void => {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
};

export function requireDatabase(config: Config): string {
  const file = databaseFile(config);
  if (hasContent(file)) return file;
  throw new Refusal(`There is no database at ${file} yet. Make one with "kalends serve" or "kalends migrate".`);
}

/** Opens, and closes whatever happens. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Migrations run when somebody starts the server or asks for them, never by the way: one may want a backup first. */
export async function requireMigrated(database: Database): Promise<void> {
  const { pending, foreign } = await migrationState(database, migrations());
  const newer = newerOf(foreign);
  if (newer.length > 0) {
    throw new Refusal(
      `The database was made by a newer version of Kalends (${newer.join(', ')}). Install that version.`,
    );
  }
  if (pending.length > 0) {
    throw new Refusal(
      `The database is of an older version. Run "kalends migrate" first (and "kalends backup" before it).`,
    );
  }
}

export function newerOf(foreign: string[]): string[] {
  const known = new Set(migrations().map(({ name }) => name));
  return foreign.filter((name) => !known.has(name));
}

export async function reading<T>(config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  requireDatabase(config);
  return withDatabase(config.databaseUrl, async (database) => {
    await requireMigrated(database);
    return database.read(work);
  });
}

/** With `orNew`, a database that does not exist yet is made: accounts can be prepared before the first start. */
export async function writing<T>(config: Config, work: (db: Db) => Promise<T>, orNew = false): Promise<T> {
  const isNew = !hasContent(databaseFile(config));
  if (!orNew) requireDatabase(config);
  if (isNew) makeDataDir(config);
  return withDatabase(config.databaseUrl, async (database) => {
    if (isNew) await migrate(database, migrations());
    await requireMigrated(database);
    return database.write(work);
  });
}
