import { arg, bad, notOfType, ok, type Reader, required, type Values } from '../records/args.js';
import { image, userId } from '../records/post.args.js';
import {
  booleanOf,
  filledText,
  freeText,
  isCleared,
  LONGEST_NAME,
  moment,
  momentInUtc,
  nothing,
  numeric,
  slug,
  status,
  truthy,
  urlText,
} from '../records/readers.js';

/** The parameters of venues: the single source for validation, types, index and documentation. */

const line = freeText(1000);
const empty = { type: 'string', default: null } as const;

/** "true", "yes", "0" … as text, and plain booleans, too (A6). */
const flag: Reader<boolean> = (raw, reading) =>
  typeof raw === 'string' || booleanOf(raw) !== undefined ? truthy(raw, reading) : notOfType('string');

const degrees =
  (most: number): Reader<number | null> =>
  (raw, { creating }) => {
    if (isCleared(raw)) return creating ? nothing() : ok(null);
    const n = numeric(raw);
    if (n === undefined || Math.abs(n) > most) return bad('reason.degrees', { most });
    // Some engines treat the smallest numbers as zero, others do not; on the ground they are less than an atom.
    return ok(Math.abs(n) < 1e-15 ? 0 : n);
  };

export const venueUpdateArgs = {
  author: arg({ type: 'integer', description: 'arg.author' }, userId),
  date: arg({ type: 'string', description: 'arg.date' }, moment),
  date_utc: arg({ type: 'string', description: 'arg.date_utc' }, momentInUtc),
  venue: arg({ type: 'string', description: 'arg.venue.venue' }, filledText(LONGEST_NAME)),
  description: arg({ ...empty, description: 'arg.venue.description' }, freeText()),
  status: arg({ type: 'string', description: 'arg.status' }, status),
  show_map: arg({ ...empty, description: 'arg.venue.show_map' }, flag),
  show_map_link: arg({ ...empty, description: 'arg.venue.show_map_link' }, flag),
  address: arg({ ...empty, description: 'arg.venue.address' }, line),
  city: arg({ ...empty, description: 'arg.venue.city' }, line),
  country: arg({ ...empty, description: 'arg.venue.country' }, line),
  province: arg({ ...empty, description: 'arg.venue.province' }, line),
  state: arg({ ...empty, description: 'arg.venue.state' }, line),
  zip: arg({ ...empty, description: 'arg.venue.zip' }, line),
  phone: arg({ ...empty, description: 'arg.phone' }, line),
  stateprovince: arg({ ...empty, description: 'arg.venue.stateprovince' }, line),
  website: arg({ ...empty, description: 'arg.website' }, urlText),
  image: arg({ ...empty, description: 'arg.image' }, image),
  slug: arg({ type: 'string', description: 'arg.slug' }, slug, { ours: true }),
  geo_lat: arg({ description: 'arg.venue.geo_lat', format: 'double' }, degrees(90), { ours: true }),
  geo_lng: arg({ description: 'arg.venue.geo_lng', format: 'double' }, degrees(180), { ours: true }),
};
export const venueCreateArgs = required(venueUpdateArgs, 'venue');

export type VenueValues = Values<typeof venueUpdateArgs>;
