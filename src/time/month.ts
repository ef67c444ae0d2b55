// Months as on a wall calendar: weeks of seven days, in which the days of other months are blank.
import { DAY, daysFrom, daysInMonth, pad2, wallFrom, weekdayOf } from './calendar.js';
import { addDays, isDay } from './clock.js';

/** Whether the text is a month that exists, written `YYYY-MM`. */
export const isMonth = (text: string): boolean => isDay(`${text}-01`);

const numbersOf = (month: string): [year: number, month: number] => [
  Number(month.slice(0, 4)),
  Number(month.slice(5, 7)),
];

/** The month so many months later; undefined if it cannot be written. */
export function monthLater(month: string, months: number): string | undefined {
  const [year, one] = numbersOf(month);
  const first = daysFrom(year, one + months, 1) * DAY;
  const text = wallFrom(first).slice(0, 7);
  return text === month ? undefined : text;
}

/** A day `YYYY-MM-DD`, so many days later. */
export const dayAfter = (day: string, days: number): string => addDays(`${day} 00:00:00`, days).slice(0, 10);

/** 0 is Sunday. Some engines offer it as a method, others as a property. */
function firstWeekday(language: string): number {
  const locale = new Intl.Locale(language) as { weekInfo?: WeekInfo; getWeekInfo?: () => WeekInfo };
  return ((locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1) % 7;
}

interface WeekInfo {
  firstDay: number;
}

/** The days of a month, `YYYY-MM-DD`, in weeks that begin on the first weekday of the language. */
export function weeksOf(month: string, language: string): (string | undefined)[][] {
  const [year, one] = numbersOf(month);
  const blanks = (weekdayOf(daysFrom(year, one, 1)) - firstWeekday(language) + 7) % 7;
  const length = daysInMonth(year, one);
  return Array.from({ length: Math.ceil((blanks + length) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => {
      const day = week * 7 + at - blanks + 1;
      return day >= 1 && day <= length ? `${month}-${pad2(day)}` : undefined;
    }),
  );
}
