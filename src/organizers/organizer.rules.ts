import type { OrganizerTable, OwnColumnsOf } from '../db/tables.js';
import { cleanDescription, cleanLine, cleanTitle, plainText } from '../text/html.js';
import { nameKeyOf, searchable } from '../text/search.js';
import type { OrganizerValues } from './organizer.schema.js';

export type OrganizerColumns = OwnColumnsOf<OrganizerTable>;

export const NEW_ORGANIZER: OrganizerColumns = {
  name: '',
  name_key: '',
  description: '',
  image_id: null,
  phone: '',
  website: '',
  email: '',
};

/** Only the columns that were given. */
export function givenColumns(values: OrganizerValues): Partial<OrganizerColumns> {
  const columns: Partial<OrganizerColumns> = {};
  if (values.organizer !== undefined) {
    columns.name = cleanTitle(values.organizer);
    columns.name_key = nameKeyOf(columns.name);
  }
  if (values.description !== undefined) columns.description = cleanDescription(values.description);
  if (values.phone !== undefined) columns.phone = cleanLine(values.phone);
  if (values.email !== undefined) columns.email = cleanLine(values.email);
  if (values.website !== undefined) columns.website = values.website;
  if (values.image !== undefined) columns.image_id = values.image;
  return columns;
}

export function searchTextOf(o: OrganizerColumns): string {
  const parts = [plainText(o.name), plainText(o.description), o.phone, o.email, o.website];
  return searchable(parts);
}
