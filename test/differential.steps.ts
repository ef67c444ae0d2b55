import fc from 'fast-check';
import type { RoleName } from './support/server.js';

/** What may be asked of a calendar, in random order: chosen so that engines that differ anywhere would tell. */

export type Kind = 'events' | 'venues' | 'organizers' | 'categories' | 'tags';
export interface Step {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  kind: Kind;
  /** One of the records of that kind that were made so far, by number; or a slug; or none. */
  which?: number | string | undefined;
  as: RoleName | undefined;
  query?: Record<string, unknown> | undefined;
  json?: Record<string, unknown> | undefined;
}

/** In place of an id: the runner puts in that of a record of this kind. */
export interface Ref {
  ref: Kind;
  n: number;
}

const WORDS = [
  'Concert',
  'concert',
  'CONCERT',
  'Żółć',
  'zolc',
  'Ä',
  'a',
  'B',
  'ä',
  'Zebra',
  'éclair',
  'Eclair',
  'Straße',
  'STRASSE',
  'İstanbul',
  'ısı',
  'Ωμέγα',
  'ωμεγα',
  'Ёлка',
  'елка',
  'Йод',
  '日本語',
  '日本',
  'テスト',
  'ﬁnale',
  'مدرسة',
  'שלום',
  'ไทย',
  '한국어',
  '🎉',
  '👩‍👩‍👧',
  '𝔘𝔫𝔦',
  '100%',
  '50_50',
  'a\\b',
  "it's",
  '"quoted"',
  '-minus',
  '--',
  '%',
  '_',
  '\\',
  "'",
  'x\u0000y',
  'x\ud800y',
  'tab\there',
  'e\u0301t\u00e9',
  'A&amp;B',
  '<b>bold</b>',
  '{}',
  '$1',
  '?',
  ':id',
  '0',
  '-1',
  'null',
  'NaN',
  '٣',
];
const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }) },
);
const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
/** Mostly from a handful, so that names and slugs collide. */
const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...WORDS.slice(0, 14)) }, { weight: 2, arbitrary: text });

/** Numbers that some column, type or calculation is too small for. */
const odd = fc.constantFrom<unknown>(
  ...[0, -1, 1, 2, 1.5, -0, 2147483647, 2147483648, -2147483649, 4294967296, 9007199254740991, 2 ** 53, 2 ** 63],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775809', '1e3', '1e400', '-1e400', '0x10', ' 7 '],
  ...['99999999999999999999999999', 'NaN', 'Infinity', '', '٣', '1,2', '1;2', [1, 2], [], { a: 1 }, null, true],
);
const role = fc.constantFrom<RoleName | undefined>(
  ...(['admin', 'admin', 'admin', 'editor', 'author', 'contributor', 'subscriber', undefined, undefined] as const),
);
/** Of those who write: most must be allowed to, or there is nothing to read. */
const writer = fc.oneof({ weight: 4, arbitrary: fc.constant('admin' as const) }, { weight: 1, arbitrary: role });
const kind = fc.constantFrom<Kind>('events', 'events', 'events', 'venues', 'organizers', 'categories', 'tags');
const refTo = (to: Kind): fc.Arbitrary<Ref> => fc.nat(30).map((n) => ({ ref: to, n }));
const status = fc.constantFrom(
  'publish',
  'publish',
  'publish',
  'draft',
  'pending',
  'publish',
  'publish',
  'private',
  'future',
  'trash',
  'Publish',
  'odd',
);
const wall = fc.constantFrom(
  ...['2031-03-30 02:30:00', '2031-10-26 02:30:00', '2031-05-06 19:30:00', '2031-05-06', '2031-05-06T19:30:00+09:00'],
  ...['2032-02-29 23:59:59', '1969-12-31 23:59:59', '0001-01-01', '9999-12-31 23:59:59', 'tomorrow', 'now', 'rubbish'],
  ...['1900000000', '-1900000000', '99999999999', '99999999999999999999'],
);
const zone = fc.constantFrom(
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Auckland',
  'UTC',
  'UTC+5:30',
  '',
  'Mars/Base',
);
const degrees = fc.oneof(
  fc.constantFrom<unknown>(0, -0, 90, -90, 180, -180, 179.99999, -179.99999, 1e-9, '52.5', 91, '1e400', ''),
  fc.double({ min: -90, max: 90, noNaN: true }),
);
type Members = Record<string, fc.Arbitrary<unknown>>;
/** The needed members, and a few of the others: all together would nearly always be refused. */
const someOf = (members: Members, most: number, needed: string[] = []): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .subarray(Object.keys(members), { maxLength: Math.min(most, Object.keys(members).length) })
    .chain((chosen) =>
      fc.record(Object.fromEntries([...needed, ...chosen].map((one) => [one, members[one] ?? fc.constant(null)]))),
    );
/** Mostly what is right. */
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 7, arbitrary: right }, { weight: 1, arbitrary: odd });

const date = mostly(fc.constantFrom('2020-01-01 10:00:00', '2031-01-01', '0'));
const shared = { status, slug: name, description: text, date_utc: date };
const names = fc.array(name, { maxLength: 3 });
const BODIES: Record<Kind, Record<string, fc.Arbitrary<unknown>>> = {
  events: {
    ...shared,
    title: name,
    start_date: fc.oneof({ weight: 6, arbitrary: fc.constant('2031-05-06 19:30:00') }, { weight: 4, arbitrary: wall }),
    end_date: fc.oneof({ weight: 8, arbitrary: fc.constant('2031-05-06 21:00:00') }, { weight: 2, arbitrary: wall }),
    excerpt: text,
    timezone: zone,
    all_day: fc.boolean(),
    featured: fc.boolean(),
    sticky: fc.boolean(),
    hide_from_listings: fc.boolean(),
    cost: fc.oneof(text, fc.constantFrom<unknown>('5', '5-10', '1e400', ['3', '7,50'], '€ 4', 0)),
    website: fc.constantFrom('https://example.org/ä', 'no address', ''),
    password: fc.constantFrom('word', 'wörd', ''),
    categories: mostly(fc.oneof(names, fc.array(refTo('categories'), { maxLength: 2 }))),
    tags: fc.oneof(names, fc.array(refTo('tags'), { maxLength: 2 })),
    venue: fc.oneof(
      refTo('venues'),
      name.map((venue) => ({ venue })),
      fc.array(refTo('venues'), { maxLength: 3 }),
      odd,
    ),
    organizer: mostly(fc.oneof(refTo('organizers'), names)),
    post_parent: mostly(refTo('events')),
    author: mostly(fc.nat(6)),
  },
  venues: {
    ...shared,
    venue: name,
    city: text,
    country: name,
    stateprovince: name,
    geo_lat: degrees,
    geo_lng: degrees,
  },
  organizers: { ...shared, organizer: name, email: text, phone: text, author: mostly(fc.nat(6)) },
  categories: { name, slug: name, description: text, parent: mostly(refTo('categories')) },
  tags: { name, slug: name, description: text },
};
const NEEDED: Record<Kind, string[]> = {
  events: ['title', 'start_date', 'end_date'],
  venues: ['venue'],
  organizers: ['organizer'],
  categories: ['name'],
  tags: ['name'],
};

const phrase = fc.array(
  fc.oneof(
    word,
    word.map((w) => `-${w}`),
    word.map((w) => `"${w}"`),
  ),
  { minLength: 1, maxLength: 3 },
);
const paging = {
  page: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(1, 2, 3) }, { weight: 1, arbitrary: odd }),
  per_page: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(1, 2, 5) }, { weight: 1, arbitrary: odd }),
  search: phrase.map((parts) => parts.join(' ')),
};
const some = (to: Kind): fc.Arbitrary<unknown> => fc.oneof(fc.array(refTo(to), { minLength: 1, maxLength: 3 }), odd);
const linkedFilters = {
  ...paging,
  status,
  event: some('events'),
  has_events: fc.boolean(),
  only_with_upcoming: fc.boolean(),
};
const termFilters = (of: Kind) => ({
  ...paging,
  hide_empty: fc.boolean(),
  orderby: fc.constantFrom('id', 'name', 'slug', 'count', 'description', 'parent', 'include', 'none', 'odd'),
  order: fc.constantFrom('asc', 'desc', 'DESC'),
  include: some(of),
  exclude: some(of),
  parent: some(of),
  slug: name,
  event: fc.oneof(refTo('events'), odd),
});
const FILTERS: Record<Kind, Record<string, fc.Arbitrary<unknown>>> = {
  events: {
    ...paging,
    ...{
      start_date: wall,
      end_date: wall,
      starts_before: wall,
      starts_after: wall,
      ends_before: wall,
      ends_after: wall,
    },
    strict_dates: fc.boolean(),
    ...{ categories: fc.oneof(some('categories'), name), tags: fc.oneof(some('tags'), name) },
    ...{ venue: some('venues'), organizer: some('organizers'), include: some('events'), post_parent: some('events') },
    ...{ featured: fc.boolean(), ticketed: fc.boolean(), geoloc: fc.boolean(), status },
    ...{ geoloc_lat: degrees, geoloc_lng: degrees, geoloc_distance: fc.oneof(fc.constantFrom(0, 1, 500, 20038), odd) },
    context: fc.constantFrom('edit', 'view'),
    password: fc.constantFrom('word', 'wörd', 'wrong'),
  },
  venues: linkedFilters,
  organizers: linkedFilters,
  categories: termFilters('categories'),
  tags: termFilters('tags'),
};

const wide = fc.constantFrom({ start_date: '1900-01-01', end_date: '2100-01-01', per_page: 50 }, {});

const create = kind.chain((of) =>
  fc.record({
    method: fc.constant('POST' as const),
    kind: fc.constant(of),
    as: writer,
    json: someOf(BODIES[of], 4, NEEDED[of]),
  }),
);
const update = kind.chain((of) =>
  fc.record({
    method: fc.constant('PATCH' as const),
    kind: fc.constant(of),
    which: fc.nat(30),
    as: writer,
    json: someOf(BODIES[of], 3),
  }),
);
const remove = kind.chain((of) =>
  fc.record({
    method: fc.constant('DELETE' as const),
    kind: fc.constant(of),
    which: fc.nat(30),
    as: writer,
    query: fc.constantFrom({}, {}, { force: true }, { force: 'odd' }),
  }),
);
const untrash = fc.record({
  method: fc.constant('PATCH' as const),
  kind: fc.constantFrom<Kind>('events', 'venues', 'organizers'),
  which: fc.nat(30),
  as: writer,
  json: fc.constantFrom({ status: 'publish' }, { status: 'draft' }),
});
const one = kind.chain((of) =>
  fc.record({
    method: fc.constant('GET' as const),
    kind: fc.constant(of),
    which: fc.oneof<fc.Arbitrary<number | string>[]>(
      fc.nat(30),
      fc.constantFrom('concert', 'concert-2', 'a', '0', '-1', '9223372036854775808'),
    ),
    as: role,
    query: fc.constantFrom({}, {}, { password: 'word' }, { password: 'wrong' }),
  }),
);
const list = kind.chain((of) =>
  fc.record({
    method: fc.constant('GET' as const),
    kind: fc.constant(of),
    as: role,
    query: fc.tuple(wide, someOf(FILTERS[of], 3)).map(([all, chosen]) => ({ ...all, ...chosen })),
  }),
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: create },
  { weight: 3, arbitrary: update },
  { weight: 1, arbitrary: remove },
  { weight: 1, arbitrary: untrash },
  { weight: 2, arbitrary: one },
  { weight: 8, arbitrary: list },
) as fc.Arbitrary<Step>;

/** What is asked of every calendar at the end: each word everywhere, with and without, and each order. */
const everything = { start_date: '0001-01-01', end_date: '9999-12-31', hide_empty: false, per_page: 50 };
const look = (of: Kind, query: Record<string, unknown>): Step => ({
  method: 'GET',
  kind: of,
  as: 'admin',
  query: { ...everything, ...query },
});
export const SURVEY: readonly Step[] = [
  ...WORDS.flatMap((search) => [
    look('events', { search }),
    look('categories', { search }),
    look('tags', { search: `-${search}` }),
  ]),
  ...(['categories', 'tags'] as const).flatMap((of) =>
    ['id', 'name', 'slug', 'count', 'description', 'parent', 'none'].flatMap((orderby) =>
      ['asc', 'desc'].map((order) => look(of, { orderby, order })),
    ),
  ),
  ...(['venues', 'organizers'] as const).map((of) => look(of, {})),
  ...[0, 45, -90].map((lat) => look('events', { geoloc_lat: lat, geoloc_lng: 179, geoloc_distance: 9000 })),
];
