/** When something is, as people of a language write it. Times are those of the place, so no zone has a say in it. */
export function shownTime(language: string, start: string, end: string, isAllDay: boolean): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'full',
    ...(isAllDay ? {} : { timeStyle: 'short' }),
    timeZone: 'UTC',
  });
  const [from, until] = [wallOf(start), wallOf(end)];
  return from === until ? format.format(from) : format.formatRange(from, until);
}

/** The same beginning for machines, as HTML has it: a day, or a minute of the place. */
export const machineTime = (start: string, isAllDay: boolean): string =>
  isAllDay ? start.slice(0, 10) : start.slice(0, 16).replace(' ', 'T');

/** `YYYY-MM-DD HH:MM:SS` as if it were UTC. */
const wallOf = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);
