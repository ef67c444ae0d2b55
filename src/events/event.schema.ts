import { LONGEST_WORD } from '../accounts/secrets.js';
import type { LinkedTable } from '../db/tables.js';
import {
  type Args,
  arg,
  bad,
  type Description,
  notOfType,
  ok,
  type Reader,
  required,
  type Values,
} from '../records/args.js';
import type { Describing } from '../records/context.js';

import { readableIds } from '../records/linked.store.js';
import { pagingArgs } from '../records/list.js';
import { askedBy, idsFor } from '../records/orders.js';
import { contextArgs, eventImage, eventStatuses, readableEvent, userId } from '../records/post.args.js';
import * as readers from '../records/readers.js';
import { termList } from '../records/term.schema.js';
import { type CostProblem, LONGEST_COST, MOST_COSTS, readCost } from '../text/cost.js';
import { listWindow } from '../time/window.js';
import { findZone } from '../time/zone.js';
import { linkedRefs, termRefs } from './event.links.js';
import { tickets } from './event.tickets.js';

/** The parameters of events: the single source for validation, types, index and documentation. */

const items = { type: 'integer' };

/** Accepts fewer words than other flags do. */
const STRICT = new Set(['1', 'true', 'on', 'yes']);
const strict: Reader<boolean> = (raw) =>
  (typeof raw !== 'string' && typeof raw !== 'boolean' && typeof raw !== 'number') || raw === '' || raw === '0'
    ? bad('reason.filled')
    : ok(STRICT.has(String(raw).trim().toLowerCase()));

const ids: Reader<number[]> = (raw) => {
  const found = readers.idsOf(raw);
  if (!found) return bad('reason.ids');
  return found.length <= readers.MOST_ELEMENTS ? ok(found) : readers.tooMany();
};

/** Ids of venues or organizers that the caller may read; whether others exist is not revealed (A3, B9). */
const linkedIds =
  (table: LinkedTable): Reader<number[]> =>
  async (raw, { db, caller, kept }) => {
    const found = readers.idsOf(raw);
    if (!found) return bad(`reason.${table}.list`);
    if (found.length > readers.MOST_ELEMENTS) return readers.tooMany();
    let unknown = 0;
    const ids = await idsFor(kept, ['readable', table, askedBy(caller), found], [table], async () => {
      const known = await readableIds(db, table, caller, found);
      const missing = found.filter((id) => !known.has(id));
      [unknown = 0] = missing;
      return missing.length === 0 ? found : undefined;
    });
    return ids ? ok(ids) : bad(`reason.${table}.unknown`, { id: unknown });
  };

const within =
  (least: number, most: number): Reader<number> =>
  (raw) => {
    // A form field that was left blank.
    if (raw === '') return readers.nothing();
    const n = readers.numeric(raw);
    return n !== undefined && n >= least && n <= most ? ok(n) : bad('reason.range', { least, most });
  };

const bounded = (described: Description, minimum: number, maximum: number, ours = false) =>
  arg({ format: 'double', ...described }, within(minimum, maximum), { ours, limits: { minimum, maximum } });

/** Text, never a number, flag or list (E5). */
const password: Reader<string> = (raw) => {
  if (typeof raw !== 'string' || raw === '' || raw === '0') return bad('reason.password');
  return raw.length <= LONGEST_WORD ? ok(raw) : bad('reason.long', { most: LONGEST_WORD });
};

/** In a list an empty password is fine, too, and means none. */
const listPassword: Reader<string> = (raw, reading) => (raw === '' ? readers.nothing() : password(raw, reading));

const HALF_EARTH_KM = 20_038;
export const DEFAULT_DISTANCE_KM = 25;

/** The start or end of the default window at the time of the request (B4). */
const defaultDate =
  (name: 'start_date' | 'end_date') =>
  ({ site, now }: Describing): string | undefined =>
    listWindow({ strict: false }, site.zone, now).shown[name];

export const eventListArgs = {
  ...pagingArgs,
  start_date: arg({ default: defaultDate('start_date'), description: 'arg.event.start_date.filter' }, readers.bound, {
    daily: true,
  }),
  end_date: arg({ default: defaultDate('end_date'), description: 'arg.event.end_date.filter' }, readers.bound, {
    daily: true,
  }),
  starts_before: arg({ description: 'arg.event.starts_before' }, readers.bound),
  starts_after: arg({ description: 'arg.event.starts_after' }, readers.bound),
  ends_before: arg({ description: 'arg.event.ends_before' }, readers.bound),
  ends_after: arg({ description: 'arg.event.ends_after' }, readers.bound),
  strict_dates: arg({ default: 'false', description: 'arg.event.strict_dates' }, strict),
  search: arg({ description: 'arg.event.search', type: 'string' }, readers.search),
  categories: arg({ description: 'arg.event.categories.filter', items }, termList('category'), { list: true }),
  tags: arg({ description: 'arg.event.tags.filter', items }, termList('tag'), { list: true }),
  venue: arg({ description: 'arg.event.venue.filter', items }, linkedIds('venue'), { list: true }),
  organizer: arg({ description: 'arg.event.organizer.filter', items }, linkedIds('organizer'), { list: true }),
  featured: arg({ type: 'boolean', description: 'arg.event.featured.filter' }, readers.boolean),
  status: arg({ format: 'string', description: 'arg.status.filter' }, eventStatuses, { list: true }),
  geoloc: arg({ type: 'boolean', description: 'arg.event.geoloc' }, readers.boolean),
  geoloc_lat: bounded({ description: 'arg.event.geoloc_lat' }, -90, 90),
  geoloc_lng: bounded({ description: 'arg.event.geoloc_lng' }, -180, 180),
  include: arg({ description: 'arg.event.include', items }, ids, { list: true }),
  post_parent: arg({ type: 'integer', description: 'arg.event.post_parent.filter' }, readableEvent),
  ticketed: arg({ type: 'boolean', description: 'arg.event.ticketed' }, readers.boolean),
  ...contextArgs,
  password: arg({ type: 'string', description: 'arg.event.password' }, listPassword, { ours: true }),
  geoloc_distance: bounded(
    { description: 'arg.event.geoloc_distance', default: DEFAULT_DISTANCE_KM },
    0,
    HALF_EARTH_KM,
    true,
  ),
};
export type EventListValues = Values<typeof eventListArgs>;

/** Returns the text as sent: the zone in which to read it is known only when all fields are (D4). */
const dateTime: Reader<string | number> = async (raw, reading) => {
  const read = await readers.moment(raw, reading);
  if ('problem' in read) return read;
  return read.value === undefined ? readers.nothing() : ok(raw as string | number);
};

/** `""` is the site's zone (D6). */
const timezone: Reader<string> = (raw) => {
  if (typeof raw !== 'string') return readers.isEmpty(raw) ? notOfType('string') : bad('reason.timezone');
  return raw === '' || findZone(raw) ? ok(raw) : bad('reason.timezone');
};

const COST_PROBLEMS: Record<CostProblem, () => ReturnType<typeof bad>> = {
  'no-cost': () => bad('reason.cost'),
  'too-long': () => bad('reason.long', { most: LONGEST_COST }),
  'too-many': () => readers.tooMany(MOST_COSTS),
};
const cost: Reader<string[]> = (raw, { creating }) => {
  const texts = readCost(raw);
  if (!Array.isArray(texts)) return COST_PROBLEMS[texts]();
  // On create a plain zero is ignored like everything empty, as in the reference; on update it means "free".
  return creating && readers.isEmpty(raw) ? readers.nothing() : ok(texts);
};

const newPassword: Reader<string> = (raw, reading) => {
  if (raw === '') return reading.creating ? readers.nothing() : ok('');
  return password(raw, reading);
};

/** 0, "" and [] mean none (A5, D19). */
const parent: Reader<number> = async (raw, reading) =>
  readers.isCleared(raw) || readers.wholeNumber(raw) === 0 ? ok(0) : readableEvent(raw, reading);

/** A draft may have no slug and is then written back with ""; `changeEvent` decides whether that is allowed. */
const slug: Reader<string> = (raw, reading) => (raw === '' && !reading.creating ? ok('') : readers.slug(raw, reading));

const flag = (key: string) => arg({ type: 'boolean', description: `arg.event.${key}` }, readers.boolean);
const linked = { default: null, items } as const;

export const LONGEST_TITLE = 2000;

export const eventUpdateArgs = {
  author: arg({ type: 'integer', description: 'arg.author' }, userId),
  date: arg({ type: 'string', description: 'arg.date' }, readers.moment),
  date_utc: arg({ type: 'string', description: 'arg.date_utc' }, readers.momentInUtc),
  title: arg({ type: 'string', description: 'arg.event.title' }, readers.filledText(LONGEST_TITLE)),
  description: arg({ type: 'string', description: 'arg.event.description' }, readers.clearableText()),
  slug: arg({ type: 'string', description: 'arg.slug' }, slug),
  excerpt: arg({ type: 'string', description: 'arg.event.excerpt' }, readers.clearableText()),
  status: arg({ type: 'string', description: 'arg.status' }, readers.status),
  timezone: arg({ type: 'string', description: 'arg.event.timezone' }, timezone),
  all_day: arg({ default: false, type: 'boolean', description: 'arg.event.all_day' }, readers.boolean),
  start_date: arg({ type: 'string', description: 'arg.event.start_date' }, dateTime),
  end_date: arg({ type: 'string', description: 'arg.event.end_date' }, dateTime),
  image: arg({ type: 'string', description: 'arg.image' }, eventImage),
  cost: arg({ description: 'arg.event.cost' }, cost),
  website: arg({ default: null, description: 'arg.website' }, readers.url),
  show_map: flag('show_map'),
  show_map_link: flag('show_map_link'),
  hide_from_listings: flag('hide_from_listings'),
  sticky: flag('sticky'),
  featured: flag('featured'),
  categories: arg({ ...linked, description: 'arg.event.categories' }, termRefs('category'), { list: true }),
  tags: arg({ ...linked, description: 'arg.event.tags' }, termRefs('tag'), { list: true }),
  venue: arg({ ...linked, description: 'arg.event.venue' }, linkedRefs('venue'), { list: true }),
  organizer: arg({ ...linked, description: 'arg.event.organizer' }, linkedRefs('organizer'), { list: true }),
  tickets: arg({ description: 'arg.event.tickets', items: { type: 'object' } }, tickets, { ours: true }),
  post_parent: arg({ type: 'integer', description: 'arg.event.post_parent' }, parent, { ours: true }),
  new_password: arg({ type: 'string', description: 'arg.event.new_password' }, newPassword, { ours: true }),
};
export type EventValues = Values<typeof eventUpdateArgs>;

/** On create `password` is the one to set; on update, `password` may be the one that opens the event (D13). */
const { new_password: _unused, ...shared } = eventUpdateArgs;
export const eventCreateArgs = required(
  { ...shared, password: arg({ type: 'string', description: 'arg.event.password.set' }, newPassword, { ours: true }) },
  'title',
  'start_date',
  'end_date',
);

/** The password that opens a protected event. */
export const passwordArgs = {
  password: arg({ type: 'string', description: 'arg.event.password' }, password),
} satisfies Args;
