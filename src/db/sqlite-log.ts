import { realpathSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Failure } from '../errors.js';

/** The write-ahead log of a database file, as far as bringing it to the disk goes. */
export interface Log {
  /** Kept when everything that was committed before is on the disk. */
  durable(): Promise<void>;
  /** Throws when a write could not be brought to the disk: nobody knows what of it is there, so nothing may follow. */
  requireSound(): void;
  close(): Promise<void>;
}

/**
 * A commit only writes the log; bringing it to the disk is left to another thread, since it takes as long as the disk
 * likes, and meanwhile this one answers others. Who comes while that runs shares the next turn.
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
