import type { FastifyRequest } from 'fastify';
import { Failure } from '../errors.js';
import { isDay } from '../time/clock.js';

/** What the page of all events is asked to look for: words, and a day from which on. Empty: nothing in particular. */
export interface Sought {
  search: string;
  from: string;
}

export const ANYTHING: Sought = { search: '', from: '' };

/** In the words of this page, or in those that other calendars of this family know. */
export function soughtIn(request: FastifyRequest): Sought {
  return {
    search: lastIn(request, 'search') || lastIn(request, 'tribe-bar-search'),
    from: dayOf(lastIn(request, 'from') || lastIn(request, 'tribe-bar-date')),
  };
}

/** What a page is asked by this name; of several, as in the interface, the last. */
export const lastIn = ({ query }: Pick<FastifyRequest, 'query'>, name: string): string =>
  String([(query as Record<string, unknown>)[name] ?? ''].flat().at(-1)).trim();

/** A month stands for its first day. */
function dayOf(text: string): string {
  const day = /^\d{4}-\d\d$/.test(text) ? `${text}-01` : text;
  if (day !== '' && !isDay(day)) throw new Failure('rest_no_route');
  return day;
}

/** As the interface is asked for it. */
export const filtersFor = ({ search, from }: Sought): Record<string, string> => ({
  ...(search === '' ? {} : { search }),
  ...(from === '' ? {} : { ends_after: `${from} 00:00:00` }),
});

/** As an address says it. */
export function queryOf({ search, from }: Sought, more: Record<string, string>): string {
  const all = Object.entries({ search, from, ...more }).filter(([, value]) => value !== '');
  return all.length === 0 ? '' : `?${new URLSearchParams(all)}`;
}

const VIEWS = ['list', 'month', 'week', 'day', 'today', 'photo', 'map', 'summary'];
const FORMER = new RegExp(
  `^(?:(?:${VIEWS.join('|')})(?:/|$))?(?:(\\d{4}-\\d\\d(?:-\\d\\d)?)|page/([1-9]\\d{0,5}))?/?$`,
  'i',
);

/** What an address below this page asked for in such a calendar: `list/page/2`, `month/2026-12`. */
export function formerly(path: string): { from: string; page: string } | undefined {
  const found = FORMER.exec(path);
  return found && path !== '' ? { from: found[1] ?? '', page: found[2] ?? '' } : undefined;
}
