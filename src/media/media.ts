import { type Caller, owns, uploads } from '../access/rights.js';
import type { Database, Db } from '../db/database.js';
import type { ImageTable } from '../db/tables.js';
import { newUid } from '../db/uid.js';
import { Failure } from '../errors.js';
import { isAddress } from '../text/url.js';
import { nowSeconds } from '../time/clock.js';
import { fetchBytes } from './fetch.js';
import { type Files, newFileName } from './files.js';
import { imageBySource, insertImage } from './image.store.js';
import { fileName, fileNames, type StoredSizes } from './image.view.js';
import { claimLoose, forgetLoose, giveUpLoose, noteLoose } from './loose.store.js';
import { type Limits, readPicture } from './picture.js';

/** Pictures come before the transaction: fetching and reading them takes long, and others stand in line behind a write. */
export type StoredImage = Omit<ImageTable, 'id' | 'uid' | 'author_id' | 'created_at'>;

export interface MediaOptions extends Limits {
  files: Files;
  database: Database;
  /** Hosts that may be fetched from although they are not public. */
  allow: readonly string[];
  /** How long one write may fetch, all its pictures together. */
  fetchSeconds: number;
}

/** What a write has at hand: pictures already fetched or uploaded, whose rows it adds in its own transaction. */
export interface Images {
  /** The image behind an address: fetched for this request, or once before. A failure when there was no time left. */
  fromAddress(db: Db, caller: Caller, url: string): Promise<number | undefined>;
  /** Adds the uploaded picture; a failure when it cannot be stored. */
  fromUpload(db: Db, caller: Caller, alt: string): Promise<number | undefined>;
  /** Afterwards: files that no row names are removed. */
  settle(committed: boolean): Promise<void>;
}

export interface Media {
  /** `upload`: a picture that was sent, or what is wrong with it. */
  prepare(
    given: Readonly<Record<string, unknown>>,
    caller: Caller,
    home: string,
    upload?: Buffer | Failure,
  ): Promise<Images>;
  removeFiles(image: StoredImage): Promise<void>;
  files: Files;
}

const MOST_FETCHED = 10;

export function createMedia(options: MediaOptions): Media {
  const { files, database } = options;

  async function store(bytes: Buffer, source_url: string | null): Promise<StoredImage> {
    const picture = await readPicture(bytes, options);
    const [full, ...smaller] = picture.files;
    const file = newFileName();
    const named = { file, extension: picture.extension };
    const parts = picture.files.map(({ size, data }) => ({ name: fileName(named, size), data }));
    const names = parts.map(({ name }) => name);
    await database.write((db) => noteLoose(db, file, names, nowSeconds()));
    const puts = await Promise.allSettled(parts.map(({ name, data }) => files.put(name, data)));
    const failed = puts.find((put) => put.status === 'rejected');
    if (failed) {
      // The note stays: what the store did not answer in time it may still do later.
      await Promise.allSettled(names.map((name) => files.remove(name)));
      throw failed.reason;
    }
    const sizes: StoredSizes = {};
    for (const { size, width, height, data } of smaller) sizes[size] = { width, height, filesize: data.length };
    return {
      ...named,
      mime: picture.mime,
      width: full.width,
      height: full.height,
      filesize: full.data.length,
      sizes: JSON.stringify(sizes),
      alt: '',
      source_url,
    };
  }

  /** What cannot be removed now stays noted, and is swept later: nobody has to wait for it, or to be told. */
  async function removeFiles(image: StoredImage): Promise<void> {
    try {
      // A transaction may have been kept although its answer was lost: then a row names the files, and they stay.
      if (!(await database.write((db) => giveUpLoose(db, image.file)))) return;
      await Promise.all(fileNames(image).map((name) => files.remove(name)));
      await database.write((db) => forgetLoose(db, image.file));
    } catch {}
  }

  /** One after the other, and all of them before one deadline: whoever asked waits for the answer. */
  async function fetchAll(
    urls: string[],
    caller: Caller,
  ): Promise<{ fetched: Map<string, StoredImage>; late: Set<string> }> {
    const fetched = new Map<string, StoredImage>();
    const late = new Set<string>();
    if (urls.length === 0) return { fetched, late };
    const deadline = AbortSignal.timeout(options.fetchSeconds * 1000);
    for (const url of urls) {
      const known = await database.read((db) => imageBySource(db, url), { fresh: true });
      if (known && owns(caller, known)) continue;
      const bytes = await fetchBytes(url, { bytes: options.bytes, allow: options.allow, deadline });
      const stored = bytes && (await store(bytes, url).catch(unsuitable).catch(givingUp(fetched)));
      if (stored === undefined && deadline.aborted) late.add(url);
      else if (stored && !(stored instanceof Failure)) fetched.set(url, stored);
    }
    return { fetched, late };
  }

  /** The store fails in the middle: what was fetched before is not wanted any more. */
  const givingUp =
    (fetched: Map<string, StoredImage>) =>
    async (error: unknown): Promise<never> => {
      for (const stored of fetched.values()) await removeFiles(stored);
      throw error;
    };

  const uploadedBy = async (upload: Buffer | Failure): Promise<StoredImage | Failure> =>
    upload instanceof Failure ? upload : store(upload, null).catch(unsuitable);

  async function prepare(
    given: Readonly<Record<string, unknown>>,
    caller: Caller,
    home: string,
    upload?: Buffer | Failure,
  ): Promise<Images> {
    const mayUpload = uploads(caller);
    const { fetched, late } = await fetchAll(mayUpload ? addressesIn(given, home) : [], caller);
    const uploaded = mayUpload && upload ? await uploadedBy(upload).catch(givingUp(fetched)) : undefined;
    const used = new Set<StoredImage>();
    const add = async (db: Db, caller: Caller, stored: StoredImage, alt = '', known?: ImageTable): Promise<number> => {
      // Only after an hour's sleep in the middle of a request.
      if (!(await claimLoose(db, stored.file))) throw new Failure('service-unavailable');
      const id = await insertImage(db, {
        ...stored,
        // One row only is found by its address: that of whoever came first.
        source_url: known ? null : stored.source_url,
        alt,
        uid: newUid(),
        author_id: caller.user?.id ?? 0,
        created_at: nowSeconds(),
      });
      used.add(stored);
      return id;
    };
    return {
      async fromAddress(db, caller, url) {
        const known = await imageBySource(db, url);
        // Another's may be one that nobody is to see yet, with words that are somebody else's: it was fetched anew.
        if (known && owns(caller, known)) return known.id;
        if (late.has(url))
          throw new Failure('bad-request', { variant: 'slow-images', values: { seconds: options.fetchSeconds } });
        const stored = fetched.get(url);
        return stored && add(db, caller, stored, '', known);
      },
      async fromUpload(db, caller, alt) {
        if (uploaded instanceof Failure) throw uploaded;
        return uploaded && add(db, caller, uploaded, alt);
      },
      async settle(committed) {
        const all = [...fetched.values(), ...(uploaded && !(uploaded instanceof Failure) ? [uploaded] : [])];
        for (const stored of all) if (!committed || !used.has(stored)) await removeFiles(stored);
      },
    };
  }

  return { prepare, removeFiles, files };
}

/** What is wrong with a picture is told in its turn, after rights and parameters; trouble of the server at once. */
function unsuitable(error: unknown): Failure {
  if (error instanceof Failure && error.code !== 'service-unavailable') return error;
  throw error;
}

/** Addresses of pictures in a write: of the record itself and of venues and organizers inside it; not those of our own. */
function addressesIn(given: Readonly<Record<string, unknown>>, home: string): string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === 'string' && isAddress(value) && !value.startsWith(`${home}/media/`)) found.add(value);
  };
  const lookInside = (value: unknown): void => {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && typeof one === 'object') look((one as { image?: unknown }).image);
    }
  };
  look(given.image);
  lookInside(given.venue);
  lookInside(given.organizer);
  return [...found].slice(0, MOST_FETCHED);
}
