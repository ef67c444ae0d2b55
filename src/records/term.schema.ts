import type { Db } from '../db/database.js';
import { cleanTermName } from '../text/html.js';
import { slugify } from '../text/slug.js';
import { arg, bad, notOfType, ok, type Reader, required, type Values } from './args.js';
import { pagingArgs } from './list.js';
import { idsFor } from './orders.js';
import { readableEvent } from './post.args.js';
import {
  boolean,
  clearableText,
  elements,
  filledText,
  isCleared,
  MOST_ELEMENTS,
  Repeated,
  search,
  slug,
  textOf,
  tooMany,
  wholeNumber,
} from './readers.js';
import { byId, byName, bySlug, namesakes, type TermKindName, type TermOrder } from './term.store.js';

/** The parameters of categories and tags: the single source for validation, types, index and documentation. */

/**
 * A term by slug or name: slug first if it looks like one, else name first. A name that merely yields the slug of
 * another one is not that: "> 18" does not find "< 18".
 */
export async function termCalled(db: Db, kind: TermKindName, name: string): Promise<number | undefined> {
  const slug = slugify(name);
  const small = name.trim().toLowerCase();
  const isSlug = slug !== '' && [small, encodeURIComponent(small).toLowerCase()].includes(slug);
  const ofSlug = async () => (isSlug ? await bySlug(db, kind, slug) : undefined);
  // Names are stored without markup, so it is removed here, too: the same name sent again finds the term it created.
  const ofName = () => byName(db, kind, cleanTermName(name));
  return (slug === name ? ((await ofSlug()) ?? (await ofName())) : ((await ofName()) ?? (await ofSlug())))?.id;
}

/** The same for readers, who may spell it in any way that yields its slug. */
async function termNamed(db: Db, kind: TermKindName, name: string): Promise<number | undefined> {
  const slug = slugify(name);
  return (await termCalled(db, kind, name)) ?? (slug === '' ? undefined : (await bySlug(db, kind, slug))?.id);
}

/**
 * The term that a name refers to (D8): of several with that name the one with the given slug, or below the given
 * parent, or with exactly this spelling; otherwise whatever `termCalled` finds.
 */
export async function termLike(
  db: Db,
  kind: TermKindName,
  name: string,
  values: TermValues,
): Promise<number | undefined> {
  const { slug, parent } = values;
  const clean = cleanTermName(name);
  const found = await namesakes(db, kind, clean);
  const own = slug === undefined ? undefined : found.find((term) => term.slug === slugify(slug));
  const below = parent === undefined ? undefined : found.find((term) => (term.parent_id ?? 0) === parent);
  const meant = own ?? below ?? found.find((term) => term.name === clean);
  return meant ? meant.id : termCalled(db, kind, name);
}

/** A term by id, slug or name; a number is an id, even if a term has it as its name (reference). */
async function findTerm(db: Db, kind: TermKindName, raw: unknown): Promise<number | undefined> {
  const id = wholeNumber(raw);
  if (id !== undefined) return (await byId(db, kind, id))?.id;
  return typeof raw === 'string' ? termNamed(db, kind, raw) : undefined;
}

/** Lists are decoded once more, where a plus sign may mean a blank. Tried only if no term has the plus sign. */
const findSpaced = async (db: Db, kind: TermKindName, raw: unknown): Promise<number | undefined> =>
  typeof raw === 'string' && raw.includes('+') ? findTerm(db, kind, raw.replaceAll('+', ' ').trim()) : undefined;

/** Characters in a name. */
export const LONGEST_TERM = 200;

/** Whether a text with commas is the name of one term and not a list. */
export const isNameWithComma = async (db: Db, kind: TermKindName, raw: unknown): Promise<boolean> =>
  typeof raw === 'string' &&
  raw.length <= LONGEST_TERM &&
  raw.includes(',') &&
  (await byName(db, kind, cleanTermName(raw))) !== undefined;

/** The terms named. In a repeated parameter, a value that is a whole name is not split at its commas. */
async function namesIn(db: Db, kind: TermKindName, raw: unknown): Promise<unknown[]> {
  if (!(raw instanceof Repeated) || raw.length > MOST_ELEMENTS) return elements(raw);
  const all: unknown[] = [];
  for (const one of raw) all.push(...((await isNameWithComma(db, kind, one)) ? [one] : elements(one)));
  return all;
}

/** A list of terms, all of which must exist (B9, B17). */
export const termList =
  (kind: TermKindName): Reader<number[]> =>
  async (raw, { db, kept }) => {
    const asked = [...new Set(await namesIn(db, kind, raw))];
    if (asked.length === 0) return bad(`reason.${kind}.list`);
    if (asked.length > MOST_ELEMENTS) return tooMany();
    let unknown: unknown;
    const ids = await idsFor(kept, ['named', kind, asked], ['term'], async () => {
      const found = new Set<number>();
      for (const one of asked) {
        const id = (await findTerm(db, kind, one)) ?? (await findSpaced(db, kind, one));
        unknown = one;
        if (id === undefined) return undefined;
        found.add(id);
      }
      return [...found];
    });
    return ids ? ok(ids) : bad(`reason.${kind}.unknown`, { term: textOf(unknown) ?? '?' });
  };

const ORDERS: Record<string, TermOrder> = {
  id: 'id',
  term_id: 'id',
  term_taxonomy_id: 'id',
  none: 'none',
  name: 'name',
  slug: 'slug',
  count: 'count',
  description: 'description',
  parent: 'parent',
  include: 'include',
  term_group: 'name',
  taxonomy: 'name',
};
const orderBy: Reader<TermOrder> = (raw) => {
  const name = typeof raw === 'string' ? raw.toLowerCase() : '';
  const by = Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined;
  return by ? ok(by) : bad('reason.orderby', { names: Object.keys(ORDERS).join(', ') });
};
const order: Reader<'asc' | 'desc'> = (raw) => {
  const text = typeof raw === 'string' ? raw.toLowerCase() : '';
  return text === 'asc' || text === 'desc' ? ok(text) : bad('reason.order');
};

/** With more names than this, none is looked up: the parameter is invalid anyway, and only the error would differ. */
const MOST_PARENTS = 5;

/** 0 is the top level (B17). */
const parentId: Reader<number> = async (raw, reading) => {
  const { db } = reading;
  const id = wholeNumber(raw);
  if (id === undefined) {
    if (elements(raw).length > MOST_PARENTS) return bad('reason.category.id');
    // Existing categories, but not given as a single id.
    const found = await termList('category')(raw, reading);
    return 'value' in found ? notOfType('integer') : bad('reason.category.id');
  }
  return id === 0 || (await byId(db, 'category', id)) ? ok(id) : bad('reason.category.id');
};

const slugFilter: Reader<string> = async (raw, reading) => {
  const text = await filledText(1000)(raw, reading);
  // Text that yields no slug is used as it is: no term has it, so nothing is found.
  return 'value' in text ? ok(slugify(text.value) || text.value) : text;
};

export function termListArgs(kind: TermKindName) {
  const items = { type: 'integer' };
  const shared = {
    ...pagingArgs,
    search: arg({ description: 'arg.term.search', type: 'string' }, search),
    exclude: arg({ description: 'arg.term.exclude', items }, termList(kind), { list: true }),
    include: arg({ description: 'arg.term.include', items }, termList(kind), { list: true }),
    order: arg({ description: 'arg.term.order', type: 'string' }, order),
    orderby: arg({ description: 'arg.term.orderby', type: 'string' }, orderBy),
    hide_empty: arg({ description: 'arg.term.hide_empty', type: 'boolean', default: '1' }, boolean),
  };
  const parent = { parent: arg({ description: 'arg.term.parent.filter', type: 'integer' }, parentId) };
  const rest = {
    post: arg({ description: 'arg.term.post', type: 'integer' }, readableEvent),
    event: arg({ description: 'arg.term.event', type: 'integer' }, readableEvent),
    slug: arg({ description: 'arg.term.slug.filter', type: 'string' }, slugFilter),
  };
  // Tags are flat: they do not have this parameter, so it is ignored like any unknown one.
  return { ...shared, ...((kind === 'category' ? parent : {}) as typeof parent), ...rest };
}

/** 0 and "" mean the top level (D17). */
const parent: Reader<number> = (raw, reading) => (isCleared(raw) ? ok(0) : parentId(raw, reading));

export function termUpdateArgs(kind: TermKindName) {
  const shared = {
    name: arg({ type: 'string', description: 'arg.term.name' }, filledText()),
    description: arg({ type: 'string', description: 'arg.term.description' }, clearableText()),
    slug: arg({ type: 'string', description: 'arg.slug' }, slug),
  };
  const own = { parent: arg({ type: 'integer', description: 'arg.term.parent' }, parent) };
  return { ...shared, ...((kind === 'category' ? own : {}) as typeof own) };
}
export const termCreateArgs = (kind: TermKindName) => required(termUpdateArgs(kind), 'name');

export type TermValues = Values<ReturnType<typeof termUpdateArgs>>;
export type TermListValues = Values<ReturnType<typeof termListArgs>>;
