import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type pino from 'pino';

const STDOUT = 1;
/** So many bytes stay together in a pipe, whoever else writes to it (PIPE_BUF): workers do not cut lines up to that. */
const PIECE = 4096;
/** Bytes of lines that nobody takes; beyond that they are dropped. */
const MOST_WAITING = 1_000_000;
/** A line waits so long for others to go with, or for room. */
const PAUSE_MS = 20;
/** At the end, for a reader who is late. */
const LAST_MS = 1000;
/** Where it was late, and takes some again. */
const SOON_MS = 1;

/** The engine's own side of a pipe or a socket; files have none. */
interface Handle {
  setBlocking?(on: boolean): unknown;
}
interface Out {
  fd: number;
  /** To be told before each write not to hold us up: whoever shares it may have told it otherwise. */
  shared?: Handle | undefined;
}

/** A full pipe is to say so instead of holding us up. Opened anew, that concerns nobody else who writes to it. */
function standardOut(): Out {
  const { _handle: handle, isTTY } = process.stdout as NodeJS.WriteStream & { _handle?: Handle };
  // Shells expect their terminal as they left it.
  if (isTTY) return { fd: STDOUT };
  if (!fstatSync(STDOUT).isFIFO()) return { fd: STDOUT, shared: handle };
  try {
    return { fd: openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK) };
  } catch {
    // Another user's, or no such place.
    return { fd: STDOUT, shared: handle };
  }
}

/**
 * Writes the log to the standard output, several lines at a time, and waits for nobody but a terminal: while the reader
 * of a pipe hangs, or a disk is full, serving goes on, and afterwards `told` hears how many lines are lacking. What is
 * there when the process ends, by an error too, is written then. Nothing is left to another thread: the process could
 * not end before one that hangs.
 */
export class LogWriter implements pino.DestinationStream {
  #pieces: string[] = [];
  /** Bytes in the last of them. */
  #inLast = 0;
  /** What is left of the piece that is being written. */
  #rest = Buffer.alloc(0);
  /** Bytes of all. */
  #waiting = 0;
  #dropped = 0;
  /** Until it is written, or tried again. */
  #pause: NodeJS.Timeout | undefined;
  #isStuck = false;
  /** Nobody will ever read it. */
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

  /** Why not all of it is written; undefined when it is. */
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
