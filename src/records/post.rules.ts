import { type Caller, editsOthers, publishes } from '../access/rights.js';
import type { Flag, Status } from '../db/tables.js';
import { Failure } from '../errors.js';
import { instantOf, type Moment } from '../time/parse.js';
import { toWall, UTC, type Zone } from '../time/zone.js';

/** Pure rules that events, venues and organizers share. */

export const flag = (value: boolean): Flag => (value ? 1 : 0);

/** A caller who may not publish gets `pending`, for review, instead, and `draft` if it asked for no status (D10). */
export function scaledStatus(caller: Caller, asked: Status | undefined): Status {
  if (publishes(caller)) return asked ?? 'publish';
  if (asked === undefined) return 'draft';
  return asked === 'publish' || asked === 'future' || asked === 'private' ? 'pending' : asked;
}

/** `publish` with a date in the future becomes `future`; `future` with a date in the past becomes `publish` (D10). */
export function scheduledStatus(status: Status, date: number, now: number): Status {
  if (status === 'publish' && date > now) return 'future';
  if (status === 'future' && date <= now) return 'publish';
  return status;
}

/**
 * `date` is in the site's zone, `date_utc` in UTC; if both are given, `date` counts (D10). A wall clock equal to the
 * stored one is the stored instant, even in the second of two identical hours: that is how the client read it.
 */
export function publicationDate(
  { date, date_utc }: { date?: Moment; date_utc?: Moment },
  site: Zone,
  stored?: number,
): number | undefined {
  if (!date) return date_utc && instantOf(date_utc, UTC);
  return stored !== undefined && 'wall' in date && date.wall === toWall(stored, site) ? stored : instantOf(date, site);
}

/** Naming another author requires the right to edit others' records (D11). */
export function checkAuthor(caller: Caller, author: number | undefined, current: number | undefined): void {
  if (author === undefined || author === current || author === caller.user?.id) return;
  if (!editsOthers(caller)) throw new Failure('rest_forbidden');
}
