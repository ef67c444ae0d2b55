import { type Expression, type SqlBool, sql } from 'kysely';
import { type Caller, editsOthers, publishes, writes } from '../access/rights.js';
import { listed, readable, unveiled } from '../access/visibility.js';
import type { Db } from '../db/database.js';
import type { EventTable, Status } from '../db/tables.js';
import type { Paging } from '../records/list.js';
import type { SearchWords } from '../text/search.js';
import type { Window } from '../time/window.js';

/** All SQL about the list of events. */
export interface EventFilters {
  statuses: readonly Status[];
  window: Window;
  words?: SearchWords | undefined;
  /** Any one of them; categories with their descendants. */
  categories?: number[] | undefined;
  tags?: number[] | undefined;
  venues?: number[] | undefined;
  organizers?: number[] | undefined;
  featured?: boolean | undefined;
  include?: number[] | undefined;
  parent?: number | undefined;
  ticketed?: boolean | undefined;
  hasPlace?: boolean | undefined;
  near?: { point: { x: number; y: number; z: number }; reach: number } | undefined;
  /** Events hidden from listings are shown to those who may edit them and ask for it (B12). */
  withHidden: boolean;
}

function hidden(caller: Caller, withHidden: boolean): Expression<SqlBool> | undefined {
  if (!withHidden || !writes(caller)) return sql<SqlBool>`event.hide_from_listings = 0`;
  if (editsOthers(caller)) return undefined;
  const own = sql<SqlBool>`event.author_id = ${caller.user?.id ?? 0}`;
  const editable = publishes(caller) ? own : sql<SqlBool>`(${own} AND event.status NOT IN ('publish', 'future'))`;
  return sql<SqlBool>`(event.hide_from_listings = 0 OR ${editable})`;
}

/** Events at a venue that the caller may read and that meets `more`. */
const atVenue = (caller: Caller, more: Expression<SqlBool>): Expression<SqlBool> =>
  sql<SqlBool>`event.id IN (SELECT event_venue.event_id FROM event_venue JOIN venue ON venue.id = event_venue.venue_id
    WHERE ${readable('venue', caller)} AND ${more})`;

function conditions(db: Db, caller: Caller, f: EventFilters): Expression<SqlBool> {
  const { among } = db.dialect;
  const narrow = f.include !== undefined || f.near !== undefined || f.parent !== undefined;
  const parts: Expression<SqlBool>[] = [listed('event', caller, f.statuses, narrow)];
  const add = (condition: Expression<SqlBool> | undefined): void => {
    if (condition) parts.push(condition);
  };
  const { startFrom, startUntil, endFrom, endUntil } = f.window;
  add(hidden(caller, f.withHidden));
  if (asksForHidden(f)) add(unveiled(caller));
  if (startFrom !== undefined) add(sql<SqlBool>`event.start_utc >= ${startFrom}`);
  if (startUntil !== undefined) add(sql<SqlBool>`event.start_utc <= ${startUntil}`);
  if (endFrom !== undefined) add(sql<SqlBool>`event.end_utc >= ${endFrom}`);
  if (endUntil !== undefined) add(sql<SqlBool>`event.end_utc <= ${endUntil}`);
  if (f.words) add(db.dialect.matches('event_search', sql.ref('event.id'), f.words));
  for (const terms of [f.categories, f.tags]) {
    if (terms)
      add(sql<SqlBool>`event.id IN (SELECT event_id FROM event_term WHERE ${among(sql.ref('term_id'), terms)})`);
  }
  if (f.venues)
    add(sql<SqlBool>`event.id IN (SELECT event_id FROM event_venue WHERE ${among(sql.ref('venue_id'), f.venues)})`);
  if (f.organizers) {
    add(
      sql<SqlBool>`event.id IN (SELECT event_id FROM event_organizer WHERE ${among(sql.ref('organizer_id'), f.organizers)})`,
    );
  }
  if (f.featured !== undefined) add(sql<SqlBool>`event.featured = ${f.featured ? 1 : 0}`);
  if (f.ticketed !== undefined) add(sql<SqlBool>`event.ticketed = ${f.ticketed ? 1 : 0}`);
  if (f.include) add(among(sql.ref('event.id'), f.include));
  if (f.parent !== undefined) add(sql<SqlBool>`event.parent_id = ${f.parent}`);
  if (f.hasPlace !== undefined) {
    const placed = atVenue(caller, sql<SqlBool>`venue.geo_lat IS NOT NULL`);
    add(f.hasPlace ? placed : sql<SqlBool>`NOT ${placed}`);
  }
  if (f.near) {
    const { point, reach } = f.near;
    const square = (column: string, value: number) =>
      sql`(${sql.ref(column)} - ${value}) * (${sql.ref(column)} - ${value})`;
    add(
      atVenue(
        caller,
        sql<SqlBool>`venue.id IN ${db.dialect.placesNear(point, reach)} AND
          ${square('venue.geo_x', point.x)} + ${square('venue.geo_y', point.y)} + ${square('venue.geo_z', point.z)} <= ${reach * reach}`,
      ),
    );
  }
  return sql.join(parts, sql` AND `) as Expression<SqlBool>;
}

/** Filters by members that a list does not show of a protected event: they must not tell them either. */
const asksForHidden = (f: EventFilters): boolean =>
  [f.categories, f.tags, f.venues, f.organizers, f.featured, f.ticketed, f.hasPlace, f.near].some(
    (one) => one !== undefined,
  );

/** A page of events in the order of B13, and how many there are in all. */
export async function listEvents(
  db: Db,
  caller: Caller,
  filters: EventFilters,
  { page, perPage }: Paging,
): Promise<{ rows: EventTable[]; total: number }> {
  const where = conditions(db, caller, filters);
  const count = await db.first(sql<{ total: number }>`SELECT count(*) AS total FROM event WHERE ${where}`);
  const rows = await db.all(
    sql<EventTable>`SELECT event.* FROM event WHERE ${where}
      ORDER BY event.start_utc, event.date_utc, event.id LIMIT ${perPage} OFFSET ${(page - 1) * perPage}`,
  );
  return { rows, total: count?.total ?? 0 };
}

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
