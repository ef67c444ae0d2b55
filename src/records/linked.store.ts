import { type Expression, type SqlBool, sql } from 'kysely';
import type { Caller } from '../access/rights.js';
import { inScope, listed, readable, unveiled } from '../access/visibility.js';
import type { Change } from '../db/changes.js';
import type { Db, Query } from '../db/database.js';
import { fixed } from '../db/fixed.js';
import { sliceOf } from '../db/slice.js';
import type { LinkedTable, PostColumns, PostTable, Status } from '../db/tables.js';
import { isSameName, nameKeyOf, type SearchWords } from '../text/search.js';
import type { Context } from './context.js';
import type { Paging } from './list.js';
import { askedBy, type Page, pageInOrder, pageRead } from './orders.js';

/** SQL that venues and organizers share: each has its own table of links to events. */
export interface LinkedTables {
  table: LinkedTable;
  search: 'venue_search' | 'organizer_search';
  links: 'event_venue' | 'event_organizer';
  link: 'venue_id' | 'organizer_id';
}

export interface LinkedFilters {
  statuses: readonly Status[];
  words?: SearchWords | undefined;
  event?: number | undefined;
  hasEvents?: boolean | undefined;
  upcomingFrom?: number | undefined;
}

function conditions(db: Db, t: LinkedTables, caller: Caller, filters: LinkedFilters): Expression<SqlBool> {
  const id = sql.ref<number>(`${t.table}.id`);
  const link = sql.ref(`${t.links}.${t.link}`);
  const eventsOf = (more: Expression<SqlBool>) =>
    sql<SqlBool>`EXISTS (SELECT 1 FROM ${sql.table(t.links)} JOIN event ON event.id = ${sql.ref(`${t.links}.event_id`)}
      WHERE ${link} = ${id} AND ${readable('event', caller)} AND ${unveiled(caller)} AND ${more})`;
  const narrow = filters.words !== undefined || filters.event !== undefined;
  const parts: Expression<SqlBool>[] = [listed(t.table, caller, filters.statuses, narrow)];
  if (filters.words) parts.push(db.dialect.matches(t.search, id, filters.words));
  if (filters.event !== undefined) {
    parts.push(sql<SqlBool>`${id} IN (SELECT ${link} FROM ${sql.table(t.links)} JOIN event ON event.id = ${sql.ref(`${t.links}.event_id`)}
      WHERE ${sql.ref(`${t.links}.event_id`)} = ${filters.event} AND ${readable('event', caller)})`);
  }
  if (filters.hasEvents === true) parts.push(eventsOf(sql<SqlBool>`1 = 1`));
  if (filters.hasEvents === false) parts.push(sql<SqlBool>`NOT ${eventsOf(sql<SqlBool>`1 = 1`)}`);
  if (filters.upcomingFrom !== undefined) {
    // An event that is hidden from listings does not count as upcoming (B12).
    const announced = sql<SqlBool>`event.end_utc > ${filters.upcomingFrom} AND event.hide_from_listings = 0`;
    parts.push(eventsOf(announced));
  }
  return sql.join(parts, sql` AND `) as Expression<SqlBool>;
}

/** The kinds whose changes may alter the selection. */
export const kindsBehind = (
  { table }: LinkedTables,
  { event, hasEvents, upcomingFrom }: LinkedFilters,
): readonly Change['kind'][] =>
  event !== undefined || hasEvents !== undefined || upcomingFrom !== undefined ? [table, 'event'] : [table];

export async function listLinked<Row extends PostColumns>(
  { db, caller, kept }: Pick<Context, 'db' | 'caller' | 'kept'>,
  t: LinkedTables,
  filters: LinkedFilters,
  paging: Paging,
): Promise<Page<Row>> {
  const where = () => conditions(db, t, caller, filters);
  const table = sql.table(t.table);
  const order = sql`ORDER BY date_utc DESC, id DESC`;
  const direct = async (): Promise<Page<Row>> => {
    const count = await db.first(sql<{ total: number }>`SELECT count(*) AS total FROM ${table} WHERE ${where()}`);
    const rows = await db.all(sql<Row>`SELECT ${table}.* FROM ${table} WHERE ${where()} ${order} ${sliceOf(paging)}`);
    return pageRead(rows, count?.total ?? 0);
  };
  // This filter changes every second, so its order is not worth caching.
  if (filters.upcomingFrom !== undefined) return direct();
  return pageInOrder<Row>(kept, [t.table, askedBy(caller), filters], kindsBehind(t, filters), paging, {
    direct,
    ordered: () => db.all(sql<{ id: number }>`SELECT id FROM ${table} WHERE ${where()} ${order}`),
  });
}

/** Records of that name that the caller may read: published first, then exact spellings, then the oldest (D8, D9). */
export async function namesakes<Row extends PostColumns>(
  db: Db,
  t: LinkedTables,
  caller: Caller,
  name: string,
): Promise<Row[]> {
  const rows = await db.all(
    sql<
      Row & { name: string }
    >`SELECT * FROM ${sql.table(t.table)} WHERE name_key = ${nameKeyOf(name)} AND ${readable(t.table, caller)}
      ORDER BY CASE WHEN status = 'publish' THEN 0 ELSE 1 END, CASE WHEN name = ${name} THEN 0 ELSE 1 END, id LIMIT 50`,
  );
  return rows.filter((row) => isSameName(row.name, name));
}

/** Those of the ids that belong to records of this kind which the caller may read. */
export async function readableIds(db: Db, table: PostTable, caller: Caller, ids: number[]): Promise<Set<number>> {
  const rows = await db.all(
    sql<{
      id: number;
    }>`SELECT id FROM ${sql.table(table)} WHERE ${db.dialect.among(sql.ref('id'), ids)} AND ${inScope(table, caller)}`,
  );
  return new Set(rows.map((row) => row.id));
}

const rowsIn = (table: LinkedTable) =>
  fixed(
    (db, ids: unknown) => sql`SELECT * FROM ${sql.table(table)} WHERE ${db.dialect.amongListed(sql.ref('id'), ids)}`,
  );
const rows = { venue: rowsIn('venue'), organizer: rowsIn('organizer') };

export async function rowsByIds<Row>(db: Db, table: LinkedTable, ids: number[]): Promise<Row[]> {
  return ids.length === 0 ? [] : db.all(rows[table](db, db.dialect.listed(ids)) as Query<Row>);
}

/** Whether the caller may know the links of an event: it may read it, and no password hides them from it (E3). */
export async function openEvent(db: Db, caller: Caller, id: number): Promise<boolean> {
  const row = await db.first(
    sql`SELECT 1 FROM event WHERE id = ${id} AND ${inScope('event', caller)} AND ${unveiled(caller)}`,
  );
  return row !== undefined;
}

/** The linked records of an event, in its order, and whether the caller may see each of them. */
export async function linksOf(
  db: Db,
  t: LinkedTables,
  caller: Caller,
  event: number,
): Promise<{ id: number; isShown: boolean }[]> {
  const link = sql.ref(`${t.links}.${t.link}`);
  const rows = await db.all(
    sql<{
      id: number;
      shown: number;
    }>`SELECT ${link} AS id, CASE WHEN ${readable(t.table, caller)} THEN 1 ELSE 0 END AS shown
      FROM ${sql.table(t.links)} JOIN ${sql.table(t.table)} ON ${sql.ref(`${t.table}.id`)} = ${link}
      WHERE ${sql.ref(`${t.links}.event_id`)} = ${event} ORDER BY position`,
  );
  return rows.map(({ id, shown }) => ({ id, isShown: shown === 1 }));
}

export async function setLinks(db: Db, t: LinkedTables, event: number, ids: number[]): Promise<void> {
  await db.run(db.q.deleteFrom(t.links).where('event_id', '=', event));
  for (const [position, id] of ids.entries()) {
    await db.run(
      db.q.insertInto(t.links as 'event_venue').values({ event_id: event, [t.link]: id, position } as never),
    );
  }
}
