import { realpathSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Failure } from '../errors.js';

/** The write-ahead log of a database file, as far as syncing it to disk goes. */
export interface Log {
  /** Resolves when everything that was committed before is on disk. */
  durable(): Promise<void>;
  /** Throws if a sync has failed: nobody knows what of the log is on disk, so nothing more may be written. */
  requireSound(): void;
  close(): Promise<void>;
}

/**
 * A commit only writes the log; another thread syncs it to disk, since that may take long, and this thread serves other
 * requests meanwhile. Commits during a sync share the next one.
 */
export function logOf(file: string): Log {
  let handle: FileHandle | undefined;
  let current: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let problem: Failure | undefined;

  async function sync(): Promise<void> {
    try {
      handle ??= await open(`${realpathSync(file)}-wal`, 'r+');
      await handle.datasync();
    } catch (error) {
      problem = new Failure('service-unavailable', { cause: error });
      throw problem;
    }
  }

  function begin(): Promise<void> {
    const turn = sync().finally(() => {
      if (current === turn) current = undefined;
    });
    current = turn;
    return turn;
  }

  return {
    durable() {
      if (!current) return begin();
      following ??= current
        .catch(() => {})
        .then(() => {
          following = undefined;
          return begin();
        });
      return following;
    },
    requireSound() {
      if (problem) throw problem;
    },
    async close() {
      await handle?.close();
    },
  };
}
