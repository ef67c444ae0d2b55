import type { Arg, Limits } from '../records/args.js';
import type { Describing } from '../records/context.js';
import { booleanOf, numeric } from '../records/readers.js';

/** What the value of a parameter looks like in the documents, and an example of it. */
export interface Value {
  schema: Record<string, unknown>;
  example: unknown;
}

export const oneOrMany = (one: object): Record<string, unknown> => ({ anyOf: [one, { type: 'array', items: one }] });
const id = { type: 'integer', minimum: 1 };
const dateTime = { type: ['string', 'integer'] };
const nameOrId = { type: ['integer', 'string'] };
const reference = (create: string) => ({
  anyOf: [{ type: ['integer', 'string'] }, { $ref: `#/components/schemas/${create}` }],
});

/** Where the declared type does not say enough. */
const SPECIAL: Record<string, Partial<Value>> = {
  page: { example: 1 },
  per_page: { example: 10 },
  start_date: { schema: dateTime, example: '2027-03-09 19:30:00' },
  end_date: { schema: dateTime, example: '2027-03-09 22:00:00' },
  starts_before: { schema: dateTime, example: '2027-04-01' },
  starts_after: { schema: dateTime, example: '2027-03-01' },
  ends_before: { schema: dateTime, example: '2027-04-01' },
  ends_after: { schema: dateTime, example: '2027-03-01' },
  date: { schema: dateTime, example: '2027-01-15 08:00:00' },
  date_utc: { schema: dateTime, example: '2027-01-15 08:00:00' },
  strict_dates: { schema: { type: ['boolean', 'string'] }, example: true },
  search: { example: 'guitar "small hall" -draft' },
  venue: { example: [12] },
  organizer: { example: [14] },
  featured: { example: true },
  status: { example: 'publish' },
  geoloc: { example: true },
  geoloc_lat: { example: 38.7 },
  geoloc_lng: { example: -9.14 },
  geoloc_distance: { example: 25 },
  geo_lat: { schema: { type: ['number', 'string'] }, example: 38.7057 },
  geo_lng: { schema: { type: ['number', 'string'] }, example: -9.1445 },
  include: { schema: oneOrMany(id), example: [42, 43] },
  exclude: { schema: oneOrMany(nameOrId), example: [7] },
  post_parent: { schema: { type: ['integer', 'string'] }, example: 42 },
  ticketed: { example: true },
  event: { example: 42 },
  post: { example: 42 },
  has_events: { schema: { type: ['boolean', 'string'] }, example: true },
  only_with_upcoming: { schema: { type: ['boolean', 'string'] }, example: true },
  hide_empty: { example: false },
  order: { schema: { type: 'string', enum: ['asc', 'desc'] }, example: 'asc' },
  orderby: { schema: { type: 'string' }, example: 'name' },
  parent: { schema: { type: ['integer', 'string'] }, example: 7 },
  slug: { example: 'fado-by-candlelight' },
  title: { example: 'Fado by candlelight' },
  description: { example: 'Two guitars, one voice.\n\nDoors open at seven.' },
  excerpt: { example: 'Two guitars, one voice.' },
  timezone: { example: 'Europe/Lisbon' },
  image: { schema: { type: ['string', 'integer'] }, example: '51' },
  cost: { schema: { type: ['string', 'number', 'array'] }, example: '$10' },
  website: { schema: { type: 'string' }, example: 'https://harbour-music.example' },
  author: { example: 1 },
  categories: { schema: oneOrMany(nameOrId), example: ['music'] },
  tags: { schema: oneOrMany(nameOrId), example: ['evening'] },
  tickets: {
    schema: { type: 'array', items: { $ref: '#/components/schemas/TicketInput' } },
    example: [{ name: 'Seat', price: 15, currency: 'EUR' }],
  },
  password: { example: 'lantern' },
  new_password: { example: 'lantern' },
  show_map: { schema: { type: ['boolean', 'string'] }, example: true },
  show_map_link: { schema: { type: ['boolean', 'string'] }, example: true },
  address: { example: 'Quay 12' },
  city: { example: 'Lisbon' },
  country: { example: 'Portugal' },
  province: { example: 'Lisboa' },
  state: { example: 'NY' },
  stateprovince: { example: 'Lisboa' },
  zip: { example: '1200-450' },
  phone: { example: '+351 21 000 0101' },
  email: { example: 'hello@harbour-music.example' },
  name: { example: 'Music' },
  alt_text: { example: 'Two guitarists on a small stage' },
  provider: { example: 'box office' },
  price: { schema: { type: ['number', 'string'] }, example: 15 },
  currency: { example: 'EUR' },
  url: { example: 'https://harbour-music.example/fado/tickets' },
  capacity: { schema: { type: ['integer', 'string'] }, example: 120 },
  sale_starts: { schema: dateTime, example: '2027-01-15 08:00:00' },
  sale_ends: { schema: dateTime, example: '2027-03-09 18:00:00' },
  id: { schema: { type: 'integer', minimum: 0 }, example: 42 },
  force: { example: true },
  context: { schema: { type: 'string' }, example: 'view' },
  namespace: { schema: { type: 'string' }, example: 'calendar/events/v1' },
};

/** On venues and organizers, these parameters are names; on events, parameters of the same name are records. */
export function describeValue(name: string, arg: Arg): Value {
  const { type, format, items } = arg.described;
  const special = SPECIAL[name] ?? {};
  if ((name === 'venue' || name === 'organizer') && type === 'string') {
    return { schema: { type: 'string' }, example: name === 'venue' ? 'Harbour Hall' : 'Harbour Music Society' };
  }
  if (name === 'venue' || name === 'organizer')
    return {
      schema: oneOrMany(
        arg.described.default === null ? reference(name === 'venue' ? 'VenueCreate' : 'OrganizerCreate') : id,
      ),
      example: special.example,
    };
  if (name === 'status' && arg.list) return { schema: oneOrMany({ type: 'string' }), example: 'publish' };
  const declared = items ? oneOrMany(items) : { type: format === 'double' ? 'number' : (type ?? 'string') };
  return { schema: special.schema ?? declared, example: special.example ?? (type === 'boolean' ? true : undefined) };
}

export const workedOut = (value: unknown, describing: Describing): unknown =>
  typeof value === 'function' ? value(describing) : value;

/** The limits as members of a schema. */
export function limitsOf({ limits }: { limits: Limits }, describing: Describing): Record<string, unknown> {
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, workedOut(value, describing)]));
}

/** The default as a value of the schema's type: the index shows some numbers and flags as texts. */
export function defaultOf({ described, daily }: Arg, { type }: Value['schema'], describing: Describing): unknown {
  const shown = daily ? undefined : workedOut(described.default, describing);
  if (typeof shown !== 'string') return shown;
  const types = [type].flat();
  if (types.includes('boolean')) return booleanOf(shown);
  return types.includes('integer') ? numeric(shown) : shown;
}
