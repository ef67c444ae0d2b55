import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type Db, SEARCH_TABLES } from './database.js';
import type { Tables } from './tables.js';

/**
 * The contents of a calendar, table by table: tables that others refer to come first. The columns are those of the key,
 * in whose order the rows are read. `null`: of no use elsewhere.
 */
const KEYS: { [T in keyof Tables]: readonly (keyof Tables[T] & string)[] | null } = {
  counter: ['name'],
  setting: ['name'],
  user: ['id'],
  credential: ['id'],
  record: ['id'],
  image: ['id'],
  // Notes on files that are to be removed from the place where this calendar keeps its pictures, not from another's.
  loose_file: null,
  tombstone: ['kind', 'id'],
  term: ['id'],
  venue: ['id'],
  organizer: ['id'],
  event: ['id'],
  event_venue: ['event_id', 'venue_id'],
  event_organizer: ['event_id', 'organizer_id'],
  event_term: ['event_id', 'term_id'],
  // A request that is repeated after a move must not be executed again.
  request_key: ['user_id', 'name'],
  // People sign in again after a move.
  session: null,
  instance: null,
  change_log: null,
  tally: null,
};

export type Row = Record<string, string | number | null>;
export interface Content {
  table: string;
  key: readonly string[];
  /** Made from other tables, so an export leaves it out. */
  derived: boolean;
}

export const CONTENTS: readonly Content[] = [
  ...Object.entries(KEYS).flatMap(([table, key]) => (key ? [{ table, key, derived: false }] : [])),
  ...SEARCH_TABLES.map((table) => ({ table, key: ['id'], derived: true })),
];
/** Tables that are not copied. */
export const PASSING: readonly string[] = Object.entries(KEYS).flatMap(([table, key]) => (key ? [] : [table]));

export async function sizeOf(db: Db, { table }: Content): Promise<number> {
  const row = await db.first(sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.table(table)}`);
  return row?.n ?? 0;
}

/** The rows of a table in the order of its key, some at a time. */
export async function* batchesOf(db: Db, content: Content, size: number): AsyncGenerator<Row[]> {
  const key = sql.join(content.key.map((name) => sql.ref(name)));
  let last: Row | undefined;
  do {
    const after: RawBuilder<unknown> = last ? sql`WHERE (${key}) > (${sql.join(valuesOf(last, content.key))})` : sql``;
    const rows: Row[] = await db.all(
      sql<Row>`SELECT * FROM ${sql.table(content.table)} ${after} ORDER BY ${key} LIMIT ${size}`,
    );
    if (rows.length > 0) yield rows;
    last = rows.length < size ? undefined : rows.at(-1);
  } while (last);
}

const valuesOf = (row: Row, names: readonly string[]) => names.map((name) => row[name]);

/** Rows of one query as lines of text, the same from every engine: the order of columns differs between them. */
export function linesOf({ table }: Content, rows: readonly Row[]): string[] {
  const names = Object.keys(rows[0] ?? {}).sort();
  return rows.map((row) => {
    const line: Row = { table };
    for (const name of names) line[name] = row[name] ?? null;
    return JSON.stringify(line);
  });
}

export interface Sum {
  table: string;
  rows: number;
  checksum: string;
}

/** Counts the rows of a table, and calculates their checksum. */
export function sumOf(content: Content): { add: (rows: Row[]) => void; total: () => Sum } {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add(rows) {
      count += rows.length;
      for (const line of linesOf(content, rows)) hash.update(`${line}\n`);
    },
    total: () => ({ table: content.table, rows: count, checksum: hash.digest('hex') }),
  };
}
