import type { Caller } from '../access/rights.js';
import type { Db } from '../db/database.js';
import type { Translate } from '../i18n/translate.js';
import type { Images } from '../media/media.js';
import type { Zone } from '../time/zone.js';
import type { Kept } from './basis.js';

/** The site as configured. */
export interface Site {
  zone: Zone;
  currencySymbol: string;
  currencyCode: string;
  perPage: number;
  perPageMost: number;
}

/** Where links in responses point: the public address of the pages, and of the API as the caller addressed it. */
export interface Address {
  home: string;
  api: string;
  /** Host and path of `home`, without scheme and port: the first part of every global id. */
  global: string;
  /** The root of the API, one level above its namespace. */
  root: string;
  /** The last three segments of `api`. */
  namespace: string;
}

/** One request, as an operation sees it. */
export interface Context {
  db: Db;
  caller: Caller;
  site: Site;
  address: Address;
  now: number;
  /** All parameters as sent, not yet read: for those that are honoured without being declared. */
  given: Readonly<Record<string, unknown>>;
  /** Translates texts for people into the language of the address. */
  translate: Translate;
  /** The scheme of the `Authorization` header, even if it was not recognised. */
  scheme?: string | undefined;
  /** Hash of the `password` that was sent. Hashing is slow, so it happens only when needed, and once. */
  passwordHash: (db: Db) => Promise<string | undefined>;
  /** Reports that the password that was sent opened nothing. */
  wrongPassword: () => void;
  /** Hash of the password to be set, computed before the transaction begins. */
  newPasswordHash?: string | undefined;
  kept?: Kept | undefined;
  /** Pictures fetched or uploaded with this request. */
  images?: Images | undefined;
}

/** What a description of the API depends on. */
export type Describing = Pick<Context, 'address' | 'translate' | 'site' | 'now'>;

export type Target = { by: 'id'; id: number } | { by: 'slug'; slug: string };

export const asksToEdit = (context: Context): boolean => context.given.context === 'edit';
