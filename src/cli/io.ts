import { toIso } from '../time/clock.js';
import { toWall, UTC } from '../time/zone.js';

/** The exit codes; `--help` explains them, too. */
export const EXIT = { ok: 0, failed: 1, usage: 2, damaged: 3 } as const;

/** The signals that end a command. A terminal that is closed sends the last one. */
export const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The outside world, as the commands see it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Standard output is a terminal. */
  readonly terminal: boolean;
  out(text: string): void;
  err(text: string): void;
}

/** A command did not do what was asked: one plain sentence that says what to do about it. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly exit: number = EXIT.failed,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export const printJson = (io: Io, value: unknown): void => io.out(JSON.stringify(value, null, 2));

/** Columns under their headings. */
export function printTable(io: Io, headings: string[], rows: string[][]): void {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  const line = (row: string[]): string =>
    row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length)).join('  ');
  for (const row of all) io.out(line(row).trimEnd());
}

export const countOf = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** For people, and for programs. */
export const shownTime = (at: number | null): string => (at === null ? 'never' : `${toWall(at, UTC)} UTC`);
export const jsonTime = (at: number | null): string | null => (at === null ? null : toIso(at, UTC));

const EVERY_MS = 1000;

/** Reports progress on a terminal, about once a second. */
export function reporter(io: Io): (what: string, done: number, all: number) => void {
  let last = performance.now();
  return (what, done, all) => {
    // Once a second, and when something large is done.
    const large = done === all && all >= 1000;
    if (!io.terminal || (!large && performance.now() - last < EVERY_MS)) return;
    last = performance.now();
    io.err(`${what}: ${done} of ${all}`);
  };
}
