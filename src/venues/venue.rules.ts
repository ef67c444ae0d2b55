import type { OwnColumnsOf, VenueTable } from '../db/tables.js';
import { invalidParam } from '../errors.js';
import { flag } from '../records/post.rules.js';
import { cleanDescription, cleanLine, cleanTitle, plainText } from '../text/html.js';
import { nameKeyOf, searchable } from '../text/search.js';
import type { VenueValues } from './venue.schema.js';

export type VenueColumns = OwnColumnsOf<VenueTable>;

const LINES = ['address', 'city', 'country', 'province', 'state', 'zip', 'phone', 'stateprovince'] as const;

export const NEW_VENUE: VenueColumns = {
  name: '',
  name_key: '',
  description: '',
  image_id: null,
  address: '',
  city: '',
  country: '',
  province: '',
  state: '',
  zip: '',
  phone: '',
  website: '',
  stateprovince: '',
  geo_lat: null,
  geo_lng: null,
  geo_x: null,
  geo_y: null,
  geo_z: null,
  show_map: 1,
  show_map_link: 1,
};

/** Only the columns that were given. */
export function givenColumns(values: VenueValues): Partial<VenueColumns> {
  const columns: Partial<VenueColumns> = {};
  if (values.venue !== undefined) {
    columns.name = cleanTitle(values.venue);
    columns.name_key = nameKeyOf(columns.name);
  }
  if (values.description !== undefined) columns.description = cleanDescription(values.description);
  for (const name of LINES) {
    const text = values[name];
    if (text !== undefined) columns[name] = cleanLine(text);
  }
  if (values.website !== undefined) columns.website = values.website;
  if (values.show_map !== undefined) columns.show_map = flag(values.show_map);
  if (values.show_map_link !== undefined) columns.show_map_link = flag(values.show_map_link);
  if (values.image !== undefined) columns.image_id = values.image;
  if (values.geo_lat !== undefined) columns.geo_lat = values.geo_lat;
  if (values.geo_lng !== undefined) columns.geo_lng = values.geo_lng;
  return columns;
}

const inUnitedStates = (country: string): boolean => ['', 'US', 'United States'].includes(country);

/** The value of "state or province" if it is not given. */
export function derivedRegion({
  state,
  province,
  country,
}: Pick<VenueColumns, 'state' | 'province' | 'country'>): string {
  return state !== '' && inUnitedStates(country) ? state : province;
}

/** Sets the columns that depend on several others: region and point. */
export function completed(columns: VenueColumns, before: VenueColumns | undefined, given: VenueValues): VenueColumns {
  return { ...columns, stateprovince: regionOf(columns, before, given), ...pointOf(columns) };
}

/** A region cleared on purpose stays empty; it is derived only for a new venue, or if it was derived before. */
function regionOf(columns: VenueColumns, before: VenueColumns | undefined, given: VenueValues): string {
  const isSaid = given.stateprovince !== undefined && (before !== undefined || columns.stateprovince !== '');
  const isOwn = before !== undefined && before.stateprovince !== derivedRegion(before);
  return isSaid || isOwn ? columns.stateprovince : derivedRegion(columns);
}

/** Coordinates come in pairs; distances are measured between the points on the unit sphere (B14). */
function pointOf({
  geo_lat,
  geo_lng,
}: VenueColumns): Pick<VenueColumns, 'geo_lat' | 'geo_lng' | 'geo_x' | 'geo_y' | 'geo_z'> {
  if (geo_lat === null && geo_lng === null)
    return { geo_lat: null, geo_lng: null, geo_x: null, geo_y: null, geo_z: null };
  if (geo_lat === null) throw invalidParam('geo_lat', 'reason.geo.pair');
  if (geo_lng === null) throw invalidParam('geo_lng', 'reason.geo.pair');
  const { x, y, z } = onSphere(geo_lat, geo_lng);
  return { geo_lat, geo_lng, geo_x: x, geo_y: y, geo_z: z };
}

/** A hundredth of a millimetre on the ground. Some engines treat the smallest numbers as zero, others do not. */
const FINEST = 1e12;
const rounded = (n: number): number => Math.round(n * FINEST) / FINEST;

export function onSphere(lat: number, lng: number): { x: number; y: number; z: number } {
  const phi = (lat * Math.PI) / 180;
  const lambda = (lng * Math.PI) / 180;
  const [x, y, z] = [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
  return { x: rounded(x), y: rounded(y), z: rounded(z) };
}

export function searchTextOf(v: VenueColumns): string {
  const parts = [
    plainText(v.name),
    plainText(v.description),
    v.address,
    v.city,
    v.country,
    v.province,
    v.state,
    v.zip,
    v.phone,
    v.website,
    v.stateprovince,
  ];
  return searchable(parts);
}
