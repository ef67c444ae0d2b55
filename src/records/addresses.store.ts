import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { readable, unveiled } from '../access/visibility.js';
import type { Db } from '../db/database.js';
import type { PostColumns, PostTable } from '../db/tables.js';

/** SQL for the lists of pages that search engines read. */

/** A part covers a span of ids, which are never used again: so writes change few parts, and none grows. */
const IDS = 5000;

/** What everybody finds without a password. */
const isOpen = (table: PostTable): RawBuilder<SqlBool> =>
  table === 'event'
    ? sql<SqlBool>`${readable(table, {})} AND ${unveiled({})} AND event.hide_from_listings = 0`
    : sql<SqlBool>`${readable(table, {})}`;

/** The numbers of the parts that are not empty: from the first record of one, a step leads to that of the next. */
export async function partsOf(db: Db, table: PostTable): Promise<number[]> {
  const first = sql`SELECT min(id) FROM ${sql.table(table)} WHERE ${isOpen(table)}`;
  const found = await db.all(
    sql<{ part: number }>`WITH RECURSIVE firsts (first) AS (
        SELECT (${first})
        UNION ALL
        SELECT (${first} AND id >= ((firsts.first / ${sql.lit(IDS)}) + 1) * ${sql.lit(IDS)})
        FROM firsts WHERE firsts.first IS NOT NULL)
      SELECT first / ${sql.lit(IDS)} AS part FROM firsts WHERE first IS NOT NULL`,
  );
  return found.map(({ part }) => Number(part));
}

export const addressesIn = (db: Db, table: PostTable, part: number) =>
  db.all(
    sql<Pick<PostColumns, 'slug' | 'modified_utc'>>`SELECT slug, modified_utc FROM ${sql.table(table)}
      WHERE id >= ${part * IDS} AND id < ${(part + 1) * IDS} AND ${isOpen(table)} ORDER BY id`,
  );
