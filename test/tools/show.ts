import { parseArgs } from 'node:util';

/** What the runners share in front: their options, a line of progress, the last line. */

type Flags = Record<string, number | boolean>;

/** `--name 12` and `--name`, with defaults; anything else ends the program with the usage. */
export function optionsOf<F extends Flags>(usage: string, defaults: F): F {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [
      name,
      { type: typeof value === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    const { values } = parseArgs({ options, strict: true });
    const read: Flags = { ...defaults };
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'boolean') read[name] = value;
      else if (/^\d+$/.test(String(value))) read[name] = Number(value);
      else throw new Error(`--${name} takes a whole number`);
    }
    return read as F;
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: ${usage}`);
    process.exit(2);
  }
}

/** One line that is written over on a terminal; elsewhere a line now and then. */
export function progress(): { say: (text: string) => void; end: () => void } {
  const terminal = process.stdout.isTTY === true;
  const every = terminal ? 100 : 10_000;
  let last = terminal ? 0 : performance.now();
  let shown = false;
  return {
    say(text) {
      if (performance.now() - last < every) return;
      last = performance.now();
      shown = terminal;
      process.stdout.write(terminal ? `\r\x1b[K${text.slice(0, (process.stdout.columns ?? 80) - 1)}` : `${text}\n`);
    },
    end() {
      if (shown) process.stdout.write('\r\x1b[K');
      shown = false;
    },
  };
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;
export const secondsSince = (start: number): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;

/** `201: 12, 400: 3` */
export const tally = (counts: ReadonlyMap<string | number, number>): string =>
  [...counts]
    .sort(([a], [b]) => String(a).localeCompare(String(b)))
    .map(([key, n]) => `${key}: ${n}`)
    .join(', ');

export const count = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/** The last line, and the exit code. */
export function verdict(passed: number, failed: number, skipped = 0): void {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed === 0 ? 0 : 1;
}
