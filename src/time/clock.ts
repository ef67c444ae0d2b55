// The clock, and small steps on times, for code outside this folder, which does no date arithmetic of its own.
import { performance } from 'node:perf_hooks';
import { DAY, dateFrom, daysFrom, localFrom, pad2, wallFrom } from './calendar.js';
import { toInstant, toWall, type Zone } from './zone.js';

export { DAY };
/** Seconds from the beginning of the year 0 to that of 1970. */
export const YEAR_ZERO = 62_167_219_200;

/** Days since the year 0 in UTC, as the change log counts them. */
export const utcDayOf = (instant: number): number => Math.floor((instant + YEAR_ZERO) / DAY);
export const beginOfUtcDay = (day: number): number => day * DAY - YEAR_ZERO;

/** Milliseconds on a clock that only goes forward. Not the global `performance`: that is a getter, and slower. */
export const steadyNow = (): number => performance.now();

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Seconds since 1970 as an HTTP date. */
export const httpDate = (seconds: number): string => new Date(seconds * 1000).toUTCString();

/** Whether a header is an HTTP date between these two. Obsolete date formats are not read. */
export function isWithin(header: string | undefined, from: number, to: number): boolean {
  if (header === undefined) return false;
  const seconds = Date.parse(header) / 1000;
  return seconds >= from && seconds <= to && httpDate(seconds) === header;
}

export function startOfDay(wall: string): string {
  return `${wall.slice(0, 10)} 00:00:00`;
}

/** The instant at which the next day begins. */
export const tomorrow = (instant: number, zone: Zone): number =>
  toInstant(startOfDay(addDays(toWall(instant, zone), 1)), zone);

export function endOfDay(wall: string): string {
  return `${wall.slice(0, 10)} 23:59:59`;
}

/** The `*_details` objects of an event. */
export function details(wall: string): {
  year: string;
  month: string;
  day: string;
  hour: string;
  minutes: string;
  seconds: string;
} {
  return {
    year: wall.slice(0, 4),
    month: wall.slice(5, 7),
    day: wall.slice(8, 10),
    hour: wall.slice(11, 13),
    minutes: wall.slice(14, 16),
    seconds: wall.slice(17, 19),
  };
}

/** '2017-01-05T14:23:36-05:00'. ISO 8601 offsets have no seconds; those of mean times before 1900 are left out. */
export function toIso(instant: number, zone: Zone): string {
  const offset = zone.offsetAt(instant);
  const minutes = Math.floor(Math.abs(offset) / 60);
  const sign = offset < 0 ? '-' : '+';
  return `${toWall(instant, zone).replace(' ', 'T')}${sign}${pad2(Math.floor(minutes / 60))}:${pad2(minutes % 60)}`;
}

/** The instant of a time in UTC: 'YYYY-MM-DD HH:MM:SS' or, as other programs write it, '2017-01-05T14:23:36.000Z'. */
export const fromUtc = (text: string): number => localFrom(text.slice(0, 19).replace('T', ' '));

/** A year after 29 February is 1 March, as in the reference. */
export function addYears(wall: string, years: number): string {
  const local = localFrom(wall);
  const days = Math.floor(local / DAY);
  const { year, month, day } = dateFrom(days);
  return wallFrom(daysFrom(year + years, month, day) * DAY + local - days * DAY);
}

export function addDays(wall: string, days: number): string {
  return wallFrom(localFrom(wall) + days * DAY);
}

export const addHours = (wall: string, hours: number): string => wallFrom(localFrom(wall) + hours * 3600);

/** The instant at which a year begins in UTC: the year of `instant`, or one so many years later. */
export const beginOfYear = (instant: number, later: number): number =>
  daysFrom(dateFrom(Math.floor(instant / DAY)).year + later, 1, 1) * DAY;

/** Whether the text is a day that exists, written `YYYY-MM-DD`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && addDays(`${text} 00:00:00`, 0).startsWith(text);

/** How many years a wall-clock time is ahead of the current year in UTC. */
export const yearsAhead = (wall: string): number =>
  Number(wall.slice(0, 4)) - dateFrom(Math.floor(nowSeconds() / DAY)).year;

/** '20170105T142336', as iCalendar writes it. */
export const compact = (wall: string): string => wall.replace(/[-:]/g, '').replace(' ', 'T');

/** '+0530' in the same way; seconds only where there are any. */
export function compactOffset(offset: number): string {
  const size = Math.abs(offset);
  const [hours, minutes, seconds] = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60];
  return `${offset < 0 ? '-' : '+'}${pad2(hours)}${pad2(minutes)}${seconds === 0 ? '' : pad2(seconds)}`;
}

/** The last second of a day: one before the next day begins, which also works if a midnight is skipped or repeated. */
export function lastSecond(wall: string, zone: Zone): number {
  const next = startOfDay(addDays(wall, 1));
  // On 9999-12-31 there is no next day to write.
  return next === startOfDay(wall) ? toInstant(endOfDay(wall), zone) : toInstant(next, zone) - 1;
}
