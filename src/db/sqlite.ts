import { writeFileSync } from 'node:fs';
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
import { groupCommit } from './group.js';
import { poolOf } from './pool.js';
import { sqliteDialect } from './sqlite-dialect.js';
import { logOf } from './sqlite-log.js';
import type { Tables } from './tables.js';
import { explained } from './trouble.js';

type Value = string | number | bigint | null | Uint8Array;
interface Statement {
  all(...values: Value[]): unknown[];
  run(...values: Value[]): { changes: number | bigint };
}
interface Handle {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
  readonly isTransaction: boolean;
}
interface Engine {
  DatabaseSync: new (file: string, options?: object) => Handle;
  backup(source: Handle, file: string): Promise<unknown>;
}

/** The engine built into Node where it is finished (24 and later), the same interface from a package before. */
async function loadEngine(): Promise<Engine> {
  const builtIn = Number(process.versions.node.split('.')[0]) >= 24;
  return (builtIn
    ? await import('node:sqlite' as string)
    : await import('@photostructure/sqlite')) as unknown as Engine;
}

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
  /** Sees every SQL text that is sent. */
  observe?: ((sql: string) => void) | undefined;
  /** How long a write waits for another process that holds the file, in milliseconds. */
  patience?: number;
}

const STATEMENTS_KEPT = 100;
const READERS = 4;

/** One handle to the file. It keeps the handle and its statements alive together: a statement alone does not. */
class Connection implements Db {
  readonly q = builder;
  readonly dialect = sqliteDialect;
  private readonly statements = new Map<string, Statement>();

  constructor(
    readonly handle: Handle,
    private readonly observe: ((sql: string) => void) | undefined,
  ) {}

  async all<Row>(query: Query<Row>): Promise<Row[]> {
    const { sql, parameters } = this.compiled(query);
    return this.statement(sql).all(...parameters) as Row[];
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return (await this.all(query))[0];
  }

  async run(query: Query<unknown>): Promise<number> {
    const { sql, parameters } = this.compiled(query);
    return Number(this.statement(sql).run(...parameters).changes);
  }

  exec(sql: string): void {
    this.prepared(sql).run();
  }

  close(): void {
    this.statements.clear();
    this.handle.close();
  }

  private compiled(query: Query<unknown>): { sql: string; parameters: Value[] } {
    const compiled: CompiledQuery = query.compile(builder);
    return { sql: compiled.sql, parameters: compiled.parameters as Value[] };
  }

  private statement(sql: string): Statement {
    this.observe?.(sql);
    return this.prepared(sql);
  }

  private prepared(sql: string): Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    if (this.statements.size >= STATEMENTS_KEPT) {
      const oldest = this.statements.keys().next().value;
      if (oldest !== undefined) this.statements.delete(oldest);
    }
    const made = this.handle.prepare(sql);
    this.statements.set(sql, made);
    return made;
  }
}

export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const engine = await loadEngine();
  const patience = options.patience ?? 5000;

  makePrivately(options.file);
  const open = (): Connection => {
    const handle = new engine.DatabaseSync(options.file);
    handle.exec('PRAGMA busy_timeout = 20');
    handle.exec('PRAGMA journal_mode = WAL');
    // The engine brings the log to the disk before it moves it into the file; at each commit we do (see Log), and
    // answer then.
    handle.exec('PRAGMA synchronous = NORMAL');
    // In pages: what changes again and again is moved into the file less often.
    handle.exec('PRAGMA wal_autocheckpoint = 4000');
    handle.exec('PRAGMA foreign_keys = ON');
    handle.exec('PRAGMA trusted_schema = OFF');
    // In KiB, for each connection.
    handle.exec('PRAGMA cache_size = -2000');
    handle.exec('PRAGMA temp_store = MEMORY');
    return new Connection(handle, options.observe);
  };

  const writer = await patiently(patience, async () => open());
  const readers = poolOf<Connection>({
    open: async () => open(),
    shut: (connection) => connection.close(),
    most: READERS,
    patience,
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

  const log = logOf(options.file);
  let committed: Parameters<NonNullable<Database['watch']>>[0] = async () => {};
  const group = groupCommit(async (fill) => {
    log.requireSound();
    await patiently(patience, async () => writer.exec('BEGIN IMMEDIATE'));
    try {
      // A full disk ends the whole transaction by itself.
      await fill({ db: writer, exec: async (sql) => writer.exec(sql), alive: () => writer.handle.isTransaction });
      await patiently(patience, async () => writer.exec('COMMIT'));
    } catch (error) {
      if (writer.handle.isTransaction) writer.exec('ROLLBACK');
      throw error;
    }
    const durable = log.durable();
    // Here, since who has written has what was written at hand; all others read it from the file.
    await committed((look) => viewed(writer, look));
    return { durable };
  }, explained);

  return {
    engine: 'sqlite',
    builds: { q: builder, dialect: sqliteDialect },
    address: options.file,
    read,
    write: group.write,
    watch(watcher) {
      committed = watcher;
    },
    async ping() {
      await read(async (db) => db.all(db.q.selectFrom('counter').select('value')));
    },
    async backup(file) {
      await read(async (db) => {
        const { handle } = db as Connection;
        // The first read begins the snapshot. Without one the copy starts again at each write of another process, and
        // may never end.
        handle.prepare('SELECT count(*) FROM sqlite_master').all();
        await engine.backup(handle, file);
      });
    },
    async advice() {
      return [];
    },
    async integrity() {
      return read(async (db) => {
        const problems: string[] = [];
        const pragma = (text: string) =>
          (db as Connection).handle.prepare(text).all() as Record<string, string | number | null>[];
        for (const row of pragma('PRAGMA integrity_check')) {
          if (row.integrity_check !== 'ok') problems.push(String(row.integrity_check));
        }
        for (const row of pragma('PRAGMA foreign_key_check')) {
          problems.push(`${row.table} row ${row.rowid} points to a row of ${row.parent} that does not exist`);
        }
        return problems;
      });
    },
    async close() {
      await group.close();
      await readers.close();
      try {
        writer.exec('PRAGMA optimize');
        writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // Another process still reads: its own close tidies up.
      }
      writer.close();
      await log.close();
    },
  };
}

/** One view of the data. */
async function viewed<T>(connection: Connection, work: (db: Db) => Promise<T>): Promise<T> {
  connection.exec('BEGIN');
  try {
    return await work(connection);
  } finally {
    // Nothing was written: ending the view cannot fail in a way that matters to the reader.
    if (connection.handle.isTransaction) connection.exec('ROLLBACK');
  }
}

/** What is in it is nobody else's business. The engine gives its log the rights of the file. */
function makePrivately(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there, or cannot be made: then the engine says why.
  }
}

/**
 * Puts everything into the one file, so that it can be moved. False when another process has it open: only who is
 * alone can leave the write-ahead log.
 */
export async function sealSqlite(file: string): Promise<boolean> {
  const { DatabaseSync } = await loadEngine();
  const handle = new DatabaseSync(file);
  try {
    handle.exec('PRAGMA busy_timeout = 200');
    const [row] = handle.prepare('PRAGMA journal_mode = DELETE').all() as { journal_mode: string }[];
    return row?.journal_mode === 'delete';
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  } finally {
    handle.close();
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && /database is locked|SQLITE_BUSY/.test(error.message);

/** Another process may hold the file for a moment: wait without blocking everybody else, then say so. */
async function patiently<T>(limit: number, attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + limit;
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
