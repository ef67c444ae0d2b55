import type { OrganizerTable } from '../db/tables.js';
import { defineLinkedKind } from '../records/linked.kind.js';
import { givenColumns, NEW_ORGANIZER, type OrganizerColumns, searchTextOf } from './organizer.rules.js';
import { organizerCreateArgs, organizerUpdateArgs } from './organizer.schema.js';
import { Organizer } from './organizer.shape.js';
import { organizerView } from './organizer.view.js';

export const {
  kind: organizerKind,
  tables: organizerTables,
  post: organizerPost,
  create: createOrganizer,
} = defineLinkedKind<OrganizerTable, OrganizerColumns, typeof organizerUpdateArgs>({
  name: 'organizer',
  args: { create: organizerCreateArgs, update: organizerUpdateArgs },
  shape: Organizer,
  blank: NEW_ORGANIZER,
  given: givenColumns,
  searchText: searchTextOf,
  view: organizerView,
});
