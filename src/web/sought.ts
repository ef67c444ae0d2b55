import type { FastifyRequest } from 'fastify';
import { Failure } from '../errors.js';
import { isDay, startOfDay } from '../time/clock.js';

/** What the page of all events is to look for. Empty: no restriction. */
export interface Sought {
  /** Words. */
  search: string;
  /** The first day. */
  from: string;
  /** '1': what is over, and not what is to come. */
  past: '' | '1';
}

export const ANYTHING: Sought = { search: '', from: '', past: '' };

/** Reads the parameters of this page, or those that other calendars of this family use. */
export function soughtIn(request: FastifyRequest): Sought {
  const search = lastIn(request, 'search') || lastIn(request, 'tribe-bar-search');
  const from = dayOf(lastIn(request, 'from') || lastIn(request, 'tribe-bar-date'));
  const isPast = lastIn(request, 'past') === '1' || lastIn(request, 'tribe_event_display') === 'past';
  return { search, from, past: isPast && from === '' ? '1' : '' };
}

/** A parameter of a page's address; if it occurs several times, the last counts, as in the API. */
export const lastIn = ({ query }: Pick<FastifyRequest, 'query'>, name: string): string =>
  String([(query as Record<string, unknown>)[name] ?? ''].flat().at(-1)).trim();

/** A month stands for its first day. */
function dayOf(text: string): string {
  const day = /^\d{4}-\d\d$/.test(text) ? `${text}-01` : text;
  if (day !== '' && !isDay(day)) throw new Failure('rest_no_route');
  return day;
}

/** As parameters of the API. */
export const filtersFor = ({ search, from }: Sought): Record<string, string> => ({
  ...(search === '' ? {} : { search }),
  ...(from === '' ? {} : { ends_after: startOfDay(from) }),
});

/** As the query of a page's address. */
export function queryOf(sought: Sought, more: Record<string, string>): string {
  const all = Object.entries({ ...sought, ...more }).filter(([, value]) => value !== '');
  return all.length === 0 ? '' : `?${new URLSearchParams(all)}`;
}

const VIEWS = ['list', 'month', 'week', 'day', 'today', 'photo', 'map', 'summary'];
const FORMER = new RegExp(
  `^(?:(?:${VIEWS.join('|')})(?:/|$))?(?:(\\d{4}-\\d\\d(?:-\\d\\d)?)|page/([1-9]\\d{0,5}))?/?$`,
  'i',
);

/** What a path below /events means in other calendars of this family: `list/page/2`, `month/2026-12`. */
export function formerly(path: string): { from: string; page: string } | undefined {
  const found = FORMER.exec(path);
  return found && path !== '' ? { from: found[1] ?? '', page: found[2] ?? '' } : undefined;
}
