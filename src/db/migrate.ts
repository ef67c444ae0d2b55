import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { nowSeconds } from '../time/clock.js';
import type { Database, Db } from './database.js';

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}
export interface MigrationState {
  done: string[];
  pending: string[];
  /** Migrations this version does not know, or knows otherwise. */
  foreign: string[];
}

const FOLDER = new URL('./migrations/', import.meta.url);

/** Ordered by their number; append-only: what was released is never edited. */
export function migrationsFor(engine: 'sqlite' | 'postgres'): Migration[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(`.${engine}.sql`))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      return {
        name: file.slice(0, -`.${engine}.sql`.length),
        sql: text,
        checksum: createHash('sha256').update(text).digest('hex'),
      };
    });
}

async function recorded(db: Db): Promise<Map<string, string>> {
  const rows = await db.all(
    sql<{ name: string; checksum: string }>`SELECT name, checksum FROM migration ORDER BY name`,
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

const hasTable = async (db: Db): Promise<boolean> =>
  (await db.all(sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'`)).length > 0;

export async function migrationState(database: Database, migrations: Migration[]): Promise<MigrationState> {
  const done = await database.read(async (db) =>
    (await hasTable(db)) ? await recorded(db) : new Map<string, string>(),
  );
  const known = new Map(migrations.map((m) => [m.name, m.checksum]));
  return {
    done: [...done.keys()].filter((name) => known.has(name)),
    pending: migrations.filter((m) => !done.has(m.name)).map((m) => m.name),
    foreign: [...done].filter(([name, checksum]) => known.get(name) !== checksum).map(([name]) => name),
  };
}

/** Brings the database to this version in one transaction; running it again changes nothing. */
export async function migrate(database: Database, migrations: Migration[]): Promise<string[]> {
  return database.write(async (db) => {
    await db.run(
      sql`CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL)`,
    );
    const done = await recorded(db);
    const known = new Set(migrations.map((m) => m.name));
    const newer = [...done.keys()].filter((name) => !known.has(name));
    if (newer.length > 0) {
      throw new Error(
        `The database was made by a newer version of Kalends (${newer.join(', ')}). Install that version or later, or restore a backup.`,
      );
    }
    const applied: string[] = [];
    for (const migration of migrations) {
      if (done.has(migration.name)) continue;
      for (const statement of statements(migration.sql)) await db.run(sql.raw(statement));
      await db.run(
        sql`INSERT INTO migration (name, checksum, applied_at) VALUES (${migration.name}, ${migration.checksum}, ${nowSeconds()})`,
      );
      applied.push(migration.name);
    }
    return applied;
  });
}

/** Statements end with a semicolon at the end of a line; comments stand on lines of their own. */
function statements(text: string): string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
