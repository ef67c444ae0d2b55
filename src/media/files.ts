import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Failure } from '../errors.js';

/** Where the files of pictures are stored. Names are ours, random and checked: no path from outside gets in. */
export interface Files {
  /** For display: the folder or the bucket. */
  readonly place: string;
  /** Stores the whole file or nothing; it is safe once this returns. */
  put(name: string, data: Buffer): Promise<void>;
  get(name: string): Promise<{ size: number; body: Readable } | undefined>;
  /** Succeeds if the file does not exist. */
  remove(name: string): Promise<void>;
  /** All files that are ours, in any order. */
  list(): AsyncIterable<StoredFile>;
}

export interface StoredFile {
  /** Ends with `.part` if it was never finished. */
  name: string;
  size: number;
  /** In seconds since 1970, by the clock of the store. */
  changedAt: number;
}

export const newFileName = (): string => randomBytes(16).toString('hex');

const NAME = /^([0-9a-f]{32})(-[a-z0-9_]{1,20})?\.[a-z]{3,4}$/;
export const PART = '.part';

export const isFileName = (name: string): boolean => NAME.test(name);

/** What the names of all sizes of a picture begin with. */
export const stemOf = (name: string): string | undefined => NAME.exec(name)?.[1];
export const isListed = (name: string): boolean => isFileName(name.endsWith(PART) ? name.slice(0, -PART.length) : name);

/** The same in a folder and in a bucket, so that other programs can copy files between them. */
export function pathOf(name: string): string {
  if (!isListed(name)) throw new Error('Not the name of a stored file');
  return `${name.slice(0, 2)}/${name}`;
}

/** Trouble with the store is not the fault of the request: the caller may try again later. */
export const unavailable = (cause: unknown): Failure => new Failure('service-unavailable', { cause });
