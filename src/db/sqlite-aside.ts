import { Worker } from 'node:worker_threads';
import { Failure } from '../errors.js';
import { poolOf } from './pool.js';
import type { Value } from './sqlite-engine.js';

/** Another thread with a connection of its own, for what takes long. */
export interface Aside {
  /** Whoever comes while it is at work stands in line. Rows come a few at a time. */
  ask(sql: string, parameters: Value[], take: (rows: unknown[]) => void): Promise<void>;
  /** Nobody is asking. */
  isFree(): boolean;
  close(): Promise<void>;
}

export interface Task {
  sql: string;
  parameters: Value[];
}
export type Reply = { rows: unknown[]; isLast?: boolean } | { problem: string };
export interface Beginning {
  file: string;
  /** What both threads see, each 0 or 1. */
  seen: Int32Array;
}
/** In it: nobody waits any more; the other thread is at work; what it sent last was taken. */
export const [STOP, AT_WORK, TAKEN] = [0, 1, 2];

/** It holds a few rows at a time. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };
/** How long to stand in line: longer than a pause between the two longest questions, shorter than people wait. */
const PATIENCE_MS = 30_000;
const HASTE_MS = 30_000;

class Thread {
  private readonly seen = new Int32Array(new SharedArrayBuffer(12));
  private readonly worker: Worker;
  private refuse: (error: unknown) => void = () => {};
  isThere = true;

  constructor(file: string) {
    this.worker = new Worker(new URL('./sqlite-thread.js', import.meta.url), {
      workerData: { file, seen: this.seen } satisfies Beginning,
      resourceLimits: LIMITS,
      execArgv: [],
    });
    process.once('exit', this.stopInHaste);
    this.worker.unref();
    this.worker.on('error', this.lost);
    this.worker.on('exit', () => this.lost(new Error('The other thread ended')));
  }

  /**
   * Ended from outside in the midst of a statement it would take the whole process with it: so it ends by itself,
   * between two rows, and also a process that ends in haste waits for that.
   */
  stop(): void {
    Atomics.store(this.seen, STOP, 1);
  }

  private get isStopped(): boolean {
    return Atomics.load(this.seen, STOP) !== 0;
  }

  private readonly taken = (): void => {
    Atomics.store(this.seen, TAKEN, 1);
    Atomics.notify(this.seen, TAKEN);
  };

  private readonly stopInHaste = (): void => {
    this.stop();
    Atomics.wait(this.seen, AT_WORK, 1, HASTE_MS);
  };

  private readonly lost = (cause: unknown): void => {
    this.isThere = false;
    Atomics.store(this.seen, AT_WORK, 0);
    process.off('exit', this.stopInHaste);
    this.refuse(new Failure('service-unavailable', { cause }));
  };

  ask(task: Task, take: (rows: unknown[]) => void): Promise<void> {
    // Only who waits for an answer keeps the process running.
    this.worker.ref();
    return new Promise<void>((resolve, reject) => {
      this.refuse = reject;
      // Also what cannot be taken is heard to its end: whoever asks next must not get the rest.
      let trouble: unknown;
      const told = (reply: Reply): void => {
        try {
          if ('problem' in reply) throw new Error(reply.problem);
          if (trouble === undefined) take(reply.rows);
        } catch (error) {
          trouble ??= this.isStopped ? new Failure('service-unavailable', { cause: error }) : error;
        }
        if (!('problem' in reply) && !reply.isLast) {
          // Others have their turn before the next ones come: all that is there is handed over at once.
          setImmediate(this.taken);
          return;
        }
        if (trouble === undefined) resolve();
        else reject(trouble);
      };
      this.worker.removeAllListeners('message').on('message', told);
      Atomics.store(this.seen, AT_WORK, 1);
      this.worker.postMessage(task);
    }).finally(() => this.worker.unref());
  }

  async end(): Promise<void> {
    if (!this.isThere) return;
    const ended = new Promise<unknown>((resolve) => this.worker.once('exit', resolve));
    this.worker.ref();
    this.worker.postMessage('end');
    await ended;
  }
}

export function asideOf(file: string): Aside {
  let asking = 0;
  let isClosed = false;
  let thread: Thread | undefined;
  // Begun when it is first needed, and again should it be lost.
  const threads = poolOf<Thread>({
    open: async () => {
      if (isClosed) throw new Failure('service-unavailable');
      thread = new Thread(file);
      return thread;
    },
    shut: (one) => one.end(),
    usable: (one) => one.isThere,
    most: 1,
    patience: PATIENCE_MS,
  });
  return {
    async ask(sql, parameters, take) {
      asking++;
      try {
        const one = await threads.take();
        await one.ask({ sql, parameters }, take).finally(() => threads.give(one));
      } finally {
        asking--;
      }
    },
    isFree: () => asking === 0,
    async close() {
      isClosed = true;
      thread?.stop();
      await threads.close();
    },
  };
}
