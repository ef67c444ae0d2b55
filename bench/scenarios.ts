import { jsonOf } from '../test/tools/wire.js';
import { DENSE, SPARSE } from './data.js';
import { ask, type Question, type Target } from './servers.js';
import { PHRASE, RARE } from './words.js';

/** The requests. Ids and pages are found through the API, so that any server that speaks it can be measured. */

export interface Facts {
  today: string;
  ids: number[];
  slugs: string[];
  /** Events that are in none of the other questions. */
  unseen: number[];
  /** Pages of 50 with events that are in none of the other questions: all even ones of `everything`. */
  everything: string;
  unseenPages: number;
  lastPage: number;
  manyCategory: number;
  fewCategory: number;
  tag: number;
  venue: number;
  venuePages: number;
  categoryPages: number;
}

export interface Scenario {
  name: string;
  /** The same request again and again; absent: it is measured cold only. */
  warm?: (facts: Facts) => Question;
  /** The n-th request: as much work, and never the same response. Absent: a cold variant makes no sense here. */
  cold?: (facts: Facts, n: number) => Question;
  /** What it returns; lists of the API have goals of their own. */
  kind: 'default' | 'list' | 'single' | 'other';
  /** How many records or pages the cold requests are about: each was read twice before it is measured. */
  about?: (facts: Facts) => number;
  /** How many cold requests there are at most, since each is for records that nobody has asked for yet. */
  most?: (facts: Facts) => number;
  /** Needs the entity tag of the response to the same request. */
  conditional?: boolean;
}

const two = (n: number): string => String(n).padStart(2, '0');
/** Another second of a day for every number: a window that begins then contains the same events, or nearly. */
const secondOf = (n: number): string =>
  `${two(Math.floor(n / 3600) % 24)}:${two(Math.floor(n / 60) % 60)}:${two(n % 60)}`;
const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

const query = (parameters: Record<string, string | number>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

type Asked = Record<string, string | number>;

/** A list of events; cold: each window begins at another second of the day before, so that no page is missing. */
function list(name: string, asked: (facts: Facts) => Asked, kind: Scenario['kind'] = 'list'): Scenario {
  return {
    name,
    kind,
    warm: (facts) => ({ path: `/events?${query(asked(facts))}` }),
    cold: (facts, n) => ({
      path: `/events?${query({ start_date: `${dayAfter(facts.today, -1)} ${secondOf(n)}`, strict_dates: 1, ...asked(facts), not_asked_before: n })}`,
    }),
  };
}

const pick = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;
const near = ({ lat, lng }: typeof DENSE): Asked => ({ geoloc_lat: lat, geoloc_lng: lng, geoloc_distance: 10 });

/** Lists other than of events differ only by page, and by a parameter without meaning. */
const pages = (path: string, pagesOf: (facts: Facts) => number) => ({
  kind: 'other' as const,
  warm: () => ({ path }),
  about: pagesOf,
  cold: (facts: Facts, n: number) => ({ path: `${path}?page=${(n % pagesOf(facts)) + 1}&not_asked_before=${n}` }),
});

const defaultList = { path: '/events' };
const packed = (encoding: string): Scenario => ({
  name: encoding,
  kind: 'other',
  warm: () => ({ ...defaultList, headers: { 'Accept-Encoding': encoding } }),
});

export const READS: Scenario[] = [
  { ...list('default list', () => ({}), 'default'), warm: () => defaultList },
  list('per_page=50', () => ({ per_page: 50 })),
  list('category, many', ({ manyCategory }) => ({ categories: manyCategory })),
  list('category, few', ({ fewCategory }) => ({ categories: fewCategory })),
  list('tag', ({ tag }) => ({ tags: tag })),
  list('venue', ({ venue }) => ({ venue })),
  {
    name: 'month',
    kind: 'list',
    warm: ({ today }) => ({
      path: `/events?${query({ start_date: dayAfter(today, 30), end_date: dayAfter(today, 60) })}`,
    }),
    cold: ({ today }, n) => ({
      path: `/events?${query({ start_date: `${dayAfter(today, 30)} ${secondOf(n)}`, end_date: dayAfter(today, 60), strict_dates: 1, not_asked_before: n })}`,
    }),
  },
  list('search, common word', () => ({ search: 'music' })),
  list('search, rare word', () => ({ search: RARE })),
  list('search, three letters', () => ({ search: 'jar' })),
  list('search, phrase', () => ({ search: `"${PHRASE}"` })),
  list('search, Cyrillic', () => ({ search: 'концерт' })),
  list('search, Japanese', () => ({ search: '音楽会' })),
  list('place, dense', () => near(DENSE)),
  list('place, sparse', () => near(SPARSE)),
  list('page 100', () => ({ page: 100 })),
  list('last page', ({ lastPage }) => ({ page: lastPage })),
  {
    name: 'by slug',
    kind: 'single',
    warm: ({ slugs }) => ({ path: `/events/by-slug/${slugs[0]}` }),
    about: ({ slugs }) => slugs.length,
    cold: ({ slugs }, n) => ({ path: `/events/by-slug/${pick(slugs, n)}?not_asked_before=${n}` }),
  },
  {
    name: 'single',
    kind: 'single',
    warm: ({ ids }) => ({ path: `/events/${ids[0]}` }),
    about: ({ ids }) => ids.length,
    cold: ({ ids }, n) => ({ path: `/events/${pick(ids, n)}?not_asked_before=${n}` }),
  },
  {
    name: 'single, for the first time',
    kind: 'other',
    cold: ({ unseen }, n) => ({ path: `/events/${pick(unseen, n)}` }),
    most: ({ unseen }) => unseen.length,
  },
  {
    // As programs do that copy a calendar: in no order that would help, since each page comes once.
    name: 'page of 50, for the first time',
    kind: 'other',
    cold: ({ everything, unseenPages }, n) => ({ path: `${everything}&page=${2 + 2 * ((n * 7919) % unseenPages)}` }),
    most: ({ unseenPages }) => unseenPages,
  },
  { name: 'venue list', ...pages('/venues', ({ venuePages }) => venuePages) },
  { name: 'categories', ...pages('/categories', ({ categoryPages }) => categoryPages) },
  { name: 'not changed (304)', kind: 'other', warm: () => defaultList, conditional: true },
  packed('gzip'),
  packed('br'),
];

interface ListBody {
  total_pages: number;
  events: { id: number; slug: string; venue: { id: number } }[];
  categories: { id: number }[];
  tags: { id: number }[];
}

/** Days from today after which the calendar has nothing. */
const BEYOND = 2000;

/** Pages that are searched for ids: more than any cache of whole responses should hold. */
const PAGES_OF_IDS = 100;

export async function factsOf(target: Target, today: string): Promise<Facts> {
  const body = async (path: string, headers: Record<string, string> = {}): Promise<ListBody> => {
    const answer = await ask(target, { path, headers });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.toString().slice(0, 200)}`);
    return jsonOf(answer) as ListBody;
  };
  const { total_pages: lastPage, events } = await body('/events');
  const everything = `/events?${query({ start_date: dayAfter(today, -2000), end_date: dayAfter(today, BEYOND), per_page: 50 })}`;
  const all = (await body(everything)).total_pages;
  // Of every four pages, one is read as single events, one as single events for the first time, and two as pages.
  const step = 4 * Math.max(1, Math.floor(all / 4 / PAGES_OF_IDS));
  // Signed in, where that is possible: what anonymous callers get is not to be ready beforehand.
  const signedIn: Record<string, string> = target.authorization ? { Authorization: target.authorization } : {};
  const eventsOf = async (first: number): Promise<ListBody['events']> => {
    const found: ListBody['events'] = [];
    for (let page = first; page <= Math.min(all, PAGES_OF_IDS * step); page += step) {
      const asked = `${everything}&status=publish&page=${page}&_fields=events.id,events.slug`;
      found.push(...(await body(asked, signedIn)).events);
    }
    return found;
  };
  const found = await eventsOf(1);
  const term = async (path: 'categories' | 'tags', order: string): Promise<number> =>
    (await body(`/${path}?orderby=count&order=${order}&per_page=1`))[path][0]?.id ?? 0;
  return {
    today,
    lastPage,
    ids: found.map(({ id }) => id),
    slugs: found.map(({ slug }) => slug),
    unseen: (await eventsOf(3)).map(({ id }) => id),
    everything,
    unseenPages: Math.floor(all / 2),
    manyCategory: await term('categories', 'desc'),
    fewCategory: await term('categories', 'asc'),
    tag: await term('tags', 'desc'),
    venue: events[0]?.venue.id ?? 0,
    venuePages: (await body('/venues')).total_pages,
    categoryPages: (await body('/categories')).total_pages,
  };
}

export function newEvent(today: string, n: number): Question {
  const day = dayAfter(today, 1 + (n % 300));
  return {
    method: 'POST',
    path: '/events',
    body: {
      title: `Written while measuring ${n}`,
      description: 'A text of some length, as people write them: what it is about, who comes, what to bring. '.repeat(
        4,
      ),
      start_date: `${day} 19:00:00`,
      end_date: `${day} 21:00:00`,
      timezone: 'Europe/Berlin',
    },
  };
}

/** Writes before the reads are measured: they change no page. */
export const eventBeyond = (today: string, n: number): Question => newEvent(dayAfter(today, BEYOND + 1), n);

export const changedEvent = ({ ids }: Facts, n: number): Question => ({
  method: 'PUT',
  path: `/events/${pick(ids, n * 7)}`,
  body: { title: `Changed while measuring ${n}` },
});

/** What readers of a calendar request, most of it again and again. */
export function popular(facts: Facts, n: number): Question {
  const kinds: Question[] = [
    defaultList,
    { path: `/events?page=${(n % 5) + 1}` },
    { path: `/events/${pick(facts.ids, n % 200)}` },
    { path: `/events/${pick(facts.ids, (n * 13) % 200)}` },
    { path: `/events?categories=${facts.manyCategory}` },
    {
      path: `/events?${query({ start_date: dayAfter(facts.today, n % 30), end_date: dayAfter(facts.today, (n % 30) + 7) })}`,
    },
    { path: `/events?search=${pick(['music', 'harbour', 'dance', 'library'], n)}` },
    { path: '/categories' },
  ];
  return pick(kinds, n);
}
