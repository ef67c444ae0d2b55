import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Db, type Dialect, SEARCH_TABLES, type SearchTable } from './database.js';
import { fixed } from './fixed.js';

/**
 * Search on SQLite: texts in tables, and for each table an FTS5 index that knows only which trigrams a text has. The
 * index finds candidates, and the texts decide. Updating the index costs much for a few texts at a time and little for
 * many, so a written text is only noted; until it is indexed, soon after, searches read it directly.
 */

const LENGTH = 3;
/** Of a longer word, only so many parts are looked up: few texts have all of these but not the rest. */
const MOST_PARTS = 20;
/** In bytes: the index's own default, and room for everything in one statement. */
const GATHERED = 1 << 20;
const GATHERED_IN_BULK = 1 << 27;
const EVERYTHING = 0;
/** Pages of the index: takes two or three milliseconds. */
const MERGED_AT_ONCE = 5;

const indexOf = (table: SearchTable) => sql.table(`${table}_index`);

/** FTS5 has a query language; text in double quotes, with quotes doubled, is taken literally. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Adjacent trigrams, and the last one: together they cover the word. */
function partsOf(word: string): string[] {
  const letters = [...word];
  const parts = [letters.slice(-LENGTH).join('')];
  for (let at = 0; at + LENGTH < letters.length && parts.length < MOST_PARTS; at += LENGTH)
    parts.push(letters.slice(at, at + LENGTH).join(''));
  return parts;
}

const isIndexed = (word: string): boolean => [...word].length >= LENGTH;
const has = (word: string): RawBuilder<SqlBool> => sql<SqlBool>`instr(text, ${word}) > 0`;

/** Ids of the texts that contain all of these words, each of which is long enough to be indexed. */
function withAll(table: SearchTable, words: readonly string[]): RawBuilder<unknown> {
  const index = indexOf(table);
  const query = [...new Set(words.flatMap(partsOf))].map(quoted).join(' AND ');
  return sql`(SELECT id FROM ${sql.table(table)} WHERE id IN (
      SELECT rowid FROM ${index} WHERE ${index} MATCH ${query}
      UNION ALL SELECT id FROM unindexed WHERE search = ${sql.lit(table)}) AND ${sql.join(words.map(has), sql` AND `)})`;
}

/** Searches the text of one record. */
const lookerIn = (table: SearchTable, id: Expression<number>) => (word: string) =>
  sql<SqlBool>`EXISTS (SELECT 1 FROM ${sql.table(table)} AS other WHERE other.id = ${id} AND ${has(word)})`;

const all = (parts: readonly Expression<SqlBool>[]): Expression<SqlBool> =>
  parts.length > 0 ? sql<SqlBool>`(${sql.join(parts, sql` AND `)})` : sql<SqlBool>`1 = 1`;

/** Adds texts that are not in the index yet. */
const index = (db: Db, table: SearchTable, ids: Expression<unknown>): Promise<void> =>
  db.run(
    sql`INSERT INTO ${indexOf(table)} (rowid, text) SELECT id, text FROM ${sql.table(table)} WHERE id IN (${ids})`,
  );

/**
 * The index writes what it has gathered whenever it reaches this many bytes, in segments that must be merged later. The
 * value must be an integer literal: Node's own engine binds all numbers as floating point.
 */
async function gathering(db: Db, table: SearchTable, work: () => Promise<unknown>): Promise<void> {
  const room = (bytes: number) =>
    db.run(sql`INSERT INTO ${indexOf(table)} (${indexOf(table)}, rank) VALUES ('hashsize', ${sql.lit(bytes)})`);
  await room(GATHERED_IN_BULK);
  await work();
  await room(GATHERED);
}

const changesSoFar = async (db: Db): Promise<number> =>
  (await db.first(sql<{ n: number }>`SELECT total_changes() AS n`))?.n ?? 0;

const listed = (ids: readonly number[]): Expression<unknown> =>
  sql`SELECT value FROM json_each(${JSON.stringify(ids)})`;

const textsIn = (table: SearchTable) =>
  fixed(
    (_db, id: number, text: string) =>
      sql`INSERT INTO ${sql.table(table)} (id, text) VALUES (${id}, ${text}) ON CONFLICT (id) DO UPDATE SET text = excluded.text`,
  );
const texts = Object.fromEntries(SEARCH_TABLES.map((table) => [table, textsIn(table)])) as Record<
  SearchTable,
  ReturnType<typeof textsIn>
>;
const noted = fixed(
  (_db, table: SearchTable, id: number) => sql`INSERT OR IGNORE INTO unindexed (search, id) VALUES (${table}, ${id})`,
);

export const sqliteSearch: Pick<
  Dialect,
  | 'matches'
  | 'contains'
  | 'setSearchText'
  | 'addSearchTexts'
  | 'indexSearch'
  | 'unindexSearch'
  | 'indexWritten'
  | 'mergeIndex'
  | 'toIndex'
  | 'searchable'
> = {
  matches(table, id, words) {
    const lookedFor = lookerIn(table, id);
    const indexed = words.include.filter(isIndexed);
    // Words shorter than a trigram are not in the index: they are searched for in the rows that the other words leave.
    return all([
      ...(indexed.length > 0 ? [sql<SqlBool>`${id} IN ${withAll(table, indexed)}`] : []),
      ...words.include.filter((word) => !isIndexed(word)).map(lookedFor),
      ...words.exclude.map((word) =>
        isIndexed(word) ? sql<SqlBool>`${id} NOT IN ${withAll(table, [word])}` : sql<SqlBool>`NOT ${lookedFor(word)}`,
      ),
    ]);
  },

  contains(table, id, words) {
    const lookedFor = lookerIn(table, id);
    return all([...words.include.map(lookedFor), ...words.exclude.map((word) => sql<SqlBool>`NOT ${lookedFor(word)}`)]);
  },

  async setSearchText(db, table, id, text) {
    // Index entries of a deleted text lead nowhere.
    if (text === '') await db.run(sql`DELETE FROM ${sql.table(table)} WHERE id = ${id}`);
    else await db.run(texts[table](db, id, text));
    await db.run(noted(db, table, id));
  },

  async addSearchTexts(db, table, texts) {
    const filled = texts.filter(({ text }) => text !== '').map(({ id, text }) => [id, text]);
    await db.run(sql`INSERT INTO ${sql.table(table)} (id, text)
      SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(filled)})`);
    const ids = listed(filled.map(([id]) => id as number));
    await gathering(db, table, () => index(db, table, ids));
  },

  async toIndex(db) {
    return (await db.first(sql<{ n: number }>`SELECT count(*) AS n FROM unindexed`))?.n ?? 0;
  },

  async indexWritten(db, most) {
    let left = most;
    for (const table of SEARCH_TABLES) {
      const rows = await db.all(
        sql<{ id: number }>`SELECT id FROM unindexed WHERE search = ${table} ORDER BY id LIMIT ${left}`,
      );
      if (rows.length === 0) continue;
      const ids = listed(rows.map(({ id }) => id));
      await db.run(sql`DELETE FROM ${indexOf(table)} WHERE rowid IN (${ids})`);
      await index(db, table, ids);
      await db.run(sql`DELETE FROM unindexed WHERE search = ${table} AND id IN (${ids})`);
      left -= rows.length;
      if (left === 0) break;
    }
  },

  async mergeIndex(db) {
    for (const table of SEARCH_TABLES) {
      const before = await changesSoFar(db);
      await db.run(sql`INSERT INTO ${indexOf(table)} (${indexOf(table)}, rank) VALUES ('merge', ${MERGED_AT_ONCE})`);
      // FTS5 shows in this way whether there was anything to merge.
      if ((await changesSoFar(db)) - before >= 2) return true;
    }
    return false;
  },

  async indexSearch(db) {
    for (const table of SEARCH_TABLES) {
      if (!(await db.first(sql`SELECT 1 FROM unindexed WHERE search = ${table} AND id = ${EVERYTHING}`))) continue;
      await gathering(db, table, () => index(db, table, sql`SELECT id FROM ${sql.table(table)}`));
      await db.run(sql`DELETE FROM unindexed WHERE search = ${table}`);
    }
  },

  async unindexSearch(db) {
    for (const table of SEARCH_TABLES) {
      await db.run(sql`INSERT INTO ${indexOf(table)} (${indexOf(table)}) VALUES ('delete-all')`);
      await db.run(sql`INSERT OR IGNORE INTO unindexed (search, id) VALUES (${table}, ${EVERYTHING})`);
    }
  },

  searchable(table) {
    // The index itself says which texts it has: a text that is neither there nor noted would never be found.
    return sql<number>`(SELECT id FROM ${sql.table(table)} WHERE id IN (
      SELECT id FROM ${sql.table(`${table}_index_docsize`)}
      UNION ALL SELECT id FROM unindexed WHERE search = ${sql.lit(table)}))`;
  },
};
