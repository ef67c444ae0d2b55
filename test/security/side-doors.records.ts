import { must } from '../support/rows.js';
import { type Reply, type RoleName, startServer, type TestServer } from '../support/server.js';
import { picture, WHO } from './support.js';

/** The records of the suite "side doors", the words they hold, and the addresses at which they might come to light. */

export const LOW = WHO.filter((who) => who !== 'editor' && who !== 'admin');
const STATES = ['draft', 'pending', 'private', 'future', 'trash'] as const;
export const soon = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

export interface Word {
  word: string;
  where: string;
}
export const hidden: Word[] = [];
/** Behind the password of an event that everybody may know of: also from those who may edit it, unless they ask to. */
export const behind: Word[] = [];
let made = 0;
/** Letters only: a word for search, a slug, a part of a host name. */
const sentinel = (where: string, into = hidden): string => {
  const word = `zq${[...String(1000 + ++made)].map((digit) => 'bcdfghjkmp'[Number(digit)]).join('')}zq`;
  into.push({ word, where });
  return word;
};

export let s: TestServer;
export const ids: Record<'events' | 'venues' | 'organizers' | 'media', number[]> = {
  events: [],
  venues: [],
  organizers: [],
  media: [],
};
const slugs: Record<string, string[]> = { events: [], venues: [], organizers: [] };
export const files: string[] = [];
export let shut: { id: number; slug: string };

function fields(kind: 'event' | 'venue' | 'organizer', state: string, into = hidden): Record<string, unknown> {
  const w = (field: string): string => sentinel(`${field} of a ${state} ${kind}`, into);
  const web = (): string => `https://${w('website')}.example/`;
  if (kind === 'venue') {
    return {
      venue: w('name'),
      description: w('description'),
      address: w('address'),
      city: w('city'),
      country: w('country'),
      province: w('province'),
      zip: w('zip'),
      phone: w('phone'),
      website: web(),
      slug: w('slug'),
    };
  }
  if (kind === 'organizer') {
    return {
      organizer: w('name'),
      description: w('description'),
      phone: w('phone'),
      email: `${w('email')}@example.org`,
      website: web(),
      slug: w('slug'),
    };
  }
  // Title, dates and slug of a protected event are for everybody (E4).
  const named = state === 'protected' ? {} : { title: w('title'), slug: w('slug') };
  return {
    ...named,
    description: w('description'),
    excerpt: w('excerpt'),
    website: web(),
    tickets: [{ name: w('ticket'), provider: w('provider'), url: `https://${w('shop')}.example/` }],
    start_date: soon(20),
    end_date: soon(20),
  };
}

async function image(where: string, into = hidden): Promise<number> {
  const reply = await s.ask('POST', '/media', {
    as: 'admin',
    body: await picture(400, 300),
    query: { alt_text: sentinel(where, into) },
    headers: { 'content-type': 'image/png' },
  });
  const stored = await must(Promise.resolve(reply));
  ids.media.push(stored.id);
  files.push(stored.url, ...Object.values(stored.sizes as Record<string, { url: string }>).map(({ url }) => url));
  into.push({ word: stored.url.split('/').at(-1).slice(0, 32), where: `file: ${where}` });
  return stored.id;
}

async function hide(): Promise<void> {
  for (const state of STATES) {
    const status = state === 'future' ? { date: '2040-01-01 00:00:00' } : { status: state };
    const links: Record<string, number> = {};
    for (const kind of ['venue', 'organizer'] as const) {
      const json = {
        ...fields(kind, state),
        ...status,
        image: await image(`image of a ${state} ${kind}`),
        ...(kind === 'venue' ? { geo_lat: 10, geo_lng: 20 } : {}),
      };
      const { id, slug } = await must(s.post(`/${kind}s`, json, 'admin'));
      ids[`${kind}s`].push(id);
      slugs[`${kind}s`]?.push(slug);
      links[kind] = id;
    }
    const json = {
      ...fields('event', state),
      ...status,
      ...links,
      image: await image(`image of a ${state} event`),
      categories: 'Music',
      tags: 'Loud',
      featured: true,
      post_parent: open.id,
    };
    const event = await must(s.post('/events', json, 'admin'));
    ids.events.push(event.id);
    slugs.events?.push(event.slug);
    // What everybody sees may name what nobody may see.
    await must(
      s.patch(`/events/${open.id}`, { venue: [open.venue.id, ...ids.venues], organizer: ids.organizers }, 'admin'),
      200,
    );
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a record
let open: any;
export const past = new Map<string, string>();

export async function begin(): Promise<void> {
  s = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  await must(s.post('/categories', { name: 'Music' }, 'admin'));
  await must(s.post('/tags', { name: 'Loud' }, 'admin'));
  const on = { start_date: soon(10), end_date: soon(10), categories: 'Music', tags: 'Loud' };
  open = await must(
    s.post('/events', { title: 'Open', ...on, venue: { venue: 'Hall', geo_lat: 10, geo_lng: 20 } }, 'admin'),
  );
  const closed = {
    ...fields('event', 'protected', behind),
    title: 'Closed',
    slug: 'closed',
    start_date: soon(12),
    end_date: soon(12),
    password: 'word',
  };
  const inside = {
    venue: { venue: 'Hall' },
    organizer: { organizer: 'Known' },
    image: await image('image of a protected event', behind),
    categories: 'Music',
    tags: 'Loud',
    featured: true,
    post_parent: open.id,
  };
  shut = await must(s.post('/events', { ...closed, ...inside }, 'admin'));
  // An event hidden from listings is shown, in no list, to those who have its address; here the list alone matters.
  await must(
    s.post(
      '/events',
      { title: sentinel('title of an event hidden from listings'), ...on, hide_from_listings: true },
      'admin',
    ),
  );
  for (const who of LOW)
    for (const url of lists(who)) past.set(`${who} ${url}`, plain(await s.get(url, undefined, who)));
  await hide();
}

/** The record that names hidden ones was changed when they were linked. */
export const plain = (reply: Reply): string =>
  `${reply.status} ${reply.headers.get('x-tec-total')} ${reply.text.replace(/"modified[^,]*,/g, '')}`;

/** Filters that would find the protected event by what is inside. */
export const inside = (): string[] => [
  'featured=true',
  'ticketed=true',
  'geoloc=true',
  'geoloc_lat=10&geoloc_lng=20',
  'categories=music',
  'tags=loud',
  `venue=${open.venue.id}`,
  `post_parent=${open.id}`,
];

/** Lists with each parameter, at values that could tell something. */
export function lists(who?: RoleName): string[] {
  const status =
    who && who !== 'subscriber' ? STATES.map((one) => `status=${one}`).concat('status=any') : ['status=publish'];
  const dates = [
    'start_date=2000-01-01&end_date=2050-01-01',
    'starts_after=2020-01-01',
    'ends_before=2050-01-01',
    'strict_dates=true',
  ];
  const queries: Record<string, string[]> = {
    '/events': [
      ...dates,
      ...status,
      ...inside(),
      'featured=false',
      'ticketed=false',
      'geoloc=false',
      'context=edit',
      'search=open',
      'search=zq',
      'search=-zq',
      'search=o+-zq',
    ],
    '/venues': [
      ...status,
      'has_events=true',
      'has_events=false',
      'only_with_upcoming=true',
      'search=zq',
      'search=-zq',
      `event=${open.id}`,
    ],
    '/organizers': [
      ...status,
      'has_events=true',
      'has_events=false',
      'only_with_upcoming=true',
      'search=zq',
      'search=-zq',
      `event=${open.id}`,
    ],
    '/categories': ['hide_empty=false', 'hide_empty=true', 'orderby=count', 'search=mus', `event=${open.id}`],
    '/tags': ['hide_empty=false', 'hide_empty=true', 'orderby=count&order=desc', 'search=lou', `post=${open.id}`],
  };
  return Object.entries(queries).flatMap(([path, all]) => [
    path,
    ...all.map((query) => `${path}?${query}`),
    `${path}?per_page=1&page=1`,
    `${path}?per_page=50&_fields=total,events,venues,organizers`,
  ]);
}

/** Addresses that name hidden records. */
export function singles(): string[] {
  const urls: string[] = [];
  const ways = ['', '?context=edit', '?password=wrong', '?_envelope', '?_fields=title,description,venue'];
  for (const kind of ['events', 'venues', 'organizers'] as const) {
    for (const id of [...ids[kind], ...(kind === 'events' ? [shut.id] : [])])
      for (const way of ways) urls.push(`/${kind}/${id}${way}`);
    for (const slug of [...(slugs[kind] ?? []), ...(kind === 'events' ? [shut.slug] : [])])
      urls.push(`/${kind}/by-slug/${slug}`);
  }
  urls.push(`/events?include=${[...ids.events, shut.id]}`, `/events?include=${ids.events}&status=publish&context=edit`);
  for (const id of [...ids.events, shut.id])
    urls.push(
      ...['venues', 'organizers', 'categories', 'tags'].map((at) => `/${at}?event=${id}`),
      `/tags?post=${id}`,
      `/events?post_parent=${id}`,
    );
  for (const id of ids.venues) urls.push(`/events?venue=${id}`, `/events?venue=${open.venue.id},${id}`);
  for (const id of ids.organizers) urls.push(`/events?organizer=${id}`);
  for (const id of ids.media) urls.push(`/media/${id}`);
  return [...urls, ...files, `/events/${open.id}`, `/events/by-slug/${open.slug}`, `/venues/${open.venue.id}`];
}

export const PAGES = [
  '~/',
  '~/?ical=1',
  '~/events/',
  '~/events/?ical=1',
  '~/events/?from=2000-01-01',
  '~/events/featured/?ical=1',
  '~/docs',
  '~/de/docs',
  '~/api',
  '~/wp-json',
  '~/metrics',
  '~/readyz',
  '~/livez',
  '~/robots.txt',
  '~/llms.txt',
  '~/.well-known/api-catalog',
  '~/.well-known/security.txt',
  '~/nothing',
  '/nothing',
  '/media',
];
