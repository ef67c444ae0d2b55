import { sql } from 'kysely';
import { nextChange, takeForNew } from '../db/counter.js';
import type { Db, Query } from '../db/database.js';
import { fixed } from '../db/fixed.js';
import type { PostColumns, PostTable } from '../db/tables.js';

/** SQL that events, venues and organizers share. */

const foundIn = (table: PostTable) =>
  fixed((_db, id: number) => sql<PostColumns>`SELECT * FROM ${sql.table(table)} WHERE id = ${id}`);
const found = { event: foundIn('event'), venue: foundIn('venue'), organizer: foundIn('organizer') };

export async function byId<Row extends PostColumns>(db: Db, table: PostTable, id: number): Promise<Row | undefined> {
  return db.first(found[table](db, id) as Query<Row>);
}

export async function bySlug<Row extends PostColumns>(
  db: Db,
  table: PostTable,
  slug: string,
): Promise<Row | undefined> {
  if (slug === '') return undefined;
  return db.first(sql<Row>`SELECT * FROM ${sql.table(table)} WHERE slug = ${slug} AND slug <> ''`);
}

const sluggedIn = (table: PostTable) =>
  fixed(
    (_db, slug: string, except: number) =>
      sql`SELECT 1 FROM ${sql.table(table)} WHERE slug = ${slug} AND slug <> '' AND id <> ${except}`,
  );
const slugged = { event: sluggedIn('event'), venue: sluggedIn('venue'), organizer: sluggedIn('organizer') };

export async function slugTaken(db: Db, table: PostTable, slug: string, except: number | undefined): Promise<boolean> {
  return (await db.first(slugged[table](db, slug, except ?? 0))) !== undefined;
}

const recorded = fixed((db, id: number, kind: string) => db.q.insertInto('record').values({ id, kind }));

/** Adds a record; returns its id and the number of the change. */
export async function newRecord(db: Db, kind: PostTable): Promise<{ id: number; change_seq: number }> {
  const taken = await takeForNew(db);
  await db.run(recorded(db, taken.id, kind));
  return taken;
}

/** Beyond this number, statements are built anew each time. */
const MOST_STATEMENTS = 200;

/** One cached statement per table and set of columns, of which there are few. */
function forColumns<S>(build: (table: PostTable, columns: string[]) => S): (table: PostTable, columns: string[]) => S {
  const built = new Map<string, S>();
  return (table, columns) => {
    const key = `${table} ${columns}`;
    const statement = built.get(key) ?? build(table, columns);
    if (built.size < MOST_STATEMENTS) built.set(key, statement);
    return statement;
  };
}

const insertedInto = forColumns((table, columns) =>
  fixed((db, ...values: unknown[]) =>
    db.q
      .insertInto(table as 'event')
      .values(Object.fromEntries(columns.map((column, at) => [column, values[at]])) as never),
  ),
);

export async function insert(db: Db, table: PostTable, row: PostColumns): Promise<void> {
  await db.run(insertedInto(table, Object.keys(row))(db, ...Object.values(row)));
}

const changedIn = forColumns((table, columns) =>
  fixed((db, id: number, change_seq: number, ...values: unknown[]) =>
    db.q
      .updateTable(table as 'event')
      .set((eb) => ({
        ...(Object.fromEntries(columns.map((column, at) => [column, values[at]])) as object),
        change_seq,
        revision: eb('revision', '+', 1),
      }))
      .where('id', '=', id),
  ),
);

/** Sets only the columns whose values differ: for each column that is set, engines rewrite the row's index entries. */
export async function change<Row extends PostColumns>(
  db: Db,
  table: PostTable,
  row: Row,
  columns: Partial<Row>,
): Promise<void> {
  const other = Object.entries(columns).filter(([column, value]) => row[column as keyof Row] !== value);
  const statement = changedIn(
    table,
    other.map(([column]) => column),
  );
  await db.run(statement(db, row.id, await nextChange(db), ...other.map(([, value]) => value)));
}

/** Removes for good and leaves a tombstone, so that synchronisation can learn of the removal. */
export async function erase(db: Db, table: PostTable, row: PostColumns, now: number): Promise<void> {
  const change_seq = await nextChange(db);
  await db.dialect.setSearchText(db, `${table}_search`, row.id, '');
  await db.run(db.q.deleteFrom(table).where('id', '=', row.id), 'far');
  await db.run(
    db.q.insertInto('tombstone').values({ kind: table, id: row.id, uid: row.uid, change_seq, removed_at: now }),
  );
}

/** Scheduled records whose publication date has come. */
export async function due(db: Db, table: PostTable, now: number): Promise<{ id: number }[]> {
  return db.all(
    sql<{
      id: number;
    }>`SELECT id FROM ${sql.table(table)} WHERE status = 'future' AND date_utc <= ${now} ORDER BY date_utc, id`,
  );
}

/** When the next scheduled record is to be published. */
export async function nextDue(db: Db, table: PostTable): Promise<number | undefined> {
  const row = await db.first(
    sql<{ at: number | null }>`SELECT min(date_utc) AS at FROM ${sql.table(table)} WHERE status = 'future'`,
  );
  return row?.at ?? undefined;
}
