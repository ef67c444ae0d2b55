import { setImmediate as breath } from 'node:timers/promises';
import { Failure } from '../errors.js';
import { Counters } from './counter.js';
import type { Db } from './database.js';

/** A transaction that is open for writing. */
export interface Writer {
  db: Db;
  exec(sql: string): Promise<unknown>;
  /** Fails if any statement failed that was run without waiting for it. */
  settled(): Promise<void>;
  /** False if this error ended the transaction: then everything in it is lost, and all of it starts again. */
  survives(error: unknown): boolean;
}

interface Counting extends Writer {
  counters: Counters;
}

export interface Group {
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Accepts no more work, and finishes what is queued. */
  close(): Promise<void>;
}

interface Job {
  work: (db: Db) => Promise<unknown>;
  keep: (value: unknown) => void;
  refuse: (error: unknown) => void;
}

const MOST = 64;

/** `durable`: resolves when the commit is on disk, if that must be waited for. */
export interface Committed {
  durable?: Promise<void>;
}

/**
 * Begins, calls back and commits; if it fails, nothing of the group is committed. It may call back again if the first
 * attempt certainly left nothing behind.
 */
export type Transaction = (fill: (writer: Writer) => Promise<void>) => Promise<Committed>;

/** Outside `groupCommit`: a closure there would hold its group, and a chain of closures every group. */
const both = (one: Promise<void>, other: Promise<void>): Promise<void> => one.then(() => other);

/** One job of a group failed: nothing of the group is committed. */
class Refused extends Error {}

/**
 * Writers queue up, and those who wait together share one commit. Nearly all succeed, so they run without precautions;
 * if one fails, the group runs again, each job behind its own savepoint.
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
      const attempt = (run: (writer: Counting, job: Job) => Promise<() => void>): Promise<Committed> =>
        transaction(async (writer) => {
          answers = [];
          const counting = { ...writer, counters: new Counters(writer.db) };
          for (const job of group) answers.push(await run(counting, job));
          await counting.counters
            .write()
            .then(() => writer.settled())
            .catch((error: unknown) => fail(writer, error));
        });
      const answer = (): void => answers.forEach((tell) => void tell());
      const refuse = (error: unknown): void => {
        const reason = explained(error instanceof Refused ? error.cause : error);
        group.forEach((job) => void job.refuse(reason));
      };
      try {
        const { durable } = await attempt(plainly).catch((error: unknown) => {
          if (!(error instanceof Refused)) throw error;
          if (group.length === 1) throw error;
          return attempt(behindSavepoint);
        });
        // Others may write meanwhile; these writers get their results once the commit is on disk.
        if (durable) answered = both(answered, durable.then(answer, refuse));
        else answer();
      } catch (error) {
        refuse(error);
      }
    }
    // In the same turn as the last check of the queue: a job that comes now starts the pump again.
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

  /** Returns what to report once the group is committed: failures wait as well, as the group may run again. */
  async function behindSavepoint(writer: Counting, job: Job): Promise<() => void> {
    await writer.exec('SAVEPOINT job');
    const takeBack = writer.counters.mark();
    try {
      const value = await job.work(writer.db);
      await writer.exec('RELEASE SAVEPOINT job');
      return () => job.keep(value);
    } catch (error) {
      if (!writer.survives(error)) throw error;
      await writer.exec('ROLLBACK TO SAVEPOINT job');
      await writer.exec('RELEASE SAVEPOINT job');
      takeBack();
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
          // Jobs of the same turn join the group.
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
