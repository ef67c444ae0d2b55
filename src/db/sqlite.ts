import { statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Failure } from '../errors.js';
import type { Database, Db, Query } from './database.js';
import { groupCommit, type Transaction } from './group.js';
import { poolOf } from './pool.js';
import { asideOf } from './sqlite-aside.js';
import { sqliteDialect, WRITER_CACHE } from './sqlite-dialect.js';
import { type Handle, loadEngine, openFile, type Statement, type Value } from './sqlite-engine.js';
import { logOf } from './sqlite-log.js';
import { moverOf } from './sqlite-mover.js';
import type { Tables } from './tables.js';
import { explained } from './trouble.js';

const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export interface SqliteOptions {
  file: string;
  /** Called with the text of every statement. */
  observe?: ((sql: string) => void) | undefined;
}

/** How long a write waits for another process that has locked the file, in milliseconds. */
const PATIENCE = 5000;
const STATEMENTS_KEPT = 100;
const READERS = 4;
/** At this length the log is checkpointed. A long log means that pages which keep changing are copied less often. */
const PAGES_IN_LOG = 4000;
/** A server does that in another thread; if that does not keep up, the commit that reaches this length does it. */
const PAGES_LEFT_TO_THREAD = 40_000;

function compiled(query: Query<unknown>): { sql: string; parameters: Value[] } {
  const { sql, parameters }: CompiledQuery = query.compile(builder);
  return { sql, parameters: parameters as Value[] };
}

/** One handle to the file. It keeps the handle and its statements alive together: a statement alone does not. */
class Connection implements Db {
  readonly q = builder;
  readonly dialect = sqliteDialect;
  private readonly asking = new Map<string, Statement>();
  private readonly telling = new Map<string, Statement>();

  constructor(
    readonly handle: Handle,
    private readonly observe: ((sql: string) => void) | undefined,
  ) {}

  async all<Row>(query: Query<Row>): Promise<Row[]> {
    const { sql, parameters } = compiled(query);
    this.observe?.(sql);
    return this.prepared(this.asking, sql).all(...parameters) as Row[];
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return (await this.all(query))[0];
  }

  async run(query: Query<unknown>): Promise<void> {
    await this.changed(query);
  }

  async changed(query: Query<unknown>): Promise<number> {
    const { sql, parameters } = compiled(query);
    this.observe?.(sql);
    return Number(this.prepared(this.telling, sql).run(...parameters).changes);
  }

  exec(sql: string): void {
    this.prepared(this.telling, sql).run();
  }

  close(): void {
    this.asking.clear();
    this.telling.clear();
    this.handle.close();
  }

  private prepared(kept: Map<string, Statement>, sql: string): Statement {
    const known = kept.get(sql);
    if (known) return known;
    if (kept.size >= STATEMENTS_KEPT) {
      const oldest = kept.keys().next().value;
      if (oldest !== undefined) kept.delete(oldest);
    }
    const made = this.handle.prepare(sql);
    // `run` also returns the id of the last inserted row, even one that the text index inserted into its own tables:
    // such ids may exceed what a number can hold, and then the engine of Node 26 throws.
    if (kept === this.telling) made.setReadBigInts(true);
    kept.set(sql, made);
    return made;
  }
}

export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const engine = await loadEngine();

  makePrivately(options.file);
  const open = (): Connection => {
    const handle = openFile(engine, options.file);
    handle.exec(`PRAGMA wal_autocheckpoint = ${PAGES_IN_LOG}`);
    return new Connection(handle, options.observe);
  };

  const writer = await patiently(async () => open());
  writer.exec(`PRAGMA cache_size = ${WRITER_CACHE}`);
  const requireInPlace = placed(options.file);
  const readers = poolOf<Connection>({
    open: async () => {
      // It would make a new, empty file.
      requireInPlace();
      return open();
    },
    shut: (connection) => connection.close(),
    most: READERS,
    patience: PATIENCE,
  });

  async function read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const connection = await readers.take().catch((error: unknown) => {
      throw explained(error);
    });
    try {
      return await viewed(connection, work);
    } catch (error) {
      throw explained(error);
    } finally {
      readers.give(connection);
    }
  }

  const builds = { q: builder, dialect: sqliteDialect };
  const log = logOf(options.file);
  const aside = asideOf(options.file);
  async function beside(sql: string, parameters: Value[], take: (rows: unknown[]) => void): Promise<void> {
    requireInPlace();
    await aside.ask(sql, parameters, take).catch((error: unknown) => {
      throw explained(error);
    });
  }
  const mover = moverOf(async () => {
    requireInPlace();
    let pages = 0;
    await aside.ask('PRAGMA wal_checkpoint(PASSIVE)', [], ([row]) => {
      pages = (row as { log: number } | undefined)?.log ?? pages;
    });
    return pages >= PAGES_IN_LOG;
  }, aside.isFree);
  let isServing = false;
  let committed: Parameters<NonNullable<Database['watch']>>[0] = async () => {};
  const transaction: Transaction = async (fill) => {
    log.requireSound();
    requireInPlace();
    await patiently(async () => writer.exec('BEGIN IMMEDIATE'));
    try {
      // A full disk ends the whole transaction by itself.
      await fill({
        db: writer,
        exec: async (sql) => writer.exec(sql),
        settled: async () => {},
        survives: () => writer.handle.isTransaction,
      });
      await patiently(async () => writer.exec('COMMIT'));
    } catch (error) {
      if (writer.handle.isTransaction) writer.exec('ROLLBACK');
      throw error;
    }
    const durable = log.durable();
    // On this connection, since the writer has the new pages in its cache; all others would read them from the file.
    await committed((look) => viewed(writer, look));
    return { durable };
  };
  const group = groupCommit((fill) => mover.between(() => transaction(fill)), explained);

  return {
    engine: 'sqlite',
    builds,
    address: options.file,
    read,
    write: group.write,
    watch(watcher) {
      // A process that watches runs for long, with readers who would wait for a commit that checkpoints the log.
      writer.exec(`PRAGMA wal_autocheckpoint = ${PAGES_LEFT_TO_THREAD}`);
      isServing = true;
      committed = (look) => {
        mover.soon();
        return watcher(look);
      };
    },
    sharesViews: true,
    aside: {
      ...builds,
      async each(query, take) {
        const { sql, parameters } = compiled(query);
        options.observe?.(sql);
        await beside(sql, parameters, take as (rows: unknown[]) => void);
      },
    },
    async ping() {
      log.requireSound();
      requireInPlace();
      await read(async (db) => db.all(db.q.selectFrom('counter').select('value')));
    },
    async backup(file) {
      await read(async (db) => {
        const { handle } = db as Connection;
        // The first read begins the snapshot. Without it, the copy would start again at each write of another process,
        // and might never end.
        handle.prepare('SELECT count(*) FROM sqlite_master').all();
        await engine.backup(handle, file);
      });
    },
    async advice() {
      return [];
    },
    async integrity() {
      const problems: string[] = [];
      // In the other thread, since a large file takes minutes: meanwhile, a command listens to signals.
      const pragma = (text: string, tell: (row: Record<string, string | number | null>) => string) =>
        beside(text, [], (rows) => {
          for (const row of rows as Parameters<typeof tell>[0][]) problems.push(tell(row));
        });
      await pragma('PRAGMA integrity_check', (row) => String(row.integrity_check));
      await pragma(
        'PRAGMA foreign_key_check',
        (row) => `${row.table} row ${row.rowid} points to a row of ${row.parent} that does not exist`,
      );
      return problems.filter((one) => one !== 'ok');
    },
    async close() {
      await group.close();
      mover.stop();
      await aside.close();
      await readers.close();
      try {
        if (isServing) dropStatistics(writer);
        writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // Another process still reads: its own close tidies up.
      }
      writer.close();
      await log.close();
    },
  };
}

/** An earlier version makes them whenever it ends (migration 0011), even after this one has begun. */
function dropStatistics(writer: Connection): void {
  for (const table of ['sqlite_stat1', 'sqlite_stat4']) writer.exec(`DROP TABLE IF EXISTS ${table}`);
}

/** Runs `work` in one snapshot of the data. */
async function viewed<T>(connection: Connection, work: (db: Db) => Promise<T>): Promise<T> {
  connection.exec('BEGIN');
  try {
    return await work(connection);
  } finally {
    // Nothing was written: if ending the snapshot fails, that does not matter to the reader.
    if (connection.handle.isTransaction) connection.exec('ROLLBACK');
  }
}

/** What is written to a file that was removed or replaced would be lost, although the engine notices nothing. */
function placed(file: string): () => void {
  const find = () => statSync(file, { bigint: true, throwIfNoEntry: false });
  const then = find();
  return () => {
    const now = find();
    if (now?.ino === then?.ino && now?.dev === then?.dev) return;
    const cause = new Error(`${file} was removed or replaced while this process had it open. Start it again.`);
    throw new Failure('service-unavailable', { cause });
  };
}

/** Readable by its owner only. SQLite gives its log the permissions of the file. */
function makePrivately(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It exists already, or cannot be created: then opening it reports why.
  }
}

/**
 * Puts everything into the one file, so that it can be moved. False if another process has it open: only the sole user
 * of a file can leave write-ahead logging.
 */
export async function sealSqlite(file: string): Promise<boolean> {
  const { DatabaseSync } = await loadEngine();
  const handle = new DatabaseSync(file);
  try {
    handle.exec('PRAGMA busy_timeout = 200');
    // Not as a statement: that would keep the file open, and so in use, until memory is tidied.
    handle.exec('PRAGMA journal_mode = DELETE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    handle.close();
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && /database is locked|SQLITE_BUSY/.test(error.message);

/** Another process may have locked the file for a moment: waits without blocking the thread, then reports it. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > until) throw new Failure('service-unavailable', { cause: error });
      await sleep(15);
    }
  }
}
