import { type Caller, editsOthers, publishes } from '../access/rights.js';
import type { Status } from '../db/tables.js';
import { Failure } from '../errors.js';
import { instantOf, type Moment } from '../time/parse.js';
import { UTC, type Zone } from '../time/zone.js';

/** Pure rules that events, venues and organizers share. */

/** What a caller may not publish waits for review (D10). */
export function scaledStatus(caller: Caller, asked: Status | undefined): Status {
  if (publishes(caller)) return asked ?? 'publish';
  if (asked === undefined) return 'draft';
  return asked === 'publish' || asked === 'future' || asked === 'private' ? 'pending' : asked;
}

/** `publish` in the time to come is `future`; `future` in the past is `publish` (D10). */
export function scheduledStatus(status: Status, date: number, now: number): Status {
  if (status === 'publish' && date > now) return 'future';
  if (status === 'future' && date <= now) return 'publish';
  return status;
}

/** `date` is site time, `date_utc` UTC; both name one instant (D10). */
export function publicationDate(given: { date?: Moment; date_utc?: Moment }, site: Zone): number | undefined {
  if (given.date) return instantOf(given.date, site);
  return given.date_utc && instantOf(given.date_utc, UTC);
}

/** Naming another author needs the right to edit others' records (D11). */
export function checkAuthor(caller: Caller, author: number | undefined, current: number | undefined): void {
  if (author === undefined || author === current || author === caller.user?.id) return;
  if (!editsOthers(caller)) throw new Failure('rest_forbidden');
}
