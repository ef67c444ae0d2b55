import type { CompiledQuery, Expression, Kysely, QueryExecutorProvider, SqlBool } from 'kysely';
import type { SearchWords } from '../text/search.js';
import type { Tables } from './tables.js';

/** Anything the query builder makes. */
export interface Query<Row> {
  compile(provider: QueryExecutorProvider): CompiledQuery<Row>;
}

/** What a store takes first. It cannot tell a connection from a transaction. */
export interface Db {
  /** Builds SQL, runs nothing. */
  readonly q: Kysely<Tables>;
  readonly dialect: Dialect;
  all<Row>(query: Query<Row>): Promise<Row[]>;
  first<Row>(query: Query<Row>): Promise<Row | undefined>;
  /** Runs a statement; the number of rows it changed. */
  run(query: Query<unknown>): Promise<number>;
}

export interface Database {
  /** A consistent view of the data for the length of `work`. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * One transaction: all of `work` or nothing. The promise is kept only when the data is on the disk.
   * `work` may wait for the database only: others stand in line behind it.
   */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  close(): Promise<void>;
  backup(file: string): Promise<void>;
  /** Fails when the database cannot be read. */
  ping(): Promise<void>;
  /** Problems found in the file itself; empty when all is well. */
  integrity(): Promise<string[]>;
  readonly address: string;
}

export type SearchTable = 'event_search' | 'venue_search' | 'organizer_search' | 'term_search';

/** The few things the engines say differently. */
export interface Dialect {
  /** `column` is one of the values: one parameter however many there are, so that the SQL text stays the same. */
  among(column: Expression<unknown>, values: readonly (number | string)[]): Expression<SqlBool>;
  /** True where the row of `table` with this id contains every word and none of the excluded ones. */
  matches(table: SearchTable, id: Expression<number>, words: SearchWords): Expression<SqlBool>;
  /** Puts the searchable text of a record in place of the old one; '' removes it. */
  setSearchText(db: Db, table: SearchTable, id: number, text: string): Promise<void>;
  /** Puts a venue on the map, or takes it off. */
  setPlace(db: Db, id: number, point: { x: number; y: number; z: number } | undefined): Promise<void>;
  /** Ids of venues in the box around a point: a few too many, never too few. */
  placesNear(point: { x: number; y: number; z: number }, reach: number): Expression<number>;
}

/** Every change of data has its number, site-wide and rising, so that readers can ask what is new. */
export async function nextChange(db: Db): Promise<number> {
  const row = await db.first(
    db.q
      .updateTable('counter')
      .set((eb) => ({ value: eb('value', '+', 1) }))
      .where('name', '=', 'change')
      .returning('value'),
  );
  if (!row) throw new Error('The change counter is missing: the database was not migrated');
  return row.value;
}
