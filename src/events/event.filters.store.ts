import { type Expression, type SqlBool, sql } from 'kysely';
import type { Caller } from '../access/rights.js';
import { editable, listed, readable, unveiled } from '../access/visibility.js';
import type { Db } from '../db/database.js';
import type { Status } from '../db/tables.js';
import type { SearchWords } from '../text/search.js';
import type { Window } from '../time/window.js';

/** The filters of a list of events, and their SQL. */
export interface EventFilters {
  statuses: readonly Status[];
  window: Window;
  words?: SearchWords | undefined;
  /** Any one of them; categories include their descendants. */
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
  /** Hash of the password that was sent, if it opens any event. */
  opened?: string | undefined;
  /** Events hidden from listings are shown to callers who may edit them and ask for it (B12). */
  withHidden: boolean;
}

function notHidden(caller: Caller, withHidden: boolean): Expression<SqlBool> {
  const open = sql<SqlBool>`event.hide_from_listings = 0`;
  const mine = withHidden ? editable(caller) : undefined;
  return mine ? sql<SqlBool>`(${open} OR ${mine})` : open;
}

type LinkTable = 'event_term' | 'event_venue' | 'event_organizer';

/**
 * Events with such a link. If `few`, each known event is checked: by a value, since PostgreSQL, when it plans for any
 * values, would answer EXISTS from all links of the term. Otherwise the links lead to the events.
 */
const linkedSo = (links: LinkTable, few: boolean, how: Expression<SqlBool>, joined = sql``): Expression<SqlBool> => {
  const event = sql.ref(`${links}.event_id`);
  return few
    ? sql<SqlBool>`((SELECT 1 FROM ${sql.table(links)} ${joined} WHERE ${event} = event.id AND ${how} LIMIT 1) IS NOT NULL)`
    : sql<SqlBool>`event.id IN (SELECT ${event} FROM ${sql.table(links)} ${joined} WHERE ${how})`;
};

/** Events at a venue that the caller may read and that satisfies `more`. */
const atVenue = (caller: Caller, few: boolean, more: Expression<SqlBool>): Expression<SqlBool> =>
  linkedSo(
    'event_venue',
    few,
    sql<SqlBool>`${readable('venue', caller)} AND ${more}`,
    sql`JOIN venue ON venue.id = event_venue.venue_id`,
  );

/** Whether a filter other than dates leads to the events. */
const isPicked = (f: EventFilters): boolean =>
  [f.words, f.categories, f.tags, f.venues, f.organizers, f.include, f.near, f.parent].some((one) => one !== undefined);

/** Whether every event must be examined, since no index leads to the matching ones. */
const isSifted = (f: EventFilters): boolean => [f.featured, f.ticketed, f.hasPlace].some((one) => one !== undefined);

/** Whether dates are not the way to find the events. */
export const isUndatable = (f: EventFilters): boolean => isPicked(f) || isSifted(f);

/** Whether the filters may match very many events or must examine all: then counting takes as long as selecting. */
export const isLong = (f: EventFilters): boolean => (isPicked(f) && f.include === undefined) || isSifted(f);

/** `few`: checked for a few events whose ids are known. */
export function conditions(
  { dialect }: Pick<Db, 'dialect'>,
  caller: Caller,
  f: EventFilters,
  few = false,
): Expression<SqlBool> {
  const { among } = dialect;
  const { startFrom, startUntil, endFrom, endUntil } = f.window;
  // Without dates, any other filter finds rows faster than the index on status does, and reading the table in storage
  // order is faster than looking up each row.
  const undated = [startFrom, startUntil, endFrom, endUntil].every((bound) => bound === undefined);
  const narrow = few || (undated && isUndatable(f)) || [f.include, f.near, f.parent].some((one) => one !== undefined);
  const parts: Expression<SqlBool>[] = [listed('event', caller, f.statuses, narrow)];
  const add = (condition: Expression<SqlBool>): void => {
    parts.push(condition);
  };
  add(notHidden(caller, f.withHidden));
  // Without the password, anonymous callers cannot find protected events by words, not even by the title.
  if (asksForHidden(f) || (f.words && !caller.user)) add(unveiled(caller, f.opened));
  if (startFrom !== undefined) add(sql<SqlBool>`event.start_utc >= ${startFrom}`);
  if (endFrom !== undefined) add(sql<SqlBool>`event.end_utc >= ${endFrom}`);
  if (endUntil !== undefined) add(sql<SqlBool>`event.end_utc <= ${endUntil}`);
  // No event ends before it begins (D3), so the index, which is ordered by start, need not be read any further.
  const lastStart = Math.min(startUntil ?? Number.POSITIVE_INFINITY, endUntil ?? Number.POSITIVE_INFINITY);
  if (lastStart < Number.POSITIVE_INFINITY) add(sql<SqlBool>`event.start_utc <= ${lastStart}`);
  if (f.words) add(dialect[few ? 'contains' : 'matches']('event_search', sql.ref('event.id'), f.words));
  for (const [links, column, ids] of [
    ['event_term', 'term_id', f.categories],
    ['event_term', 'term_id', f.tags],
    ['event_venue', 'venue_id', f.venues],
    ['event_organizer', 'organizer_id', f.organizers],
  ] as const) {
    if (ids) add(linkedSo(links, few, among(sql.ref(column), ids)));
  }
  if (f.featured !== undefined) add(sql<SqlBool>`event.featured = ${f.featured ? 1 : 0}`);
  if (f.ticketed !== undefined) add(sql<SqlBool>`event.ticketed = ${f.ticketed ? 1 : 0}`);
  if (f.include) add(among(sql.ref('event.id'), f.include));
  if (f.parent !== undefined) add(sql<SqlBool>`event.parent_id = ${f.parent}`);
  if (f.hasPlace !== undefined) {
    const placed = atVenue(caller, few, sql<SqlBool>`venue.geo_lat IS NOT NULL`);
    add(f.hasPlace ? placed : sql<SqlBool>`NOT ${placed}`);
  }
  if (f.near) {
    const { point, reach } = f.near;
    const square = (column: string, value: number) =>
      sql`(${sql.ref(column)} - ${value}) * (${sql.ref(column)} - ${value})`;
    const within = sql<SqlBool>`${square('venue.geo_x', point.x)} + ${square('venue.geo_y', point.y)} +
      ${square('venue.geo_z', point.z)} <= ${reach * reach}`;
    // The index leads to venues that may be near; the few of known events need not be searched for.
    const found = few ? within : sql<SqlBool>`venue.id IN ${dialect.placesNear(point, reach)} AND ${within}`;
    add(atVenue(caller, few, found));
  }
  return sql.join(parts, sql` AND `) as Expression<SqlBool>;
}

/** Whether filters test members that a list hides for protected events: they must not reveal those either. */
export const asksForHidden = (f: EventFilters): boolean =>
  [f.categories, f.tags, f.venues, f.organizers, f.featured, f.ticketed, f.parent, f.hasPlace, f.near].some(
    (one) => one !== undefined,
  );

export const ORDER = sql`event.start_utc, event.date_utc, event.id`;
