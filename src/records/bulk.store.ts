import { sql } from 'kysely';
import { take } from '../db/counter.js';
import type { Db } from '../db/database.js';
import type { PostTable, Tables } from '../db/tables.js';
import type { TermKindName } from './term.store.js';

/** SQL for many records at once. */

/** SQLite allows 32,766 parameters per statement, PostgreSQL 65,535. */
const MOST_PARAMETERS = 30_000;

export async function insertRows<T extends keyof Tables>(db: Db, table: T, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).length;
  if (columns === 0) return;
  const most = Math.floor(MOST_PARAMETERS / columns);
  for (let from = 0; from < rows.length; from += most) {
    await db.run(db.q.insertInto(table).values(rows.slice(from, from + most) as never));
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
