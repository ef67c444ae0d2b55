import { localFrom } from './calendar.js';
import { nowSeconds } from './clock.js';

/** When something is, as people of a language write it. Times are those of the place, so no zone has a say in it. */
export function shownTime(language: string, start: string, end: string, isAllDay: boolean): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'full',
    ...(isAllDay ? {} : { timeStyle: 'short' }),
    timeZone: 'UTC',
  });
  const [from, until] = [inUtc(start), inUtc(end)];
  if (from === until) return format.format(from);
  const between = BETWEEN[language];
  if (between === undefined) return format.formatRange(from, until);
  const isOneDay = !isAllDay && start.slice(0, 10) === end.slice(0, 10);
  const last = isOneDay ? new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' }) : format;
  return format.format(from) + between + last.format(until);
}

interface Lasting {
  all_day: boolean | null;
  start_date: string;
  end_date: string;
}

/** A protected event tells its times, and not whether it is all-day. */
export const isWholeDays = ({ all_day, start_date, end_date }: Lasting): boolean =>
  all_day ?? (/ 00:00:00$/.test(start_date) && / 23:59:59$/.test(end_date));

/** A day `YYYY-MM-DD` as people of a language write it. */
export function shownDay(language: string, day: string): string {
  const whole = `${day} 00:00:00`;
  return shownTime(language, whole, whole, true);
}

/** Where `Intl` writes ranges in another way than single days, so that both would stand side by side in a list. */
const BETWEEN: Record<string, string> = { ja: '～', zh: '–' };

export const isOver = (utcEnd: string): boolean => inUtc(utcEnd) < nowSeconds() * 1000;

/** A minute of UTC for machines, as HTML has it. */
export const machineTime = (utc: string): string => `${utc.slice(0, 16).replace(' ', 'T')}Z`;

/** `YYYY-MM-DD HH:MM:SS` as if it were UTC, in milliseconds. */
const inUtc = (text: string): number => localFrom(text) * 1000;
