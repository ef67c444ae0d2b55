import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Failure } from '../errors.js';

/** Where the files of pictures lie. Names are ours, random and checked: no path from outside reaches the store. */
export interface Files {
  /** For people: the folder, or the bucket. */
  readonly place: string;
  /** Whole or not at all, and safe when it returns. */
  put(name: string, data: Buffer): Promise<void>;
  get(name: string): Promise<{ size: number; body: Readable } | undefined>;
  /** What is not there is removed already. */
  remove(name: string): Promise<void>;
  /** Everything that is ours, in no order. */
  list(): AsyncIterable<StoredFile>;
}

export interface StoredFile {
  /** With `.part` at its end when it was never finished. */
  name: string;
  size: number;
  /** Seconds since 1970 by the clock of the store. */
  changedAt: number;
}

export const newFileName = (): string => randomBytes(16).toString('hex');

const NAME = /^[0-9a-f]{32}(-[a-z0-9_]{1,20})?\.[a-z]{3,4}$/;
export const PART = '.part';

export const isFileName = (name: string): boolean => NAME.test(name);
export const isListed = (name: string): boolean => isFileName(name.endsWith(PART) ? name.slice(0, -PART.length) : name);

/** The same in a folder and in a bucket, so that other programs can copy from one to the other. */
export function pathOf(name: string): string {
  if (!isListed(name)) throw new Error('Not the name of a stored file');
  return `${name.slice(0, 2)}/${name}`;
}

/** Whatever is wrong with the store, it is not the caller's request: they may try again later. */
export const unavailable = (cause: unknown): Failure => new Failure('service-unavailable', { cause });
