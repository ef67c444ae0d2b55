import type { Status } from '../db/tables.js';
import { type SearchWords, searchWords } from '../text/search.js';
import { cleanUrl, LONGEST_URL } from '../text/url.js';
import { type Moment, parseMoment } from '../time/parse.js';
import { UTC, type Zone } from '../time/zone.js';
import { bad, leniently, notOfType, ok, type Problem, type Read, type Reader, type Reading, UNSTORED } from './args.js';

/** Readers that all kinds use. They accept what the reference accepts; A6 says where they accept more. */

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A number, or text that represents one; undefined otherwise. */
export function numeric(raw: unknown): number | undefined {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : undefined;
  if (typeof raw !== 'string') return undefined;
  const text = raw.trim();
  return NUMBER.test(text) ? Number(text) : undefined;
}

export function wholeNumber(raw: unknown): number | undefined {
  const n = numeric(raw);
  return n !== undefined && Number.isSafeInteger(n) ? n : undefined;
}

const MOST_WHOLE = 2n ** 63n - 1n;
const isBeyond = (raw: unknown, n: number): boolean =>
  BigInt(typeof raw === 'string' && /^\s*\d+\s*$/.test(raw) ? raw : n) > MOST_WHOLE;

/** Beyond the safe integers, any 64-bit number is read as the largest: no id is that high, and no list that long. */
function largeNumber(raw: unknown): number | undefined {
  const n = numeric(raw);
  if (n === undefined || !Number.isInteger(n)) return undefined;
  if (Number.isSafeInteger(n)) return n;
  return n < 0 || isBeyond(raw, n) ? undefined : Number.MAX_SAFE_INTEGER;
}

/** A record id, even if it has too many digits to exist. */
export const numberOfRecord = (raw: unknown): number | undefined =>
  wholeNumber(raw) ?? (typeof raw === 'string' && /^\d+$/.test(raw) ? Number.MAX_SAFE_INTEGER : undefined);

export const positiveInteger: Reader<number> = (raw) => {
  const n = largeNumber(raw);
  return n !== undefined && n > 0 ? ok(n) : bad('reason.invalid');
};

export const integer: Reader<number> = (raw) => {
  const n = wholeNumber(raw);
  return n === undefined ? notOfType('integer') : ok(n);
};

export function booleanOf(raw: unknown): boolean | undefined {
  if (raw === true || raw === 1) return true;
  if (raw === false || raw === 0) return false;
  if (typeof raw !== 'string') return undefined;
  const text = raw.toLowerCase();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  return undefined;
}

export const boolean: Reader<boolean> = (raw) => {
  const value = booleanOf(raw);
  return value === undefined ? notOfType('boolean') : ok(value);
};

const TRUTHY = new Set(['1', 'enable', 'enabled', 'on', 'y', 'yes', 'true']);
/** The rule for flags that are not declared as boolean: a few words are true, everything else is false. */
export const isTruthy = (raw: unknown): boolean =>
  typeof raw === 'string'
    ? TRUTHY.has(raw.trim().toLowerCase())
    : Boolean(raw) && !(Array.isArray(raw) && raw.length === 0);
export const truthy: Reader<boolean> = (raw) => ok(isTruthy(raw));

/** Text as sent; a JSON number becomes its text (A6). */
export function textOf(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw.includes(UNSTORED) ? raw.replaceAll(UNSTORED, '') : raw;
  return typeof raw === 'number' && Number.isFinite(raw) ? String(raw) : undefined;
}

const MOST_TEXT = 200_000;
const lengthOk = (text: string, most: number): boolean => text.length <= most;

/** Text that must not be empty: "0" counts as empty, as in the reference. */
export const filledText = (most = MOST_TEXT): Reader<string> =>
  leniently((raw) => {
    const text = textOf(raw);
    if (text === undefined || text === '' || text === '0') return bad('reason.filled');
    return lengthOk(text, most) ? ok(text) : bad('reason.long', { most });
  });

/** Text that may be emptied; on create "" counts as not given (A5). */
export const freeText = (most = MOST_TEXT): Reader<string> =>
  leniently((raw, { creating }) => {
    const text = textOf(raw);
    if (text === undefined) {
      if (Array.isArray(raw) && raw.length === 0) return creating ? nothing() : ok('');
      // The reference lets values that count as empty pass the first check; then they fail by their type.
      return isEmpty(raw) ? notOfType('string') : bad('reason.text');
    }
    if (text === '' && creating) return nothing();
    return lengthOk(text, most) ? ok(text) : bad('reason.long', { most });
  });

/** "" and [] empty a field (A5). */
export const isCleared = (raw: unknown): boolean => raw === '' || (Array.isArray(raw) && raw.length === 0);

/** Like freeText, but other values that count as empty are refused as empty, as the reference does for these fields. */
export const clearableText = (): Reader<string> =>
  leniently((raw, reading) => {
    return isEmpty(raw) && !isCleared(raw) ? bad('reason.filled') : freeText()(raw, reading);
  });

/** A slug cannot be emptied: a record keeps its address until it gets another (A5 does not list it). */
export const slug: Reader<string> = (raw, reading) => {
  const text = textOf(raw);
  if (isCleared(text ?? raw)) return reading.creating ? nothing() : bad('reason.filled');
  return text === undefined || text === '0' ? bad('reason.filled') : freeText(1000)(text, reading);
};

/** The value counts as not given. */
export const nothing = (): Read<never> => ok(undefined as never);

/** True for everything that the reference considers empty. */
export const isEmpty = (raw: unknown): boolean =>
  raw === '' ||
  raw === 0 ||
  raw === '0' ||
  raw === false ||
  (typeof raw === 'object' && raw !== null && Object.keys(raw).length === 0);

export const url: Reader<string> = (raw, { creating }) => {
  if (isEmpty(raw)) return creating ? nothing() : ok('');
  if (typeof raw === 'string' && raw.trim().length > LONGEST_URL) return bad('reason.long', { most: LONGEST_URL });
  const clean = typeof raw === 'string' ? cleanUrl(raw) : undefined;
  return clean === undefined ? bad('reason.url') : ok(clean);
};

/** For venues and organizers, where 0, false and {} are not empty values but of the wrong type (reference). */
export const urlText: Reader<string> = (raw, reading) =>
  isEmpty(raw) && typeof raw !== 'string' && !isCleared(raw) ? notOfType('string') : url(raw, reading);

/** What a text means that names no time: only blanks, or only a zone. */
type WhenBlank = 'now' | 'not given' | 'refused';

/** Reads in the given zone, or the site's, unless the text names one. */
const momentReader =
  (whenBlank: (reading: Reading) => WhenBlank, isBound: boolean, zone?: Zone): Reader<Moment> =>
  (raw, reading) => {
    if (typeof raw !== 'string' && typeof raw !== 'number') return bad('reason.date');
    const { site, now } = reading;
    const read = (isNowIfBlank: boolean): Moment | undefined =>
      parseMoment(raw, { instant: now, zone: zone ?? site, isBound, isNowIfBlank });
    const blank = whenBlank(reading);
    const found = read(blank === 'now');
    if (found !== undefined) return ok(found);
    if (blank === 'not given' && read(true) !== undefined) return nothing();
    return typeof raw === 'number' ? notOfType('string') : bad('reason.date');
  };

/** On create such a text means now, as in the reference; on update it changes nothing (D4). */
const whenWritten = ({ creating }: Reading): WhenBlank => (creating ? 'now' : 'not given');

/** Publication dates. */
export const moment = momentReader(whenWritten, false);
/** Publication dates in UTC: "now" and "tomorrow" are in UTC, too. */
export const momentInUtc = momentReader(whenWritten, false, UTC);

/** For parameters that the reference does not have. */
export const plainMomentInUtc = momentReader(() => 'refused', false, UTC);

/** Date filters. */
export const bound = momentReader(() => 'now', true);

export interface Search {
  text: string;
  words: SearchWords;
}
export const search: Reader<Search> = (raw) => {
  const text = textOf(raw);
  if (text === undefined || text === '' || text === '0') return bad('reason.search');
  if (text.length > 1000) return bad('reason.long', { most: 1000 });
  return ok({ text, words: searchWords(text) });
};

export const STATUSES: readonly Status[] = ['publish', 'future', 'draft', 'pending', 'private', 'trash'];
/** Those that sites of the reference know besides: no record here has one, and whoever lists them finds nothing (A6). */
export const FOREIGN_STATUSES: readonly string[] = [
  ...['auto-draft', 'inherit', 'request-pending', 'request-confirmed', 'request-failed', 'request-completed'],
  ...['in-progress', 'failed', 'tribe-ignored', 'tribe-ea-success', 'tribe-ea-failed', 'tribe-ea-pending'],
  ...['tribe-ea-schedule', 'tribe-ea-draft'],
];
const isStatus = (text: unknown): text is Status => STATUSES.includes(text as Status);

export const status: Reader<Status> = (raw) => {
  if (raw === true) return notOfType('string');
  return isStatus(raw) ? ok(raw) : bad('reason.status', { statuses: STATUSES.join(', ') });
};

export interface AskedStatuses {
  statuses: readonly Status[];
  /** As it appears in links. */
  shown: string;
}
export const ANY_STATUS: AskedStatuses = { statuses: STATUSES.filter((s) => s !== 'trash'), shown: 'any' };
export const PUBLISHED: AskedStatuses = { statuses: ['publish'], shown: 'publish' };
export const WITH_PRIVATE: AskedStatuses = { statuses: ['publish', 'private'], shown: 'publish,private' };

/** A parameter repeated without brackets: each value may be a list with commas, or a name that contains one (B9). */
export class Repeated extends Array<string> {}

/** Elements of a list: CSV (decoded once more, as in the reference), or a JSON or bracket list. Blanks are dropped. */
export function elements(raw: unknown): unknown[] {
  if (raw instanceof Repeated) return [...raw].flatMap(elements);
  if (Array.isArray(raw))
    return raw.flatMap((one) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '');
  if (typeof raw === 'number') return [raw];
  if (typeof raw === 'string') {
    return decodeOnceMore(raw)
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }
  if (raw !== null && typeof raw === 'object') return Object.values(raw);
  return [];
}

/** Decodes percent-encoded octets; those that are not valid UTF-8 stay as they are. */
function decodeOnceMore(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (octets) => {
    try {
      return decodeURIComponent(octets);
    } catch {
      return octets;
    }
  });
}

/** Ids as CSV or as a list; undefined unless all are positive whole numbers. */
export function idsOf(raw: unknown): number[] | undefined {
  const ids: number[] = [];
  for (const one of elements(raw)) {
    const id = largeNumber(one);
    if (id === undefined || id <= 0) return undefined;
    ids.push(id);
  }
  return ids.length > 0 ? ids : undefined;
}

/** In characters; for venues and organizers. */
export const LONGEST_NAME = 1000;

export const MOST_ELEMENTS = 500;
export const tooMany = (most = MOST_ELEMENTS): Problem => bad('reason.many', { most });
