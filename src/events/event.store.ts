import { sql } from 'kysely';
import type { Db } from '../db/database.js';
import type { EventTable, TermTable } from '../db/tables.js';
import type { Paging } from '../records/list.js';
import { conditions, type EventFilters, ORDER } from './event.filters.store.js';
import { type Asking, selectionFor } from './event.selection.store.js';

/** All SQL about the list of events. */

/** A page: the ids of its events, how many there are in all, and the rows where they were read by the way. */
export interface Found {
  ids: number[];
  total: number;
  rows?: EventTable[];
}

/** A page of events in the order of B13, and how many there are in all. */
export async function listEvents(context: Asking, filters: EventFilters, { page, perPage }: Paging): Promise<Found> {
  const { db, caller } = context;
  const selection = await selectionFor(context, filters);
  if (selection) return selection.within(filters.window, (page - 1) * perPage, perPage);
  const where = conditions(db, caller, filters);
  const rows = await db.all(
    sql<EventTable & { total: number }>`SELECT event.*, (SELECT count(*) FROM event WHERE ${where}) AS total
      FROM event WHERE ${where} ORDER BY ${ORDER} LIMIT ${perPage} OFFSET ${(page - 1) * perPage}`,
  );
  return { ids: rows.map((row) => row.id), total: rows[0]?.total ?? 0, rows };
}

export async function byIds(db: Db, ids: number[]): Promise<EventTable[]> {
  if (ids.length === 0) return [];
  const rows = await db.all(sql<EventTable>`SELECT * FROM event WHERE ${db.dialect.among(sql.ref('id'), ids)}`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

export interface Links {
  venue: number[];
  organizer: number[];
  term: number[];
}

export const NO_LINKS: Links = { venue: [], organizer: [], term: [] };

/** What is linked to each of some events, in order, and the terms themselves. */
export async function linksOf(
  db: Db,
  ids: number[],
): Promise<{ links: Map<number, Links>; terms: Map<number, TermTable> }> {
  const of = db.dialect.among(sql.ref('event_id'), ids);
  const none = sql.raw(TERM_COLUMNS.map((column) => `NULL AS ${column}`).join(', '));
  const rows = await db.all(
    sql<TermTable & { link: keyof Links; event_id: number; linked: number }>`
      SELECT 'term' AS link, event_id, term_id AS linked, 0 AS position, ${sql.join(TERM_COLUMNS.map((column) => sql.ref(`term.${column}`)))}
        FROM event_term JOIN term ON term.id = event_term.term_id WHERE ${of}
      UNION ALL SELECT 'venue', event_id, venue_id, position, ${none} FROM event_venue WHERE ${of}
      UNION ALL SELECT 'organizer', event_id, organizer_id, position, ${none} FROM event_organizer WHERE ${of}
      ORDER BY 1, 2, 4`,
  );
  const links = new Map<number, Links>(ids.map((id) => [id, { venue: [], organizer: [], term: [] }]));
  const terms = new Map<number, TermTable>();
  for (const row of rows) {
    links.get(row.event_id)?.[row.link].push(row.linked);
    if (row.link === 'term') terms.set(row.linked, row);
  }
  return { links, terms };
}

/** What shows of a term in an event. */
const TERM_COLUMNS = ['id', 'kind', 'name', 'name_key', 'slug', 'description', 'parent_id', 'count'];

/** The event and everything below it. */
export async function descendants(db: Db, id: number): Promise<number[]> {
  const rows = await db.all(
    sql<{ id: number }>`WITH RECURSIVE below (id) AS (
        SELECT id FROM event WHERE id = ${id}
        UNION SELECT event.id FROM event JOIN below ON event.parent_id = below.id)
      SELECT id FROM below`,
  );
  return rows.map((row) => row.id);
}
