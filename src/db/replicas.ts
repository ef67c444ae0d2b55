import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Failure, InvalidParams } from '../errors.js';
import type { Database, Db, Reading, ReplicaState } from './database.js';
import { BeingMade } from './lazily.js';
import { openPostgres } from './postgres.js';
import { shownAddress } from './postgres-url.js';

/**
 * In milliseconds: how often replicas are looked at, how long they may take to answer then, and how long they may miss
 * a change that was seen at the primary. A change is seen after EVERY + ANSWER at most, and so is that it is missing:
 * all in all nobody reads what is more than two seconds old.
 */
const EVERY = 300;
const ANSWER = 300;
const BEHIND = 800;
const NOT_ASKED = 'not asked yet';

export interface ReplicaOptions {
  /** Where the primary is, once more: the looks at it must not stand in line behind requests. */
  url: string;
  replicas: readonly string[];
  connections?: number | undefined;
  observe?: ((sql: string) => void) | undefined;
  /** A replica is left out, or comes back. */
  changed: (state: ReplicaState) => void;
}

interface Replica {
  address: string;
  database: Database;
  watch: Database;
  state: ReplicaState;
  /** Calls those who wait for an answer of a replica that is left out. */
  leave: (() => void)[];
}

/**
 * Reads go to replicas in turn, unless they must be fresh; everything else goes to the primary. What a replica cannot
 * answer the primary is asked. While the primary is away, replicas that answer go on.
 */
export async function withReplicas(primary: Database, options: ReplicaOptions): Promise<Database> {
  const { url, changed, observe, connections } = options;
  const watching = { connections: 1, patience: 2000, statementTime: 1000 };
  const replicas: Replica[] = [];
  for (const one of options.replicas) {
    const address = shownAddress(one);
    replicas.push({
      address,
      // Soon the primary is asked instead.
      database: await openPostgres({ url: one, standby: true, patience: 1500, connections, observe }),
      watch: await openPostgres({ url: one, standby: true, ...watching }),
      state: { address, inUse: false, reason: NOT_ASKED },
      leave: [],
    });
  }
  const watched = await openPostgres({ url, ...watching });
  let turn = 0;
  /** When the primary was first seen to be at a change: the latest that every replica must know, then newer ones. */
  let seen: { at: number; change: number }[] = [];

  function put(replica: Replica, reason: string | undefined): void {
    const inUse = reason === undefined;
    // That it was never in use is told as well, once.
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
      // At the very start nothing is due yet: whoever is up to date is welcome.
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

  async function read<T>(work: (db: Db) => Promise<T>, reading?: Reading): Promise<T> {
    const replica = reading?.fresh ? undefined : next();
    if (!replica) return primary.read(work, reading);
    let leave = (): void => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(new Failure('service-unavailable'));
    });
    replica.leave.push(leave);
    const reads = replica.database.read(work);
    try {
      return await Promise.race([reads, left]);
    } catch (error) {
      if (isAnswer(error)) throw error;
      // Whatever becomes of it: nobody waits for it any more.
      reads.catch(() => {});
      if (error instanceof Failure) put(replica, 'a read failed');
      return primary.read(work, reading);
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
      // Those who read are served.
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

/** The number of the last change that a server knows; undefined when it does not answer in time. */
async function changeOf(database: Database): Promise<number | undefined> {
  const asked = database
    .read((db) => db.first(db.q.selectFrom('counter').select('value').where('name', '=', 'change')))
    .then(
      (row) => row?.value,
      () => undefined,
    );
  // When this process was busy the answer may lie here already, unread: it is looked at before the time is up.
  const late = sleep(ANSWER).then(() => setImmediate(undefined));
  return Promise.race([asked, late]);
}

/** Said by the operation. Anything else, a column that has not arrived for example, the primary may know better. */
const isAnswer = (error: unknown): boolean =>
  error instanceof InvalidParams ||
  error instanceof BeingMade ||
  (error instanceof Failure && error.code !== 'service-unavailable');
