import { Failure } from '../errors.js';

/** A few connections, lent to one reader or writer at a time. */
export interface Pool<C> {
  take(): Promise<C>;
  /** A `broken` one is closed and not lent again. */
  give(connection: C, broken?: boolean): void;
  /** Waits until all are returned. */
  close(): Promise<void>;
}

export interface PoolOptions<C> {
  open: () => Promise<C>;
  shut: (connection: C) => Promise<void> | void;
  /** Whether an idle connection can still be used. */
  usable?: (connection: C) => boolean;
  most: number;
  /** How long to queue, in milliseconds. */
  patience: number;
}

export function poolOf<C>({ open, shut, usable = () => true, most, patience }: PoolOptions<C>): Pool<C> {
  const idle: C[] = [];
  const waiting: { lend: (connection: C) => void; retry: () => void }[] = [];
  let opened = 0;
  let closed: (() => void) | undefined;

  async function openOne(): Promise<C> {
    opened++;
    try {
      return await open();
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** One fewer is open: the first in the queue may try to open another. */
  function forget(): void {
    opened--;
    if (closed && opened === 0) closed();
    waiting.shift()?.retry();
  }

  function inLine(): Promise<C> {
    return new Promise<C>((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        const at = waiting.indexOf(place);
        if (at >= 0) waiting.splice(at, 1);
      };
      const timer = setTimeout(() => {
        leave();
        reject(new Failure('service-unavailable', { cause: new Error('All connections to the database are in use') }));
      }, patience);
      const place = {
        lend: (connection: C) => {
          leave();
          resolve(connection);
        },
        retry: () => {
          leave();
          openOne().then(resolve, reject);
        },
      };
      waiting.push(place);
    });
  }

  return {
    async take() {
      if (closed) throw new Failure('service-unavailable');
      for (let free = idle.pop(); free; free = idle.pop()) {
        if (usable(free)) return free;
        void shut(free);
        opened--;
      }
      return opened < most ? openOne() : inLine();
    },
    give(connection, broken = false) {
      if (broken || closed || !usable(connection)) {
        const gone = shut(connection);
        if (closed && gone) void gone.finally(forget);
        else forget();
        return;
      }
      const next = waiting[0];
      if (next) next.lend(connection);
      else idle.push(connection);
    },
    async close() {
      const done = new Promise<void>((resolve) => {
        closed = resolve;
      });
      for (const connection of idle.splice(0)) {
        await shut(connection);
        opened--;
      }
      if (opened > 0) await done;
    },
  };
}
