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
  /**
   * Runs a statement. Where the engine takes several at once it is not waited for: that it failed is told by what
   * follows, at the latest by the end of the transaction. `reach`: 'far' where very many rows follow from one.
   */
  run(query: Query<unknown>, reach?: 'far'): Promise<void>;
  /** Runs a statement; the number of rows it changed. */
  changed(query: Query<unknown>): Promise<number>;
}

export type Engine = 'sqlite' | 'postgres';

export interface Reading {
  /** Sees every write that was answered before, whoever answered it. Otherwise a replica may tell what it knows. */
  fresh?: boolean;
}

/** Another server that follows the database. */
export interface ReplicaState {
  address: string;
  inUse: boolean;
  /** Why it is left out. */
  reason?: string | undefined;
}

/** Where a question may take long without holding up others. */
export interface Aside extends Pick<Db, 'q' | 'dialect'> {
  /** Asks in a view that begins now and ends with the answer; rows come a few at a time. */
  each<Row>(query: Query<Row>, take: (rows: Row[]) => void): Promise<void>;
}

type View = (work: (db: Db) => Promise<void>) => Promise<void>;

export interface Database {
  readonly engine: Engine;
  /** What statements for it are built with. */
  readonly builds: Pick<Db, 'q' | 'dialect'>;
  /** A consistent view of the data for the length of `work`, which may be called again when the connection is lost. */
  read<T>(work: (db: Db) => Promise<T>, reading?: Reading): Promise<T>;
  /**
   * One transaction: all of `work` or nothing. The promise is kept only when the data is on the disk.
   * `work` may wait for the database only, since others stand in line behind it, and may be called again when the
   * engine ended the transaction before anything was kept. Writers never run beside each other, on whatever machine:
   * what one reads before it writes still holds when it does.
   */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Tells of every write of this process as soon as it is committed, and before the next, with a way to look at the data
   * as it is then. Absent: who wants to know reads after the write.
   */
  watch?(committed: (look: View) => Promise<void>): void;
  readonly aside: Aside;
  /** Whether many read in one view as quickly as each in its own. */
  readonly sharesViews: boolean;
  close(): Promise<void>;
  /** Writes itself to a file as it is at this moment, where a database is a file. */
  backup?(file: string): Promise<void>;
  /** Fails when the database cannot be read. */
  ping(): Promise<void>;
  /** Problems found in the file itself; empty when all is well. */
  integrity(): Promise<string[]>;
  /** What an administrator of the database should do, so that it works as well as it can. */
  advice(): Promise<string[]>;
  /** Those that answer reads, where there are any. */
  replicas?(): ReplicaState[];
  /** Where it is, without secrets. */
  readonly address: string;
}

export const SEARCH_TABLES = ['event_search', 'venue_search', 'organizer_search', 'term_search'] as const;
export type SearchTable = (typeof SEARCH_TABLES)[number];

/** The few things the engines say differently. */
export interface Dialect {
  hasTable(db: Db, name: string): Promise<boolean>;
  /** A table that shows that the database is another program's. */
  tableOfOthers(db: Db): Promise<string | undefined>;
  /** `column` is one of the values: one parameter however many there are, so that the SQL text stays the same. */
  among(column: Expression<unknown>, values: readonly (number | string)[]): Expression<SqlBool>;
  /** The values as that parameter, and the condition with it: for statements that are put together once. */
  listed(values: readonly (number | string)[]): unknown;
  amongListed(column: Expression<unknown>, listed: unknown): Expression<SqlBool>;
  /** True where the row of `table` with this id contains every word and none of the excluded ones. */
  matches(table: SearchTable, id: Expression<number>, words: SearchWords): Expression<SqlBool>;
  /** The same of a few rows that are known by other means, without looking into the index. */
  contains(table: SearchTable, id: Expression<number>, words: SearchWords): Expression<SqlBool>;
  /** The texts or numbers of a group in whatever order, with commas between. In order it would take several times as long. */
  joined(expression: Expression<unknown>): Expression<string>;
  /** Makes the index of searchable texts where the migrations could not. */
  indexSearch(db: Db): Promise<void>;
  /** Drops that index while very many texts come: making it anew afterwards is several times faster. */
  unindexSearch(db: Db): Promise<void>;
  /** How many texts are not in that index yet; they are found all the same. */
  toIndex(db: Db): Promise<number>;
  /** Takes some of those into it. */
  indexWritten(db: Db, most: number): Promise<void>;
  /** Puts a little of that index in better order; false when it is in order. */
  mergeIndex(db: Db): Promise<boolean>;
  /** Puts the searchable text of a record in place of the old one; '' removes it. */
  setSearchText(db: Db, table: SearchTable, id: number, text: string): Promise<void>;
  /** The ids that have a searchable text. */
  searchable(table: SearchTable): Expression<number>;
  /** The searchable texts of records that are new, many at once. */
  addSearchTexts(db: Db, table: SearchTable, texts: readonly { id: number; text: string }[]): Promise<void>;
  /** Puts a venue on the map, or takes it off. */
  setPlace(db: Db, id: number, point: { x: number; y: number; z: number } | undefined): Promise<void>;
  /** Ids of venues that are on the map. */
  placed(): Expression<number>;
  /** Ids of venues in the box around a point: a few too many, never too few. */
  placesNear(point: { x: number; y: number; z: number }, reach: number): Expression<number>;
}
