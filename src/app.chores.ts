import type { Database } from './db/database.js';

/** A chore that takes long checks now and then whether it should stop. */
type Chore = (isStopping: () => boolean) => Promise<unknown>;

/** Runs chores again and again, one after the other, and none while closing. If one fails, the others still run. */
export function repeatedly(pause: number, chores: Chore[], failed: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  async function work(): Promise<void> {
    for (const chore of chores) {
      await chore(() => !timer).catch(failed);
    }
    if (timer) timer = setTimeout(tick, pause).unref();
  }
  const tick = (): void => {
    running = work();
  };
  return {
    start(): void {
      timer = setTimeout(tick, 0).unref();
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}

/** Does `work` at most once in so many seconds, however often it is called. */
export function seldom(seconds: number, work: () => Promise<void>): () => Promise<void> {
  let next = 0;
  return async () => {
    if (performance.now() < next) return;
    await work();
    next = performance.now() + seconds * 1000;
  };
}

/** So few at a time that no other write waits long. */
const INDEXED_AT_ONCE = 100;

/**
 * How many merge steps, of a few milliseconds each, tidy the index in one round: a bulk load is worked off over many
 * rounds, while recently written texts are merged soon.
 */
const MERGES = 10;
const MERGES_FOR_WRITTEN = 4;

/** Brings the index of searchable texts up to date, and tidies it. */
export function indexer(database: Database): () => Promise<void> {
  let isInOrder = false;
  return async () => {
    let left = await database.read((db) => db.dialect.toIndex(db), { fresh: true });
    let merges = MERGES;
    for (; left > 0; left -= INDEXED_AT_ONCE) {
      isInOrder = false;
      await database.write((db) => db.dialect.indexWritten(db, INDEXED_AT_ONCE));
      merges += MERGES_FOR_WRITTEN;
    }
    for (; merges > 0 && !isInOrder; merges--) {
      isInOrder = !(await database.write((db) => db.dialect.mergeIndex(db)));
    }
  };
}
