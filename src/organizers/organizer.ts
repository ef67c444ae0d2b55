import { writes } from '../access/rights.js';
import type { OrganizerTable } from '../db/tables.js';
import { Failure } from '../errors.js';
import type { Context, Target } from '../records/context.js';
import { defineKind } from '../records/kind.js';
import { listOf, sameRecord } from '../records/linked.js';
import type { LinkedTables } from '../records/linked.store.js';
import { forceArgs } from '../records/post.args.js';
import { imagesOf } from '../records/post.images.js';
import * as post from '../records/post.js';
import { givenColumns, NEW_ORGANIZER, type OrganizerColumns, searchTextOf } from './organizer.rules.js';
import {
  type OrganizerValues,
  organizerCreateArgs,
  organizerListArgs,
  organizerUpdateArgs,
} from './organizer.schema.js';
import { Organizer } from './organizer.shape.js';
import { organizerView } from './organizer.view.js';

export const organizerTables: LinkedTables = {
  table: 'organizer',
  search: 'organizer_search',
  links: 'event_organizer',
  link: 'organizer_id',
};

export const organizerPost: post.PostKind = {
  table: 'organizer',
  codes: {
    notFound: 'organizer-not-found',
    notAccessible: 'organizer-not-accessible',
    inTrash: 'organizer-is-in-trash',
  },
  draftsHaveSlugs: true,
};

const index = (context: Context, id: number, columns: OrganizerColumns): Promise<void> =>
  context.db.dialect.setSearchText(context.db, 'organizer_search', id, searchTextOf(columns));

/** Makes an organizer, or finds the one that has all the given fields already (D9). The id of either. */
export async function createOrganizer(context: Context, values: OrganizerValues): Promise<number> {
  if (!writes(context.caller)) post.forbid();
  const given = givenColumns(values);
  if (!given.name || !given.name_key) throw new Failure('could-not-create-organizer');
  const same = await sameRecord(context, organizerTables, given.name, values, given);
  if (same) return same.id;
  const columns = { ...NEW_ORGANIZER, ...given };
  const { id } = await post.create(context, organizerPost, values, columns.name, { ...columns });
  await index(context, id, columns);
  return id;
}

async function show(context: Context, id: number): Promise<unknown> {
  const row = await post.load<OrganizerTable>(context.db, organizerPost, { by: 'id', id });
  if (!row) throw post.notFound(organizerPost, { by: 'id', id });
  return organizerView(row, context, false, await imagesOf(context.db, [row]));
}

export const organizerKind = defineKind({
  singular: 'organizer',
  plural: 'organizers',
  slugs: true,
  list: {
    args: organizerListArgs,
    run: (context, values) =>
      listOf<OrganizerTable>(
        context,
        organizerTables,
        'organizers',
        'organizer-archive-page-not-found',
        values,
        (row, images) => organizerView(row, context, false, images),
      ),
  },
  create: {
    args: organizerCreateArgs,
    run: async (context, values) => show(context, await createOrganizer(context, values)),
  },
  read: {
    args: {},
    run: async (context, target: Target) => {
      const row = await post.loadReadable<OrganizerTable>(context, organizerPost, target);
      return organizerView(row, context, true, await imagesOf(context.db, [row]));
    },
  },
  update: {
    args: organizerUpdateArgs,
    run: async (context, target: Target, values) => {
      const row = await post.loadEditable<OrganizerTable>(context, organizerPost, target);
      const given = givenColumns(values);
      if (given.name_key === '') throw new Failure('could-not-update-organizer');
      await post.update(context, organizerPost, row, values, given.name ?? row.name, { ...given });
      await index(context, row.id, { ...row, ...given });
      return show(context, row.id);
    },
  },
  remove: {
    args: forceArgs,
    run: async (context, target: Target, values) => {
      const row = await post.loadEditable<OrganizerTable>(context, organizerPost, target);
      const gone = await post.remove(context, organizerPost, row, values);
      return gone ? organizerView(row, context, false, await imagesOf(context.db, [row])) : show(context, row.id);
    },
  },
  shape: Organizer,
  failures: {
    list: ['organizer-archive-page-not-found'],
    create: ['could-not-create-organizer'],
    read: ['organizer-not-found', 'organizer-not-accessible'],
    update: ['organizer-not-found', 'organizer-is-in-trash', 'could-not-update-organizer'],
    remove: ['organizer-not-found', 'organizer-is-in-trash'],
  },
  slugTaken: (db, asked) => post.slugTaken(db, organizerPost, asked),
  mayCreate: writes,
  maySend: (db, caller, target) => post.maySend(db, organizerPost, caller, target),
});
