import { type Caller, uploads } from '../access/rights.js';
import type { Database, Db } from '../db/database.js';
import type { ImageTable } from '../db/tables.js';
import { newUid } from '../db/uid.js';
import { Failure } from '../errors.js';
import { isAddress } from '../text/url.js';
import { nowSeconds } from '../time/clock.js';
import { fetchBytes } from './fetch.js';
import { type Files, newFileName } from './files.js';
import { imageBySource, insertImage, sourceOf } from './image.store.js';
import { fileName, fileNames, type StoredSizes } from './image.view.js';
import { claimLoose, forgetLoose, giveUpLoose, noteLoose } from './loose.store.js';
import { type Limits, readPicture } from './picture.js';

/** Pictures are fetched and decoded before the transaction: that takes long, and other writes would have to wait. */
export type StoredImage = Omit<ImageTable, 'id' | 'uid' | 'author_id' | 'created_at'>;

export interface MediaOptions extends Limits {
  files: Files;
  database: Database;
  /** Hosts from which pictures may be fetched although they are not public. */
  allow: readonly string[];
  /** How long one write may spend on fetching all its pictures. */
  fetchSeconds: number;
}

/** What a write works with: pictures already fetched or uploaded, whose rows it adds in its own transaction. */
export interface Images {
  /** The image from an address, fetched for this request or by the same caller before. Throws if time ran out. */
  fromAddress(db: Db, url: string): Promise<number | undefined>;
  /** Adds the uploaded picture; throws if it cannot be stored. */
  fromUpload(db: Db, alt: string): Promise<number | undefined>;
  /** After the transaction: removes files that no row names. */
  settle(committed: boolean): Promise<void>;
}

export interface Media {
  /** `upload`: the picture that was sent, or what is wrong with it. */
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
      // The note in `loose_file` stays: if the store did not answer in time, it may still write the file later.
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

  /** If files cannot be removed now, their note remains and they are swept later, so the error concerns nobody. */
  async function removeFiles(image: StoredImage): Promise<void> {
    try {
      // The transaction may have committed although its result was lost: then a row names the files, and they stay.
      if (!(await database.write((db) => giveUpLoose(db, image.file)))) return;
      await Promise.all(fileNames(image).map((name) => files.remove(name)));
      await database.write((db) => forgetLoose(db, image.file));
    } catch {}
  }

  /** One after the other and with a common deadline, because the caller is waiting for the response. */
  async function fetchAll(
    urls: string[],
    author: number,
  ): Promise<{ fetched: Map<string, StoredImage>; late: Set<string> }> {
    const fetched = new Map<string, StoredImage>();
    const late = new Set<string>();
    if (urls.length === 0) return { fetched, late };
    const deadline = AbortSignal.timeout(options.fetchSeconds * 1000);
    for (const url of urls) {
      if (await database.read((db) => imageBySource(db, author, url), { fresh: true })) continue;
      const bytes = await fetchBytes(url, { bytes: options.bytes, allow: options.allow, deadline });
      const stored = bytes && (await store(bytes, sourceOf(author, url)).catch(unsuitable).catch(givingUp(fetched)));
      if (stored === undefined && deadline.aborted) late.add(url);
      else if (stored && !(stored instanceof Failure)) fetched.set(url, stored);
    }
    return { fetched, late };
  }

  /** If the store fails midway, the pictures fetched before are not needed any more. */
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
    const author = caller.user?.id ?? 0;
    const { fetched, late } = await fetchAll(mayUpload ? addressesIn(given, home) : [], author);
    const uploaded = mayUpload && upload ? await uploadedBy(upload).catch(givingUp(fetched)) : undefined;
    const used = new Set<StoredImage>();
    const add = async (db: Db, stored: StoredImage, alt = ''): Promise<number> => {
      // Fails only if the request was suspended for an hour and its files were swept meanwhile.
      if (!(await claimLoose(db, stored.file))) throw new Failure('service-unavailable');
      const id = await insertImage(db, {
        ...stored,
        alt,
        uid: newUid(),
        author_id: author,
        created_at: nowSeconds(),
      });
      used.add(stored);
      return id;
    };
    return {
      async fromAddress(db, url) {
        // Another user's image may not be public yet, and has that user's alternative text: so each has their own.
        const known = await imageBySource(db, author, url);
        if (known) return known.id;
        if (late.has(url))
          throw new Failure('bad-request', { variant: 'slow-images', values: { seconds: options.fetchSeconds } });
        const stored = fetched.get(url);
        return stored && add(db, stored);
      },
      async fromUpload(db, alt) {
        if (uploaded instanceof Failure) throw uploaded;
        return uploaded && add(db, uploaded, alt);
      },
      async settle(committed) {
        const all = [...fetched.values(), ...(uploaded && !(uploaded instanceof Failure) ? [uploaded] : [])];
        for (const stored of all) if (!committed || !used.has(stored)) await removeFiles(stored);
      },
    };
  }

  return { prepare, removeFiles, files };
}

/** Problems with a picture are reported in their turn, after rights and parameters; server trouble at once. */
function unsuitable(error: unknown): Failure {
  if (error instanceof Failure && error.code !== 'service-unavailable') return error;
  throw error;
}

/** Addresses of pictures in a write: of the record itself and of the venues and organizers in it, but not our own. */
function addressesIn(given: Readonly<Record<string, unknown>>, home: string): string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === 'string' && isAddress(value) && !value.startsWith(`${home}/media/`)) found.add(value);
  };
  const lookAt = (one: unknown): void => {
    if (one !== null && typeof one === 'object') look((one as { image?: unknown }).image);
  };
  /** One record, or a list of them, which may also be an object with numbered members. */
  const lookInside = (value: unknown): void => {
    lookAt(value);
    if (value !== null && typeof value === 'object') Object.values(value).forEach(lookAt);
  };
  look(given.image);
  lookInside(given.venue);
  lookInside(given.organizer);
  return [...found].slice(0, MOST_FETCHED);
}
