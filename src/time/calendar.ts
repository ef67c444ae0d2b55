// Days and seconds on the proleptic Gregorian calendar, without zones and without Date: Date uses the host's zone in
// places and maps the years 0–99 to 1900–1999.

export const DAY = 86_400;
/** Local seconds (the wall-clock time read as if it were UTC) of 0001-01-01 00:00:00 and 9999-12-31 23:59:59. */
export const FIRST = -62_135_596_800;
export const LAST = 253_402_300_799;

/** Days since 1970-01-01. Months and days may overflow: month 14 is February of the next year, day 0 the day before. */
export function daysFrom(year: number, month: number, day: number): number {
  const months = year * 12 + month - 1;
  // Counting years from March puts the leap day last, so no month needs a case of its own.
  const shifted = months - 2;
  const marchYear = Math.floor(shifted / 12);
  const marchMonth = shifted - marchYear * 12;
  const leaps = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leaps + Math.floor((marchMonth * 153 + 2) / 5) + day - 719_469;
}

export interface CalendarDate {
  year: number;
  month: number;
  day: number;
}

export function dateFrom(days: number): CalendarDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

export function daysInMonth(year: number, month: number): number {
  return daysFrom(year, month + 1, 1) - daysFrom(year, month, 1);
}

/** 0 is Sunday. */
export function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

const two = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));

export function pad2(n: number): string {
  return two[n] ?? String(n);
}

/** 'YYYY-MM-DD HH:MM:SS'. Outside the years 1–9999 the nearest text of that shape: no reader meets a longer one. */
export function wallFrom(localSeconds: number): string {
  const local = Math.min(Math.max(Math.floor(localSeconds), FIRST), LAST);
  const days = Math.floor(local / DAY);
  const rest = local - days * DAY;
  const { year, month, day } = dateFrom(days);
  const century = Math.floor(year / 100);
  const hour = Math.floor(rest / 3600);
  const minute = Math.floor(rest / 60) - hour * 60;
  return `${two[century]}${two[year - century * 100]}-${two[month]}-${two[day]} ${two[hour]}:${two[minute]}:${two[rest % 60]}`;
}

const shape = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

export const isWall = (text: string): boolean => shape.test(text);

/** The inverse of wallFrom. Only texts in that shape are passed to it, so any other is a mistake in our own code. */
export function localFrom(wall: string): number {
  if (!isWall(wall)) throw new RangeError(`Not a wall clock text: ${wall}`);
  const n = (at: number) => (wall.charCodeAt(at) - 48) * 10 + wall.charCodeAt(at + 1) - 48;
  return daysFrom(n(0) * 100 + n(2), n(5), n(8)) * DAY + n(11) * 3600 + n(14) * 60 + n(17);
}
