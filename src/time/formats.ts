// The spellings of dates and times that D5 accepts, one row each. Relative words are in relative.ts.
import { dateFrom, daysFrom, weekdayOf } from './calendar.js';
import type { Draft } from './draft.js';
import { findZone, fixed, type Zone } from './zone.js';

/** Reads what its pattern matched into the draft; false if that makes no sense there, which ends parsing. */
export interface Format {
  readonly pattern: RegExp;
  read(draft: Draft, groups: (string | undefined)[]): boolean;
}

/** Patterns are matched at one position of a lower-case text with single blanks. */
export function format(source: string, read: Format['read']): Format {
  return { pattern: new RegExp(source, 'y'), read };
}

const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const ROMAN = 'i ii iii iv v vi vii viii ix x xi xii'.split(' ');
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const HOUR = '([01]?\\d|2[0-4])';
const MINUTE = '([0-5]\\d)';
/** 60 is a leap second, which RFC 3339 allows: the next minute. */
const SECOND = '([0-5]\\d|60)';
const FRACTION = '(?:[.,]\\d+)?';
const END = '(?!\\d)';
/** A word ends where no letter follows, except the T of a time: 'today9:30', 'novT10:00'. */
export const WORD_END = '(?=t\\d|[^a-z]|$)';
/** After a day or a two-digit year: makes sure that it is not the hour of a time. */
const NO_TIME = '(?![\\d:]|\\.\\d| ?[ap]\\.?m)';

function monthOf(text: string | undefined): number {
  return months.indexOf(text?.slice(0, 3) ?? '') + 1;
}

/** Two digits: 00–69 are 2000–2069, 70–99 are 1970–1999. */
function yearOf(text: string | undefined): number {
  const year = Number(text);
  if (text?.length !== 2) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

function setDate(draft: Draft, year: number | undefined, month: number, day: number | undefined): boolean {
  if (Object.keys(draft.date).length > 0) return false;
  draft.date = { ...(year !== undefined && { year }), month, ...(day !== undefined && { day }) };
  return true;
}

function setTime(draft: Draft, hour: number, minute = '0', second = '0'): boolean {
  if (draft.time !== undefined) return false;
  const time = hour * 3600 + Number(minute) * 60 + Number(second);
  // 24:00 is the next midnight (ISO 8601); 24:30 is nothing.
  if (time > 86_400) return false;
  draft.time = time;
  return true;
}

/** A month, perhaps with a day, whose year may still follow. */
const lacksYear = ({ date }: Draft): boolean => date.month !== undefined && date.year === undefined;

export function setZone(draft: Draft, zone: Zone | undefined): boolean {
  if (!zone || draft.zone) return false;
  draft.zone = zone;
  return true;
}

function setDays(draft: Draft, days: number): boolean {
  const { year, month, day } = dateFrom(days);
  return setDate(draft, year, month, day);
}

const times: Format[] = [
  format(
    `(0?[1-9]|1[0-2])(?:[:.]${MINUTE}(?:[:.]${SECOND}${FRACTION})?)? ?([ap])\\.?m\\b\\.?`,
    (draft, [h, m, s, half]) => setTime(draft, (Number(h) % 12) + (half === 'p' ? 12 : 0), m, s),
  ),
  format(`t?${HOUR}[:.]${MINUTE}(?:[:.]${SECOND}${FRACTION})?(?![\\d:])`, (draft, [h, m, s]) =>
    setTime(draft, Number(h), m, s),
  ),
  format(`t?${HOUR}[:.]([0-5]?\\d)(?::([0-5]?\\d|60)${FRACTION})?(?![\\d:])`, (draft, [h, m, s]) =>
    setTime(draft, Number(h), m, s),
  ),
  format(`t([01]\\d|2[0-4])(?:${MINUTE}(?:${SECOND}${FRACTION})?)?(?![\\d:])`, (draft, [h, m, s]) =>
    setTime(draft, Number(h), m, s),
  ),
  format(`([01]\\d|2[0-4])${MINUTE}${SECOND}${FRACTION}(?![\\d:])`, (draft, [h, m, s]) =>
    lacksYear(draft) ? false : setTime(draft, Number(h), m, s),
  ),
  // Four digits are a time ('20310410 1000', 'today 1430', '4/10 1000'), or the year of a date that has none
  // ('Apr 10 10:00 2031', '4/10 2031', '7/14 1789').
  format(`(\\d\\d)(\\d\\d)(?![\\d:])`, (draft, [left, right]) => {
    const year = Number(left) * 100 + Number(right);
    const isTime = Number(left) <= 24 && Number(right) < 60;
    if (!lacksYear(draft) || (isTime && draft.time === undefined && year < 1900))
      return isTime && setTime(draft, Number(left), right);
    draft.date = { day: 1, ...draft.date, year };
    return true;
  }),
];

const numericDates: Format[] = [
  // ISO 8601 allows a sign before the year.
  format(`\\+?(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${END}`, (draft, [y, , m, d]) =>
    setDate(draft, Number(y), Number(m), Number(d)),
  ),
  format(`(\\d{4}):(\\d\\d):(\\d\\d)(?= )`, (draft, [y, m, d]) => setDate(draft, Number(y), Number(m), Number(d))),
  format(`(\\d{4})(\\d\\d)(\\d\\d)${END}`, (draft, [y, m, d]) => setDate(draft, Number(y), Number(m), Number(d))),
  format(`(\\d{4})-(\\d{1,2})(?![\\d-])`, (draft, [y, m]) => setDate(draft, Number(y), Number(m), 1)),
  // The day of the year: day 100 is '2031-100'.
  format(`(\\d{4})[-.]?(\\d{3})${END}`, (draft, [y, n]) => {
    const first = daysFrom(Number(y), 1, 1);
    const nth = Number(n);
    return nth >= 1 && first + nth <= daysFrom(Number(y) + 1, 1, 1) && setDays(draft, first + nth - 1);
  }),
  // ISO weeks begin on Monday; the first has 4 January in it, the last 28 December. Day 0 is the Sunday before.
  format(`(\\d{4})-?w(\\d\\d)(?:-?([0-7]))?(?!\\d|-\\d(?![\\d:]))`, (draft, [y, w, d = '1']) => {
    const monday = (day: number) => day - ((weekdayOf(day) + 6) % 7);
    const start = monday(daysFrom(Number(y), 1, 4)) + (Number(w) - 1) * 7;
    if (Number(w) < 1 || start > daysFrom(Number(y), 12, 28)) return false;
    return setDays(draft, start + Number(d) - 1);
  }),
  // Slashes are American, month first; dots and dashes are European, day first.
  format(`(\\d{1,2})/(\\d{1,2})(?:/(\\d{4}|\\d\\d))?(?![\\d/])`, (draft, [m, d, y]) =>
    setDate(draft, y === undefined ? undefined : yearOf(y), Number(m), Number(d)),
  ),
  format(`(\\d{1,2})([-.])(\\d{1,2})\\2(\\d{4})${END}`, (draft, [d, , m, y]) =>
    setDate(draft, Number(y), Number(m), Number(d)),
  ),
  format(`(\\d{1,2})\\.(\\d{1,2})\\.(\\d\\d)${END}`, (draft, [d, m, y]) =>
    setDate(draft, yearOf(y), Number(m), Number(d)),
  ),
  format(`(\\d\\d)-(\\d{1,2})-(\\d{1,2})(?![\\d-])`, (draft, [y, m, d]) =>
    setDate(draft, yearOf(y), Number(m), Number(d)),
  ),
];

const textDates: Format[] = [
  format(`${DAY}[ .-]*(?:of )?${MONTH}[ .,-]*(\\d{4}${END}|\\d\\d${NO_TIME})`, (draft, [d, m, y]) =>
    setDate(draft, yearOf(y), monthOf(m), Number(d)),
  ),
  // The log format of web servers: 10/Apr/2031:10:00:00.
  format(`(\\d{1,2})/${MONTH}/(\\d{4}):(?=\\d)`, (draft, [d, m, y]) =>
    setDate(draft, Number(y), monthOf(m), Number(d)),
  ),
  // In some countries, dates are written like '7 X 2031' by hand.
  format(`(\\d{1,2})[ .-]*(${ROMAN.toReversed().join('|')})[ .-]*(\\d{4})${END}`, (draft, [d, m = '', y]) =>
    setDate(draft, Number(y), ROMAN.indexOf(m) + 1, Number(d)),
  ),
  format(`${MONTH}[ .-]*${DAY}[ ,.-]+(\\d{4})(?![\\d:])`, (draft, [m, d, y]) =>
    setDate(draft, Number(y), monthOf(m), Number(d)),
  ),
  format(`(\\d{4})[ .-]*${MONTH}[ .-]*${DAY}${NO_TIME}`, (draft, [y, m, d]) =>
    setDate(draft, Number(y), monthOf(m), Number(d)),
  ),
  format(`${MONTH}[ .,-]*(\\d{4})(?![\\d:])`, (draft, [m, y]) => setDate(draft, Number(y), monthOf(m), 1)),
  format(`(\\d{4})[ .-]*${MONTH}${WORD_END}\\.?`, (draft, [y, m]) => setDate(draft, Number(y), monthOf(m), 1)),
  format(`${MONTH}[ .-]*${DAY}${NO_TIME}`, (draft, [m, d]) => setDate(draft, undefined, monthOf(m), Number(d))),
  format(`${DAY}[ .-]*(?:of )?${MONTH}${WORD_END}\\.?`, (draft, [d, m]) =>
    setDate(draft, undefined, monthOf(m), Number(d)),
  ),
  format(`${MONTH}${WORD_END}\\.?`, (draft, [m]) => setDate(draft, undefined, monthOf(m), undefined)),
];

/** RFC 3339 allows any offset below a day, more than zones may have (D6). */
function fixedOffset(sign: string | undefined, hours: string | undefined, minutes = '0'): Zone | undefined {
  if (Number(hours) > 23) return undefined;
  const size = Number(hours) * 3600 + Number(minutes) * 60;
  const offset = sign === '-' && size > 0 ? -size : size;
  return fixed('', offset, '');
}

const zones: Format[] = [
  format(`(?:gmt|utc)? ?([+-])(\\d{1,2})(?::?${MINUTE}(?::?00)?)?${END}`, (draft, [sign, h, m]) =>
    setZone(draft, fixedOffset(sign, h, m)),
  ),
  // 'Z[Europe/Paris]' (RFC 9557) and 'GMT+0200 (Central European Summer Time)': the offset before has already said it.
  format('\\[([^\\]]+)\\]', (draft, [name = '']) => draft.zone !== undefined || setZone(draft, findZone(name))),
  format('\\(([^)]+)\\)', (draft, [name = '']) => draft.zone !== undefined || setZone(draft, findZone(name))),
];

export const absoluteFormats: readonly Format[] = [...times, ...numericDates, ...textDates, ...zones];
