import { writes } from '../access/rights.js';
import type { VenueTable } from '../db/tables.js';
import { Failure } from '../errors.js';
import type { Context, Target } from '../records/context.js';
import { defineKind } from '../records/kind.js';
import { listOf, sameRecord } from '../records/linked.js';
import type { LinkedTables } from '../records/linked.store.js';
import { forceArgs } from '../records/post.args.js';
import { imagesOf } from '../records/post.images.js';
import * as post from '../records/post.js';
import { completed, givenColumns, NEW_VENUE, searchTextOf, type VenueColumns } from './venue.rules.js';
import { type VenueValues, venueCreateArgs, venueListArgs, venueUpdateArgs } from './venue.schema.js';
import { Venue } from './venue.shape.js';
import { venueView } from './venue.view.js';

export const venueTables: LinkedTables = {
  table: 'venue',
  search: 'venue_search',
  links: 'event_venue',
  link: 'venue_id',
};

export const venuePost: post.PostKind = {
  table: 'venue',
  codes: { notFound: 'venue-not-found', notAccessible: 'venue-not-accessible', inTrash: 'venue-is-in-trash' },
  draftsHaveSlugs: true,
};

async function store(context: Context, id: number, columns: VenueColumns): Promise<void> {
  const { geo_x: x, geo_y: y, geo_z: z } = columns;
  await context.db.dialect.setSearchText(context.db, 'venue_search', id, searchTextOf(columns));
  await context.db.dialect.setPlace(context.db, id, x !== null && y !== null && z !== null ? { x, y, z } : undefined);
}

/** Makes a venue, or finds the one that has all the given fields already (D9). The id of either. */
export async function createVenue(context: Context, values: VenueValues): Promise<number> {
  if (!writes(context.caller)) post.forbid();
  const given = givenColumns(values);
  if (!given.name || !given.name_key) throw new Failure('could-not-create-venue');
  const same = await sameRecord(context, venueTables, given.name, values, given);
  if (same) return same.id;
  const columns = completed({ ...NEW_VENUE, ...given }, undefined, values);
  const { id } = await post.create(context, venuePost, values, columns.name, { ...columns });
  await store(context, id, columns);
  return id;
}

async function show(context: Context, id: number): Promise<unknown> {
  const row = await post.load<VenueTable>(context.db, venuePost, { by: 'id', id });
  if (!row) throw post.notFound(venuePost, { by: 'id', id });
  return venueView(row, context, false, await imagesOf(context.db, [row]));
}

export const venueKind = defineKind({
  singular: 'venue',
  plural: 'venues',
  slugs: true,
  list: {
    args: venueListArgs,
    run: (context, values) =>
      listOf<VenueTable>(context, venueTables, 'venues', 'venue-archive-page-not-found', values, (row, images) =>
        venueView(row, context, false, images),
      ),
  },
  create: {
    args: venueCreateArgs,
    run: async (context, values) => show(context, await createVenue(context, values)),
  },
  read: {
    args: {},
    run: async (context, target: Target) => {
      const row = await post.loadReadable<VenueTable>(context, venuePost, target);
      return venueView(row, context, true, await imagesOf(context.db, [row]));
    },
  },
  update: {
    args: venueUpdateArgs,
    run: async (context, target: Target, values) => {
      const row = await post.loadEditable<VenueTable>(context, venuePost, target);
      const given = givenColumns(values);
      if (given.name_key === '') throw new Failure('could-not-update-venue');
      const columns = completed({ ...row, ...given }, row, values);
      const own = Object.fromEntries(Object.keys(NEW_VENUE).map((name) => [name, columns[name as keyof VenueColumns]]));
      await post.update(context, venuePost, row, values, columns.name, own);
      await store(context, row.id, columns);
      return show(context, row.id);
    },
  },
  remove: {
    args: forceArgs,
    run: async (context, target: Target, values) => {
      const row = await post.loadEditable<VenueTable>(context, venuePost, target);
      const gone = await post.remove(context, venuePost, row, values);
      if (!gone) return show(context, row.id);
      await context.db.dialect.setPlace(context.db, row.id, undefined);
      return venueView(row, context, false, await imagesOf(context.db, [row]));
    },
  },
  shape: Venue,
  failures: {
    list: ['venue-archive-page-not-found'],
    create: ['could-not-create-venue'],
    read: ['venue-not-found', 'venue-not-accessible'],
    update: ['venue-not-found', 'venue-is-in-trash', 'could-not-update-venue'],
    remove: ['venue-not-found', 'venue-is-in-trash'],
  },
  slugTaken: (db, asked) => post.slugTaken(db, venuePost, asked),
  mayCreate: writes,
  maySend: (db, caller, target) => post.maySend(db, venuePost, caller, target),
});
