import { setImmediate as breath } from 'node:timers/promises';
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Caller } from '../access/rights.js';
import type { Aside, Query } from '../db/database.js';
import { fixed } from '../db/fixed.js';
import { BeingMade } from '../db/lazily.js';
import type { Basis, Selected } from '../records/basis.js';
import type { Context } from '../records/context.js';
import type { Paging } from '../records/list.js';
import { askedBy } from '../records/orders.js';
import { type DayRow, Selection } from '../records/selection.js';
import type { Placed } from '../records/stretch.js';
import { beginOfUtcDay, DAY, utcDayOf, YEAR_ZERO } from '../time/clock.js';
import { conditions, type EventFilters, isLong, isUndatable } from './event.filters.store.js';

/** The selections of requests for events, held in memory and updated as events change. */

export type Asking = Pick<Context, 'db' | 'caller' | 'kept'>;

/** Dates are applied later, so that one selection serves every window. */
const undatedOf = (filters: EventFilters): EventFilters => ({ ...filters, window: { shown: {} } });
const keyOf = (caller: Caller, undated: EventFilters): string => JSON.stringify([askedBy(caller), undated]);

/** The selection of a request, from memory, brought up to date. */
async function knownSelection({ db, caller, kept }: Asking, filters: EventFilters): Promise<Selection | undefined> {
  const key = keyOf(caller, undatedOf(filters));
  // A selection that others have updated beyond this reader's snapshot must not be used.
  const known = kept?.current.holds() ? kept.selections.get(key) : undefined;
  return known && kept && (await kept.selections.follow(key, known, db, kept.current)) ? known : undefined;
}

const UNKNOWN: Selected = { isSame: false, total: 0 };

/** Tells whether the page would still have the same events. */
export function findsAgain(
  caller: Caller,
  filters: EventFilters,
  paging: Paging,
  before: readonly number[],
): Basis['selects'] {
  const selected = (selection: Selection): Selected => {
    const { ids, total } = selection.within(filters.window, paging.skip, paging.perPage);
    return { isSame: ids.length === before.length && ids.every((id, at) => id === before[at]), total };
  };
  let key: string | undefined;
  return (selections) => {
    // Computed only when needed, since few cached responses are ever in doubt.
    key ??= keyOf(caller, undatedOf(filters));
    const selection = selections.get(key);
    if (!selection) return UNKNOWN;
    return selection.isStale ? undefined : selected(selection);
  };
}

/**
 * Undefined: the database's index answers. From the second request on, the selection is built in the background for
 * later ones; where counting is slow (`isLong`), it is built at once, and the request waits for it.
 */
export async function selectionFor(asking: Asking, filters: EventFilters): Promise<Selection | undefined> {
  const { caller, kept } = asking;
  const known = await knownSelection(asking, filters);
  if (known || !kept) return known;
  const undated = undatedOf(filters);
  const key = keyOf(caller, undated);
  const beingMade = kept.selections.beingMade(key);
  if (beingMade) throw new BeingMade(beingMade);
  const atOnce = isLong(undated);
  if (!kept.selections.isWanted(key, atOnce)) return undefined;
  const selection = new Selection(
    againOf(caller, undated),
    filters.near !== undefined || filters.hasPlace !== undefined,
  );
  // Registered before it is built, so that requests arriving meanwhile wait for it.
  const made = kept.selections.make(key, selection, () =>
    kept.later((aside) => fillSelection(aside, caller, undated, selection)),
  );
  if (atOnce) throw new BeingMade(made);
  // The failure was reported already; the index goes on answering.
  made.catch(() => {});
  return undefined;
}

/** How many events are selected at a time: with more, other requests would notice the wait. */
const SLICE = 10_000;
const MOST_DAYS = 4_000_000;

/** Slice by slice, so that others get their turn; but unless dates lead to the events, each costs as much as all. */
async function fillSelection(aside: Aside, caller: Caller, undated: EventFilters, made: Selection): Promise<void> {
  const where = conditions(aside, caller, undated);
  const add = async (which: Expression<SqlBool>): Promise<number> => {
    let many = 0;
    await aside.each(daysOf(aside, which), (rows) => {
      many += made.add(rows);
    });
    return many;
  };
  if (isUndatable(undated)) {
    await add(where);
    return;
  }
  let [first, last] = [0, -1];
  await aside.each(firstAndLast, ([ends]) => {
    [first, last] = [ends?.first ?? first, ends?.last ?? last];
  });
  let from = beginOfUtcDay(utcDayOf(first));
  for (let days = 32; from <= last; ) {
    const until = from + days * DAY;
    const many = await add(sql<SqlBool>`${where} AND event.start_utc >= ${from} AND event.start_utc < ${until}`);
    from = until;
    // Aims at SLICE events, assuming the density of this slice; grows at most fourfold, since a gap may end any time.
    days = Math.min(MOST_DAYS, Math.max(1, Math.min(days * 4, Math.round((days * SLICE) / Math.max(1, many)))));
    await breath();
  }
}

// One subquery per end: for both in one query, SQLite reads every row.
const firstAndLast = sql<{ first: number | null; last: number | null }>`SELECT
  (SELECT min(start_utc) FROM event) AS first, (SELECT max(start_utc) FROM event) AS last`;

function daysOf({ dialect }: Aside, where: Expression<SqlBool>): Query<DayRow> {
  const day = sql<number>`((event.start_utc + ${sql.lit(YEAR_ZERO)}) / ${sql.lit(DAY)})`;
  const told = sql`event.id || ':' || event.start_utc || ':' || event.end_utc || ':' || event.date_utc`;
  return sql<DayRow>`SELECT ${day} AS day, ${dialect.joined(told)} AS events FROM event WHERE ${where}
    GROUP BY 1 ORDER BY 1`;
}

/** Runs after every write, so the statement is built only once. */
function againOf(caller: Caller, filters: EventFilters): Selection['again'] {
  const selected = fixed(
    (db, changed: unknown) => sql<Placed>`SELECT event.id, event.start_utc, event.end_utc, event.date_utc FROM event
      WHERE ${db.dialect.amongListed(sql.ref('event.id'), changed)} AND ${conditions(db, caller, filters, true)}`,
  );
  return (db, changed) => db.all(selected(db, db.dialect.listed(changed)));
}
