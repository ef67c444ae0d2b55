import { randomUUID } from 'node:crypto';
import { type Caller, uploads } from '../access/rights.js';
import type { Database, Db } from '../db/database.js';
import type { ImageTable } from '../db/tables.js';
import { nowSeconds } from '../time/clock.js';
import { fetchBytes } from './fetch.js';
import { type Files, newFileName } from './files.js';
import { imageBySource, insertImage } from './image.store.js';
import { fileName, type StoredSizes } from './image.view.js';
import { type Limits, readPicture } from './picture.js';

/** Pictures come before the transaction: fetching and reading them takes long, and others stand in line behind a write. */
export type StoredImage = Omit<ImageTable, 'id' | 'uid' | 'author_id' | 'created_at'>;

export interface MediaOptions extends Limits {
  files: Files;
  database: Database;
  /** Hosts that may be fetched from although they are not public. */
  allow: readonly string[];
}

/** What a write has at hand: pictures already fetched or uploaded, whose rows it adds in its own transaction. */
export interface Images {
  /** The image behind an address: fetched for this request, or once before. */
  fromAddress(db: Db, caller: Caller, url: string): Promise<number | undefined>;
  /** Adds the uploaded picture; undefined when there was none that could be stored. */
  fromUpload(db: Db, caller: Caller, alt: string): Promise<number | undefined>;
  /** Afterwards: files that no row names are removed. */
  settle(committed: boolean): Promise<void>;
}

export interface Media {
  prepare(given: Readonly<Record<string, unknown>>, caller: Caller, home: string, upload?: Buffer): Promise<Images>;
  removeFiles(image: Pick<ImageTable, 'file' | 'extension' | 'sizes'>): Promise<void>;
  files: Files;
}

const MOST_FETCHED = 10;

export function createMedia(options: MediaOptions): Media {
  const { files, database } = options;

  async function store(bytes: Buffer, source_url: string | null): Promise<StoredImage | undefined> {
    const picture = await readPicture(bytes, options);
    const full = picture?.files[0];
    if (!picture || !full) return undefined;
    const file = newFileName();
    const named = { file, extension: picture.extension };
    try {
      for (const one of picture.files) await files.put(fileName(named, one.size), one.data);
    } catch (error) {
      for (const one of picture.files) await files.remove(fileName(named, one.size)).catch(() => undefined);
      throw error;
    }
    const sizes: StoredSizes = {};
    for (const { size, width, height, data } of picture.files.slice(1))
      sizes[size] = { width, height, filesize: data.length };
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

  async function removeFiles(image: Pick<ImageTable, 'file' | 'extension' | 'sizes'>): Promise<void> {
    for (const size of ['', ...Object.keys(JSON.parse(image.sizes) as StoredSizes)])
      await files.remove(fileName(image, size));
  }

  async function prepare(
    given: Readonly<Record<string, unknown>>,
    caller: Caller,
    home: string,
    upload?: Buffer,
  ): Promise<Images> {
    const fetched = new Map<string, StoredImage>();
    const used = new Set<StoredImage>();
    const mayUpload = uploads(caller);
    for (const url of mayUpload ? addressesIn(given, home) : []) {
      if (await database.read((db) => imageBySource(db, url))) continue;
      const bytes = await fetchBytes(url, { bytes: options.bytes, allow: options.allow });
      const stored = bytes && (await store(bytes, url));
      if (stored) fetched.set(url, stored);
    }
    const uploaded = upload && mayUpload ? await store(upload, null) : undefined;
    const add = async (db: Db, caller: Caller, stored: StoredImage, alt = ''): Promise<number> => {
      const id = await insertImage(db, {
        ...stored,
        alt,
        uid: randomUUID(),
        author_id: caller.user?.id ?? 0,
        created_at: nowSeconds(),
      });
      used.add(stored);
      return id;
    };
    return {
      async fromAddress(db, caller, url) {
        const known = await imageBySource(db, url);
        if (known) return known.id;
        const stored = fetched.get(url);
        return stored && add(db, caller, stored);
      },
      async fromUpload(db, caller, alt) {
        return uploaded && add(db, caller, uploaded, alt);
      },
      async settle(committed) {
        const all = [...fetched.values(), ...(uploaded ? [uploaded] : [])];
        for (const stored of all) if (!committed || !used.has(stored)) await removeFiles(stored);
      },
    };
  }

  return { prepare, removeFiles, files };
}

/** Addresses of pictures in a write: of the record itself and of venues and organizers inside it; not those of our own. */
function addressesIn(given: Readonly<Record<string, unknown>>, home: string): string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === 'string' && /^https?:\/\//i.test(value) && !value.startsWith(`${home}/media/`))
      found.add(value);
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
