import { type Expression, type SqlBool, sql } from 'kysely';
import type { Dialect } from './database.js';

const SHORTEST_INDEXED = 3;
/** Bytes; the engine's own default. */
const GATHERED = 1 << 20;
const GATHERED_IN_BULK = 1 << 27;

/** FTS5 has a query language; text in double quotes, with quotes doubled, is text and nothing else. */
const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`;

export const sqliteDialect: Dialect = {
  searchId: 'rowid',

  async hasTable(db, name) {
    return (await db.first(sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${name}`)) !== undefined;
  },

  among(column, values) {
    return sql<SqlBool>`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
  },

  matches(table, id, words) {
    const rows = sql.table(table);
    const parts: Expression<SqlBool>[] = [];
    const indexed = words.include.filter((word) => [...word].length >= SHORTEST_INDEXED);
    if (indexed.length > 0) {
      const query = indexed.map(quoted).join(' AND ');
      parts.push(sql`${id} IN (SELECT rowid FROM ${rows} WHERE ${rows} MATCH ${query})`);
    }
    // Words shorter than a trigram cannot be looked up: they are looked for in the rows the rest leaves over.
    for (const word of words.include.filter((w) => [...w].length < SHORTEST_INDEXED)) {
      parts.push(sql`EXISTS (SELECT 1 FROM ${rows} WHERE rowid = ${id} AND instr(text, ${word}) > 0)`);
    }
    for (const word of words.exclude) {
      parts.push(
        [...word].length >= SHORTEST_INDEXED
          ? sql`${id} NOT IN (SELECT rowid FROM ${rows} WHERE ${rows} MATCH ${quoted(word)})`
          : sql`NOT EXISTS (SELECT 1 FROM ${rows} WHERE rowid = ${id} AND instr(text, ${word}) > 0)`,
      );
    }
    return parts.length > 0 ? sql<SqlBool>`(${sql.join(parts, sql` AND `)})` : sql<SqlBool>`1 = 1`;
  },

  contains(table, id, words) {
    const has = (word: string) =>
      sql`EXISTS (SELECT 1 FROM ${sql.table(table)} WHERE rowid = ${id} AND instr(text, ${word}) > 0)`;
    const parts = [...words.include.map(has), ...words.exclude.map((word) => sql`NOT ${has(word)}`)];
    return parts.length > 0 ? sql<SqlBool>`(${sql.join(parts, sql` AND `)})` : sql<SqlBool>`1 = 1`;
  },

  joinedInOrder(column, order) {
    return sql<string>`group_concat(${column}, ',' ORDER BY ${order})`;
  },

  async setSearchText(db, table, id, text) {
    const rows = sql.table(table);
    await db.run(sql`DELETE FROM ${rows} WHERE rowid = ${id}`);
    if (text !== '') await db.run(sql`INSERT INTO ${rows} (rowid, text) VALUES (${id}, ${text})`);
  },

  async indexSearch() {},

  async unindexSearch() {},

  searchable(table) {
    return sql<number>`(SELECT rowid AS id FROM ${sql.table(table)})`;
  },

  async addSearchTexts(db, table, texts) {
    const rows = sql.table(table);
    const filled = texts.filter(({ text }) => text !== '').map(({ id, text }) => [id, text]);
    const gather = (bytes: number) => db.run(sql`INSERT INTO ${rows} (${rows}, rank) VALUES ('hashsize', ${bytes})`);
    // The index writes what it has gathered at the end of each statement, and when it has so many bytes: pieces that
    // have to be merged later. So one statement, and room for all of it.
    await gather(GATHERED_IN_BULK);
    await db.run(
      sql`INSERT INTO ${rows} (rowid, text) SELECT value ->> 0, value ->> 1 FROM json_each(${JSON.stringify(filled)})`,
    );
    await gather(GATHERED);
  },

  async setPlace(db, id, point) {
    await db.run(sql`DELETE FROM venue_place WHERE id = ${id}`);
    if (!point) return;
    const { x, y, z } = point;
    await db.run(
      sql`INSERT INTO venue_place (id, x0, x1, y0, y1, z0, z1) VALUES (${id}, ${x}, ${x}, ${y}, ${y}, ${z}, ${z})`,
    );
  },

  placed() {
    return sql<number>`(SELECT id FROM venue_place)`;
  },

  placesNear({ x, y, z }, reach) {
    // The tree keeps 32-bit numbers, rounded outwards; the margin keeps the box a little larger than asked.
    const r = reach + 1e-6;
    return sql<number>`(SELECT id FROM venue_place
      WHERE x1 >= ${x - r} AND x0 <= ${x + r} AND y1 >= ${y - r} AND y0 <= ${y + r} AND z1 >= ${z - r} AND z0 <= ${z + r})`;
  },
};
