import { sql } from 'kysely';
import { batchesOf, CONTENTS, type Content, PASSING, type Row, type Sum, sizeOf, sumOf } from './contents.js';
import type { Database, Db } from './database.js';

/** Rows per statement: with forty columns, far below the number of parameters that an engine accepts (32,766). */
const BATCH = 250;

export interface Copying {
  /** Throws if the target must not be overwritten. Part of the transaction. */
  allow: (target: Db) => Promise<void>;
  /** Called after each batch. */
  progress: (table: string, done: number, all: number) => void;
}

/**
 * Replaces the calendar in one database by that of another, as of one moment. The copy is read again and compared
 * before it is committed, all in one transaction: if anything goes wrong, the target stays as it was.
 */
export function copyCalendar(from: Database, to: Database, { allow, progress }: Copying): Promise<Sum[]> {
  return from.read((source) =>
    to.write(async (target) => {
      await allow(target);
      await requireSameTables(source, target);
      await target.dialect.unindexSearch(target);
      await empty(target);
      const sums: Sum[] = [];
      for (const content of CONTENTS) sums.push(await copyTable(source, target, content, progress));
      await target.dialect.indexSearch(target);
      await placeVenues(target);
      for (const [at, content] of CONTENTS.entries()) await requireEqual(target, content, sums[at]);
      for (const table of PASSING) await target.run(sql`DELETE FROM ${sql.table(table)}`);
      // Without statistics, the first queries after so many new rows would have slow plans; SQLite does without them.
      if (to.engine === 'postgres') await target.run(sql`ANALYZE`);
      return sums;
    }),
  );
}

/** Whether there is nothing that anybody would miss. */
export async function isEmpty(db: Db): Promise<boolean> {
  const row = await db.first(
    sql`SELECT id FROM "user" UNION ALL SELECT id FROM record UNION ALL SELECT id FROM term LIMIT 1`,
  );
  return row === undefined;
}

async function empty(target: Db): Promise<void> {
  for (const { id } of await target.all(sql<{ id: number }>`SELECT id FROM ${target.dialect.placed()} AS placed`)) {
    await target.dialect.setPlace(target, id, undefined);
  }
  for (const { table } of CONTENTS.toReversed()) await target.run(sql`DELETE FROM ${sql.table(table)}`);
}

async function requireSameTables(source: Db, target: Db): Promise<void> {
  const [here, there] = await Promise.all(
    [source, target].map((db) => db.all(sql<{ name: string }>`SELECT name FROM migration ORDER BY name`)),
  );
  if (JSON.stringify(here) !== JSON.stringify(there)) {
    throw new Error(
      'The two databases were made by different versions of Kalends. First run "kalends migrate" of the same version on both.',
    );
  }
}

async function copyTable(source: Db, target: Db, content: Content, progress: Copying['progress']): Promise<Sum> {
  const all = await sizeOf(source, content);
  const sum = sumOf(content);
  const later: Row[] = [];
  let done = 0;
  for await (const rows of batchesOf(source, content, BATCH)) {
    sum.add(rows);
    await insert(
      target,
      content,
      rows.map((row) => withKnownParent(row, later)),
    );
    done += rows.length;
    progress(content.table, done, all);
  }
  for (const { id, parent_id } of later) {
    await target.run(sql`UPDATE ${sql.table(content.table)} SET parent_id = ${parent_id} WHERE id = ${id}`);
  }
  return sum.total();
}

/** A parent that was created after its child is not there yet: the reference is added later. */
function withKnownParent(row: Row, later: Row[]): Row {
  const { id, parent_id } = row;
  if (typeof parent_id !== 'number' || parent_id < Number(id)) return row;
  later.push(row);
  return { ...row, parent_id: null };
}

async function insert(target: Db, content: Content, rows: Row[]): Promise<void> {
  const names = Object.keys(rows[0] ?? {});
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const values = sql.join(rows.map((row) => sql`(${sql.join(names.map((name) => row[name]))})`));
  await target.run(sql`INSERT INTO ${sql.table(content.table)} (${columns}) VALUES ${values}`);
}

async function placeVenues(target: Db): Promise<void> {
  const placed = await target.all(
    target.q.selectFrom('venue').select(['id', 'geo_x', 'geo_y', 'geo_z']).where('geo_x', 'is not', null).orderBy('id'),
  );
  for (const { id, geo_x, geo_y, geo_z } of placed) {
    await target.dialect.setPlace(target, id, { x: geo_x ?? 0, y: geo_y ?? 0, z: geo_z ?? 0 });
  }
}

async function requireEqual(target: Db, content: Content, wanted: Sum | undefined): Promise<void> {
  const sum = sumOf(content);
  for await (const rows of batchesOf(target, content, BATCH)) sum.add(rows);
  const found = sum.total();
  if (found.rows === wanted?.rows && found.checksum === wanted.checksum) return;
  throw new Error(
    `The copy of the table ${content.table} differs from the original (${found.rows} of ${wanted?.rows} rows). Nothing was kept.`,
  );
}
