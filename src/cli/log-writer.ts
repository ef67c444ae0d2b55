import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type pino from 'pino';

const STDOUT = 1;
/** Up to this many bytes stay together in a pipe (PIPE_BUF): workers do not cut up each other's lines. */
const PIECE = 4096;
/** Bytes that may wait for a slow reader; beyond that, lines are dropped. */
const MOST_WAITING = 1_000_000;
/** How long a line waits for others to be written with it, or for room. */
const PAUSE_MS = 20;
/** How long a slow reader is waited for when the process ends. */
const LAST_MS = 1000;
/** How soon to try again once a slow reader has taken something. */
const SOON_MS = 1;

/** Node's own handle of a pipe or a socket; files have none. */
interface Handle {
  setBlocking?(on: boolean): unknown;
}
interface Out {
  fd: number;
  /** To be made non-blocking before each write, since other processes that share it may have changed that. */
  shared?: Handle | undefined;
}

/** Writing to a full pipe must fail, not block. Opened anew, so that its other writers are not affected. */
function standardOut(): Out {
  const { _handle: handle, isTTY } = process.stdout as NodeJS.WriteStream & { _handle?: Handle };
  // Shells expect their terminal unchanged.
  if (isTTY) return { fd: STDOUT };
  if (!fstatSync(STDOUT).isFIFO()) return { fd: STDOUT, shared: handle };
  try {
    return { fd: openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK) };
  } catch {
    // It belongs to another user, or there is no /proc.
    return { fd: STDOUT, shared: handle };
  }
}

/**
 * Writes the log to standard output, several lines at a time, and blocks only on a terminal: while the reader of a pipe
 * hangs, or a disk is full, serving goes on, and afterwards `told` is called with the number of lines that were
 * dropped. What is left when the process ends, also by an error, is written then. No other thread is involved: the
 * process could not end before a thread that hangs.
 */
export class LogWriter implements pino.DestinationStream {
  #pieces: string[] = [];
  /** Bytes in the last piece. */
  #inLast = 0;
  /** The rest of the piece that is being written. */
  #rest = Buffer.alloc(0);
  /** All bytes that are not written yet. */
  #waiting = 0;
  #dropped = 0;
  /** The timer for the next write. */
  #pause: NodeJS.Timeout | undefined;
  #isStuck = false;
  /** The reader is gone for good. */
  #isInVain = false;
  readonly #out = standardOut();

  constructor(private readonly told: (dropped: number) => void) {
    process.on('exit', () => this.#finish());
  }

  write(line: string): void {
    if (this.#isInVain) return;
    const bytes = Buffer.byteLength(line);
    if (this.#inLast + bytes > PIECE && !this.#isStuck) this.#flush();
    if (this.#waiting + bytes > MOST_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting += bytes;
    if (this.#pieces.length > 0 && this.#inLast + bytes <= PIECE) {
      this.#pieces.push(this.#pieces.pop() + line);
      this.#inLast += bytes;
    } else {
      this.#pieces.push(line);
      this.#inLast = bytes;
    }
    this.#pause ??= setTimeout(() => this.#flush(), PAUSE_MS).unref();
  }

  /** Returns the error code if not everything was written. */
  #flush(): string | undefined {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    const before = this.#waiting;
    try {
      this.#out.shared?.setBlocking?.(false);
      this.#writeAll();
      this.#isStuck = false;
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.#isStuck = true;
      this.#isInVain = code === 'EPIPE';
      if (this.#isInVain) [this.#pieces, this.#waiting] = [[], 0];
      else this.#pause = setTimeout(() => this.#flush(), this.#waiting < before ? SOON_MS : PAUSE_MS).unref();
      return code;
    }
  }

  #writeAll(): void {
    for (;;) {
      while (this.#rest.length > 0) {
        const written = writeSync(this.#out.fd, this.#rest);
        this.#rest = this.#rest.subarray(written);
        this.#waiting -= written;
      }
      const dropped = this.#dropped;
      if (this.#pieces.length === 0 && dropped > 0) {
        this.#dropped = 0;
        this.told(dropped);
      }
      const next = this.#pieces.shift();
      if (next === undefined) return;
      if (this.#pieces.length === 0) this.#inLast = 0;
      this.#rest = Buffer.from(next);
    }
  }

  #finish(): void {
    const until = performance.now() + LAST_MS;
    const clock = new Int32Array(new SharedArrayBuffer(4));
    while (this.#flush() === 'EAGAIN' && performance.now() < until) Atomics.wait(clock, 0, 0, PAUSE_MS);
  }
}
