import { type Expression, type SqlBool, sql } from 'kysely';
import { type Db, type Dialect, SEARCH_TABLES } from './database.js';

/** These characters are wildcards in a pattern. */
const literal = (word: string): string => word.replace(/[\\%_]/g, '\\$&');

export const postgresDialect: Dialect = {
  // A database may hold other tables beside ours, such as those of extensions.
  async tableOfOthers() {
    return undefined;
  },
  async hasTable(db, name) {
    const row = await db.first(sql<{ found: boolean }>`SELECT to_regclass(${name}::text) IS NOT NULL AS found`);
    return row?.found === true;
  },

  among(column, values) {
    return postgresDialect.amongListed(column, values);
  },

  listed(values) {
    return values;
  },

  amongListed(column, listed) {
    return sql<SqlBool>`${column} = ANY(${listed})`;
  },

  matches(table, id, words) {
    const rows = sql.table(table);
    const has = (word: string): Expression<SqlBool> => sql<SqlBool>`text LIKE ${`%${literal(word)}%`}`;
    const parts: Expression<SqlBool>[] = [];
    if (words.include.length > 0) {
      const all = sql.join(words.include.map(has), sql` AND `);
      parts.push(sql`${id} IN (SELECT id FROM ${rows} WHERE ${all})`);
    }
    for (const word of words.exclude) {
      parts.push(sql`NOT EXISTS (SELECT 1 FROM ${rows} AS other WHERE other.id = ${id} AND other.${has(word)})`);
    }
    return parts.length > 0 ? sql<SqlBool>`(${sql.join(parts, sql` AND `)})` : sql<SqlBool>`1 = 1`;
  },

  contains(table, id, words) {
    const has = (word: string) =>
      sql`((SELECT 1 FROM ${sql.table(table)} AS other WHERE other.id = ${id} AND strpos(other.text, ${word}) > 0) IS NOT NULL)`;
    const parts = [...words.include.map(has), ...words.exclude.map((word) => sql`NOT ${has(word)}`)];
    return parts.length > 0 ? sql<SqlBool>`(${sql.join(parts, sql` AND `)})` : sql<SqlBool>`1 = 1`;
  },

  joined(expression) {
    return sql<string>`string_agg((${expression})::text, ',')`;
  },

  async setSearchText(db, table, id, text) {
    const rows = sql.table(table);
    if (text === '') await db.run(sql`DELETE FROM ${rows} WHERE id = ${id}`);
    else
      await db.run(
        sql`INSERT INTO ${rows} (id, text) VALUES (${id}, ${text}) ON CONFLICT (id) DO UPDATE SET text = excluded.text`,
      );
  },

  async addSearchTexts(db, table, texts) {
    const filled = texts.filter(({ text }) => text !== '');
    await db.run(
      sql`INSERT INTO ${sql.table(table)} (id, text)
        SELECT * FROM unnest(${filled.map(({ id }) => id)}::bigint[], ${filled.map(({ text }) => text)}::text[])`,
    );
  },

  // As soon as the extension exists: if we may not create it, an administrator can do so later.
  async indexSearch(db) {
    await db.run(
      sql.raw(
        'DO $$ BEGIN CREATE EXTENSION IF NOT EXISTS pg_trgm; EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN NULL; END $$',
      ),
    );
    if (!(await db.first(sql`SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'`))) return;
    for (const table of SEARCH_TABLES) {
      await db.run(sql.raw(`CREATE INDEX IF NOT EXISTS ${table}_text ON ${table} USING gin (text gin_trgm_ops)`));
    }
  },

  async unindexSearch(db) {
    for (const table of SEARCH_TABLES) await db.run(sql.raw(`DROP INDEX IF EXISTS ${table}_text`));
  },

  // PostgreSQL's index has its own list of recent entries.
  async toIndex() {
    return 0;
  },

  async indexWritten() {},

  async mergeIndex() {
    return false;
  },

  searchable(table) {
    return sql<number>`(SELECT id FROM ${sql.table(table)})`;
  },

  inBulk: (_db, work) => work(),

  // The index is on the coordinates themselves.
  async setPlace() {},

  placed() {
    return sql<number>`(SELECT id FROM venue WHERE geo_x IS NOT NULL)`;
  },

  placesNear({ x, y, z }, reach) {
    const r = reach + 1e-6;
    return sql<number>`(SELECT id FROM venue
      WHERE point(geo_x, geo_y) <@ box(point(${x - r}, ${y - r}), point(${x + r}, ${y + r}))
        AND point(geo_y, geo_z) <@ box(point(${y - r}, ${z - r}), point(${y + r}, ${z + r})))`;
  },
};

/** Without trigrams, searches find the same, only slowly. */
export async function adviceOn(db: Db): Promise<string[]> {
  const extension = await db.first(sql`SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'`);
  if (!extension) {
    return [
      'Searching reads every record, because the extension pg_trgm is missing. Ask the administrator of the database to run: CREATE EXTENSION pg_trgm; (in this database), then run "kalends migrate".',
    ];
  }
  const advice: string[] = [];
  const indexes = await db.all(
    sql<{
      name: string;
    }>`SELECT indexname AS name FROM pg_indexes WHERE tablename = ANY(${SEARCH_TABLES}) AND indexdef LIKE '%gin_trgm_ops%'`,
  );
  if (indexes.length < SEARCH_TABLES.length) advice.push('The search index is missing. Run "kalends migrate".');
  // Letters of other scripts are split into trigrams only if the database's locale knows them as letters.
  const letters = await db.first(sql<{ cut: boolean }>`SELECT show_trgm('жук') <> show_trgm('') AS cut`);
  if (letters?.cut === false) {
    advice.push(
      'The database knows only ASCII letters (its LC_CTYPE is C), so searching in other scripts is slow. Create it anew with a UTF-8 locale, such as LC_CTYPE C.UTF-8.',
    );
  }
  return advice;
}
