import { constants, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Config } from '../config.js';
import type { Database, Db, Engine } from '../db/database.js';
import { migrate, migrationState } from '../db/migrate.js';
import { openDatabase, sqliteFile } from '../db/open.js';
import { isPostgres, shownAddress } from '../db/postgres-url.js';
import { makeFolder, realPlace } from '../folders.js';
import { EXIT, Refusal } from './io.js';
import { withCopy } from './place.js';

/** The path of an SQLite database. */
export const databaseFile = (config: Config): string => sqliteFile(config.databaseUrl);

/** An empty file is not a database yet: SQLite creates one before it writes the first page. */
export const hasContent = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Only this user may read the folder. */
export async function makeDataDir(config: Config): Promise<void> {
  const folder = path.resolve(config.dataDir);
  await makeFolder(folder, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Refusal(
      `No folder can be created at ${error.path ?? folder}. Choose another location.`,
      EXIT.failed,
      error,
    );
  });
  // The engine's own error would not name the folder.
  if (!isPostgres(config.databaseUrl))
    await access(path.dirname(realPlace(databaseFile(config))), constants.W_OK | constants.X_OK);
}

/** What serves the calendar also writes: a file that belongs to another user would fail with the first write. */
export async function requireWritable(config: Config): Promise<void> {
  const file = isPostgres(config.databaseUrl) ? undefined : realPlace(databaseFile(config));
  if (file !== undefined && hasContent(file)) await access(file, constants.R_OK | constants.W_OK);
}

/** The address of the database, to show to people. */
export const databaseAddress = (config: Config): string =>
  isPostgres(config.databaseUrl) ? shownAddress(config.databaseUrl) : databaseFile(config);

/** Of a database server, the address is returned unchecked: it is contacted when the database is opened. */
export function requireDatabase(config: Config): string {
  const file = databaseAddress(config);
  if (isPostgres(config.databaseUrl) || hasContent(file)) return file;
  throw new Refusal(`There is no database at ${file} yet. Create one with "kalends serve" or "kalends migrate".`);
}

/** Opens a database and closes it again, whatever happens. Commands may take their time: statements have no limit. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url, { statementTime: 0 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/**
 * The same for what only reads. SQLite writes beside a file also to read it, so of one that must not be written, such as
 * a backup on a read-only disk, a temporary copy is read.
 */
export async function withReadable<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const file = isPostgres(url) ? undefined : realPlace(sqliteFile(url));
  // Part of a database that is in use is in its log, which a copy would lack.
  const isWhole = file !== undefined && hasContent(file) && !['-wal', '-journal'].some((log) => hasContent(file + log));
  if (!isWhole || ((await mayWrite(file)) && (await mayWrite(path.dirname(file))))) return withDatabase(url, work);
  return withCopy(file, path.join(os.tmpdir(), path.basename(file)), 'copy', (copy) => withDatabase(copy, work));
}

const mayWrite = (place: string): Promise<boolean> =>
  access(place, constants.W_OK).then(
    () => true,
    () => false,
  );

/** Migrations run when the server starts or on request, never as a side effect: operators may want a backup first. */
export async function requireMigrated(database: Database): Promise<void> {
  const { done, pending, newer } = await migrationState(database);
  if (newer.length > 0) {
    throw new Refusal(
      `The database ${database.address} was made by a newer version of Kalends (${newer.join(', ')}). Install that version.`,
    );
  }
  if (done.length === 0) {
    throw new Refusal(
      `There is no calendar in ${database.address} yet. Create one with "kalends serve" or "kalends migrate".`,
    );
  }
  if (pending.length > 0) {
    throw new Refusal(`The database ${database.address} is from an older version. ${HOW_TO_MIGRATE[database.engine]}`);
  }
}

/** A backup of PostgreSQL is a copy, row by row, and this version does not know the rows of an older one. */
const HOW_TO_MIGRATE: Record<Engine, string> = {
  sqlite: 'Run "kalends backup", then "kalends migrate".',
  postgres: 'Back it up with that version of Kalends or with pg_dump, then run "kalends migrate".',
};

export async function reading<T>(config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  requireDatabase(config);
  return withReadable(config.databaseUrl, async (database) => {
    await requireMigrated(database);
    return database.read(work);
  });
}

/** With `orNew`, a missing database is created, so that accounts can be prepared before the first start. */
export async function writing<T>(config: Config, work: (db: Db) => Promise<T>, orNew = false): Promise<T> {
  if (!orNew) requireDatabase(config);
  else if (!isPostgres(config.databaseUrl) && !hasContent(databaseFile(config))) await makeDataDir(config);
  return withDatabase(config.databaseUrl, async (database) => {
    if (orNew && (await migrationState(database)).done.length === 0) await migrate(database);
    await requireMigrated(database);
    return database.write(work);
  });
}
