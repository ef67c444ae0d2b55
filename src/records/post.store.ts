import { sql } from 'kysely';
import { type Db, nextChange, take } from '../db/database.js';
import type { PostColumns } from '../db/tables.js';

/** SQL that events, venues and organizers share. */
export type PostTable = 'event' | 'venue' | 'organizer';

export async function byId<Row extends PostColumns>(db: Db, table: PostTable, id: number): Promise<Row | undefined> {
  return db.first(sql<Row>`SELECT * FROM ${sql.table(table)} WHERE id = ${id}`);
}

export async function bySlug<Row extends PostColumns>(
  db: Db,
  table: PostTable,
  slug: string,
): Promise<Row | undefined> {
  if (slug === '') return undefined;
  return db.first(sql<Row>`SELECT * FROM ${sql.table(table)} WHERE slug = ${slug} AND slug <> ''`);
}

export async function slugTaken(db: Db, table: PostTable, slug: string, except: number | undefined): Promise<boolean> {
  const row = await db.first(
    sql`SELECT 1 FROM ${sql.table(table)} WHERE slug = ${slug} AND slug <> '' AND id <> ${except ?? 0}`,
  );
  return row !== undefined;
}

export async function newId(db: Db, kind: string): Promise<number> {
  const id = await take(db, 'record');
  await db.run(db.q.insertInto('record').values({ id, kind }));
  return id;
}

export async function insert(db: Db, table: PostTable, row: PostColumns): Promise<void> {
  await db.run(db.q.insertInto(table as 'event').values(row as never));
}

export async function change(db: Db, table: PostTable, id: number, columns: Partial<PostColumns>): Promise<void> {
  const change_seq = await nextChange(db);
  await db.run(
    db.q
      .updateTable(table as 'event')
      .set((eb) => ({ ...(columns as object), change_seq, revision: eb('revision', '+', 1) }))
      .where('id', '=', id),
  );
}

/** Removes for good; what remains is that it was there (for readers who ask what changed). */
export async function erase(db: Db, table: PostTable, row: PostColumns, now: number): Promise<void> {
  const change_seq = await nextChange(db);
  await db.dialect.setSearchText(db, `${table}_search`, row.id, '');
  await db.run(db.q.deleteFrom(table).where('id', '=', row.id));
  await db.run(
    db.q.insertInto('tombstone').values({ kind: table, id: row.id, uid: row.uid, change_seq, removed_at: now }),
  );
}

/** Records whose publication date has come. */
export async function due(db: Db, table: PostTable, now: number): Promise<{ id: number }[]> {
  return db.all(
    sql<{
      id: number;
    }>`SELECT id FROM ${sql.table(table)} WHERE status = 'future' AND date_utc <= ${now} ORDER BY date_utc, id`,
  );
}

/** The instant at which the next scheduled record is to be published. */
export async function nextDue(db: Db, table: PostTable): Promise<number | undefined> {
  const row = await db.first(
    sql<{ at: number | null }>`SELECT min(date_utc) AS at FROM ${sql.table(table)} WHERE status = 'future'`,
  );
  return row?.at ?? undefined;
}
