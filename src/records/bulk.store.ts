import { sql } from 'kysely';
import { take } from '../db/counter.js';
import type { Db, Query } from '../db/database.js';
import { fixed } from '../db/fixed.js';
import type { PostTable, Tables } from '../db/tables.js';
import type { TermKindName } from './term.store.js';

/** SQL for many records at once. */

/** Per statement. SQLite allows 32,766, PostgreSQL 65,535; but the text of a statement that is used again is kept. */
const MOST_PARAMETERS = 3000;

type Insert = (db: Db, ...values: unknown[]) => Query<unknown>;
/** Building such a statement takes longer than running it. */
const inserts = new Map<string, Insert>();

function insertFor(table: keyof Tables, columns: readonly string[], many: number): Insert {
  const rowsOf = (values: readonly unknown[]): object[] =>
    Array.from({ length: many }, (_, row) =>
      Object.fromEntries(columns.map((column, n) => [column, values[row * columns.length + n]])),
    );
  return fixed((db, ...values: unknown[]) => db.q.insertInto(table).values(rowsOf(values) as never));
}

/** All rows have the same columns. */
export async function insertRows(db: Db, table: keyof Tables, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return;
  const most = Math.floor(MOST_PARAMETERS / columns.length);
  const key = `${table} ${columns}`;
  const whole = inserts.get(key) ?? insertFor(table, columns, most);
  inserts.set(key, whole);
  for (let from = 0; from < rows.length; from += most) {
    const some = rows.slice(from, from + most);
    const values = some.flatMap((row) => columns.map((column) => (row as Record<string, unknown>)[column]));
    await db.run((some.length === most ? whole : insertFor(table, columns, some.length))(db, ...values));
  }
}

/** Ids of new records, in ascending order. */
export async function newIds(db: Db, kind: string, many: number): Promise<number[]> {
  const last = await take(db, 'record', many);
  const ids = Array.from({ length: many }, (_, n) => last - many + 1 + n);
  await insertRows(
    db,
    'record',
    ids.map((id) => ({ id, kind })),
  );
  return ids;
}

export async function slugsTaken(db: Db, table: PostTable, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await db.all(
    sql<{ slug: string }>`SELECT slug FROM ${sql.table(table)}
      WHERE ${db.dialect.among(sql.ref('slug'), slugs)} AND slug <> ''`,
  );
  return new Set(rows.map((row) => row.slug));
}

export async function termIds(db: Db, kind: TermKindName, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db.all(
    sql<{ id: number }>`SELECT id FROM term WHERE ${db.dialect.among(sql.ref('id'), ids)} AND kind = ${kind}`,
  );
  return new Set(rows.map((row) => row.id));
}
