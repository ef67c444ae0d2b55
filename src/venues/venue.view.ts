import type { VenueTable } from '../db/tables.js';
import type { Context } from '../records/context.js';
import { type ImageRows, imageOf, shownImage } from '../records/post.images.js';
import { datesOf, globalId, hasJsonLd, pageOf, withoutEmpty } from '../records/post.view.js';
import { excerptText, plainText, renderHtml, renderTitle } from '../text/html.js';
import { derivedRegion } from './venue.rules.js';
import type { VenueRecord } from './venue.shape.js';

/** A venue as it is sent. */
export function venueView(row: VenueTable, context: Context, single: boolean, images: ImageRows): VenueRecord {
  return {
    id: row.id,
    author: String(row.author_id),
    status: row.status,
    ...datesOf(row, context),
    url: venuePage(row, context),
    venue: renderTitle(row.name),
    ...withoutEmpty({
      description: renderHtml(row.description),
      slug: row.slug,
      image: shownImage(row.image_id, images, context),
      address: row.address,
      city: row.city,
      country: row.country,
      province: row.province,
      state: row.state,
      zip: row.zip,
      phone: row.phone,
      website: row.website,
      stateprovince: row.stateprovince,
      geo_lat: row.geo_lat,
      geo_lng: row.geo_lng,
    }),
    ...(single && hasJsonLd(row, context) ? { json_ld: venueJsonLd(row, context, images) } : {}),
    show_map: row.show_map === 1,
    show_map_link: row.show_map_link === 1,
    global_id: globalId(row.id, context),
    global_id_lineage: [globalId(row.id, context)],
  };
}

/** The address, in one line of plain text. */
export const addressLine = ({ address, zip, city, stateprovince, country }: VenueRecord): string =>
  [address, [zip, city].filter(Boolean).join(' '), stateprovince, country]
    .map((part) => plainText(part ?? ''))
    .filter(Boolean)
    .join(', ');

const venuePage = (row: VenueTable, context: Context): string => pageOf(row, 'venue', 'tribe_venue', context);

/** schema.org, in plain text (C4). */
export function venueJsonLd(row: VenueTable, context: Context, images: ImageRows): Record<string, unknown> {
  return {
    '@type': 'Place',
    name: plainText(row.name),
    description: excerptText(row.description),
    ...imageOf(row.image_id, images, context),
    url: venuePage(row, context),
    address: withoutEmpty({
      '@type': 'PostalAddress',
      streetAddress: row.address,
      addressLocality: row.city,
      addressRegion: row.stateprovince || derivedRegion(row),
      postalCode: row.zip,
      addressCountry: row.country,
    }),
    ...(row.geo_lat !== null
      ? { geo: { '@type': 'GeoCoordinates', latitude: row.geo_lat, longitude: row.geo_lng } }
      : {}),
    telephone: row.phone,
    sameAs: row.website,
  };
}
