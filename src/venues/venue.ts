import type { VenueTable } from '../db/tables.js';
import { defineLinkedKind } from '../records/linked.kind.js';
import { completed, givenColumns, NEW_VENUE, searchTextOf, type VenueColumns } from './venue.rules.js';
import { venueCreateArgs, venueUpdateArgs } from './venue.schema.js';
import { Venue } from './venue.shape.js';
import { venueView } from './venue.view.js';

export const {
  kind: venueKind,
  tables: venueTables,
  post: venuePost,
  create: createVenue,
} = defineLinkedKind<VenueTable, VenueColumns, typeof venueUpdateArgs>({
  name: 'venue',
  args: { create: venueCreateArgs, update: venueUpdateArgs },
  shape: Venue,
  blank: NEW_VENUE,
  given: givenColumns,
  completed,
  searchText: searchTextOf,
  beside: async (db, id, columns) => {
    const { geo_x: x = null, geo_y: y = null, geo_z: z = null } = columns ?? {};
    await db.dialect.setPlace(db, id, x !== null && y !== null && z !== null ? { x, y, z } : undefined);
  },
  view: venueView,
});
