// Text to a moment (D5). The reading goes as the reference's does: at each place the longest spelling that fits.
import { type Draft, type Moment, type Now, newDraft, resolve, within } from './draft.js';
import { absoluteFormats, type Format, setZone } from './formats.js';
import { relativeFormats } from './relative.js';
import { findZone, toInstant, toWall, type Zone } from './zone.js';

export type { Moment } from './draft.js';

const formats: readonly Format[] = [...absoluteFormats, ...relativeFormats];
/** 'tomorrow at 9am' is as plain as 'tomorrow 9am' (A6). */
const separators = /(?:[ ,;]|(?:at|on)\b)+/y;
const zoneName = /[a-z][a-z0-9_+-]*(?:\/[a-z0-9_+-]+)*/y;
const LONGEST = 120;

/** Beyond all dates there is none; as a bound, the first or the last of them. */
function timestamp(seconds: number, { isBound }: Now): Moment | undefined {
  const instant = within(Math.trunc(seconds) + 0, isBound);
  return instant === undefined ? undefined : { instant };
}

/** A small number with a fraction counts no seconds since 1970: it is a mistake. */
const LEAST_WITH_FRACTION = 1e8;
const isTimestamp = (value: number): boolean => Number.isInteger(value) || Math.abs(value) >= LEAST_WITH_FRACTION;

/** Digits only. Eight are a date, YYYYMMDD (D5, other than the reference); all others a timestamp, '@' or not. */
const timestampText = /^(?!\d{8}$|\d{14}$)@?([+-]?(?:\d+|\d{9,}\.\d+))$/;
/** Fourteen digits are no timestamp before the year 9999, but a date and a time. */
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

/** As nearly every client writes it. The 29th and later, which some months do not have, go the long way. */
const plainText = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8]) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** The moment a text or a timestamp names; undefined when it names none, which is a 400. */
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
  // A zone alone names no time, nor do blanks and commas; 'at' alone means nothing anywhere.
  const isBlank = words === 0 ? !/[a-z]/.test(text) : words === 1 && draft.zone !== undefined;
  return (isBlank ? now.isNowIfBlank : words > 0) ? resolve(draft, now) : undefined;
}

/** The instant that is meant, where a wall clock without a zone is one of `zone`. */
export const instantOf = (moment: Moment, zone: Zone): number =>
  'instant' in moment ? moment.instant : toInstant(moment.wall, zone);

export const wallOf = (moment: Moment, zone: Zone): string =>
  'wall' in moment ? moment.wall : toWall(moment.instant, zone);
