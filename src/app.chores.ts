import type { Database } from './db/database.js';

/** One that takes long asks now and then whether everything is to end. */
type Chore = (isStopping: () => boolean) => Promise<unknown>;

/** Chores that are due now and then; one after the other, and none while closing. One that fails keeps none from its turn. */
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

/** Once in so many seconds, however often it is asked. */
export function seldom(seconds: number, work: () => Promise<void>): () => Promise<void> {
  let next = 0;
  return async () => {
    if (performance.now() < next) return;
    await work();
    next = performance.now() + seconds * 1000;
  };
}

/** So few at a time that nobody waits long behind it. */
const INDEXED_AT_ONCE = 100;

/**
 * Steps of a few milliseconds in which the index is put in order, each time: what a load has left behind takes its time,
 * and what was written just now is soon in its place.
 */
const MERGES = 10;
const MERGES_FOR_WRITTEN = 4;

/** Brings the index of searchable texts up to date, and keeps it in order. */
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
