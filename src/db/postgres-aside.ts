import { setImmediate as breath } from 'node:timers/promises';
import { Failure } from '../errors.js';
import type { Aside, Query } from './database.js';
import { explained } from './trouble.js';

/** Broad selections on PostgreSQL: they take longer than a request may, and all of the server's capacity. */

interface Connection {
  all<Row>(query: Query<Row>, time: number): Promise<Row[]>;
  /** Closes the connection, whatever it is doing. */
  cut(): void;
}

export interface Asides extends Pick<Aside, 'each'> {
  /** Cuts off the running statement. */
  close(): void;
}

/** In milliseconds. */
const LONGEST = 30_000;
/** The time limit for a statement that has more to do than others, whose limit is `time`; 0 means no limit. */
export const longestBeside = (time: number): number => (time > 0 ? Math.max(time, LONGEST) : 0);

/** Rows that are processed in one go: more would hold up others. */
const TAKEN_AT_ONCE = 10;

/** `view`: lends a connection with the given time limit for statements. `time`: the usual limit; 0 means no limit. */
export function asidesOf<C extends Connection>(
  view: <T>(time: number, work: (connection: C) => Promise<T>) => Promise<T>,
  time: number,
): Asides {
  const longest = longestBeside(time);
  let last: Promise<unknown> = Promise.resolve();
  let asked: C | undefined;
  let isClosed = false;

  /** One after the other. Without retries, since whoever waits can do without the result. */
  function ask<Row>(query: Query<Row>): Promise<Row[]> {
    const rows = last.then(() =>
      view(longest, async (connection) => {
        // The connection was still being opened when the others were cut.
        if (isClosed) throw new Failure('service-unavailable');
        asked = connection;
        return connection.all(query, longest).finally(() => {
          asked = undefined;
        });
      }),
    );
    last = rows.catch(() => {});
    return rows;
  }

  return {
    async each(query, take) {
      const rows = await ask(query).catch((error: unknown) => {
        throw explained(error);
      });
      for (let at = 0; at < rows.length; at += TAKEN_AT_ONCE) {
        take(rows.slice(at, at + TAKEN_AT_ONCE));
        await breath();
      }
    },
    close() {
      isClosed = true;
      asked?.cut();
    },
  };
}
