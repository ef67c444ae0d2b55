import { type Caller, managesTerms } from '../access/rights.js';
import type { Db } from '../db/database.js';
import { Failure, type FailureCode, invalidParam } from '../errors.js';
import { cleanTermDescription, cleanTermName } from '../text/html.js';
import { slugify } from '../text/slug.js';
import { asksToEdit, type Context, type Target } from './context.js';
import { defineKind, type Kind } from './kind.js';
import { type EffectiveFilters, type ListAnswer, links, offsetLinks, pagesOf, pagingOf } from './list.js';
import { pageRead } from './orders.js';
import { elements, isCleared, wholeNumber } from './readers.js';
import { Term, type TermRecord } from './shape.js';
import { shownRecords } from './shown.js';
import { freeSlug, NONE_RESERVED } from './slug.js';
import {
  LONGEST_TERM,
  type TermListValues,
  type TermValues,
  termCreateArgs,
  termListArgs,
  termUpdateArgs,
} from './term.schema.js';
import * as store from './term.store.js';
import { termLinks, termView } from './term.view.js';

/** The operations on categories and tags. */

/** `nothing`: the failure if the name consists of markup only. */
function checkName(raw: string, kind: store.TermKindName, nothing: FailureCode): string {
  const about = kind === 'category' ? 'categories' : 'tags';
  if (raw.trim() === '') throw new Failure('empty_term_name', { about });
  const name = cleanTermName(raw);
  if (name === '') throw new Failure(nothing, { about });
  if ([...name].length > LONGEST_TERM)
    throw new Failure('db_insert_error', { values: { name: 'name', most: LONGEST_TERM }, about });
  return name;
}

const isTaken = (db: Db, kind: store.TermKindName, except?: number) => async (slug: string) => {
  const found = await store.bySlug(db, kind, slug);
  return found !== undefined && found.id !== except;
};

/** A slug that is taken is first extended by the slugs of the ancestors, then by a number. */
async function uniqueSlug(
  db: Db,
  kind: store.TermKindName,
  wanted: string,
  parent: number | null,
  except?: number,
): Promise<string> {
  const taken = isTaken(db, kind, except);
  let slug = wanted;
  let up = parent === null ? undefined : await store.byId(db, kind, parent);
  while (up && (await taken(slug))) {
    slug = slugify(`${slug}-${up.slug}`);
    up = up.parent_id === null ? undefined : await store.byId(db, kind, up.parent_id);
  }
  return freeSlug(slug, taken, { reserved: NONE_RESERVED });
}

/** Names as the reference compares them: only the letters a to z ignore case, and all white space is alike. */
const inSmall = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/\s+/g, ' ');

/** The existing term that prevents another one of this name, if any (reference, terms 5.4). */
async function inTheWay(
  db: Db,
  kind: store.TermKindName,
  name: string,
  asked: string,
  parent: number | null,
): Promise<store.TermRow | undefined> {
  const siblings = await store.namesakes(db, kind, name, kind === 'category' ? parent : undefined);
  const namesake = siblings.find((one) => inSmall(one.name) === inSmall(name));
  const slug = asked || slugify(name);
  const other = namesake && slug !== '' ? await store.bySlug(db, kind, slug) : undefined;
  if (!namesake || (asked !== '' && !other)) return undefined;
  if (kind === 'tag') return namesake;
  const isSame = asked === '' || namesake.slug === slug;
  if (isSame && siblings.some((one) => one.name === name)) return namesake;
  return other?.parent_id === parent ? other : undefined;
}

/** Adds a term; the code that calls this has checked the right to do so. */
export async function addTerm(db: Db, kind: store.TermKindName, values: TermValues): Promise<store.TermRow> {
  const name = checkName(values.name ?? '', kind, 'invalid_term_name');
  const parent = kind === 'category' && values.parent ? values.parent : null;
  const asked = slugify(values.slug ?? '');
  const known = await inTheWay(db, kind, name, asked, parent);
  if (known) {
    throw new Failure('term_exists', {
      data: { term_id: known.id },
      beside: { additional_data: [known.id, known.id] },
    });
  }
  const id = await store.newId(db);
  const slug = await uniqueSlug(db, kind, asked || slugify(name) || String(id), parent);
  return store.insert(db, kind, {
    id,
    name,
    slug,
    description: cleanTermDescription(values.description ?? ''),
    parent_id: parent,
  });
}

async function changeTerm(
  context: Context,
  kind: store.TermKindName,
  row: store.TermRow,
  values: TermValues,
): Promise<store.TermRow> {
  const { db } = context;
  // On update, a name of markup only fails like a blank one, as in the reference.
  const name = values.name === undefined ? row.name : checkName(values.name, kind, 'empty_term_name');
  const parent = values.parent === undefined ? row.parent_id : values.parent || null;
  if (parent !== null && parent !== row.parent_id && (await store.withDescendants({ db }, [row.id])).includes(parent)) {
    throw invalidParam('parent', 'reason.category.loop');
  }
  let slug = row.slug;
  if (values.slug !== undefined) {
    const given = slugify(values.slug);
    const asked = given || slugify(name) || row.slug;
    if (given !== '' && asked !== row.slug && parent === row.parent_id && (await isTaken(db, kind, row.id)(asked))) {
      throw new Failure('duplicate_term_slug', { values: { slug: asked } });
    }
    slug = await uniqueSlug(db, kind, asked, parent, row.id);
  }
  const description = values.description === undefined ? row.description : cleanTermDescription(values.description);
  return store.change(db, row, { name, slug, description, parent_id: parent });
}

async function list(
  context: Context,
  kind: store.TermKindName,
  plural: string,
  values: TermListValues,
): Promise<ListAnswer> {
  const pages = pagingOf(values, context);
  // Undeclared, and for tags only, as clients of the reference know it (reference, terms 5.2).
  const asked = kind === 'tag' ? wholeNumber(context.given.offset) : undefined;
  const hasOffset = asked !== undefined && asked >= 0;
  const paging = hasOffset ? { ...pages, skip: asked } : pages;
  const hideEmpty = values.hide_empty ?? true;
  const event = values.event ?? values.post;
  const filters: store.TermFilters = {
    words: values.search?.words,
    include: values.include,
    exclude: values.exclude,
    parent: values.parent,
    event,
    slug: values.slug,
    hideEmpty,
  };
  const order = { by: values.orderby ?? ('name' as const), descending: values.order === 'desc' };
  const editing = asksToEdit(context);
  // Undeclared: `context=edit` shows only what the caller may edit (reference), and counts no more than that (B3).
  const page =
    editing && !managesTerms(context.caller, kind)
      ? pageRead<store.TermRow>([], 0)
      : await store.list(context, kind, filters, order, paging);
  const { total } = page;
  const records = await shownRecords(context, page, {
    kind: 'term record',
    rows: (ids) => store.termsByIds(context.db, ids),
    view: async (rows) => {
      const paths = await store.paths(context.db, rows);
      return (row) => asAsked(termView(row, paths.get(row.id) ?? [row.slug], context), context);
    },
    // Its address names those above it.
    things: () => ['term'],
  });
  if (context.kept) context.kept.basis = { things: () => store.kindsBehind(filters) };
  const totalPages = pagesOf(total, paging.perPage);
  const collection = `${context.address.api}/${plural}/`;
  const shown: EffectiveFilters = [
    ['search', values.search?.text],
    ['exclude', values.exclude?.join(',')],
    ['include', values.include?.join(',')],
    ['order', values.order],
    ['orderby', values.orderby],
    ['hide_empty', hideEmpty ? undefined : false],
    ['parent', values.parent],
    ['event', event],
    ['slug', values.slug],
    ['context', editing ? 'edit' : context.given.context === 'embed' ? 'embed' : undefined],
  ];
  const link = hasOffset ? offsetLinks(collection, paging, total, shown) : links(collection, paging, totalPages, shown);
  return {
    body: {
      rest_url: link.own,
      total,
      total_pages: totalPages,
      [plural]: records,
      ...(link.next ? { next_rest_url: link.next } : {}),
      ...(link.previous ? { previous_rest_url: link.previous } : {}),
    },
    total,
    totalPages,
    until: Number.POSITIVE_INFINITY,
    next: link.next,
    previous: link.previous,
  };
}

/** Undeclared: `context=embed` reduces a term to a few members, without its parent and the link to it (reference). */
const asAsked = (view: TermRecord, { given }: Context): Partial<TermRecord> =>
  given.context === 'embed' ? embeddable(view) : view;

function embeddable(view: TermRecord): Partial<TermRecord> {
  const { id, name, slug, taxonomy, url } = view;
  const { self, collection } = view.urls;
  return { id, name, slug, taxonomy, url, urls: { self, collection } };
}

/** Undeclared: `_embed` includes the linked resources that are marked embeddable, all or those named (reference). */
function embeds(name: string, { given }: Context): boolean {
  if (given._embed === undefined) return false;
  const asked = elements(given._embed);
  return (
    asked.length === 0 || asked.includes(name) || (asked.length === 1 && ['0', '1', 'true'].includes(String(asked[0])))
  );
}

async function show(context: Context, row: store.TermRow): Promise<TermRecord> {
  const paths = await store.paths(context.db, [row]);
  return termView(row, paths.get(row.id) ?? [row.slug], context);
}

const shownWithLinks = async (context: Context, row: store.TermRow): Promise<unknown> => ({
  ...(await show(context, row)),
  _links: termLinks(row, context),
});

export function defineTermKind(kind: store.TermKindName, plural: string): Kind {
  const load = async (context: Context, target: Target): Promise<store.TermRow> => {
    const row = target.by === 'id' ? await store.byId(context.db, kind, target.id) : undefined;
    if (!row) throw new Failure('term-not-found', { values: { id: target.by === 'id' ? target.id : target.slug } });
    return row;
  };
  const mayManage = (caller: Caller): void => {
    if (!managesTerms(caller, kind)) throw new Failure('rest_forbidden');
  };
  const checkFlat = (context: Context): void => {
    const { parent } = context.given;
    const isNone = parent === undefined || parent === null || isCleared(parent);
    if (kind === 'tag' && !isNone) throw new Failure('rest_taxonomy_not_hierarchical');
  };
  const flat: FailureCode[] = kind === 'tag' ? ['rest_taxonomy_not_hierarchical'] : [];
  return defineKind({
    singular: kind,
    plural,
    slugs: false,
    list: { args: termListArgs(kind), run: (context, values) => list(context, kind, plural, values) },
    create: {
      args: termCreateArgs(kind),
      run: async (context, values) => {
        mayManage(context.caller);
        checkFlat(context);
        return shownWithLinks(context, await addTerm(context.db, kind, values));
      },
    },
    read: {
      args: {},
      run: async (context, target: Target) => {
        if (context.kept) context.kept.basis = { things: () => ['term'] };
        const row = await load(context, target);
        const read = { ...asAsked(await show(context, row), context), _links: termLinks(row, context) };
        const above =
          row.parent_id && embeds('up', context) ? await store.byId(context.db, kind, row.parent_id) : undefined;
        if (!above) return read;
        const up = { ...embeddable(await show(context, above)), _links: termLinks(above, context) };
        return { ...read, _embedded: { up: [up] } };
      },
    },
    update: {
      args: termUpdateArgs(kind),
      run: async (context, target: Target, values) => {
        mayManage(context.caller);
        const row = await load(context, target);
        checkFlat(context);
        return shownWithLinks(context, await changeTerm(context, kind, row, values));
      },
    },
    remove: {
      args: {},
      run: async (context, target: Target) => {
        mayManage(context.caller);
        const row = await load(context, target);
        const before = await show(context, row);
        await store.erase(context.db, row, context.now);
        return before;
      },
    },
    shape: Term,
    failures: {
      list: [],
      create: ['empty_term_name', 'invalid_term_name', 'db_insert_error', 'term_exists', ...flat],
      read: ['term-not-found'],
      update: ['term-not-found', 'empty_term_name', 'db_insert_error', 'duplicate_term_slug', ...flat],
      remove: ['term-not-found'],
    },
    slugTaken: (db, asked) => isTaken(db, kind)(slugify(asked)),
    mayCreate: (caller) => managesTerms(caller, kind),
    maySend: async (_db, caller) => managesTerms(caller, kind),
  });
}
