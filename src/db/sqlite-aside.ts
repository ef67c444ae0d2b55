import { Worker } from 'node:worker_threads';
import { Failure } from '../errors.js';
import { poolOf } from './pool.js';
import type { Value } from './sqlite-engine.js';

/** Another thread with its own connection, for statements that take long. */
export interface AsideThread {
  /** Runs one statement at a time, the others queue. Rows come a few at a time. */
  ask(sql: string, parameters: Value[], take: (rows: unknown[]) => void): Promise<void>;
  /** No statement runs or waits. */
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
  /** Memory shared by both threads; each element is 0 or 1. */
  seen: Int32Array;
}
/** Its elements: the thread must stop; it is at work; the rows that it sent last have been taken. */
export const [STOP, AT_WORK, TAKEN] = [0, 1, 2];

/** The thread holds only a few rows at a time. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };
/** How long a statement queues: long enough for a long one ahead of it, shorter than people wait. */
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
   * If the thread were terminated during a statement, it would take the whole process down. So it stops by itself,
   * between two rows, and even a process that exits abruptly waits for that.
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
    // Only a pending statement keeps the process running.
    this.worker.ref();
    return new Promise<void>((resolve, reject) => {
      this.refuse = reject;
      // After a failure, too, the rows are received to the end: the next caller must not get the rest.
      let trouble: unknown;
      const told = (reply: Reply): void => {
        try {
          if ('problem' in reply) throw new Error(reply.problem);
          if (trouble === undefined) take(reply.rows);
        } catch (error) {
          trouble ??= this.isStopped ? new Failure('service-unavailable', { cause: error }) : error;
        }
        if (!('problem' in reply) && !reply.isLast) {
          // Other work gets its turn before the next rows come: all messages that have arrived are delivered at once.
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

export function asideOf(file: string): AsideThread {
  let asking = 0;
  let isClosed = false;
  let thread: Thread | undefined;
  // Started when first needed, and again if it is lost.
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
