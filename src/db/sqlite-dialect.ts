import { type SqlBool, sql } from 'kysely';
import type { Dialect } from './database.js';
import { sqliteSearch } from './sqlite-search.js';

/** Pages that a transaction has changed stay in this cache until it ends, or are written to the log again and again. */
export const WRITER_CACHE = -2000;
const WRITER_CACHE_IN_BULK = -32_000;

export const sqliteDialect: Dialect = {
  ...sqliteSearch,

  // A file belongs to one program; but tools that replicate it may add tables, whose names begin with an underscore.
  async tableOfOthers(db) {
    const other = await db.first(
      sql<{
        name: string;
      }>`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_*'`,
    );
    return other?.name;
  },
  async hasTable(db, name) {
    return (await db.first(sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ${name}`)) !== undefined;
  },

  among(column, values) {
    return sqliteDialect.amongListed(column, sqliteDialect.listed(values));
  },

  listed(values) {
    return JSON.stringify(values);
  },

  amongListed(column, listed) {
    return sql<SqlBool>`${column} IN (SELECT value FROM json_each(${listed}))`;
  },

  joined(expression) {
    return sql<string>`group_concat(${expression})`;
  },

  async inBulk(db, work) {
    const cache = (size: number) => db.run(sql`PRAGMA cache_size = ${sql.lit(size)}`);
    await cache(WRITER_CACHE_IN_BULK);
    try {
      return await work();
    } finally {
      await cache(WRITER_CACHE);
    }
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
    // The R*Tree stores 32-bit numbers, rounded outwards; the margin makes the box a little larger than requested.
    const r = reach + 1e-6;
    return sql<number>`(SELECT id FROM venue_place
      WHERE x1 >= ${x - r} AND x0 <= ${x + r} AND y1 >= ${y - r} AND y0 <= ${y + r} AND z1 >= ${z - r} AND z0 <= ${z + r})`;
  },
};
