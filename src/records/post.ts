import { type Caller, editsOthers, mayEdit, writes } from '../access/rights.js';
import { mayRead } from '../access/visibility.js';
import { userExists } from '../accounts/user.store.js';
import type { Db } from '../db/database.js';
import type { PostColumns, PostTable, Status } from '../db/tables.js';
import { newUid } from '../db/uid.js';
import { Failure, type FailureCode, invalidParam } from '../errors.js';
import { restoredSlug, slugify, slugOfAddress } from '../text/slug.js';
import type { Moment } from '../time/parse.js';
import type { Values } from './args.js';
import { thing } from './basis.js';
import type { Context, Target } from './context.js';
import type { forceArgs } from './post.args.js';
import { checkAuthor, publicationDate, scaledStatus, scheduledStatus } from './post.rules.js';
import * as store from './post.store.js';
import { freeSlug, freeTrashedSlug } from './slug.js';

/** Fields of a write that events, venues and organizers share, already read. */
export interface PostValues {
  author?: number;
  date?: Moment;
  date_utc?: Moment;
  status?: Status;
  slug?: string;
}

/** What the shared operations must know about a kind. */
export interface PostKind {
  table: PostTable;
  codes: { notFound: FailureCode; notAccessible: FailureCode; inTrash: FailureCode };
  /** Drafts of venues and organizers have a slug from the start, those of events get one when they are published. */
  draftsHaveSlugs: boolean;
}

export type OwnColumns = Record<string, string | number | null>;

export async function load<Row extends PostColumns>(db: Db, kind: PostKind, target: Target): Promise<Row | undefined> {
  if (target.by === 'id')
    return Number.isSafeInteger(target.id) ? store.byId<Row>(db, kind.table, target.id) : undefined;
  return store.bySlug<Row>(db, kind.table, slugOfAddress(target.slug));
}

export function notFound(kind: PostKind, target: Target): Failure {
  return target.by === 'id'
    ? new Failure(kind.codes.notFound, { values: { id: target.id } })
    : new Failure(kind.codes.notFound, { variant: 'slug', values: { slug: target.slug } });
}

export function forbid(): never {
  throw new Failure('rest_forbidden');
}

/** Loads a record to be read: it must exist, and the caller must be allowed to see it (E3). */
export async function loadReadable<Row extends PostColumns>(
  context: Context,
  kind: PostKind,
  target: Target,
): Promise<Row> {
  const row = await load<Row>(context.db, kind, target);
  if (!row) throw notFound(kind, target);
  if (!mayRead(context.caller, row)) throw new Failure(kind.codes.notAccessible);
  if (context.kept) context.kept.basis = { things: () => [thing(kind.table, row.id)] };
  return row;
}

/** Loads a record to be changed: rights are checked before existence (order of checks, A3). */
export async function loadEditable<Row extends PostColumns>(
  context: Context,
  kind: PostKind,
  target: Target,
): Promise<Row> {
  const row = await load<Row>(context.db, kind, target);
  if (!(row ? mayEdit(context.caller, row) : writes(context.caller))) forbid();
  if (!row) throw notFound(kind, target);
  return row;
}

/** Whether a caller may change this record, for the `Allow` header. */
export async function maySend(db: Db, kind: PostKind, caller: Caller, target: Target): Promise<boolean> {
  if (!writes(caller)) return false;
  // Nothing can be done with the id of a venue or organizer that does not exist (A9).
  const mustExist = target.by === 'id' && kind.table !== 'event';
  if (editsOthers(caller) && !mustExist) return true;
  const row = await load(db, kind, target);
  return row === undefined ? !mustExist : mayEdit(caller, row);
}

/** `id`: a record for which the slug does not count as taken. */
const isTakenIn =
  (db: Db, kind: PostKind, id?: number) =>
  (slug: string): Promise<boolean> =>
    store.slugTaken(db, kind.table, slug, id);
const uniqueSlug = (db: Db, kind: PostKind, wanted: string, id?: number): Promise<string> =>
  freeSlug(wanted, isTakenIn(db, kind, id));

export const slugTaken = (db: Db, kind: PostKind, asked: string): Promise<boolean> =>
  store.slugTaken(db, kind.table, slugify(asked), undefined);

/** The slug if none was requested: made from the name, or from the id if the name yields none. */
const slugFor = (name: string, id: number): string => slugify(name) || String(id);

/** The row of a new record, without the columns that depend on other records: id, change number and slug. */
export function newRow(
  { caller, now, site }: Pick<Context, 'caller' | 'now' | 'site'>,
  values: PostValues,
  own: OwnColumns,
): Omit<PostColumns, 'id' | 'change_seq' | 'slug'> {
  if (!caller.user) forbid();
  checkAuthor(caller, values.author, undefined);
  const date = publicationDate(values, site.zone) ?? now;
  const status = scheduledStatus(scaledStatus(caller, values.status), date, now);
  return {
    uid: newUid(),
    revision: 0,
    created_at: now,
    author_id: values.author ?? caller.user.id,
    status,
    // As if it had been created without a status and then moved to the trash.
    status_before_trash: status === 'trash' ? scaledStatus(caller, undefined) : null,
    date_utc: date,
    modified_utc: date,
    ...own,
  } as unknown as Omit<PostColumns, 'id' | 'change_seq' | 'slug'>;
}

/** The slug that a new record should have, if it is free: '' for none, undefined for one made from the id. */
export function wantedSlug(
  kind: PostKind,
  caller: Caller,
  status: Status,
  asked: string | undefined,
  name: string,
): string | undefined {
  const reviewed = status === 'pending' && scaledStatus(caller, 'publish') !== 'publish';
  if (reviewed) return '';
  return slugify(asked ?? '') || (hasSlug(kind, status) ? slugify(name) || undefined : '');
}

/** Creates a record and returns its row. Rights were checked before; `own`: the kind's own columns. */
export async function create(
  context: Context,
  kind: PostKind,
  values: PostValues,
  name: string,
  own: OwnColumns,
): Promise<PostColumns> {
  const { db, caller } = context;
  const row = newRow(context, values, own);
  const wanted = wantedSlug(kind, caller, row.status, values.slug, name);
  // Both at once, since few slugs are made from the id.
  const [{ id, change_seq }, free] = await Promise.all([
    store.newRecord(db, kind.table),
    wanted ? uniqueSlug(db, kind, wanted) : wanted,
  ]);
  const slug = free ?? (await uniqueSlug(db, kind, String(id)));
  // The row last: V8 takes long to add members to a copy of a large object.
  const made = { id, slug, change_seq, ...row };
  await store.insert(db, kind.table, made);
  return made;
}

const hasSlug = (kind: PostKind, status: Status): boolean =>
  kind.draftsHaveSlugs || (status !== 'draft' && status !== 'pending');

/** Changes only what was given (D1). Returns the resulting status. */
export async function update(
  context: Context,
  kind: PostKind,
  row: PostColumns,
  values: PostValues,
  name: string,
  own: OwnColumns,
): Promise<Status> {
  const { db, caller, now, site } = context;
  if (row.status === 'trash' && (values.status ?? 'trash') === 'trash') throw new Failure(kind.codes.inTrash);
  checkAuthor(caller, values.author, row.author_id);
  // Records stay with an author who was removed, but none can be given to such a user.
  const author = values.author ?? row.author_id;
  if (author !== row.author_id && !(await userExists(db, author))) throw invalidParam('author', 'reason.author');
  const date = publicationDate(values, site.zone, row.date_utc) ?? row.date_utc;
  // A status equal to the stored one needs no right to set it, so that what was read can be written back (D10).
  const isKept = values.status === undefined || values.status === row.status;
  const asked = isKept ? row.status : scaledStatus(caller, values.status);
  const status = scheduledStatus(asked, date, now);
  const slug = await slugAfter(db, kind, row, status, values.slug, name);
  await store.change(db, kind.table, row, {
    author_id: author,
    status,
    status_before_trash: status === 'trash' ? row.status : null,
    date_utc: date,
    modified_utc: now,
    slug,
    ...own,
  });
  return status;
}

async function slugAfter(
  db: Db,
  kind: PostKind,
  row: PostColumns,
  status: Status,
  given: string | undefined,
  name: string,
): Promise<string> {
  const stored = row.status === 'trash' ? restoredSlug(row.slug) : row.slug;
  const asked = given === undefined ? stored : slugify(given);
  if (status === 'trash') return freeTrashedSlug(asked, isTakenIn(db, kind, row.id));
  const wanted = asked || (hasSlug(kind, status) ? slugFor(name, row.id) : '');
  if (wanted === '') return '';
  return wanted === row.slug ? row.slug : uniqueSlug(db, kind, wanted, row.id);
}

/** Moves a record to the trash, or with `force` removes it for good (D14). Returns true if it was removed for good. */
export async function remove(
  { db, now }: Context,
  kind: PostKind,
  row: PostColumns,
  { force }: Values<typeof forceArgs>,
): Promise<boolean> {
  if (force) {
    await store.erase(db, kind.table, row, now);
    return true;
  }
  if (row.status === 'trash') throw new Failure(kind.codes.inTrash);
  await store.change(db, kind.table, row, {
    status: 'trash',
    status_before_trash: row.status,
    modified_utc: now,
    slug: await freeTrashedSlug(row.slug, isTakenIn(db, kind, row.id)),
  });
  return false;
}

/** Publishes a scheduled record whose time has come (D10). Returns false if it is not scheduled any more. */
export async function publish(db: Db, kind: PostKind, id: number): Promise<boolean> {
  const row = await store.byId(db, kind.table, id);
  if (row?.status !== 'future') return false;
  const name =
    (row as unknown as { title?: string; name?: string }).title ?? (row as unknown as { name?: string }).name ?? '';
  await store.change(db, kind.table, row, {
    status: 'publish',
    slug: row.slug || (await uniqueSlug(db, kind, slugFor(name, id), id)),
  });
  return true;
}
