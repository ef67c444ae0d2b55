import { type Expression, type SqlBool, sql } from 'kysely';
import { type Caller, editsOthers, publishes, writes } from '../access/rights.js';
import { listed, readable, unveiled } from '../access/visibility.js';
import type { Db } from '../db/database.js';
import type { EventTable, Status, TermTable } from '../db/tables.js';
import type { Basis } from '../records/basis.js';
import type { Context } from '../records/context.js';
import type { Paging } from '../records/list.js';
import { type DayRow, type Placed, Selection } from '../records/selection.js';
import type { SearchWords } from '../text/search.js';
import { DAY, YEAR_ZERO } from '../time/clock.js';
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

type LinkTable = 'event_term' | 'event_venue' | 'event_organizer';

/** Events that are linked so; of a few events each is asked, else the links lead to them. */
const linkedSo = (links: LinkTable, few: boolean, how: Expression<SqlBool>, joined = sql``): Expression<SqlBool> => {
  const event = sql.ref(`${links}.event_id`);
  return few
    ? sql<SqlBool>`EXISTS (SELECT 1 FROM ${sql.table(links)} ${joined} WHERE ${event} = event.id AND ${how})`
    : sql<SqlBool>`event.id IN (SELECT ${event} FROM ${sql.table(links)} ${joined} WHERE ${how})`;
};

/** Events at a venue that the caller may read and that meets `more`. */
const atVenue = (caller: Caller, few: boolean, more: Expression<SqlBool>): Expression<SqlBool> =>
  linkedSo(
    'event_venue',
    few,
    sql<SqlBool>`${readable('venue', caller)} AND ${more}`,
    sql`JOIN venue ON venue.id = event_venue.venue_id`,
  );

/** `few`: asked of a few events that are known by their ids. */
function conditions(db: Db, caller: Caller, f: EventFilters, few = false): Expression<SqlBool> {
  const { among } = db.dialect;
  const { startFrom, startUntil, endFrom, endUntil } = f.window;
  // Without dates, whatever else is asked for leads to the rows more quickly than their status.
  const undated = [startFrom, startUntil, endFrom, endUntil].every((bound) => bound === undefined);
  const picked = [f.words, f.categories, f.tags, f.venues, f.organizers].some((one) => one !== undefined);
  const narrow =
    few || (undated && picked) || f.include !== undefined || f.near !== undefined || f.parent !== undefined;
  const parts: Expression<SqlBool>[] = [listed('event', caller, f.statuses, narrow)];
  const add = (condition: Expression<SqlBool> | undefined): void => {
    if (condition) parts.push(condition);
  };
  add(hidden(caller, f.withHidden));
  if (asksForHidden(f)) add(unveiled(caller));
  if (startFrom !== undefined) add(sql<SqlBool>`event.start_utc >= ${startFrom}`);
  if (startUntil !== undefined) add(sql<SqlBool>`event.start_utc <= ${startUntil}`);
  if (endFrom !== undefined) add(sql<SqlBool>`event.end_utc >= ${endFrom}`);
  if (endUntil !== undefined) add(sql<SqlBool>`event.end_utc <= ${endUntil}`);
  if (f.words) add(db.dialect[few ? 'contains' : 'matches']('event_search', sql.ref('event.id'), f.words));
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
    add(
      atVenue(
        caller,
        few,
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

const ORDER = sql`event.start_utc, event.date_utc, event.id`;

/** A page: the ids of its events, how many there are in all, and the rows where they were read by the way. */
export interface Found {
  ids: number[];
  total: number;
  rows?: EventTable[];
}

/** A page of events in the order of B13, and how many there are in all. */
export async function listEvents(
  context: Pick<Context, 'db' | 'caller' | 'kept'>,
  filters: EventFilters,
  { page, perPage }: Paging,
): Promise<Found> {
  const { db, caller } = context;
  const selection = (await knownSelection(context, filters)) ?? (await newSelection(context, filters));
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

type Asking = Pick<Context, 'db' | 'caller' | 'kept'>;

/** Dates are looked at afterwards, so that one selection answers for every window. */
const undatedOf = (filters: EventFilters): EventFilters => ({ ...filters, window: { shown: {} } });
const keyOf = ({ user }: Caller, undated: EventFilters): string => JSON.stringify([user?.role, user?.id, undated]);

/** What a question selects, from memory, brought up to date. */
async function knownSelection({ db, caller, kept }: Asking, filters: EventFilters): Promise<Selection | undefined> {
  const undated = undatedOf(filters);
  const known = kept?.selections.get(keyOf(caller, undated));
  if (!known || known.stale.length === 0) return known;
  const found = await again(db, caller, undated, known.stale);
  if (!kept?.current.holds()) return undefined;
  known.refresh(found);
  return known;
}

/** Tells whether a page would be found again as it was. */
export function findsAgain(caller: Caller, filters: EventFilters, paging: Paging, before: Found): Basis['selects'] {
  const isSame = (selection: Selection): boolean => {
    const { ids, total } = selection.within(filters.window, (paging.page - 1) * paging.perPage, paging.perPage);
    return total === before.total && ids.length === before.ids.length && ids.every((id, at) => id === before.ids[at]);
  };
  const key = keyOf(caller, undatedOf(filters));
  return {
    known: (selections) => {
      const selection = selections.get(key);
      if (!selection) return false;
      return selection.stale.length === 0 ? isSame(selection) : undefined;
    },
    asked: async (db, kept) => {
      const selection = await knownSelection({ db, caller, kept }, filters);
      return selection !== undefined && isSame(selection);
    },
  };
}

/** Undefined: memory does not hold what this reader sees, or the question is asked for the first time, which costs less without. */
async function newSelection({ db, caller, kept }: Asking, filters: EventFilters): Promise<Selection | undefined> {
  const undated = undatedOf(filters);
  const key = keyOf(caller, undated);
  if (!kept?.selections.isWanted(key)) return undefined;
  const day = sql<number>`((event.start_utc + ${sql.lit(YEAR_ZERO)}) / ${sql.lit(DAY)})`;
  const each = (column: string) => db.dialect.joinedInOrder(sql.ref(column), ORDER);
  const days = await db.all(
    sql<DayRow>`SELECT ${day} AS day, ${each('event.id')} AS ids, ${each('event.start_utc')} AS starts,
        ${each('event.end_utc')} AS ends, ${each('event.date_utc')} AS dates
      FROM event WHERE ${conditions(db, caller, undated)} GROUP BY 1`,
  );
  const made = new Selection(days, filters.near !== undefined || filters.hasPlace !== undefined);
  if (kept.current.holds()) kept.selections.keep(key, made);
  return made;
}

/** Of events that changed, those that are selected now. */
function again(db: Db, caller: Caller, filters: EventFilters, changed: number[]): Promise<Placed[]> {
  return db.all(
    sql<Placed>`SELECT event.id, event.start_utc, event.end_utc, event.date_utc FROM event
      WHERE ${db.dialect.among(sql.ref('event.id'), changed)} AND ${conditions(db, caller, filters, true)}`,
  );
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
