import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import type { Database, Db, Query } from './database.js';
import { groupCommit } from './group.js';
import { poolOf } from './pool.js';
import { asidesOf, longestBeside } from './postgres-aside.js';
import { adviceOn, postgresDialect } from './postgres-dialect.js';
import { type Host, hostsIn, shownAddress } from './postgres-url.js';
import type { Tables } from './tables.js';
import { explained, isAftermath, isLost, isRepeatable } from './trouble.js';

const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Numbers of 64 bits come as text otherwise; all of ours are counts, ids and seconds, far below 2^53. */
const BIGINT = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

export interface PostgresOptions {
  url: string;
  observe?: ((sql: string) => void) | undefined;
  /** How long to wait for a connection, an answer, or a database that is away, in milliseconds. */
  patience?: number | undefined;
  /** The longest that one statement may take, in milliseconds; 0 is for ever. */
  statementTime?: number | undefined;
  /** Connections kept at most. */
  connections?: number | undefined;
  /** A standby may answer: for reading only. */
  standby?: boolean | undefined;
}

/** Any number of our own: who holds it writes. It ends with the transaction, so that poolers of transactions are no obstacle. */
const WRITERS_LOCK = 0x6b616c65;
/** The server must end what nobody waits for any more: else its connections pile up behind a lock. */
const limitedTo = (time: number): string => `SET LOCAL statement_timeout = ${time}`;
const limited = (statementTime: number): string => (statementTime > 0 ? `; ${limitedTo(statementTime)}` : '');
const readOf = (statementTime: number): string =>
  `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${limited(statementTime)}`;
const writeOf = (patience: number, statementTime: number): string =>
  // A machine that vanishes must not hold the others up for longer than this.
  `BEGIN ISOLATION LEVEL READ COMMITTED${limited(statementTime)}; SET LOCAL lock_timeout = ${patience}; SET LOCAL idle_in_transaction_session_timeout = ${patience * 3};
   SELECT pg_advisory_xact_lock(${WRITERS_LOCK})`;

/** Statements that come again get a name, and are planned once for each connection. */
const NAMED_AT_MOST = 400;
const names = new Map<string, string>();
const onceSeen = new Set<string>();
function nameOf(sql: string): string | undefined {
  const known = names.get(sql);
  if (known !== undefined || names.size >= NAMED_AT_MOST) return known;
  if (!onceSeen.has(sql)) {
    if (onceSeen.size > 10 * NAMED_AT_MOST) onceSeen.clear();
    onceSeen.add(sql);
    return undefined;
  }
  const name = `kalends_${names.size + 1}`;
  names.set(sql, name);
  return name;
}

/** Statements on their way at once. */
const MOST_SENT = 8;
/** With it, or with the part of it that is taken back, its trouble ends. */
const ENDING = /^(COMMIT|ROLLBACK)/;

class Connection implements Db {
  readonly q = builder;
  readonly dialect = postgresDialect;
  broken = false;
  /** What was run, and is not known to have succeeded. */
  private readonly sent = new Set<Promise<void>>();
  /** What failed first of it: all that follows fails for that reason. */
  private trouble: unknown;

  constructor(
    readonly client: pg.Client,
    private readonly named: boolean,
    private readonly statementTime: number,
    private readonly observe: ((sql: string) => void) | undefined,
  ) {
    client.on('error', () => this.lose());
    client.on('end', () => this.lose());
  }

  lose(): void {
    this.broken = true;
  }

  /** Without asking: one that hangs or is at work cannot be asked to end. */
  cut(): void {
    this.lose();
    (this.client as unknown as { connection: { stream: Stream } }).connection.stream.destroy();
  }

  /** `time`: the longest that it may take, in milliseconds, where that is not what all may. */
  async all<Row>(query: Query<Row>, time?: number): Promise<Row[]> {
    return (await this.send(query, time)).rows as Row[];
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return (await this.all(query))[0];
  }

  async run(query: Query<unknown>, reach?: 'far'): Promise<void> {
    if (reach === 'far' && this.statementTime > 0) return this.runFar(query);
    // What stands in line counts as waiting for an answer: there must not be too much of it.
    if (this.sent.size >= MOST_SENT) await this.settled();
    const sent: Promise<void> = this.ask(query)
      .then(
        () => {},
        (error: unknown) => {
          this.notice(error);
          this.trouble ??= error;
        },
      )
      .finally(() => this.sent.delete(sent));
    this.sent.add(sent);
  }

  private async runFar(query: Query<unknown>): Promise<void> {
    const longest = longestBeside(this.statementTime);
    await this.settled();
    // Neither is waited for: where one fails, what follows tells.
    this.exec(limitedTo(longest)).catch(() => {});
    await this.send(query, longest);
    this.exec(limitedTo(this.statementTime)).catch(() => {});
  }

  async changed(query: Query<unknown>): Promise<number> {
    return (await this.send(query)).rowCount ?? 0;
  }

  async settled(): Promise<void> {
    await Promise.all(this.sent);
    if (this.trouble !== undefined) throw this.trouble;
  }

  /** Without waiting for what was sent before: what follows a failure fails as well. */
  async exec(sql: string): Promise<unknown> {
    const done = await this.client.query(sql).catch((error: unknown) => this.failed(error));
    if (ENDING.test(sql)) {
      await Promise.all(this.sent);
      this.trouble = undefined;
    }
    return done;
  }

  private send(query: Query<unknown>, time?: number): Promise<pg.QueryResult> {
    return this.ask(query, time).catch((error: unknown) => this.failed(error));
  }

  private async ask(query: Query<unknown>, time?: number): Promise<pg.QueryResult> {
    const { sql: text, parameters }: CompiledQuery = query.compile(builder);
    this.observe?.(text);
    const name = this.named ? nameOf(text) : undefined;
    const values = parameters as unknown[];
    const asked = { text, values, ...(name ? { name } : {}), ...(time === undefined ? {} : { query_timeout: time }) };
    return this.client.query(asked);
  }

  private notice(error: unknown): void {
    if (isLost(error)) this.lose();
  }

  private async failed(error: unknown): Promise<never> {
    this.notice(error);
    // What was sent before knows why.
    if (isAftermath(error)) await this.settled();
    throw error;
  }
}

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, observe, patience = 4000, statementTime = 5000, connections = 10, standby = false } = options;
  const hosts = hostsIn(url);
  const builds = { q: builder, dialect: postgresDialect };
  let last = 0;

  const pool = poolOf<Connection>({
    // The one that answered last is asked first: one that hangs is not waited for at each connection.
    open: async () => {
      const inTurn = [...hosts.slice(last), ...hosts.slice(0, last)];
      const { connection, host } = await connect(inTurn, { standby, patience, statementTime, observe });
      last = hosts.indexOf(host);
      return connection;
    },
    shut: (connection) => {
      if (connection.broken) connection.cut();
      else void connection.client.end().catch(() => {});
    },
    usable: (connection) => !connection.broken,
    most: connections,
    patience,
  });

  async function view<T>(time: number, work: (db: Connection) => Promise<T>): Promise<T> {
    const connection = await pool.take();
    const begun = connection.exec(readOf(time));
    // Told by the statement that follows.
    begun.catch(() => {});
    try {
      const seen = await work(connection);
      await connection.settled();
      return seen;
    } finally {
      // Nothing was written: the reader need not wait for the end of its view.
      connection.exec('COMMIT').then(
        () => pool.give(connection),
        () => pool.give(connection, true),
      );
    }
  }
  const read = <T>(work: (db: Db) => Promise<T>): Promise<T> => again(patience, () => view(statementTime, work));

  const asides = asidesOf(view, statementTime);

  const group = groupCommit(
    (fill) =>
      again(patience, async () => {
        const connection = await pool.take();
        let committing = false;
        try {
          await connection.exec(writeOf(patience, statementTime));
          await fill({
            db: connection,
            exec: (sql) => connection.exec(sql),
            settled: () => connection.settled(),
            survives: (error) => !connection.broken && !isRepeatable(error),
          });
          committing = true;
          await connection.exec('COMMIT');
          pool.give(connection);
          return {};
        } catch (error) {
          // Not to be repeated: it may have been kept, and the answer was lost on its way.
          if (committing && connection.broken) Object.assign(error as object, { uncertain: true });
          if (connection.broken) pool.give(connection, true);
          else
            await connection.exec('ROLLBACK').then(
              () => pool.give(connection),
              () => pool.give(connection, true),
            );
          throw error;
        }
      }),
    explained,
  );

  return {
    engine: 'postgres',
    builds,
    address: shownAddress(url),
    read,
    write: group.write,
    sharesViews: false,
    aside: { ...builds, each: asides.each },
    async ping() {
      await read((db) => db.all(db.q.selectFrom('counter').select('value')));
    },
    integrity: async () => [],
    advice: () => read(adviceOn),
    async close() {
      await group.close();
      asides.close();
      await pool.close();
    },
  };
}

interface Stream {
  destroy(): void;
}
interface Connecting {
  standby: boolean;
  patience: number;
  statementTime: number;
  observe: ((sql: string) => void) | undefined;
}

/** The first host that answers and may be written to; after a failover another than before. */
async function connect(
  hosts: Host[],
  { standby, patience, statementTime, observe }: Connecting,
): Promise<{ connection: Connection; host: Host }> {
  let problem: unknown;
  for (const host of hosts) {
    const { config, named } = host;
    const client = new pg.Client({
      ...config,
      application_name: 'kalends',
      connectionTimeoutMillis: Math.ceil(patience / hosts.length),
      keepAlive: true,
      types,
      ...(statementTime > 0 ? { query_timeout: statementTime } : {}),
      pipeline: true,
    } as pg.ClientConfig);
    const connection = new Connection(client, named, statementTime, observe);
    try {
      await client.connect();
      if (standby || !(await isStandby(client))) return { connection, host };
      problem = new Error('The database is a standby that cannot be written');
      await client.end();
    } catch (error) {
      problem = error;
      void client.end().catch(() => {});
    }
  }
  throw problem;
}

async function isStandby(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby');
  return rows[0]?.standby === true;
}

/** What failed because the database went away, or ended the transaction to let another pass, is tried again for a while. */
async function again<T>(patience: number, attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + patience;
  for (let pause = 50; ; pause = Math.min(pause * 2, 500)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRepeatable(error) || performance.now() + pause > until) throw explained(error);
      await sleep(pause);
    }
  }
}
