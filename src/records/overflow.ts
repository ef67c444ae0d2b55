import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, statfsSync, writevSync } from 'node:fs';
import path from 'node:path';
import { Lru } from '../lru.js';
import type { Whole } from './rendered.js';

/**
 * Records that memory had no room for and that were built again, in a file that only this process sees: it has no name
 * any more, and vanishes with the process. The system holds what is read often; the oldest are overwritten.
 */

const MOST_BYTES = 128_000_000;
const MOST_ENTRIES = 32_000;
/** It takes no room, and gives back what it has, where less than so many times its own size is free. */
const LEFT_TO_OTHERS = 4;
/** What one entry of the table takes in memory. */
const ENTRY_BYTES = 250;

interface Entry {
  /** Counted from the first byte ever written; the file holds the last MOST_BYTES of them. */
  at: number;
  /** Of what stands before the record, and of everything. */
  headLength: number;
  length: number;
  rightAt: number;
}

type Key = string | number;
type IsRight = (held: Pick<Whole, 'things'> & { rightAt: number }) => boolean;

/** `n`: its place among those that were asked for. */
interface Asked {
  n: number;
  entry: Entry;
}

const DIGEST_BYTES = 20;

export class Overflow {
  private readonly known = new Lru<Key, Entry>(MOST_ENTRIES * ENTRY_BYTES, MOST_ENTRIES);
  /** `unusable`: it could not be made or written, as on a full disk; then memory alone must do. */
  private file: number | 'not made' | 'unusable' = 'not made';
  private end = 0;

  constructor(
    private readonly folder: string,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  /** `isRight`: whether what depends on these things, and was right at that time, still is. */
  get(key: Key, isRight: IsRight): Whole | undefined {
    return this.all([key], isRight)[0];
  }

  /** In the order of the keys. What was written together, as the records of a page are, is read together. */
  all(keys: readonly Key[], isRight: IsRight): (Whole | undefined)[] {
    const found: (Whole | undefined)[] = keys.map(() => undefined);
    const { file } = this;
    if (typeof file === 'string') return found;
    const wanted: Asked[] = [];
    keys.forEach((key, n) => {
      const entry = this.known.get(key);
      if (!entry) return;
      if (entry.at >= this.end - this.mostBytes) wanted.push({ n, entry });
      else this.known.delete(key);
    });
    for (const run of runsOf(wanted, this.mostBytes)) {
      const all = Buffer.allocUnsafeSlow(run.reduce((sum, { entry }) => sum + entry.length, 0));
      const isRead = this.isRead(file, all, (run[0] as Asked).entry.at);
      let from = 0;
      for (const { n, entry } of run) {
        const { headLength, length, rightAt } = entry;
        const whole = isRead ? wholeIn(all.subarray(from, from + length), headLength) : undefined;
        from += length;
        const held = { things: whole?.things ?? [], rightAt };
        if (whole && isRight(held)) {
          entry.rightAt = held.rightAt;
          found[n] = whole;
        } else this.known.delete(keys[n] as Key);
      }
    }
    return found;
  }

  set(key: Key, whole: Whole, rightAt: number): void {
    const { bytes } = whole;
    const head = headOf(whole);
    const length = head.length + bytes.length;
    if (length > this.mostBytes / 100) return;
    const at = this.end;
    // The last one before the file begins anew reaches a little beyond its end.
    if (!this.isWritten([head, bytes], length, at)) return;
    this.end += length;
    this.known.set(key, { at, headLength: head.length, length, rightAt }, ENTRY_BYTES);
  }

  clear(): void {
    this.known.clear();
  }

  /** The disk is needed for more important things than this. */
  makeRoom(): void {
    if (typeof this.file === 'number' && !this.hasRoom()) this.close();
  }

  close(): void {
    const { file } = this;
    this.clear();
    // First: the number may soon be that of another file.
    this.file = 'unusable';
    if (typeof file === 'number') closed(file);
  }

  private hasRoom(): boolean {
    try {
      const { bavail, bsize } = statfsSync(this.folder);
      return bavail * bsize > this.mostBytes * LEFT_TO_OTHERS;
    } catch {
      return false;
    }
  }

  private isRead(file: number, all: Buffer, at: number): boolean {
    try {
      return readSync(file, all, 0, all.length, at % this.mostBytes) === all.length;
    } catch {
      return false;
    }
  }

  private isWritten(parts: Buffer[], length: number, at: number): boolean {
    if (this.file === 'not made') this.file = this.made();
    if (this.file === 'unusable') return false;
    try {
      if (writevSync(this.file, parts, at % this.mostBytes) === length) return true;
    } catch {
      // As for a write of which only a part was written: the disk is full, and what this takes is given back.
    }
    this.close();
    return false;
  }

  private made(): number | 'unusable' {
    const name = path.join(this.folder, `overflow-${randomUUID()}`);
    let file: number | undefined;
    try {
      if (!this.hasRoom()) return 'unusable';
      file = openSync(name, 'wx+', 0o600);
      rmSync(name, { force: true });
      return file;
    } catch {
      if (file !== undefined) closed(file);
      return 'unusable';
    }
  }
}

/** Those that stand one behind the other in the file. */
function runsOf(wanted: Asked[], fileBytes: number): Asked[][] {
  const runs: Asked[][] = [];
  let end: number | undefined;
  for (const one of wanted.sort((a, b) => a.entry.at - b.entry.at)) {
    const { at, length } = one.entry;
    // Behind the end of the file, it begins anew.
    const place = at % fileBytes;
    if (place === end) runs.at(-1)?.push(one);
    else runs.push([one]);
    end = place + length;
  }
  return runs;
}

/** Even if that fails, the number is no longer ours. */
function closed(file: number): void {
  try {
    closeSync(file);
  } catch {
    // What could not be written is not needed.
  }
}

/** Neither slugs nor the names of things contain the sign between them. */
const headOf = ({ digest, slug, things }: Whole): Buffer =>
  Buffer.concat([digest, Buffer.from([slug, ...things].join('\n'))]);

function wholeIn(all: Buffer, headLength: number): Whole {
  const [slug = '', ...things] = all.toString('utf8', DIGEST_BYTES, headLength).split('\n');
  return { bytes: all.subarray(headLength), digest: all.subarray(0, DIGEST_BYTES), slug, things };
}
