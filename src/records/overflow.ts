import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, statfsSync, writevSync } from 'node:fs';
import path from 'node:path';
import { type Place, Places } from './places.js';
import type { Whole } from './rendered.js';
import { briefly } from './slab.js';

/**
 * Records that memory had no room for and that were built again, in a file that only this process sees: it has no name
 * any more, and vanishes with the process. The system holds what is read often; the oldest are overwritten.
 */

const MOST_BYTES = 128_000_000;
/** It takes no room, and gives back what it has, where less than so many times its own size is free. */
const LEFT_TO_OTHERS = 4;

/** Texts only where numbers do not reach: such records are built anew. */
type Key = string | number;
type IsRight = (held: Pick<Whole, 'things'> & { rightAt: number }) => boolean;

/** `n`: its place among the keys. */
interface Asked {
  n: number;
  place: Place;
}

const DIGEST_BYTES = 20;

export class Overflow {
  private readonly known = new Places();
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
      const place = typeof key === 'number' ? this.known.get(key) : undefined;
      if (place && place.at >= this.end - this.mostBytes) wanted.push({ n, place });
    });
    for (const run of runsOf(wanted, this.mostBytes)) {
      const all = briefly(run.reduce((sum, { place }) => sum + place.length, 0));
      const isRead = this.isRead(file, all, (run[0] as Asked).place.at);
      let from = 0;
      for (const { n, place } of run) {
        const key = keys[n] as number;
        const { headLength, length, rightAt } = place;
        const whole = isRead ? new Found(all.subarray(from, from + length), headLength, rightAt) : undefined;
        from += length;
        if (whole && isRight(whole)) {
          this.known.confirm(key, whole.rightAt);
          found[n] = whole;
        } else this.known.delete(key);
      }
    }
    return found;
  }

  set(key: Key, whole: Whole, rightAt: number): void {
    if (typeof key !== 'number') return;
    const { bytes } = whole;
    const head = headOf(whole);
    const length = head.length + bytes.length;
    if (length > this.mostBytes / 100) return;
    const at = this.end;
    // The last one before the file begins anew reaches a little beyond its end.
    if (!this.isWritten([head, bytes], length, at)) return;
    this.end += length;
    this.known.set(key, { at, headLength: head.length, length, rightAt });
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
  for (const one of wanted.sort((a, b) => a.place.at - b.place.at)) {
    const { at, length } = one.place;
    // Behind the end of the file, it begins anew.
    const begin = at % fileBytes;
    if (begin === end) runs.at(-1)?.push(one);
    else runs.push([one]);
    end = begin + length;
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

/** Read from the file. What stands before the record is read only if somebody asks for it. */
class Found implements Whole {
  readonly bytes: Buffer;
  readonly digest: Buffer;
  private told: string[] | undefined;

  constructor(
    private readonly all: Buffer,
    private readonly headLength: number,
    public rightAt: number,
  ) {
    this.bytes = all.subarray(headLength);
    this.digest = all.subarray(0, DIGEST_BYTES);
  }

  get slug(): string {
    return this.head[0] ?? '';
  }

  get things(): string[] {
    return this.head.slice(1);
  }

  private get head(): string[] {
    this.told ??= this.all.toString('utf8', DIGEST_BYTES, this.headLength).split('\n');
    return this.told;
  }
}
