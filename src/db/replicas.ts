import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Failure, InvalidParams } from '../errors.js';
import { lastChange } from './counter.js';
import type { Database, Db, Freshness, ReplicaState } from './database.js';
import { BeingMade } from './lazily.js';
import { openPostgres } from './postgres.js';
import { shownAddress } from './postgres-url.js';

/**
 * In milliseconds: how often replicas are checked, how long they may take to answer then, and how long they may lack a
 * change that was seen on the primary. It takes at most EVERY + ANSWER to see a change, and as long again to see that
 * it is missing: in total, no read is more than two seconds behind.
 */
const EVERY = 300;
const ANSWER = 300;
const BEHIND = 800;
const NOT_ASKED = 'not asked yet';

export interface ReplicaOptions {
  /** The primary again: checking it must not queue behind requests. */
  url: string;
  replicas: readonly string[];
  connections?: number | undefined;
  observe?: ((sql: string) => void) | undefined;
  /** Called when a replica is taken out of use or comes back. */
  changed: (state: ReplicaState) => void;
}

interface Replica {
  address: string;
  database: Database;
  watch: Database;
  state: ReplicaState;
  /** Rejects the reads that are waiting for this replica, when it is taken out of use. */
  leave: (() => void)[];
}

/**
 * Reads go to the replicas in turn, unless they must be fresh; everything else goes to the primary, and so do reads
 * that a replica fails to answer. While the primary is unavailable, replicas that answer stay in use.
 */
export async function withReplicas(primary: Database, options: ReplicaOptions): Promise<Database> {
  const { url, changed, observe, connections } = options;
  const watching = { connections: 1, patience: 2000, statementTime: 1000 };
  const replicas: Replica[] = [];
  for (const one of options.replicas) {
    const address = shownAddress(one);
    replicas.push({
      address,
      // With little patience: the primary is asked instead.
      database: await openPostgres({ url: one, standby: true, patience: 1500, connections, observe }),
      watch: await openPostgres({ url: one, standby: true, ...watching }),
      state: { address, inUse: false, reason: NOT_ASKED },
      leave: [],
    });
  }
  const watched = await openPostgres({ url, ...watching });
  let turn = 0;
  /** When changes were first seen on the primary: the newest that every replica must have, then newer ones. */
  let seen: { at: number; change: number }[] = [];

  function put(replica: Replica, reason: string | undefined): void {
    const inUse = reason === undefined;
    // The first state is reported even if the replica was never in use.
    if (replica.state.inUse === inUse && replica.state.reason !== NOT_ASKED) return;
    replica.state = { address: replica.address, inUse, reason };
    if (!inUse) for (const leave of replica.leave.splice(0)) leave();
    changed(replica.state);
  }

  async function look(): Promise<void> {
    const now = performance.now();
    const [newest, ...found] = await Promise.all([watched, ...replicas.map(({ watch }) => watch)].map(changeOf));
    if (newest !== undefined && newest !== seen.at(-1)?.change) seen.push({ at: now, change: newest });
    const due = seen.findLastIndex(({ at }) => at <= now - BEHIND);
    if (due > 0) seen = seen.slice(due);
    const least = due < 0 ? undefined : seen[0]?.change;
    for (const [at, replica] of replicas.entries()) {
      const change = found[at];
      if (change === undefined) put(replica, 'it does not answer');
      else if (least !== undefined && change < least) put(replica, `it misses ${least - change} changes`);
      // Right after the start no change is due yet: a replica that is up to date may be used.
      else if (least !== undefined || change >= (newest ?? Number.POSITIVE_INFINITY)) put(replica, undefined);
    }
  }

  let closing = false;
  let timer: NodeJS.Timeout | undefined;
  let looking = look();
  const again = (): void => {
    if (closing) return;
    timer = setTimeout(() => {
      looking = look().finally(again);
    }, EVERY).unref();
  };
  await looking;
  again();

  async function read<T>(work: (db: Db) => Promise<T>, freshness?: Freshness): Promise<T> {
    const replica = freshness?.fresh ? undefined : next();
    if (!replica) return primary.read(work, freshness);
    let leave = (): void => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(new Failure('service-unavailable'));
    });
    replica.leave.push(leave);
    const reads = replica.database.read(work);
    try {
      return await Promise.race([reads, left]);
    } catch (error) {
      if (isOutcome(error)) throw error;
      // Nobody waits for it any more, whatever its outcome.
      reads.catch(() => {});
      if (error instanceof Failure) put(replica, 'a read failed');
      return primary.read(work, freshness);
    } finally {
      const at = replica.leave.indexOf(leave);
      if (at >= 0) replica.leave.splice(at, 1);
    }
  }

  function next(): Replica | undefined {
    for (let tried = 0; tried < replicas.length; tried++) {
      const replica = replicas[turn++ % replicas.length];
      if (replica?.state.inUse) return replica;
    }
    return undefined;
  }

  return {
    ...primary,
    read,
    replicas: () => replicas.map(({ state }) => state),
    async ping() {
      // Readers are served.
      if (!next()) await primary.ping();
    },
    async close() {
      closing = true;
      clearTimeout(timer);
      await looking;
      await Promise.all([primary, watched, ...replicas.flatMap((one) => [one.database, one.watch])].map(shut));
    },
  };
}

const shut = (database: Database): Promise<void> => database.close();

/** The number of the last change that a server has; undefined if it does not answer in time. */
async function changeOf(database: Database): Promise<number | undefined> {
  const asked = database.read(lastChange).catch(() => undefined);
  // If this process was busy, the result may have arrived already: one more turn reads it before the time is up.
  const late = sleep(ANSWER).then(() => setImmediate(undefined));
  return Promise.race([asked, late]);
}

/** The operation's own outcome. Other errors, such as a column not replicated yet, may not occur on the primary. */
const isOutcome = (error: unknown): boolean =>
  error instanceof InvalidParams ||
  error instanceof BeingMade ||
  (error instanceof Failure && error.code !== 'service-unavailable');
