import type { CompiledQuery, Expression, Kysely, QueryExecutorProvider, SqlBool } from 'kysely';
import type { SearchWords } from '../text/search.js';
import type { Tables } from './tables.js';

/** Anything the query builder makes. */
export interface Query<Row> {
  compile(provider: QueryExecutorProvider): CompiledQuery<Row>;
}

/** What every store function takes first. It cannot tell a connection from a transaction. */
export interface Db {
  /** Builds SQL, runs nothing. */
  readonly q: Kysely<Tables>;
  readonly dialect: Dialect;
  all<Row>(query: Query<Row>): Promise<Row[]>;
  first<Row>(query: Query<Row>): Promise<Row | undefined>;
  /**
   * Runs a statement. If the engine pipelines statements, this does not wait for the result: a failure is reported by
   * what follows, at the latest by the end of the transaction. `reach`: 'far' if one row may affect very many others.
   */
  run(query: Query<unknown>, reach?: 'far'): Promise<void>;
  /** Runs a statement and returns the number of rows it changed. */
  changed(query: Query<unknown>): Promise<number>;
}

export type Engine = 'sqlite' | 'postgres';

export interface Freshness {
  /** Sees every write that was confirmed before, by whichever instance. Otherwise a replica may be read. */
  fresh?: boolean;
}

/** A replica of the database. */
export interface ReplicaState {
  address: string;
  inUse: boolean;
  /** Why it is not in use. */
  reason?: string | undefined;
}

/** For queries that may take long, without holding up others. */
export interface Aside extends Pick<Db, 'q' | 'dialect'> {
  /** Runs the query in its own snapshot, which ends with the result; rows come a few at a time. */
  each<Row>(query: Query<Row>, take: (rows: Row[]) => void): Promise<void>;
}

type InSnapshot = (work: (db: Db) => Promise<void>) => Promise<void>;

export interface Database {
  readonly engine: Engine;
  /** What statements for it are built with. */
  readonly builds: Pick<Db, 'q' | 'dialect'>;
  /** A consistent snapshot of the data while `work` runs, which may be called again if the connection is lost. */
  read<T>(work: (db: Db) => Promise<T>, freshness?: Freshness): Promise<T>;
  /**
   * One transaction: all of `work` or nothing. The promise resolves only when the data is on disk. `work` may wait for
   * the database only, since other writers queue behind it, and may be called again if the engine ended the transaction
   * before anything was committed. Writers never run concurrently, on whatever machine: what one reads before it writes
   * still holds when it does.
   */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Calls back after every commit of this process, before the next one, with a way to read the data as of then. Absent:
   * whoever needs it reads after the write.
   */
  watch?(committed: (look: InSnapshot) => Promise<void>): void;
  readonly aside: Aside;
  /** Whether many readers in one snapshot are as quick as each in its own. */
  readonly sharesViews: boolean;
  close(): Promise<void>;
  /** Writes a copy of itself, as of this moment, to a file; only if the database is a file. */
  backup?(file: string): Promise<void>;
  /** Fails if the database cannot be read. */
  ping(): Promise<void>;
  /** Problems found in the file itself; empty if all is well. */
  integrity(): Promise<string[]>;
  /** What an administrator of the database should do to make it work better. */
  advice(): Promise<string[]>;
  /** The replicas, if there are any. */
  replicas?(): ReplicaState[];
  /** Its address, without secrets. */
  readonly address: string;
}

export const SEARCH_TABLES = ['event_search', 'venue_search', 'organizer_search', 'term_search'] as const;
export type SearchTable = (typeof SEARCH_TABLES)[number];

/** The few things for which the engines need different SQL. */
export interface Dialect {
  hasTable(db: Db, name: string): Promise<boolean>;
  /** A table which shows that the database belongs to another program. */
  tableOfOthers(db: Db): Promise<string | undefined>;
  /** `column` is one of the values: a single parameter for any number of them, so that the SQL text stays the same. */
  among(column: Expression<unknown>, values: readonly (number | string)[]): Expression<SqlBool>;
  /** The values as that parameter, and the condition with it: for statements that are built once. */
  listed(values: readonly (number | string)[]): unknown;
  amongListed(column: Expression<unknown>, listed: unknown): Expression<SqlBool>;
  /** True if the row of `table` with this id contains every word and none of the excluded ones. */
  matches(table: SearchTable, id: Expression<number>, words: SearchWords): Expression<SqlBool>;
  /** The same for a few rows that are known by other means, without using the index. */
  contains(table: SearchTable, id: Expression<number>, words: SearchWords): Expression<SqlBool>;
  /** The texts or numbers of a group, separated by commas, in any order. Sorting would take several times as long. */
  joined(expression: Expression<unknown>): Expression<string>;
  /** Creates the index of searchable texts if the migrations could not. */
  indexSearch(db: Db): Promise<void>;
  /** Drops that index before a bulk load: rebuilding it afterwards is several times faster. */
  unindexSearch(db: Db): Promise<void>;
  /** How many texts are not in that index yet; searches find them all the same. */
  toIndex(db: Db): Promise<number>;
  /** Adds some of those to the index. */
  indexWritten(db: Db, most: number): Promise<void>;
  /** Does a small part of merging that index; false if nothing is left to merge. */
  mergeIndex(db: Db): Promise<boolean>;
  /** Replaces the searchable text of a record; '' removes it. */
  setSearchText(db: Db, table: SearchTable, id: number, text: string): Promise<void>;
  /** The ids that have a searchable text. */
  searchable(table: SearchTable): Expression<number>;
  /** Runs work that writes very much in one transaction. */
  inBulk<T>(db: Db, work: () => Promise<T>): Promise<T>;
  /** Adds the searchable texts of many new records at once. */
  addSearchTexts(db: Db, table: SearchTable, texts: readonly { id: number; text: string }[]): Promise<void>;
  /** Adds a venue to the spatial index, or removes it. */
  setPlace(db: Db, id: number, point: { x: number; y: number; z: number } | undefined): Promise<void>;
  /** Ids of venues with coordinates. */
  placed(): Expression<number>;
  /** Ids of venues in the box around a point: a few too many, never too few. */
  placesNear(point: { x: number; y: number; z: number }, reach: number): Expression<number>;
}
