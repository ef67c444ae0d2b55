import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Db } from './database.js';
import { groupCommit } from './group.js';
import { poolOf } from './pool.js';
import { asidesOf } from './postgres-aside.js';
import { builder, type Connection, connect, limitedTo } from './postgres-connection.js';
import { adviceOn, postgresDialect } from './postgres-dialect.js';
import { hostsIn, shownAddress } from './postgres-url.js';
import { explained, isRepeatable } from './trouble.js';

export interface PostgresOptions {
  url: string;
  observe?: ((sql: string) => void) | undefined;
  /** How long to wait for a connection, a lock, or a database that is unavailable, in milliseconds. */
  patience?: number | undefined;
  /** The longest that one statement may take, in milliseconds; 0 means no limit. */
  statementTime?: number | undefined;
  /** Most connections in the pool. */
  connections?: number | undefined;
  /** Whether a standby may be used: for reading only. */
  standby?: boolean | undefined;
}

/** An arbitrary number of our own: whoever holds this lock writes. It ends with the transaction, so poolers work. */
const WRITERS_LOCK = 0x6b616c65;
const limited = (statementTime: number): string => (statementTime > 0 ? `; ${limitedTo(statementTime)}` : '');
const readOf = (statementTime: number): string =>
  `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${limited(statementTime)}`;
const writeOf = (patience: number, statementTime: number): string =>
  // A machine that vanishes must not hold up the others for longer than this.
  `BEGIN ISOLATION LEVEL READ COMMITTED${limited(statementTime)}; SET LOCAL lock_timeout = ${patience}; SET LOCAL idle_in_transaction_session_timeout = ${patience * 3};
   SELECT pg_advisory_xact_lock(${WRITERS_LOCK})`;

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, observe, patience = 4000, statementTime = 5000, connections = 10, standby = false } = options;
  const hosts = hostsIn(url);
  const builds = { q: builder, dialect: postgresDialect };
  let last = 0;

  const pool = poolOf<Connection>({
    // The host that answered last is tried first, so that one that hangs does not delay every connection.
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
    // The statement that follows reports a failure.
    begun.catch(() => {});
    try {
      const seen = await work(connection);
      await connection.settled();
      return seen;
    } finally {
      // Nothing was written: the reader need not wait for the end of its snapshot.
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
          // Must not be repeated: it may have been committed, and only the confirmation was lost.
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

/** Retries for a while if the database was unavailable, or ended the transaction in favour of another. */
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
