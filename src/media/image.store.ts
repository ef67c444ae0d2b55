import { sql } from 'kysely';
import { type Caller, editsOthers, manages } from '../access/rights.js';
import { readable, unveiled } from '../access/visibility.js';
import { nextChange, takeForNew } from '../db/counter.js';
import type { Db } from '../db/database.js';
import { fixed } from '../db/fixed.js';
import { sliceOf } from '../db/slice.js';
import type { ImageTable } from '../db/tables.js';
import { fileNames } from './image.view.js';
import { DOOMED, noteLoose } from './loose.store.js';

/** All SQL about images. Their changes advance the change counter, too: the lag of replicas is measured by it. */

export async function insertImage(db: Db, image: Omit<ImageTable, 'id'>): Promise<number> {
  const { id } = await takeForNew(db);
  await db.run(db.q.insertInto('record').values({ id, kind: 'image' }));
  await db.run(db.q.insertInto('image').values({ id, ...image }));
  return id;
}

export async function imageById(db: Db, id: number): Promise<ImageTable | undefined> {
  return Number.isSafeInteger(id) ? db.first(db.q.selectFrom('image').selectAll().where('id', '=', id)) : undefined;
}

export async function imageByFile(db: Db, file: string): Promise<ImageTable | undefined> {
  return db.first(db.q.selectFrom('image').selectAll().where('file', '=', file));
}

/** What a picture that was fetched is found by when the same user gives its address again. */
export const sourceOf = (author: number, url: string): string => `${author} ${url}`;

/** Rows of earlier versions have the address alone. */
export async function imageBySource(db: Db, author: number, url: string): Promise<ImageTable | undefined> {
  const image = db.q.selectFrom('image').selectAll().where('author_id', '=', author);
  return db.first(image.where('source_url', 'in', [sourceOf(author, url), url]));
}

const imagesAmong = fixed(
  (db, ids: unknown) => sql<ImageTable>`SELECT * FROM image WHERE ${db.dialect.amongListed(sql.ref('id'), ids)}`,
);

export async function imagesByIds(db: Db, ids: number[]): Promise<Map<number, ImageTable>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all(imagesAmong(db, db.dialect.listed(ids)));
  return new Map(rows.map((row) => [row.id, row]));
}

export const allImages = (db: Db): Promise<ImageTable[]> => db.all(db.q.selectFrom('image').selectAll().orderBy('id'));

const STRANGER: Caller = {};

/** Whether a record that the caller may see shows the image; what a password hides from the caller does not count. */
async function isShownTo(db: Db, caller: Caller, id: number): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM event WHERE image_id = ${id} AND ${readable('event', caller)} AND ${unveiled(caller)}
    UNION ALL SELECT 1 FROM venue WHERE image_id = ${id} AND ${readable('venue', caller)}
    UNION ALL SELECT 1 FROM organizer WHERE image_id = ${id} AND ${readable('organizer', caller)} LIMIT 1`);
  return row !== undefined;
}
export const isShownPublicly = (db: Db, id: number): Promise<boolean> => isShownTo(db, STRANGER, id);

export async function isUsed(db: Db, id: number): Promise<boolean> {
  const row = await db.first(sql`
    SELECT 1 FROM event WHERE image_id = ${id}
    UNION ALL SELECT 1 FROM venue WHERE image_id = ${id}
    UNION ALL SELECT 1 FROM organizer WHERE image_id = ${id} LIMIT 1`);
  return row !== undefined;
}

/** Who may see and use an image: its owner, editors, and callers who may see a record that shows it. */
export async function mayUse(db: Db, caller: Caller, image: ImageTable): Promise<boolean> {
  return manages(caller, image) || isShownTo(db, caller, image.id);
}

export async function listImages(
  db: Db,
  caller: Caller,
  paging: { perPage: number; skip: number },
): Promise<{ rows: ImageTable[]; total: number }> {
  const mine = editsOthers(caller) ? sql`1 = 1` : sql`author_id = ${caller.user?.id ?? 0}`;
  const count = await db.first(sql<{ total: number }>`SELECT count(*) AS total FROM image WHERE ${mine}`);
  const rows = await db.all(sql<ImageTable>`SELECT * FROM image WHERE ${mine} ORDER BY id DESC ${sliceOf(paging)}`);
  return { rows, total: count?.total ?? 0 };
}

export async function setAlt(db: Db, id: number, alt: string): Promise<void> {
  await db.run(db.q.updateTable('image').set({ alt }).where('id', '=', id));
  await nextChange(db);
}

/** Notes the files in the same transaction, so that they are removed eventually, whatever happens next. */
export async function eraseImage(db: Db, image: ImageTable): Promise<void> {
  await db.run(db.q.deleteFrom('image').where('id', '=', image.id));
  await noteLoose(db, image.file, fileNames(image), DOOMED);
  await nextChange(db);
}
