/** Moves the log into the file, so that it does not grow without end, while others write. */
export interface Mover {
  /** Something was written: it is moved in a moment. */
  soon(): void;
  /** Writes, when nobody needs the log to stand still. */
  between<T>(write: () => Promise<T>): Promise<T>;
  stop(): void;
}

const MOMENT_MS = 250;

/**
 * `move`: moves what there is; true when the log has become long. The engine begins the log anew only when all of it was
 * moved, and meanwhile others write: so what they wrote is moved once more, which takes less, and then the little that
 * came while that was done, for which writers wait. `isFree`: that would be done at once.
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
    // Whoever asks for something long meanwhile goes first, and writers do not wait for it.
    standing = writing.catch(() => {}).then(() => isFree() && move());
    await standing;
  }

  async function work(): Promise<void> {
    // Where it fails, whoever commits does it in the end.
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
