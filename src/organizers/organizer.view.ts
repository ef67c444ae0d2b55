import type { OrganizerTable } from '../db/tables.js';
import type { Context } from '../records/context.js';
import { type ImageRows, imageOf, shownImage } from '../records/post.images.js';
import { datesOf, globalId, hasJsonLd, pageOf, withoutEmpty } from '../records/post.view.js';
import { excerptText, plainText, renderHtml, renderTitle } from '../text/html.js';
import type { OrganizerRecord } from './organizer.shape.js';

/** An organizer as it is sent. */
export function organizerView(
  row: OrganizerTable,
  context: Context,
  single: boolean,
  images: ImageRows,
): OrganizerRecord {
  return {
    id: row.id,
    author: String(row.author_id),
    status: row.status,
    ...datesOf(row, context),
    url: pageOf(row, 'organizer', 'tribe_organizer', context),
    organizer: renderTitle(row.name),
    ...withoutEmpty({
      description: renderHtml(row.description),
      slug: row.slug,
      image: shownImage(row.image_id, images, context),
      phone: row.phone,
      website: row.website,
      email: row.email,
    }),
    ...(single && hasJsonLd(row, context) ? { json_ld: organizerJsonLd(row, context, images) } : {}),
    global_id: globalId(row.id, context),
    global_id_lineage: [globalId(row.id, context)],
  };
}

/** schema.org in plain text, with the e-mail address not obfuscated (C4). */
export function organizerJsonLd(row: OrganizerTable, context: Context, images: ImageRows): Record<string, unknown> {
  return {
    '@type': 'Person',
    name: plainText(row.name),
    description: excerptText(row.description),
    ...imageOf(row.image_id, images, context),
    url: row.website,
    telephone: row.phone,
    email: row.email,
    sameAs: row.website,
  };
}
