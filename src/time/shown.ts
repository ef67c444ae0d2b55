import { localFrom } from './calendar.js';
import { nowSeconds } from './clock.js';

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

/** Kept, since making one takes as long as fifty uses of it, and a page has a time for each of its events. */
function formatOf(language: string, form: Form): Intl.DateTimeFormat {
  const key = `${language} ${form}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(language, { ...FORMS[form], timeZone: 'UTC' });
  formats.set(key, format);
  return format;
}

/** A wall clock in one of these forms. */
export const shownAs = (form: Form, language: string, wall: string): string =>
  formatOf(language, form).format(inUtc(wall));

/** When something is, as people of a language write it. Times are those of the place, so no zone has a say in it. */
export function shownTime(language: string, start: string, end: string, isAllDay: boolean): string {
  const format = formatOf(language, isAllDay ? 'day' : 'moment');
  const [from, until] = [inUtc(start), inUtc(end)];
  if (from === until) return format.format(from);
  const between = BETWEEN[language];
  if (between === undefined) return format.formatRange(from, until);
  const isOneDay = !isAllDay && start.slice(0, 10) === end.slice(0, 10);
  const last = isOneDay ? formatOf(language, 'hour') : format;
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
export const shownDay = (language: string, day: string, form: Form = 'day'): string =>
  shownAs(form, language, `${day} 00:00:00`);

/** Where `Intl` writes ranges in another way than single days, so that both would stand side by side in a list. */
const BETWEEN: Record<string, string> = { ja: '～', zh: '–' };

export const isOver = (utcEnd: string): boolean => inUtc(utcEnd) < nowSeconds() * 1000;

/** A minute of UTC for machines, as HTML has it. */
export const machineTime = (utc: string): string => `${utc.slice(0, 16).replace(' ', 'T')}Z`;

/** `YYYY-MM-DD HH:MM:SS` as if it were UTC, in milliseconds. */
const inUtc = (text: string): number => localFrom(text) * 1000;
