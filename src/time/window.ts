// The date filters of the event list, B4 to B8.
import { addYears, endOfDay, lastSecond, startOfDay, toIso } from './clock.js';
import { instantOf, type Moment, wallOf } from './parse.js';
import { toInstant, toWall, type Zone } from './zone.js';

export const DATE_FILTERS = [
  'start_date',
  'end_date',
  'starts_before',
  'starts_after',
  'ends_before',
  'ends_after',
] as const;
type Name = (typeof DATE_FILTERS)[number];

export interface DateFilters extends Partial<Record<Name, Moment>> {
  strict: boolean;
}

/**
 * Bounds are epoch seconds; all that are present must hold. Whether a filter is inclusive or exclusive is already
 * included: start >= startFrom, start <= startUntil, end >= endFrom, end <= endUntil.
 */
export interface Bounds {
  startFrom?: number;
  startUntil?: number;
  endFrom?: number;
  endUntil?: number;
}
export interface Window extends Bounds {
  /**
   * The effective filters as texts (wall-clock time of the site) for rest_url, rounded as in the reference: unless
   * strict, start_date is 00:00:00 and all others 23:59:59. Only those in force.
   */
  shown: Partial<Record<Name, string>>;
}

/** What a filter bounds, and whether the second that it names is itself excluded when strict (B6). */
const meaning: Record<Name, { bound: 'startFrom' | 'startUntil' | 'endFrom' | 'endUntil'; exclusive: boolean }> = {
  start_date: { bound: 'startFrom', exclusive: false },
  end_date: { bound: 'endUntil', exclusive: false },
  starts_before: { bound: 'startUntil', exclusive: true },
  starts_after: { bound: 'startFrom', exclusive: true },
  ends_before: { bound: 'endUntil', exclusive: true },
  ends_after: { bound: 'endFrom', exclusive: true },
};

/** The default dates (B4). Any of the four relative filters switches them off (B7). */
function defaultsFor(filters: DateFilters, site: Zone, now: number): Partial<DateFilters> {
  const { starts_before, starts_after, ends_before, ends_after } = filters;
  if (starts_before ?? starts_after ?? ends_before ?? ends_after) return {};
  const today = startOfDay(toWall(now, site));
  return { start_date: { wall: today }, end_date: { wall: endOfDay(addYears(today, 2)) } };
}

/** A moment as a bound: whole days in the site's zone unless strict (B6); instants are converted to it first (B5). */
function boundOf(name: Name, moment: Moment, strict: boolean, site: Zone): { value: number; shown: string } {
  const { bound, exclusive } = meaning[name];
  const from = bound === 'startFrom' || bound === 'endFrom';
  const wall = wallOf(moment, site);
  if (strict) {
    const instant = instantOf(moment, site);
    // In an hour that comes twice, the wall-clock time alone could mean the other instant (B2).
    const shown = toInstant(wall, site) === instant ? wall : toIso(instant, site);
    return { value: exclusive ? instant + (from ? 1 : -1) : instant, shown };
  }
  if (name === 'start_date') return { value: toInstant(startOfDay(wall), site), shown: startOfDay(wall) };
  const last = lastSecond(wall, site);
  return { value: from ? last + 1 : last, shown: endOfDay(wall) };
}

/** The window of a list. */
export function listWindow(filters: DateFilters, site: Zone, now: number): Window {
  const defaults = defaultsFor(filters, site, now);
  const window: Window = { shown: {} };
  for (const name of DATE_FILTERS) {
    const moment = filters[name] ?? defaults[name];
    if (!moment) continue;
    const { value, shown } = boundOf(name, moment, filters.strict, site);
    const { bound } = meaning[name];
    const other = window[bound];
    const narrower = bound === 'startFrom' || bound === 'endFrom' ? Math.max : Math.min;
    // start_date with starts_after, end_date with ends_before: both count (B7).
    window[bound] = other === undefined ? value : narrower(other, value);
    window.shown[name] = shown;
  }
  return window;
}
