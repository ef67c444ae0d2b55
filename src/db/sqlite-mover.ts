/** Checkpoints the log into the file while others write, so that the log does not grow without end. */
export interface Mover {
  /** Something was written: it is checkpointed in a moment. */
  soon(): void;
  /** Runs a write, as soon as no checkpoint needs the log to stand still. */
  between<T>(write: () => Promise<T>): Promise<T>;
  stop(): void;
}

const MOMENT_MS = 250;

/**
 * `move`: checkpoints what there is; true if the log was long. SQLite restarts the log only when all of it is
 * checkpointed, and others write meanwhile: so a second checkpoint, a quicker one, handles what they wrote during the
 * first, and a third the little that came during the second, while writers wait. `isFree`: whether the third would
 * start at once.
 */
export function moverOf(move: () => Promise<boolean>, isFree: () => boolean): Mover {
  let timer: NodeJS.Timeout | undefined;
  let isWanted = false;
  let isStopped = false;
  let writing: Promise<unknown> = Promise.resolve();
  let standing: Promise<unknown> | undefined;

  async function moveAll(): Promise<void> {
    isWanted = false;
    if (!(await move())) return;
    await move();
    // If somebody has started a long query meanwhile, it goes first, and writers do not wait for it.
    standing = writing.catch(() => {}).then(() => isFree() && move());
    await standing;
  }

  async function work(): Promise<void> {
    // If it fails, a commit does it in the end.
    await moveAll().catch(() => {});
    standing = undefined;
    timer = undefined;
    if (isWanted) soon();
  }

  function soon(): void {
    isWanted = true;
    if (!isStopped) timer ??= setTimeout(work, MOMENT_MS).unref();
  }

  return {
    soon,
    async between(write) {
      while (standing) await standing.catch(() => {});
      const written = write();
      writing = written;
      return written;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
