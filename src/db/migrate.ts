import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { nowSeconds } from '../time/clock.js';
import type { Database, Db, Engine } from './database.js';
import { runningInstances } from './instances.js';
import { noteRules } from './zone-rules.js';

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}
export interface MigrationState {
  done: string[];
  pending: string[];
  /** Migrations whose text differs in this version. */
  altered: string[];
  /** Migrations of a later version that this one cannot work with. */
  newer: string[];
}

const FOLDER = new URL('./migrations/', import.meta.url);

function namesFor(engine: Engine): string[] {
  const end = `.${engine}.sql`;
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(end))
    .map((file) => file.slice(0, -end.length))
    .sort();
}

/** In order of their numbers; append-only: what was released is never edited. */
export function migrationsFor(engine: Engine): Migration[] {
  return namesFor(engine).map((name) => {
    const text = readFileSync(new URL(`${name}.${engine}.sql`, FOLDER), 'utf8');
    return { name, sql: text, checksum: createHash('sha256').update(text).digest('hex') };
  });
}

/** The number of the last migration that this version knows. */
export const lastKnown = (engine: Engine): number => numberOf(namesFor(engine).at(-1) ?? '');

async function recorded(db: Db): Promise<Map<string, string>> {
  const rows = await db.all(
    sql<{ name: string; checksum: string }>`SELECT name, checksum FROM migration ORDER BY name`,
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

export async function migrationState(
  database: Database,
  migrations = migrationsFor(database.engine),
): Promise<MigrationState> {
  const { done, newer } = await database.read(async (db) => {
    const found = (await db.dialect.hasTable(db, 'migration')) ? await recorded(db) : new Map<string, string>();
    return { done: found, newer: await tooNew(db, migrations, found) };
  });
  const known = new Map(migrations.map((m) => [m.name, m.checksum]));
  return {
    done: [...done.keys()].filter((name) => known.has(name)),
    pending: migrations.filter((m) => !done.has(m.name)).map((m) => m.name),
    altered: [...done].filter(([name, sum]) => (known.get(name) ?? sum) !== sum).map(([name]) => name),
    newer,
  };
}

/**
 * Migrates the database to this version in one transaction; running it again changes nothing. Versions run side by side
 * while servers are replaced one by one: a migration that only adds states in its first line which migration an older
 * server must know to keep working (`-- side by side with: 0007`). Any other is refused while an older server runs, and
 * older versions refuse to start afterwards.
 */
export async function migrate(database: Database, migrations = migrationsFor(database.engine)): Promise<string[]> {
  return database.write(async (db) => {
    await requireOwn(db, database.address);
    await db.run(
      sql`CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)`,
    );
    const done = await recorded(db);
    await requireSurvivable(db, migrations, done);
    if (database.engine === 'postgres' && done.size === 0) await requireUnicode(db, database.address);
    const applied: string[] = [];
    for (const migration of migrations) {
      if (done.has(migration.name)) continue;
      for (const statement of statements(migration.sql)) await db.run(sql.raw(statement));
      await db.run(
        sql`INSERT INTO migration (name, checksum, applied_at) VALUES (${migration.name}, ${migration.checksum}, ${nowSeconds()})`,
      );
      await db.run(
        db.q.insertInto('setting').values({ name: settingOf(migration.name), value: String(needsOf(migration)) }),
      );
      applied.push(migration.name);
    }
    // A new database: no instants were calculated by other rules yet.
    if (done.size === 0) await noteRules(db);
    await db.dialect.indexSearch(db);
    return applied;
  });
}

/** Others could not store every text. SQL_ASCII stores all, unread. */
async function requireUnicode(db: Db, address: string): Promise<void> {
  const found = await db.first(sql<{ server_encoding: string }>`SHOW server_encoding`);
  const encoding = found?.server_encoding ?? 'UTF8';
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return;
  throw new Error(
    `The database ${address} has the encoding ${encoding}, which lacks most letters. Create it with ENCODING 'UTF8'.`,
  );
}

/** Nothing is created in a database that belongs to another program. */
async function requireOwn(db: Db, file: string): Promise<void> {
  if (await db.dialect.hasTable(db, 'migration')) return;
  const other = await db.dialect.tableOfOthers(db);
  if (other !== undefined) {
    throw new Error(
      `The database ${file} belongs to another program: it has a table "${other}" and no calendar. Choose another database.`,
    );
  }
}

const numberOf = (name: string): number => Number(name.slice(0, 4));
const lastOf = (migrations: Migration[]): number => numberOf(migrations.at(-1)?.name ?? '');
const needsOf = ({ name, sql }: Migration): number =>
  Number(/^-- side by side with: (\d{4})/.exec(sql)?.[1] ?? numberOf(name));

/** Stored in the database for versions that do not know the migration. */
const settingOf = (name: string): string => `needs.${name}`;

/** Names of later migrations that this version cannot work with. */
async function tooNew(db: Db, migrations: Migration[], done: Map<string, string>): Promise<string[]> {
  const known = new Set(migrations.map((m) => m.name));
  const newer = [...done.keys()].filter((name) => !known.has(name));
  if (newer.length === 0) return [];
  const rows = await db.all(db.q.selectFrom('setting').selectAll().where('name', 'in', newer.map(settingOf)));
  const needs = new Map(rows.map(({ name, value }) => [name, Number(value)]));
  return newer.filter((name) => (needs.get(settingOf(name)) ?? numberOf(name)) > lastOf(migrations));
}

async function requireSurvivable(db: Db, migrations: Migration[], done: Map<string, string>): Promise<void> {
  const newer = await tooNew(db, migrations, done);
  if (newer.length > 0) {
    throw new Error(
      `The database was made by a newer version of Kalends (${newer.join(', ')}). Install that version or a later one, or restore a backup.`,
    );
  }
  const needs = Math.max(0, ...migrations.filter((m) => !done.has(m.name)).map(needsOf));
  if (!(await db.dialect.hasTable(db, 'instance'))) return;
  const old = (await runningInstances(db)).filter(({ knows }) => knows < needs);
  if (old.length > 0) {
    const list = old.map(({ host, version }) => `${version} on ${host}`).join(', ');
    throw new Error(
      `Servers of an older version are running, and this migration would break them: ${list}. First upgrade them to the version before this one, then try again.`,
    );
  }
}

/** Statements end with a semicolon at the end of a line; comments are on lines of their own. */
function statements(text: string): string[] {
  return text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
