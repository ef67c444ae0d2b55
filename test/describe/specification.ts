/**
 * The tables of the specification's sections 2 and 4, typed in by hand: nothing here is taken from src/. A row is name,
 * type, and what it defaults to; `!` after a name means required on create.
 */
export type Type = 'integer' | 'string' | 'boolean' | 'untyped' | 'array' | 'date-time' | 'double';
export type Row = [name: string, type: Type, standard?: unknown];

/** A default that is worked out at the time of asking. */
export const GENERATED = Symbol('generated');
const nulls = (...names: string[]): Row[] => names.map((name) => [name, 'string', null]);
const plain = (type: Type, ...names: string[]): Row[] => names.map((name) => [name, type]);

/** Sections 2.1 to 2.5. */
export const FIELDS: Record<string, Row[]> = {
  events: [
    ['author', 'integer'],
    ...plain('string', 'date', 'date_utc', 'title!', 'description', 'slug', 'excerpt', 'status', 'timezone'),
    ['all_day', 'boolean', false],
    ...plain('string', 'start_date!', 'end_date!', 'image'),
    ['cost', 'untyped'],
    ['website', 'untyped', null],
    ...plain('boolean', 'show_map', 'show_map_link', 'hide_from_listings', 'sticky', 'featured'),
    ['categories', 'array', null],
    ['tags', 'array', null],
    ['venue', 'array', null],
    ['organizer', 'array', null],
  ],
  venues: [
    ['author', 'integer'],
    ...plain('string', 'date', 'date_utc', 'venue!'),
    ['description', 'string', null],
    ['status', 'string'],
    ...nulls('show_map', 'show_map_link', 'address', 'city', 'country', 'province', 'state', 'zip', 'phone'),
    ...nulls('stateprovince', 'website', 'image'),
  ],
  organizers: [
    ['author', 'integer', null],
    ...nulls('date', 'date_utc', 'organizer!', 'description', 'status', 'phone', 'website', 'email', 'image'),
  ],
  categories: [...plain('string', 'name!', 'description', 'slug'), ['parent', 'integer']],
  tags: plain('string', 'name!', 'description', 'slug'),
};

const PAGING: Row[] = [
  ['page', 'integer', 1],
  ['per_page', 'integer', 10],
];
const LINKED: Row[] = [
  ...PAGING,
  ['search', 'string'],
  ['event', 'integer'],
  ['has_events', 'untyped'],
  ['only_with_upcoming', 'untyped', false],
  ['status', 'string'],
];
const TAGS: Row[] = [
  ...PAGING,
  ['search', 'string'],
  ['exclude', 'array'],
  ['include', 'array'],
  ['order', 'string'],
  ['orderby', 'string'],
  ['hide_empty', 'boolean', 1],
  ['post', 'integer'],
  ['event', 'integer'],
  ['slug', 'string'],
];

/** Sections 4.3 and 4.6 to 4.9: the query parameters of lists. */
export const LISTS: Record<string, Row[]> = {
  events: [
    ...PAGING,
    ['start_date', 'date-time', GENERATED],
    ['end_date', 'date-time', GENERATED],
    ...plain('date-time', 'starts_before', 'starts_after', 'ends_before', 'ends_after'),
    ['strict_dates', 'boolean', false],
    ['search', 'string'],
    ...plain('array', 'categories', 'tags', 'venue', 'organizer'),
    ['featured', 'boolean'],
    ['status', 'string'],
    ['geoloc', 'boolean'],
    ...plain('double', 'geoloc_lat', 'geoloc_lng'),
    ['include', 'array'],
    ['post_parent', 'integer'],
    ['ticketed', 'boolean'],
  ],
  venues: LINKED,
  organizers: LINKED,
  categories: [...TAGS.slice(0, 8), ['parent', 'integer'], ...TAGS.slice(8)],
  tags: TAGS,
};

export const KINDS = ['events', 'venues', 'organizers', 'categories', 'tags'] as const;

/** Section 4.1; the order of the routes and of the methods is that of the reference's index (its section 6). */
const SINGLE = ['GET', 'DELETE', 'POST', 'PUT', 'PATCH'];
const TERM = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
export const ROUTES: [path: string, methods: string[]][] = [
  ['', ['GET']],
  ['/doc', ['GET']],
  ...['/events', '/venues', '/organizers'].flatMap((path): [string, string[]][] => [
    [path, ['GET', 'POST']],
    [`${path}/{id}`, SINGLE],
    [`${path}/by-slug/{slug}`, SINGLE],
  ]),
  ...['/categories', '/tags'].flatMap((path): [string, string[]][] => [
    [path, ['GET', 'POST']],
    [`${path}/{id}`, TERM],
  ]),
];

export const nameOf = ([name]: Row): string => name.replace('!', '');
export const isRequired = ([name]: Row): boolean => name.endsWith('!');
export const kindOf = (path: string): string => path.split('/')[1] ?? '';

/** Sections 4.4 to 4.9: what an operation takes beside the fields of a record. A password opens an event by id. */
export function expected(path: string, method: string): { row: Row; required: boolean }[] {
  const kind = kindOf(path);
  const needed = (row: Row, required: boolean) => ({ row, required });
  if (path === '')
    return [needed(['namespace', 'untyped', GENERATED], false), needed(['context', 'untyped', 'view'], false)];
  if (path === '/doc') return [];
  const fields = FIELDS[kind] ?? [];
  if (!path.includes('{')) {
    if (method === 'GET') return (LISTS[kind] ?? []).map((row) => needed(row, false));
    return fields.map((row) => needed(row, isRequired(row)));
  }
  const updates = !['GET', 'DELETE'].includes(method);
  const byId = path.includes('{id}');
  const variable: Row = byId ? ['id', 'integer'] : ['slug', 'string'];
  const optional = updates && kind === 'events' && !byId;
  const password: Row[] = kind === 'events' && byId ? [['password', 'string']] : [];
  const changed = updates ? fields.filter((row) => byId || nameOf(row) !== 'slug') : [];
  return [needed(variable, !optional), ...[...password, ...changed].map((row) => needed(row, false))];
}
