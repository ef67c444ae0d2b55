import type { TSchema } from 'typebox';
import { writes } from '../access/rights.js';
import type { Db } from '../db/database.js';
import type { LinkedTable, PostColumns } from '../db/tables.js';
import { Failure } from '../errors.js';
import type { Args, Values } from './args.js';
import type { Context, Target } from './context.js';
import { defineKind, type Kind } from './kind.js';
import { linkedListArgs, listOf, sameRecord } from './linked.js';
import type { LinkedTables } from './linked.store.js';
import { forceArgs } from './post.args.js';
import { type ImageRows, imagesOf } from './post.images.js';
import * as post from './post.js';

/** Columns that a kind has in addition to those of every record. */
type Named = post.OwnColumns & { name: string; name_key: string };

/** What distinguishes venues from organizers. */
interface Parts<Row extends PostColumns & Own, Own extends Named, U extends Args> {
  name: LinkedTable;
  args: { create: U; update: U };
  shape: TSchema;
  /** The columns of a record for which nothing was given. */
  blank: Own;
  /** Only the columns that were given. */
  given: (values: Values<U>) => Partial<Own>;
  /** Sets columns that depend on several others. */
  completed?: (columns: Own, before: Own | undefined, values: Values<U>) => Own;
  searchText: (columns: Own) => string;
  /** Writes what is stored outside the row; `columns` is undefined when the record has been removed. */
  beside?: (db: Db, id: number, columns: Own | undefined) => Promise<void>;
  view: (row: Row, context: Context, single: boolean, images: ImageRows) => unknown;
}

export interface LinkedKind<Given> {
  kind: Kind;
  tables: LinkedTables;
  post: post.PostKind;
  /** Creates a record, or finds one that already has all the given fields (D9). Returns the id of either. */
  create: (context: Context, values: Given) => Promise<number>;
}

export function defineLinkedKind<Row extends PostColumns & Own, Own extends Named, U extends Args>(
  parts: Parts<Row, Own, U>,
): LinkedKind<Values<U> & post.PostValues> {
  type Given = Values<U> & post.PostValues;
  const { name, args, blank, view, beside } = parts;
  const plural = `${name}s`;
  const pageNotFound = `${name}-archive-page-not-found` as const;
  const tables: LinkedTables = { table: name, search: `${name}_search`, links: `event_${name}`, link: `${name}_id` };
  const ofPost: post.PostKind = {
    table: name,
    codes: { notFound: `${name}-not-found`, notAccessible: `${name}-not-accessible`, inTrash: `${name}-is-in-trash` },
    draftsHaveSlugs: true,
  };
  const completed = parts.completed ?? ((columns: Own) => columns);

  async function store({ db }: Context, id: number, columns: Own): Promise<void> {
    await db.dialect.setSearchText(db, tables.search, id, parts.searchText(columns));
    await beside?.(db, id, columns);
  }

  async function create(context: Context, values: Given): Promise<number> {
    if (!writes(context.caller)) post.forbid();
    const given = parts.given(values);
    if (!given.name || !given.name_key) throw new Failure(`could-not-create-${name}`);
    const same = await sameRecord(context, tables, given.name, values, given as post.OwnColumns);
    if (same) return same.id;
    const columns = completed({ ...blank, ...given }, undefined, values);
    const { id } = await post.create(context, ofPost, values, columns.name, { ...columns });
    await store(context, id, columns);
    return id;
  }

  const shown = async (context: Context, row: Row, single = false): Promise<unknown> =>
    view(row, context, single, await imagesOf(context.db, [row]));

  /** The record as it is stored now. */
  async function show(context: Context, id: number): Promise<unknown> {
    const row = await post.load<Row>(context.db, ofPost, { by: 'id', id });
    if (!row) throw post.notFound(ofPost, { by: 'id', id });
    return shown(context, row);
  }

  const kind = defineKind({
    singular: name,
    plural,
    slugs: true,
    list: {
      args: linkedListArgs,
      run: (context, values) =>
        listOf<Row>(context, tables, plural, pageNotFound, values, (row, images) => view(row, context, false, images)),
    },
    create: {
      args: args.create,
      run: async (context, values) => show(context, await create(context, values as Given)),
    },
    read: {
      args: {},
      run: async (context, target: Target) =>
        shown(context, await post.loadReadable<Row>(context, ofPost, target), true),
    },
    update: {
      args: args.update,
      run: async (context, target: Target, values) => {
        const row = await post.loadEditable<Row>(context, ofPost, target);
        const given = parts.given(values);
        if (given.name_key === '') throw new Failure(`could-not-update-${name}`);
        const columns = completed({ ...row, ...given }, row, values);
        const own = Object.fromEntries(Object.keys(blank).map((column) => [column, columns[column as keyof Own]]));
        await post.update(context, ofPost, row, values as Given, columns.name, own);
        await store(context, row.id, columns);
        return show(context, row.id);
      },
    },
    remove: {
      args: forceArgs,
      run: async (context, target: Target, values) => {
        const row = await post.loadEditable<Row>(context, ofPost, target);
        const gone = await post.remove(context, ofPost, row, values);
        if (!gone) return show(context, row.id);
        await beside?.(context.db, row.id, undefined);
        return shown(context, { ...row, status: 'trash' });
      },
    },
    shape: parts.shape,
    failures: {
      list: [pageNotFound],
      create: [`could-not-create-${name}`],
      read: [`${name}-not-found`, `${name}-not-accessible`],
      update: [`${name}-not-found`, `${name}-is-in-trash`, `could-not-update-${name}`],
      remove: [`${name}-not-found`, `${name}-is-in-trash`],
    },
    slugTaken: (db, asked) => post.slugTaken(db, ofPost, asked),
    mayCreate: writes,
    maySend: (db, caller, target) => post.maySend(db, ofPost, caller, target),
  });
  return { kind, tables, post: ofPost, create };
}
