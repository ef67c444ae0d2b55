import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Caller } from '../access/rights.js';
import { readable } from '../access/visibility.js';
import type { Db } from '../db/database.js';
import { fixed } from '../db/fixed.js';
import { sliceOf } from '../db/slice.js';
import type { EventTable, OrganizerTable, Status, VenueTable } from '../db/tables.js';
import type { Target } from '../records/context.js';
import { rowsByIds } from '../records/linked.store.js';
import type { Paging } from '../records/list.js';
import { termsByIds } from '../records/term.store.js';
import { slugOfAddress } from '../text/slug.js';
import { conditions, type EventFilters, ORDER } from './event.filters.store.js';
import type { Schedule } from './event.rules.js';
import { type Asking, selectionFor } from './event.selection.store.js';

/** Reading events: pages, rows and links; filters and selections have their own files. */

/** With the ids of its linked records: `position:id`, separated by commas; terms have no position, only ids. */
export interface EventRow extends EventTable {
  venue_ids: string | null;
  organizer_ids: string | null;
  term_ids: string | null;
  /** Status and author id of the parent event: they decide who may see it. */
  parent: string | null;
}

/** A page: the ids of its events, how many match in all, and the rows if they were read anyway. */
export interface Found {
  ids: number[];
  total: number;
  rows?: EventRow[];
}

/** The columns with the ids of linked records, and what must be known of the parent. */
function linkColumns(db: Db): RawBuilder<unknown> {
  const ids = (links: string, id: Expression<unknown>) =>
    sql`(SELECT ${db.dialect.joined(id)} FROM ${sql.table(links)} WHERE event_id = event.id)`;
  const placed = (column: string) => sql`${sql.ref('position')} || ':' || ${sql.ref(column)}`;
  return sql`${ids('event_venue', placed('venue_id'))} AS venue_ids,
    ${ids('event_organizer', placed('organizer_id'))} AS organizer_ids,
    ${ids('event_term', sql.ref('term_id'))} AS term_ids,
    (SELECT parent.status || ' ' || parent.author_id FROM event AS parent
      WHERE parent.id = event.parent_id) AS parent`;
}

/** A page of events in the order of B13, and how many match in all. */
export async function listEvents(context: Asking, filters: EventFilters, paging: Paging): Promise<Found> {
  const { db, caller } = context;
  const selection = await selectionFor(context, filters);
  if (selection) return selection.within(filters.window, paging.skip, paging.perPage);
  const where = conditions(db, caller, filters);
  // Rows and links are read only for the events of the page, not for every event skipped before it.
  const rows = await db.all(
    sql<EventRow & { total: number }>`SELECT event.*, page.total, ${linkColumns(db)} FROM (
        SELECT event.id, (SELECT count(*) FROM event WHERE ${where}) AS total
        FROM event WHERE ${where} ORDER BY ${ORDER} ${sliceOf(paging)}
      ) AS page JOIN event ON event.id = page.id ORDER BY ${ORDER}`,
  );
  return { ids: rows.map((row) => row.id), total: rows[0]?.total ?? 0, rows };
}

/** Whether this hash opens any event that the caller may read. */
export const opensAny = async (db: Db, caller: Caller, hash: string): Promise<boolean> =>
  (await db.first(
    sql<{ id: number }>`SELECT id FROM event WHERE password_hash = ${hash} AND ${readable('event', caller)} LIMIT 1`,
  )) !== undefined;

const amongThem = fixed(
  (db, ids: unknown) => sql<EventRow>`SELECT event.*, ${linkColumns(db)} FROM event
    WHERE ${db.dialect.amongListed(sql.ref('event.id'), ids)}`,
);
const withId = fixed(
  (db, id: number) => sql<EventRow>`SELECT event.*, ${linkColumns(db)} FROM event WHERE event.id = ${id}`,
);
const withSlug = fixed(
  (db, slug: string) => sql<EventRow>`SELECT event.*, ${linkColumns(db)} FROM event
    WHERE event.slug = ${slug} AND event.slug <> ''`,
);

export async function byIds(db: Db, ids: number[]): Promise<EventRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.all(amongThem(db, db.dialect.listed(ids)));
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** What identifies events for good, and how often each was changed. */
export const editionsOf = (db: Db, ids: number[]) =>
  db.all(
    sql<Pick<EventTable, 'id' | 'uid' | 'revision'>>`SELECT id, uid, revision FROM event
      WHERE ${db.dialect.among(sql.ref('id'), ids)}`,
  );

export async function eventAt(db: Db, target: Target): Promise<EventRow | undefined> {
  if (target.by === 'id') return Number.isSafeInteger(target.id) ? db.first(withId(db, target.id)) : undefined;
  const slug = slugOfAddress(target.slug);
  return slug === '' ? undefined : db.first(withSlug(db, slug));
}

export interface LinkedIds {
  venue: number[];
  organizer: number[];
  term: number[];
  /** The parent event, if any. */
  event: number[];
}

export const NO_LINKS: LinkedIds = { venue: [], organizer: [], term: [], event: [] };

/** The linked records of events, all requested at once, so that a distant database costs one round trip. */
export async function linkedRows(db: Db, { term, venue, organizer }: Omit<LinkedIds, 'event'>) {
  const [terms, venues, organizers] = await Promise.all([
    termsByIds(db, term),
    rowsByIds<VenueTable>(db, 'venue', venue),
    rowsByIds<OrganizerTable>(db, 'organizer', organizer),
  ]);
  return { terms, venues, organizers };
}

export function parentOf({ parent }: EventRow): { status: Status; author_id: number } | undefined {
  const [status, author] = parent?.split(' ') ?? [];
  return status === undefined ? undefined : { status: status as Status, author_id: Number(author) };
}

/** Ids in the order of their positions. */
function inPlaces(text: string | null): number[] {
  if (text === null) return [];
  const placed = text.split(',').map((one) => one.split(':').map(Number) as [place: number, id: number]);
  if (placed.length > 1) placed.sort(([a], [b]) => a - b);
  return placed.map(([, id]) => id);
}

export const linksIn = (row: EventRow): LinkedIds => ({
  venue: inPlaces(row.venue_ids),
  organizer: inPlaces(row.organizer_ids),
  term: row.term_ids === null ? [] : row.term_ids.split(',').map(Number),
  event: row.parent_id === null ? [] : [row.parent_id],
});

/** The event and all its descendants. */
export async function descendants(db: Db, id: number): Promise<number[]> {
  const rows = await db.all(
    sql<{ id: number }>`WITH RECURSIVE below (id) AS (
        SELECT id FROM event WHERE id = ${id}
        UNION SELECT event.id FROM event JOIN below ON event.parent_id = below.id)
      SELECT id FROM below`,
  );
  return rows.map((row) => row.id);
}

/** The schedules of up to `limit` events with ids above this one, ordered by id. */
export const schedulesAfter = (db: Db, id: number, limit: number): Promise<(Schedule & { id: number })[]> =>
  db.all(
    db.q
      .selectFrom('event')
      .select(['id', 'timezone', 'all_day', 'start_utc', 'start_local', 'end_utc', 'end_local'])
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit),
  );
