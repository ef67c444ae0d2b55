import { setImmediate as breath } from 'node:timers/promises';
import { Failure } from '../errors.js';
import type { Db } from './database.js';

/** A transaction that is open for writing. */
export interface Writer {
  db: Db;
  exec(sql: string): Promise<unknown>;
  /** Fails if anything failed that was run and not waited for. */
  settled(): Promise<void>;
  /** False when the transaction is lost with this error: then nobody's work in it is kept, and all of it is begun anew. */
  survives(error: unknown): boolean;
}

export interface Group {
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Takes no more work, and finishes what is there. */
  close(): Promise<void>;
}

interface Job {
  work: (db: Db) => Promise<unknown>;
  keep: (value: unknown) => void;
  refuse: (error: unknown) => void;
}

const MOST = 64;

/** What was committed; `durable` where it must be waited for until it is on the disk. */
export interface Committed {
  durable?: Promise<void>;
}

/**
 * Begins, calls back and commits; when it fails, nothing of the group is kept. It may call back again when it is certain
 * that the first attempt left nothing behind.
 */
export type Transaction = (fill: (writer: Writer) => Promise<void>) => Promise<Committed>;

/** Kept without what they were kept with: a chain of these would hold all of it. */
const both = (one: Promise<void>, other: Promise<void>): Promise<void> => one.then(() => other);

/** One of a group failed: nothing of the group is kept. */
class Refused extends Error {}

/**
 * Writers stand in line; those who wait together share one commit. Nearly all succeed, so they are run without
 * precautions; when one fails, the group is run again with each behind a savepoint of its own.
 */
export function groupCommit(transaction: Transaction, explained: (error: unknown) => unknown): Group {
  const queue: Job[] = [];
  let closed = false;
  let pumping = false;
  let pumped: Promise<void> = Promise.resolve();
  let answered: Promise<void> = Promise.resolve();

  async function pump(): Promise<void> {
    while (queue.length > 0) {
      const group = queue.splice(0, MOST);
      let answers: (() => void)[] = [];
      const attempt = (run: (writer: Writer, job: Job) => Promise<() => void>): Promise<Committed> =>
        transaction(async (writer) => {
          answers = [];
          for (const job of group) answers.push(await run(writer, job));
          await writer.settled().catch((error: unknown) => fail(writer, error));
        });
      const answer = (): void => answers.forEach((tell) => void tell());
      const refuse = (error: unknown): void => group.forEach((job) => void job.refuse(explained(error)));
      try {
        const { durable } = await attempt(plainly).catch((error: unknown) => {
          if (!(error instanceof Refused)) throw error;
          if (group.length === 1) throw error.cause;
          return attempt(behindSavepoint);
        });
        // Others may write meanwhile; whoever waits for the disk is told when it is there.
        if (durable) answered = both(answered, durable.then(answer, refuse));
        else answer();
      } catch (error) {
        refuse(error);
      }
    }
    // In the same breath as the last look at the queue: whoever comes now starts the pump again.
    pumping = false;
  }

  async function plainly(writer: Writer, job: Job): Promise<() => void> {
    try {
      const value = await job.work(writer.db);
      return () => job.keep(value);
    } catch (error) {
      return fail(writer, error);
    }
  }

  function fail(writer: Writer, error: unknown): never {
    throw writer.survives(error) ? new Refused('', { cause: error }) : error;
  }

  /** What to tell the one who asked, once the group is committed: a refusal waits as well, as the group may run again. */
  async function behindSavepoint(writer: Writer, job: Job): Promise<() => void> {
    await writer.exec('SAVEPOINT job');
    try {
      const value = await job.work(writer.db);
      await writer.exec('RELEASE SAVEPOINT job');
      return () => job.keep(value);
    } catch (error) {
      if (!writer.survives(error)) throw error;
      await writer.exec('ROLLBACK TO SAVEPOINT job');
      await writer.exec('RELEASE SAVEPOINT job');
      return () => job.refuse(explained(error));
    }
  }

  return {
    write<T>(work: (db: Db) => Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new Failure('service-unavailable'));
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, keep: resolve as (value: unknown) => void, refuse: reject });
        if (!pumping) {
          pumping = true;
          // Those who come in the same turn come along.
          pumped = breath().then(pump);
        }
      });
    },
    async close() {
      closed = true;
      await pumped;
      await answered;
    },
  };
}
