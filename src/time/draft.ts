// What has been read of a date-time text so far, and the moment that results (D5).
import {
  type CalendarDate,
  DAY,
  dateFrom,
  daysFrom,
  daysInMonth,
  FIRST,
  LAST,
  localFrom,
  wallFrom,
  weekdayOf,
} from './calendar.js';
import { isRepeated, toInstant, toWall, type Zone } from './zone.js';

/** `wall` is 'YYYY-MM-DD HH:MM:SS', in the zone that the caller applies. */
export type Moment = { instant: number } | { wall: string };

export interface Now {
  instant: number;
  zone: Zone;
  /**
   * The text is a bound of a search: '2033-04-31', which calendars send for the end of any month, is 1 May, and what
   * lies outside all dates is the first or the last of them, as in the reference.
   */
  isBound?: boolean;
  /** A text without a time, only blanks or a zone, means now, as in the reference; not where that moves something. */
  isNowIfBlank?: boolean;
}

export interface Draft {
  date: Partial<CalendarDate>;
  /** Seconds of the day; 86400 is 24:00. */
  time?: number;
  /** A word that means a day ('tomorrow', 'monday') was read: without a time it means 00:00, not the current time. */
  wholeDay: boolean;
  zone?: Zone;
  shift: { years: number; months: number; days: number; businessDays: number; seconds: number };
  /** 'on or after' is a plain 'monday', 'after' is 'next monday' and 'last monday', 'before' is '2 mondays ago'. */
  weekday?: { day: number; rule: 'on or after' | 'after' | 'before' };
  /** 'next week' or the like was read: a weekday beside it belongs to that week, from Monday to Sunday. */
  ofWeek: boolean;
  /** 'first monday of', 'last day of': nth counts from 1, -1 is the last; without a weekday, any day. */
  ofMonth?: { nth: number; weekday?: number };
}

export function newDraft(): Draft {
  return {
    date: {},
    wholeDay: false,
    ofWeek: false,
    shift: { years: 0, months: 0, days: 0, businessDays: 0, seconds: 0 },
  };
}

/** The number of days to the weekday asked for. */
function towards(draft: Draft, days: number): number {
  if (!draft.weekday) return 0;
  const { day, rule } = draft.weekday;
  // Weeks begin on Monday: Sunday is the last day of its week.
  if (draft.ofWeek) return ((day + 6) % 7) - ((weekdayOf(days) + 6) % 7);
  const ahead = (day - weekdayOf(days) + 7) % 7;
  if (rule === 'before') return ahead - 7;
  // 'last monday' is seven days before the Monday on or after today, hence always before today.
  return ahead === 0 && rule === 'after' && draft.shift.days >= 0 ? 7 : ahead;
}

function dayOfMonth({ nth, weekday }: NonNullable<Draft['ofMonth']>, year: number, month: number): number {
  const first = daysFrom(year, month, 1);
  const last = daysFrom(year, month + 1, 0);
  if (weekday === undefined) return nth < 0 ? last : first;
  if (nth < 0) return last - ((weekdayOf(last) - weekday + 7) % 7);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + (nth - 1) * 7;
}

function addBusinessDays(days: number, count: number): number {
  const step = Math.sign(count);
  let at = days;
  for (let left = Math.abs(count); left > 0; ) {
    at += step;
    if (weekdayOf(at) % 6 !== 0) left -= 1;
  }
  return at;
}

function isDay({ year, month, day }: CalendarDate, isBound: boolean): boolean {
  if (isBound) return month <= 12 && day <= 31;
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** The day that the draft names, in days since 1970; undefined if there is no such day (D4). */
function resolveDay(draft: Draft, today: CalendarDate, isBound: boolean): number | undefined {
  const { date, shift } = draft;
  const { year, month, day } = { ...today, ...date };
  // Today's day of the month need not exist in the month that was named.
  if (!isDay({ year, month, day: date.day ?? 1 }, isBound)) return undefined;
  const start = daysFrom(year, month, day);
  const from = dateFrom(start + towards(draft, start));
  const toYear = from.year + shift.years;
  const toMonth = from.month + shift.months;
  // A month after 31 January is 3 March, as in the reference.
  const shifted = draft.ofMonth ? dayOfMonth(draft.ofMonth, toYear, toMonth) : daysFrom(toYear, toMonth, from.day);
  return addBusinessDays(shifted + shift.days, shift.businessDays);
}

/** Seconds within the years 1–9999; outside, a bound is the nearest of them, anything else undefined. */
export function within(seconds: number, isBound = false): number | undefined {
  if (seconds >= FIRST && seconds <= LAST) return seconds;
  return isBound ? Math.min(Math.max(seconds, FIRST), LAST) : undefined;
}

/** The moment of a complete draft; undefined if it is impossible or outside the years 1–9999. */
export function resolve(draft: Draft, now: Now): Moment | undefined {
  const zone = draft.zone ?? now.zone;
  const local = localFrom(toWall(now.instant, zone));
  const today = Math.floor(local / DAY);
  const day = resolveDay(draft, dateFrom(today), now.isBound ?? false);
  if (day === undefined) return undefined;
  const dated = draft.wholeDay || Object.keys(draft.date).length > 0;
  const time = draft.time ?? (dated ? 0 : local - today * DAY);
  const clock = within(day * DAY + time, now.isBound);
  if (clock === undefined) return undefined;
  const wall = wallFrom(clock);
  const isNow = clock === local;
  if (!draft.zone && draft.shift.seconds === 0 && !isNow) return { wall };
  // Hours are elapsed time: '+2 hours' on the night when the clocks change is two hours from now.
  const instant = within((isNow ? now.instant : toInstant(wall, zone)) + draft.shift.seconds, now.isBound);
  if (instant === undefined) return undefined;
  return draft.zone || isRepeated(instant, zone) ? { instant } : { wall: toWall(instant, zone) };
}
