import type { Database } from './db/database.js';

/** Chores that are due now and then; one after the other, and none while closing. One that fails keeps none from its turn. */
export function repeatedly(pause: number, chores: (() => Promise<unknown>)[], failed: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  async function work(): Promise<void> {
    for (const chore of chores) {
      await chore().catch(failed);
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

/** Steps in which the index is put in order, each time: a small part of the time, and as much as many writes need. */
const MERGES = 20;

/** Brings the index of searchable texts up to date, and keeps it in order. */
export function indexer(database: Database): () => Promise<void> {
  let isInOrder = false;
  return async () => {
    let left = await database.read((db) => db.dialect.toIndex(db), { fresh: true });
    if (left > 0) isInOrder = false;
    for (; left > 0; left -= INDEXED_AT_ONCE) {
      await database.write((db) => db.dialect.indexWritten(db, INDEXED_AT_ONCE));
    }
    for (let n = 0; n < MERGES && !isInOrder; n++) {
      isInOrder = !(await database.write((db) => db.dialect.mergeIndex(db)));
    }
  };
}
