// The words of D5 that count from now: 'tomorrow', 'next monday', '+2 weeks', 'last friday of november 2026'.
import type { Draft } from './draft.js';
import { type Format, format } from './formats.js';

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WEEKDAY =
  '(sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:ur(?:day)?)?)';
const UNIT = '(sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|fortnights?|weekdays?|months?|years?)';
const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');
const ORDINAL = `(next|last|previous|this|${ordinals.join('|')})`;

function weekdayNumber(text: string | undefined): number {
  return weekdays.indexOf(text?.slice(0, 3) ?? '');
}

function amountOf(word: string | undefined): number {
  if (word === 'next') return 1;
  if (word === 'this') return 0;
  return word === 'last' || word === 'previous' ? -1 : ordinals.indexOf(word ?? '') + 1;
}

function addUnits({ shift }: Draft, amount: number, unit = ''): boolean {
  if (unit.startsWith('weekday')) {
    // They are counted one by one.
    if (Math.abs(amount) > 10_000) return false;
    shift.businessDays += amount;
  } else if (unit.startsWith('sec')) shift.seconds += amount;
  else if (unit.startsWith('min')) shift.seconds += amount * 60;
  else if (unit.startsWith('hour')) shift.seconds += amount * 3600;
  else if (unit.startsWith('day')) shift.days += amount;
  else if (unit.startsWith('week')) shift.days += amount * 7;
  else if (unit.startsWith('fort')) shift.days += amount * 14;
  else if (unit.startsWith('month')) shift.months += amount;
  else shift.years += amount;
  return true;
}

function setWeekday(draft: Draft, name: string | undefined, rule: 'on or after' | 'after', amount: number): boolean {
  if (draft.weekday) return false;
  draft.weekday = { day: weekdayNumber(name), rule };
  draft.wholeDay = true;
  draft.shift.days += (amount > 0 ? amount - 1 : amount) * 7;
  return true;
}

function wholeDay(draft: Draft, days: number): boolean {
  draft.wholeDay = true;
  draft.shift.days += days;
  return true;
}

function signed(signs: string | undefined, digits: string | undefined): number {
  const minus = [...(signs ?? '')].filter((sign) => sign === '-').length % 2 === 1;
  return minus ? -Number(digits) : Number(digits);
}

/** A time given beside such a word stands, before it or after it ('9am tomorrow'); the reference loses the former. */
export const relativeFormats: readonly Format[] = [
  format('now\\b', () => true),
  format('(?:today|midnight)\\b', (draft) => wholeDay(draft, 0)),
  format('tomorrow\\b', (draft) => wholeDay(draft, 1)),
  format('yesterday\\b', (draft) => wholeDay(draft, -1)),
  format('noon\\b', (draft) => {
    if (draft.time !== undefined) return false;
    draft.time = 43_200;
    return true;
  }),
  format(`(first|last) day of\\b`, (draft, [word]) => {
    if (draft.ofMonth) return false;
    draft.ofMonth = { nth: word === 'last' ? -1 : 1 };
    return true;
  }),
  format(`(last|${ordinals.slice(0, 5).join('|')}) ${WEEKDAY} of\\b`, (draft, [word, name]) => {
    if (draft.ofMonth) return false;
    draft.ofMonth = { nth: amountOf(word), weekday: weekdayNumber(name) };
    draft.wholeDay = true;
    return true;
  }),
  format(`([+-]*) ?(\\d{1,9}) ?${UNIT}\\b`, (draft, [signs, digits, unit]) =>
    addUnits(draft, signed(signs, digits), unit),
  ),
  format(`([+-]*) ?(\\d{1,4}) ?${WEEKDAY}\\b`, (draft, [signs, digits, name]) =>
    setWeekday(draft, name, 'on or after', signed(signs, digits)),
  ),
  format(`${ORDINAL} ${UNIT}\\b`, (draft, [word, unit]) => {
    if (unit === 'week') draft.ofWeek = true;
    return addUnits(draft, amountOf(word), unit);
  }),
  format(`${ORDINAL} ${WEEKDAY}\\b`, (draft, [word, name]) =>
    setWeekday(draft, name, word === 'this' ? 'on or after' : 'after', amountOf(word)),
  ),
  format(`${WEEKDAY}\\b\\.?`, (draft, [name]) => setWeekday(draft, name, 'on or after', 0)),
  format('ago\\b', ({ shift }) => {
    for (const unit of ['years', 'months', 'days', 'businessDays', 'seconds'] as const) shift[unit] = 0 - shift[unit];
    return true;
  }),
];
