import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg from 'pg';
import type { Db, Query } from './database.js';
import { longestBeside } from './postgres-aside.js';
import { postgresDialect } from './postgres-dialect.js';
import type { Host } from './postgres-url.js';
import type { Tables } from './tables.js';
import { isAftermath, isLost } from './trouble.js';

/** One connection to PostgreSQL, and how one is made. */

export const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** 64-bit numbers would come as text; all of ours are counts, ids and seconds, far below 2^53. */
const BIGINT = 20;
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/** The server must end statements that nobody waits for any more: otherwise its connections pile up behind a lock. */
export const limitedTo = (time: number): string => `SET LOCAL statement_timeout = ${time}`;

interface Stream {
  destroy(): void;
}

/** Statements that are repeated get a name, and are parsed once per connection. */
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

/** Statements in the pipeline at the same time. */
const MOST_SENT = 8;
/** Ends the transaction, or rolls back to a savepoint; either clears the failure. */
const ENDING = /^(COMMIT|ROLLBACK)/;

export class Connection implements Db {
  readonly q = builder;
  readonly dialect = postgresDialect;
  broken = false;
  /** Statements that were sent and are not known to have succeeded. */
  private readonly sent = new Set<Promise<void>>();
  /** The first failure among them: everything that follows fails for that reason. */
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

  /** Closes the socket without notice: a connection that hangs or is busy cannot be asked to end. */
  cut(): void {
    this.lose();
    (this.client as unknown as { connection: { stream: Stream } }).connection.stream.destroy();
  }

  /** `time`: the longest that it may take, in milliseconds, if that is not the usual limit. */
  async all<Row>(query: Query<Row>, time?: number): Promise<Row[]> {
    return (await this.send(query, time)).rows as Row[];
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return (await this.all(query))[0];
  }

  async run(query: Query<unknown>, reach?: 'far'): Promise<void> {
    if (reach === 'far' && this.statementTime > 0) return this.runFar(query);
    // The time limit of a statement runs while it waits in the pipeline: so there must not be too many.
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
    // Not awaited: if one of them fails, what follows reports it.
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

  /** Does not wait for what was sent before: after a failure, this fails as well. */
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
    // A statement sent before has the actual reason.
    if (isAftermath(error)) await this.settled();
    throw error;
  }
}

export interface Connecting {
  standby: boolean;
  patience: number;
  statementTime: number;
  observe: ((sql: string) => void) | undefined;
}

/** Connects to the first host that answers and can be written to; after a failover, that is another one than before. */
export async function connect(
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
