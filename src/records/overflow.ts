import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writevSync } from 'node:fs';
import path from 'node:path';
import { Lru } from '../lru.js';
import type { Whole } from './rendered.js';

/**
 * Events that were built several times and that memory has no room for, in a file that only this process sees: it has
 * no name any more, and vanishes with the process. The system holds what is read often; the oldest are overwritten.
 */

const MOST_BYTES = 128_000_000;
const MOST_ENTRIES = 20_000;
/** What one entry of the table takes in memory. */
const ENTRY_BYTES = 250;

interface Entry {
  /** Counted from the first byte ever written; the file holds the last MOST_BYTES of them. */
  at: number;
  /** Of what stands before the event, and of everything. */
  headLength: number;
  length: number;
  rightAt: number;
}

type Head = Pick<Whole, 'slug' | 'things'> & { digest: string };

export class Overflow {
  private readonly known = new Lru<string, Entry>(MOST_ENTRIES * ENTRY_BYTES, MOST_ENTRIES);
  /** `unusable`: it could not be made or written, as on a full disk; then memory alone must do. */
  private file: number | 'not made' | 'unusable' = 'not made';
  private end = 0;

  constructor(
    private readonly folder: string,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  /** `isRight`: whether what depends on these things, and was right at that time, still is. */
  get(key: string, isRight: (held: Pick<Whole, 'things'> & { rightAt: number }) => boolean): Whole | undefined {
    const entry = this.known.get(key);
    if (!entry || typeof this.file === 'string') return undefined;
    const { at, headLength, length, rightAt } = entry;
    if (at >= this.end - this.mostBytes) {
      const all = Buffer.allocUnsafeSlow(length);
      const { slug, things, digest } = this.isRead(this.file, all, at) ? headIn(all, headLength) : NOTHING;
      const held = { things, rightAt };
      if (digest !== '' && isRight(held)) {
        entry.rightAt = held.rightAt;
        return { bytes: all.subarray(headLength), digest: Buffer.from(digest, 'base64'), slug, things };
      }
    }
    this.known.delete(key);
    return undefined;
  }

  set(key: string, { bytes, digest, slug, things }: Whole, rightAt: number): void {
    const head = Buffer.from(JSON.stringify({ slug, things, digest: digest.toString('base64') } satisfies Head));
    const length = head.length + bytes.length;
    if (length > this.mostBytes / 100) return;
    // Nothing goes over the end of the file.
    const left = this.mostBytes - (this.end % this.mostBytes);
    const at = this.end + (length > left ? left : 0);
    if (!this.isWritten([head, bytes], length, at)) return;
    this.end = at + length;
    this.known.set(key, { at, headLength: head.length, length, rightAt }, ENTRY_BYTES);
  }

  clear(): void {
    this.known.clear();
  }

  close(): void {
    this.clear();
    if (typeof this.file === 'number') closeSync(this.file);
    this.file = 'unusable';
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
    try {
      const file = openSync(name, 'wx+', 0o600);
      rmSync(name, { force: true });
      return file;
    } catch {
      return 'unusable';
    }
  }
}

const NOTHING: Head = { slug: '', things: [], digest: '' };

const headIn = (all: Buffer, length: number): Head => JSON.parse(all.toString('utf8', 0, length)) as Head;
