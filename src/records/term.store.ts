import { type Expression, type SqlBool, sql } from 'kysely';
import type { Caller } from '../access/rights.js';
import { readable } from '../access/visibility.js';
import type { Change } from '../db/changes.js';
import { nextChange, take } from '../db/counter.js';
import type { Db } from '../db/database.js';
import { fixed } from '../db/fixed.js';
import { sliceOf } from '../db/slice.js';
import type { TermTable } from '../db/tables.js';
import { newUid } from '../db/uid.js';
import { plainText } from '../text/html.js';
import { nameKeyOf, type SearchWords, searchable } from '../text/search.js';
import type { Context } from './context.js';
import type { Paging } from './list.js';
import { askedBy, idsFor, type Page, pageInOrder, pageRead } from './orders.js';

/** SQL for categories and tags. */
export type TermRow = TermTable;
export type TermKindName = TermRow['kind'];

export async function byId(db: Db, kind: TermKindName, id: number): Promise<TermRow | undefined> {
  if (!Number.isSafeInteger(id)) return undefined;
  return db.first(db.q.selectFrom('term').selectAll().where('id', '=', id).where('kind', '=', kind));
}

export async function bySlug(db: Db, kind: TermKindName, slug: string): Promise<TermRow | undefined> {
  return db.first(db.q.selectFrom('term').selectAll().where('kind', '=', kind).where('slug', '=', slug));
}

/** Exact spellings first, then the oldest. */
const named = (db: Db, kind: TermKindName, name: string) =>
  db.q
    .selectFrom('term')
    .selectAll()
    .where('kind', '=', kind)
    .where('name_key', '=', nameKeyOf(name))
    .orderBy(sql`CASE WHEN name = ${name} THEN 0 ELSE 1 END`)
    .orderBy('id');

/** The term with this name, or the oldest whose name differs only in case and accents. */
export async function byName(db: Db, kind: TermKindName, name: string): Promise<TermRow | undefined> {
  return db.first(named(db, kind, name).limit(sql.lit(1)));
}

/** Terms whose names differ at most in case and accents; with `parent` only its children (null: the top level). */
export async function namesakes(db: Db, kind: TermKindName, name: string, parent?: number | null): Promise<TermRow[]> {
  const all = named(db, kind, name);
  return db.all(parent === undefined ? all : all.where('parent_id', parent === null ? 'is' : '=', parent));
}

export const newId = (db: Db): Promise<number> => take(db, 'term');

export interface TermFilters {
  words?: SearchWords | undefined;
  include?: number[] | undefined;
  exclude?: number[] | undefined;
  /** 0: the top level. */
  parent?: number | undefined;
  event?: number | undefined;
  slug?: string | undefined;
  hideEmpty: boolean;
}

export type TermOrder = 'none' | 'id' | 'name' | 'slug' | 'count' | 'description' | 'parent' | 'include';

function conditions(db: Db, kind: TermKindName, caller: Caller, filters: TermFilters): Expression<SqlBool> {
  const id = sql.ref<number>('term.id');
  const parts: Expression<SqlBool>[] = [sql<SqlBool>`term.kind = ${sql.lit(kind)}`];
  if (filters.words) parts.push(db.dialect.matches('term_search', id, filters.words));
  if (filters.include) parts.push(db.dialect.among(id, filters.include));
  else if (filters.exclude) parts.push(sql<SqlBool>`NOT ${db.dialect.among(id, filters.exclude)}`);
  if (filters.parent === 0) parts.push(sql<SqlBool>`term.parent_id IS NULL`);
  else if (filters.parent !== undefined) parts.push(sql<SqlBool>`term.parent_id = ${filters.parent}`);
  if (filters.slug !== undefined) parts.push(sql<SqlBool>`term.slug = ${filters.slug}`);
  if (filters.event !== undefined) {
    parts.push(sql<SqlBool>`term.id IN (SELECT event_term.term_id FROM event_term JOIN event ON event.id = event_term.event_id
      WHERE event.id = ${filters.event} AND ${readable('event', caller)})`);
  } else if (filters.hideEmpty) {
    // A term without events counts as non-empty if one of its descendants has events (B17).
    parts.push(sql<SqlBool>`term.id IN (WITH RECURSIVE kept (id, parent_id) AS (
        SELECT id, parent_id FROM term WHERE kind = ${sql.lit(kind)} AND count > 0
        UNION SELECT up.id, up.parent_id FROM term AS up JOIN kept ON up.id = kept.parent_id)
      SELECT id FROM kept)`);
  }
  return sql.join(parts, sql` AND `) as Expression<SqlBool>;
}

/** The kinds whose changes may alter the selection. */
export const kindsBehind = ({ event }: TermFilters): readonly Change['kind'][] =>
  event === undefined ? ['term'] : ['term', 'event'];

const COLUMNS: Record<Exclude<TermOrder, 'include' | 'parent'>, string> = {
  none: 'term.id',
  id: 'term.id',
  name: 'term.name_key',
  slug: 'term.slug',
  count: 'term.count',
  description: 'term.description',
};

export async function list(
  { db, caller, kept }: Pick<Context, 'db' | 'caller' | 'kept'>,
  kind: TermKindName,
  filters: TermFilters,
  order: { by: TermOrder; descending: boolean },
  paging: Paging,
): Promise<Page<TermRow>> {
  const { perPage, skip } = paging;
  const where = () => conditions(db, kind, caller, filters);
  if (order.by === 'include' && filters.include) {
    const place = new Map(filters.include.map((id, at) => [id, at]));
    const rows = await db.all(sql<TermRow>`SELECT term.* FROM term WHERE ${where()}`);
    rows.sort((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
    if (order.descending) rows.reverse();
    return pageRead(rows.slice(skip, skip + perPage), rows.length);
  }
  const direction = order.descending && order.by !== 'none' ? sql`DESC` : sql`ASC`;
  const by = order.by === 'include' ? 'name' : order.by;
  // Engines disagree on where NULL is sorted.
  const column = by === 'parent' ? sql`coalesce(term.parent_id, 0)` : sql.ref(COLUMNS[by]);
  const inOrder = sql`ORDER BY ${column} ${direction}, term.id ${direction}`;
  return pageInOrder<TermRow>(kept, [kind, askedBy(caller), filters, order], kindsBehind(filters), paging, {
    direct: async () => {
      const count = await db.first(sql<{ total: number }>`SELECT count(*) AS total FROM term WHERE ${where()}`);
      const rows = await db.all(sql<TermRow>`SELECT term.* FROM term WHERE ${where()} ${inOrder} ${sliceOf(paging)}`);
      return pageRead(rows, count?.total ?? 0);
    },
    ordered: () => db.all(sql<{ id: number }>`SELECT term.id FROM term WHERE ${where()} ${inOrder}`),
  });
}

export interface NewTerm {
  name: string;
  slug: string;
  description: string;
  parent_id: number | null;
}

export async function insert(db: Db, kind: TermKindName, term: NewTerm & { id: number }): Promise<TermRow> {
  const row = await db.first(
    db.q
      .insertInto('term')
      .values({
        ...term,
        kind,
        uid: newUid(),
        revision: 0,
        change_seq: await nextChange(db),
        name_key: nameKeyOf(term.name),
        count: 0,
      })
      .returningAll(),
  );
  if (!row) throw new Error('The database gave no row back');
  await index(db, row);
  return row;
}

export async function change(db: Db, row: TermRow, term: NewTerm): Promise<TermRow> {
  const columns = {
    ...term,
    name_key: nameKeyOf(term.name),
    change_seq: await nextChange(db),
    revision: row.revision + 1,
  };
  await db.run(db.q.updateTable('term').set(columns).where('id', '=', row.id));
  const changed = { ...row, ...columns };
  await index(db, changed);
  return changed;
}

/** Slugs in other scripts are stored percent-encoded; nobody searches for the octets. */
function readableSlug(slug: string): string {
  try {
    return decodeURIComponent(slug);
  } catch {
    return slug;
  }
}

type Searched = Pick<TermRow, 'name' | 'slug' | 'description'>;
export const searchTextOf = ({ name, slug, description }: Searched): string =>
  searchable([plainText(name), readableSlug(slug), plainText(description)]);

const index = (db: Db, row: TermRow): Promise<void> =>
  db.dialect.setSearchText(db, 'term_search', row.id, searchTextOf(row));

/** Children move up to the parent; the term's links to events are removed by the database. */
export async function erase(db: Db, row: TermRow, now: number): Promise<void> {
  const change_seq = await nextChange(db);
  await db.run(
    db.q
      .updateTable('term')
      .set((eb) => ({ parent_id: row.parent_id, change_seq, revision: eb('revision', '+', 1) }))
      .where('parent_id', '=', row.id),
  );
  await db.dialect.setSearchText(db, 'term_search', row.id, '');
  await db.run(db.q.deleteFrom('term').where('id', '=', row.id), 'far');
  await db.run(
    db.q.insertInto('tombstone').values({ kind: row.kind, id: row.id, uid: row.uid, change_seq, removed_at: now }),
  );
}

/** Where a damaged table leads round in a circle, the way ends here. */
const DEEPEST = 5000;

/** The recursion carries the slugs along: joining them afterwards takes four times as long on SQLite. */
const above = fixed(
  (db, ids: unknown) => sql<{ leaf: number; slug: string }>`WITH RECURSIVE way (leaf, up, slug, depth) AS (
      SELECT id, parent_id, slug, 0 FROM term WHERE ${db.dialect.amongListed(sql.ref('id'), ids)}
      UNION ALL SELECT way.leaf, term.parent_id, term.slug, way.depth + 1 FROM way JOIN term ON term.id = way.up
      WHERE way.depth < ${sql.lit(DEEPEST)})
    SELECT leaf, slug FROM way WHERE depth > 0 ORDER BY leaf, depth`,
);

/** For each term, the slugs from the top of the tree down to it. */
export async function paths(db: Db, rows: readonly TermRow[]): Promise<Map<number, string[]>> {
  const nested = rows.filter((row) => row.parent_id !== null).map((row) => row.id);
  const found = new Map(rows.map((row) => [row.id, [row.slug]]));
  if (nested.length === 0) return found;
  const ancestors = await db.all(above(db, db.dialect.listed(nested)));
  for (const { leaf, slug } of ancestors) found.get(leaf)?.unshift(slug);
  return found;
}

/** The terms and all their descendants. */
export async function withDescendants({ db, kept }: Pick<Context, 'db' | 'kept'>, ids: number[]): Promise<number[]> {
  const found = await idsFor(kept, ['below', ids], ['term'], async () =>
    (await db.all(below(db, db.dialect.listed(ids)))).map((row) => row.id),
  );
  return found ?? [];
}

const below = fixed(
  (db, ids: unknown) => sql<{ id: number }>`WITH RECURSIVE below (id) AS (
      SELECT id FROM term WHERE ${db.dialect.amongListed(sql.ref('id'), ids)}
      UNION SELECT term.id FROM term JOIN below ON term.parent_id = below.id)
    SELECT id FROM below`,
);

/** A term to be sorted by name: `order` holds the bytes of `name_key`. */
export interface Ordered {
  order: Buffer;
  id: number;
}

/** By name, in the database's order: by the bytes of the text. */
export const nameOrder = (a: Ordered, b: Ordered): number => Buffer.compare(a.order, b.order) || a.id - b.id;

const termsAmong = fixed(
  (db, ids: unknown) => sql<TermRow>`SELECT * FROM term WHERE ${db.dialect.amongListed(sql.ref('id'), ids)}`,
);

export async function termsByIds(db: Db, ids: number[]): Promise<TermRow[]> {
  return ids.length === 0 ? [] : db.all(termsAmong(db, db.dialect.listed(ids)));
}

/** The terms of each event, ordered by name. */
export async function termsOf(db: Db, events: number[]): Promise<Map<number, TermRow[]>> {
  const rows = await db.all(
    sql<
      TermRow & { event_id: number }
    >`SELECT event_term.event_id, term.* FROM event_term JOIN term ON term.id = event_term.term_id
      WHERE ${db.dialect.among(sql.ref('event_term.event_id'), events)} ORDER BY term.name_key, term.id`,
  );
  const found = new Map<number, TermRow[]>();
  for (const row of rows) {
    const known = found.get(row.event_id);
    if (known) known.push(row);
    else found.set(row.event_id, [row]);
  }
  return found;
}

export async function setTerms(db: Db, event: number, ids: number[]): Promise<void> {
  await db.run(db.q.deleteFrom('event_term').where('event_id', '=', event));
  for (const term_id of ids) await db.run(db.q.insertInto('event_term').values({ event_id: event, term_id }));
}

/** Updates the numbers of published events. */
export async function addToCounts(db: Db, ids: number[], by: number): Promise<void> {
  if (ids.length === 0) return;
  await db.run(sql`UPDATE term SET count = count + ${by} WHERE ${db.dialect.among(sql.ref('id'), ids)}`);
}
