import { localFrom } from './calendar.js';
import { fromUtc, nowSeconds } from './clock.js';
import { toWall, type Zone } from './zone.js';

const FORMS = {
  moment: { dateStyle: 'full', timeStyle: 'short' },
  day: { dateStyle: 'full' },
  hour: { timeStyle: 'short' },
  month: { month: 'long', year: 'numeric' },
  weekday: { weekday: 'long' },
  shortWeekday: { weekday: 'short' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;
type Form = keyof typeof FORMS;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Cached, since making a format takes as long as fifty uses of it, and a page has a time for each of its events. */
function formatOf(language: string, form: Form): Intl.DateTimeFormat {
  const key = `${language} ${form}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, { ...FORMS[form], timeZone: 'UTC' });
  formats.set(key, format);
  return format;
}

/** A wall-clock time in one of these forms. */
export const shownAs = (form: Form, language: string, wall: string): string =>
  formatOf(language, form).format(inUtc(wall));

/** The time of an event, as written in a language. Times are local to the place, so no time zone is involved. */
export function shownTime(language: string, start: string, end: string, isAllDay: boolean): string {
  const format = formatOf(language, isAllDay ? 'day' : 'moment');
  const [from, until] = [inUtc(start), inUtc(end)];
  const isOneDay = start.slice(0, 10) === end.slice(0, 10);
  if (from === until || (isAllDay && isOneDay)) return format.format(from);
  const between = BETWEEN[language];
  if (between === undefined) return format.formatRange(from, until);
  const last = isOneDay ? formatOf(language, 'hour') : format;
  return format.format(from) + between + last.format(until);
}

interface Lasting {
  all_day: boolean | null;
  start_date: string;
  end_date: string;
}

/** A protected event shows its times, but not whether it is all-day. */
export const isWholeDays = ({ all_day, start_date, end_date }: Lasting): boolean =>
  all_day ?? (/ 00:00:00$/.test(start_date) && / 23:59:59$/.test(end_date));

interface Timed {
  start_date: string;
  end_date: string;
  utc_start_date: string;
  utc_end_date: string;
}

/** Whether the clocks of a zone show the local times of an event, wherever it takes place. */
export const isByClocksOf = (zone: Zone, { start_date, end_date, utc_start_date, utc_end_date }: Timed): boolean =>
  toWall(fromUtc(utc_start_date), zone) === start_date && toWall(fromUtc(utc_end_date), zone) === end_date;

/** A day `YYYY-MM-DD`, as written in a language. */
export const shownDay = (language: string, day: string, form: Form = 'day'): string =>
  shownAs(form, language, `${day} 00:00:00`);

/** Languages in which `Intl` writes ranges differently from single days, so that a list would mix both styles. */
const BETWEEN: Record<string, string> = { ja: '～', zh: '–' };

export const isOver = (utcEnd: string): boolean => inUtc(utcEnd) < nowSeconds() * 1000;

/** A minute in UTC for machines, in the format of HTML. */
export const machineTime = (utc: string): string => `${utc.slice(0, 16).replace(' ', 'T')}Z`;

/** `YYYY-MM-DD HH:MM:SS` as if it were UTC, in milliseconds. */
const inUtc = (text: string): number => localFrom(text) * 1000;
