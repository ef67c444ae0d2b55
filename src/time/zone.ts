// Time zones as D6 defines them, and the two conversions that everything else relies on.
import { hoursOfLetters, lettersOfName, namedAfter, plainNames, withoutLetters } from './abbreviations.js';
import { DAY, LAST, localFrom, pad2, wallFrom } from './calendar.js';
import { type Span, spansOf } from './transitions.js';

/** A time zone as D6 defines it. `name` is the text as given (letter case kept). */
export interface Zone {
  readonly name: string;
  /** Seconds east of UTC at that epoch second. */
  offsetAt(instant: number): number;
  abbreviationAt(instant: number): string;
  /** An instant until which the offset at the given instant holds; it may hold for longer. */
  sameUntil(instant: number): number;
}

export function fixed(name: string, offset: number, abbreviation: string): Zone {
  return {
    name,
    offsetAt: () => offset,
    abbreviationAt: () => abbreviation,
    sameUntil: () => Number.POSITIVE_INFINITY,
  };
}

export const UTC: Zone = fixed('UTC', 0, 'UTC');

/** '+03', '-0930': how the tz database writes the abbreviation of a zone without letters. */
function digits(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  const rest = minutes % 60;
  return `${offset < 0 ? '-' : '+'}${pad2((minutes - rest) / 60)}${rest === 0 ? '' : pad2(rest)}`;
}

interface Place {
  spanAt(instant: number): Span;
  lettersAt(instant: number): string;
}

function place(timeZone: string): Place {
  const spanAt = spansOf(timeZone);
  const key = timeZone.toLowerCase();
  const numeric = withoutLetters.has(key) || (key.startsWith('etc/gmt') && /[1-9]/.test(key));
  const greenwich = /^(etc\/)?(gmt[+-]?0?|greenwich)$/.test(key);
  let format: Intl.DateTimeFormat | undefined;
  function letters(instant: number, offset: number): string {
    if (greenwich) return 'GMT';
    // Only local mean time, from before time zones, is off the quarter hour.
    if (offset % 900 !== 0) return 'LMT';
    if (numeric) return digits(offset);
    format ??= new Intl.DateTimeFormat('en-US', { timeZone: namedAfter[key] ?? timeZone, timeZoneName: 'long' });
    const at = instant < 0 ? sameOffsetLater(offset) : instant;
    if (at === undefined) return digits(offset);
    const name = format.formatToParts(at * 1000).find((part) => part.type === 'timeZoneName')?.value ?? '';
    return lettersOfName[name] ?? digits(offset);
  }
  /** Intl has names since 1970 only; before that, the letters are those that the same offset had in later years. */
  function sameOffsetLater(offset: number): number | undefined {
    for (let at = 182 * DAY; at < 16 * 365 * DAY; at += 182 * DAY) if (spanAt(at).offset === offset) return at;
    return undefined;
  }
  return {
    spanAt,
    lettersAt(instant) {
      const span = spanAt(instant);
      const { from, until, offset } = span;
      if (span.letters === undefined) {
        const [first, last] = [from, Math.min(until - 1, LAST)].map((at) => letters(at, offset));
        span.letters = first === last ? first : '';
      }
      return span.letters || letters(instant, offset);
    },
  };
}

// Two caches: one table per place (as many as Intl has names), and one zone per spelling. Callers can invent spellings
// without end ('eUROPE/pARIS'), so the second cache is limited.
const places = new Map<string, Place>();
const zones = new Map<string, Zone>();
const MOST_ZONES = 2000;

function placeOf(text: string): Place | undefined {
  const key = text.toLowerCase();
  const known = places.get(key);
  if (known) return known;
  if (key.includes('/') ? key.startsWith('systemv/') : !plainNames.has(key)) return undefined;
  try {
    const made = place(text);
    places.set(key, made);
    return made;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A little more than any place has, since clients of the reference may have stored such offsets. */
const WIDEST = 15 * 3600;
const offsetText = /^(UTC|GMT)?([+-]?)(\d{1,2})(?:(?::|(?<=\d\d))([0-5]\d)|\.(0|00|25|5|50|75))?$/i;

/** 'UTC+5.5', 'UTC+5:30', '+05:30', 'GMT+2'. Only after UTC may the sign be missing: '12' and 'GMT2' are not zones. */
function offsetZone(text: string): Zone | undefined {
  const found = offsetText.exec(text);
  if (!found) return undefined;
  const [, letters = '', sign, hours = '', minutes = '0', fraction] = found;
  if (sign === '' && letters.toUpperCase() !== 'UTC') return undefined;
  if (fraction !== undefined && letters === '') return undefined;
  const size = Number(hours) * 3600 + (fraction === undefined ? Number(minutes) * 60 : Number(`0.${fraction}`) * 3600);
  if (size > WIDEST) return undefined;
  const offset = sign === '-' && size > 0 ? -size : size;
  return fixed(text, offset, letters.toUpperCase() === 'UTC' ? text : digits(offset));
}

function makeZone(text: string): Zone | undefined {
  const upper = text.toUpperCase();
  if (upper === 'UTC') return text === 'UTC' ? UTC : fixed(text, 0, 'UTC');
  if (upper === 'Z') return fixed(text, 0, 'Z');
  if (Object.hasOwn(hoursOfLetters, upper)) {
    return fixed(text, (hoursOfLetters[upper] ?? 0) * 3600, upper === 'CHST' ? 'ChST' : upper);
  }
  const found = placeOf(text);
  if (!found) return offsetZone(text);
  const { spanAt, lettersAt } = found;
  return {
    name: text,
    offsetAt: (instant) => spanAt(instant).offset,
    abbreviationAt: lettersAt,
    sameUntil: (instant) => spanAt(instant).until,
  };
}

/** The zone that a text names, or undefined if D6 has none for it. */
export function findZone(text: string): Zone | undefined {
  const known = zones.get(text);
  if (known) return known;
  // JSON may contain anything; the longest IANA name has 32 letters.
  if (typeof text !== 'string' || text.length === 0 || text.length > 64) return undefined;
  const made = makeZone(text);
  if (made) {
    if (zones.size >= MOST_ZONES) zones.clear();
    zones.set(text, made);
  }
  return made;
}

/**
 * Wall-clock time 'YYYY-MM-DD HH:MM:SS' to epoch seconds (D4). In a gap, the clock moves forward by the gap; in an
 * overlap, the first of the two instants counts, everywhere: the reference takes the second one east of Greenwich.
 */
export function toInstant(wall: string, zone: Zone): number {
  const local = localFrom(wall);
  // No offset reaches a day, so these two lie on either side of any change that matters to this wall-clock time.
  const before = zone.offsetAt(local - DAY);
  const after = zone.offsetAt(local + DAY);
  const early = local - before;
  if (before === after || zone.offsetAt(early) === before) return early;
  const late = local - after;
  // In a gap, neither offset fits; the one before it moves the clock forward.
  return zone.offsetAt(late) === after ? late : early;
}

/** The same for an end: in an overlap, the second instant counts if only the first is before the start. */
export function endInstant(wall: string, zone: Zone, start: number): number {
  const first = toInstant(wall, zone);
  const second = localFrom(wall) - zone.offsetAt(start);
  return first < start && second >= start && zone.offsetAt(second) === zone.offsetAt(start) ? second : first;
}

/** The instant of a wall-clock time, if it is exactly one: a skipped hour has none, a repeated hour has two. */
export function onlyInstant(wall: string, zone: Zone): number | undefined {
  const local = localFrom(wall);
  const offsets = new Set([zone.offsetAt(local - DAY), zone.offsetAt(local + DAY)]);
  const [found, ...more] = [...offsets].map((one) => local - one).filter((at) => local - at === zone.offsetAt(at));
  return more.length === 0 ? found : undefined;
}

/** Epoch seconds to wall-clock time. Outside the years 1–9999, the nearest one that can be written. */
export function toWall(instant: number, zone: Zone): string {
  return wallFrom(instant + zone.offsetAt(instant));
}

/** Whether the wall clock does not tell this instant: it lies in the second of two like hours. */
export const isRepeated = (instant: number, zone: Zone): boolean => toInstant(toWall(instant, zone), zone) !== instant;

/** An instant from which on a zone has another offset. */
export interface ZoneChange {
  at: number;
  /** What a clock shows at that instant if it has not been changed yet. */
  clock: string;
  from: number;
  to: number;
}

/** The changes of a zone's offset between two instants. */
export function changesBetween(zone: Zone, from: number, until: number): ZoneChange[] {
  const changes: ZoneChange[] = [];
  let before = zone.offsetAt(from);
  for (let at = zone.sameUntil(from); at < until; at = zone.sameUntil(at)) {
    const to = zone.offsetAt(at);
    if (to !== before) changes.push({ at, clock: wallFrom(at + before), from: before, to });
    before = to;
  }
  return changes;
}

/** All known names, for suggestions. */
export const zoneNames = (): string[] => Intl.supportedValuesOf('timeZone');

let spellings: Map<string, string> | undefined;

/** The name in its usual letter case; other names, which mean the same as a known one, stay as they are. */
export function spelt(name: string): string {
  spellings ??= new Map(zoneNames().map((one) => [one.toLowerCase(), one]));
  return spellings.get(name.toLowerCase()) ?? name;
}
