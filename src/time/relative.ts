// The words of D5 that count from now: 'tomorrow', 'next monday', '+2 weeks', 'last friday of november 2026'.
import type { Draft } from './draft.js';
import { type Format, format, WORD_END } from './formats.js';

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WEEKDAY =
  '(sun(?:days?)?|mon(?:days?)?|tue(?:s(?:days?)?)?|wed(?:s|nesdays?)?|thu(?:r(?:s(?:days?)?)?)?|fri(?:days?)?|sat(?:ur(?:days?)?)?)';
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
    // They are counted one by one, which must not take long.
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

/** A time beside such a word counts, before or after it ('9am tomorrow'); the reference ignores one before it. */
export const relativeFormats: readonly Format[] = [
  format(`now${WORD_END}`, () => true),
  format(`(?:today|midnight)${WORD_END}`, (draft) => wholeDay(draft, 0)),
  format(`tomorrow${WORD_END}`, (draft) => wholeDay(draft, 1)),
  format(`yesterday${WORD_END}`, (draft) => wholeDay(draft, -1)),
  format(`noon${WORD_END}`, (draft) => {
    if (draft.time !== undefined) return false;
    draft.time = 43_200;
    return true;
  }),
  format(`(first|last) day of${WORD_END}`, (draft, [word]) => {
    if (draft.ofMonth) return false;
    draft.ofMonth = { nth: word === 'last' ? -1 : 1 };
    return true;
  }),
  format(`(last|${ordinals.join('|')}) ${WEEKDAY} of${WORD_END}`, (draft, [word, name]) => {
    if (draft.ofMonth) return false;
    draft.ofMonth = { nth: amountOf(word), weekday: weekdayNumber(name) };
    draft.wholeDay = true;
    return true;
  }),
  format(`([+-]*) ?(\\d{1,9}) ?${UNIT}${WORD_END}`, (draft, [signs, digits, unit]) =>
    addUnits(draft, signed(signs, digits), unit),
  ),
  format(`([+-]*) ?(\\d{1,4}) ?${WEEKDAY}${WORD_END}`, (draft, [signs, digits, name]) =>
    setWeekday(draft, name, 'on or after', signed(signs, digits)),
  ),
  format(`${ORDINAL} ${UNIT}${WORD_END}`, (draft, [word, unit = '']) => {
    if (unit === 'week') draft.ofWeek = true;
    if (unit.startsWith('weekday')) draft.wholeDay = true;
    return addUnits(draft, amountOf(word), unit);
  }),
  format(`${ORDINAL} ${WEEKDAY}${WORD_END}`, (draft, [word, name]) =>
    setWeekday(draft, name, word === 'this' ? 'on or after' : 'after', amountOf(word)),
  ),
  format(`${WEEKDAY}${WORD_END}\\.?`, (draft, [name]) => setWeekday(draft, name, 'on or after', 0)),
  format(`ago${WORD_END}`, ({ shift, weekday }) => {
    for (const unit of ['years', 'months', 'days', 'businessDays', 'seconds'] as const) shift[unit] = 0 - shift[unit];
    if (weekday) weekday.rule = 'before';
    return true;
  }),
];
