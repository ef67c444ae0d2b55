import { beginOfYear, compact, compactOffset } from '../time/clock.js';
import { changesBetween, toWall, type Zone, type ZoneChange } from '../time/zone.js';
import { line, text } from './lines.js';

/** Daylight saving time begins where the clock goes forward: our zone data says no more, and readers need no more. */
const isForward = ({ from, to }: ZoneChange): boolean => to > from;

function observance(zone: Zone, { at, clock, from, to }: ZoneChange, isDaylight: boolean): string {
  const kind = isDaylight ? 'DAYLIGHT' : 'STANDARD';
  return [
    line('BEGIN', kind),
    line('DTSTART', compact(clock)),
    line('TZOFFSETFROM', compactOffset(from)),
    line('TZOFFSETTO', compactOffset(to)),
    line('TZNAME', text(zone.abbreviationAt(at))),
    line('END', kind),
  ].join('');
}

/** A zone in the years of these two instants. Every change is written out: rules change from year to year. */
export function zoneBlock(zone: Zone, first: number, last: number): string {
  const [from, until] = [beginOfYear(first, 0), beginOfYear(last, 1)];
  const changes = changesBetween(zone, from, until);
  const [next] = changes;
  const offset = zone.offsetAt(from);
  return [
    line('BEGIN', 'VTIMEZONE'),
    line('TZID', text(zone.name)),
    observance(
      zone,
      { at: from, clock: toWall(from, zone), from: offset, to: offset },
      next !== undefined && !isForward(next),
    ),
    ...changes.map((change) => observance(zone, change, isForward(change))),
    line('END', 'VTIMEZONE'),
  ].join('');
}
