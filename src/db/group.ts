import { Failure } from '../errors.js';
import type { Db } from './database.js';

/** A transaction that is open for writing. */
export interface Writer {
  db: Db;
  exec(sql: string): Promise<unknown>;
  /** False when the transaction is lost: then nobody's work in it is kept. */
  alive(): boolean;
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

/**
 * Writers stand in line; those who wait together share one commit, each behind its own savepoint.
 * `transaction` begins, calls back and commits; when it fails, nothing of the group is kept. It may call back again
 * when it is certain that the first attempt left nothing behind.
 */
export function groupCommit(
  transaction: (fill: (writer: Writer) => Promise<void>) => Promise<void>,
  explained: (error: unknown) => unknown,
): Group {
  const queue: Job[] = [];
  let closed = false;
  let pumping = false;
  let pumped: Promise<void> = Promise.resolve();

  async function pump(): Promise<void> {
    while (queue.length > 0) {
      const group = queue.splice(0, MOST);
      let answers: (() => void)[] = [];
      try {
        await transaction(async (writer) => {
          answers = [];
          for (const job of group) answers.push(await runJob(writer, job));
        });
        for (const answer of answers) answer();
      } catch (error) {
        for (const job of group) job.refuse(explained(error));
      }
    }
    // In the same breath as the last look at the queue: whoever comes now starts the pump again.
    pumping = false;
  }

  /** What to tell the one who asked, once the group is committed: a refusal waits as well, as the group may run again. */
  async function runJob(writer: Writer, job: Job): Promise<() => void> {
    await writer.exec('SAVEPOINT job');
    try {
      const value = await job.work(writer.db);
      await writer.exec('RELEASE SAVEPOINT job');
      return () => job.keep(value);
    } catch (error) {
      if (!writer.alive()) throw error;
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
          pumped = pump();
        }
      });
    },
    async close() {
      closed = true;
      await pumped;
    },
  };
}
