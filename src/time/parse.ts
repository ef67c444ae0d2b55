// Text to a moment (D5). As in the reference, the longest spelling that fits is read at each position.
import { type Draft, type Moment, type Now, newDraft, resolve, within } from './draft.js';
import { absoluteFormats, type Format, setZone } from './formats.js';
import { relativeFormats } from './relative.js';
import { findZone, toInstant, toWall, type Zone } from './zone.js';

export type { Moment } from './draft.js';

const formats: readonly Format[] = [...absoluteFormats, ...relativeFormats];
/** 'tomorrow at 9am' is understood like 'tomorrow 9am' (A6). */
const separators = /(?:[ ,;]|(?:at|on)\b)+/y;
const zoneName = /[a-z][a-z0-9_+-]*(?:\/[a-z0-9_+-]+)*/y;
const LONGEST = 120;

/** There is no moment outside all dates; as a bound, it is the first or the last of them. */
function timestamp(seconds: number, { isBound }: Now): Moment | undefined {
  const instant = within(Math.trunc(seconds) + 0, isBound);
  return instant === undefined ? undefined : { instant };
}

/** A small number with a fraction is a mistake, not a count of seconds since 1970. */
const LEAST_WITH_FRACTION = 1e8;
const isTimestamp = (value: number): boolean => Number.isInteger(value) || Math.abs(value) >= LEAST_WITH_FRACTION;

/** Eight digits are a date, YYYYMMDD (D5, unlike the reference); other numbers are a timestamp, '@' or not. */
const timestampText = /^(?!\d{8}$|\d{14}$)@?([+-]?(?:\d+|\d{9,}\.\d+))$/;
/** Fourteen digits are a date and a time: timestamps before the year 9999 are shorter. */
const compactText = /^(\d{8})(\d{6})$/;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

interface Word {
  length: number;
  read(draft: Draft): boolean;
}

function longest(text: string, at: number): Word | undefined {
  let best: RegExpExecArray | undefined;
  let by: Format | undefined;
  for (const format of formats) {
    const found = matchAt(format.pattern, text, at);
    if (found && found[0].length > (best?.[0].length ?? 0)) {
      best = found;
      by = format;
    }
  }
  if (best && by) {
    const groups = best.slice(1);
    const { read } = by;
    return { length: best[0].length, read: (draft) => read(draft, groups) };
  }
  const name = matchAt(zoneName, text, at)?.[0];
  return name === undefined ? undefined : { length: name.length, read: (draft) => setZone(draft, findZone(name)) };
}

/** What nearly every client sends. Days from the 29th on, which some months lack, take the long way. */
const plainText = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8]) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** The moment that a text or a timestamp names; undefined if it names none, which is a 400. */
export function parseMoment(value: string | number, now: Now): Moment | undefined {
  if (typeof value === 'number') return isTimestamp(value) ? timestamp(value, now) : undefined;
  if (typeof value !== 'string' || value === '' || value.length > LONGEST) return undefined;
  if (plainText.test(value)) return { wall: value };
  const clean = value
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/\u2212/g, '-')
    .toLowerCase();
  const seconds = timestampText.exec(clean)?.[1];
  if (seconds !== undefined) return timestamp(Number(seconds), now);
  const text = clean.replace(compactText, '$1t$2');
  const draft = newDraft();
  let words = 0;
  for (let at = 0; at < text.length; ) {
    const gap = matchAt(separators, text, at);
    if (gap) {
      at += gap[0].length;
      continue;
    }
    const found = longest(text, at);
    if (!found?.read(draft)) return undefined;
    at += found.length;
    words += 1;
  }
  // A zone alone names no time, nor do blanks and commas; 'at' alone is never accepted.
  const isBlank = words === 0 ? !/[a-z]/.test(text) : words === 1 && draft.zone !== undefined;
  return (isBlank ? now.isNowIfBlank : words > 0) ? resolve(draft, now) : undefined;
}

/** The instant that is meant; a wall-clock time without a zone is read in `zone`. */
export const instantOf = (moment: Moment, zone: Zone): number =>
  'instant' in moment ? moment.instant : toInstant(moment.wall, zone);

export const wallOf = (moment: Moment, zone: Zone): string =>
  'wall' in moment ? moment.wall : toWall(moment.instant, zone);
