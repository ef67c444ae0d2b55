import { readFileSync } from 'node:fs';
import type { Caller } from '../access/rights.js';
import { hashOfWord, secretKey } from '../accounts/secrets.js';
import { categoryKind } from '../categories/category.js';
import type { Config } from '../config.js';
import type { Database, Db } from '../db/database.js';
import { eventKind } from '../events/event.js';
import { mediaOf } from '../media/open.js';
import { organizerKind } from '../organizers/organizer.js';
import { readArgs, readingOf } from '../records/args.js';
import type { Context } from '../records/context.js';
import type { Kind } from '../records/kind.js';
import { siteOf } from '../site.js';
import { nowSeconds } from '../time/clock.js';
import { venueKind } from '../venues/venue.js';
import { CATEGORIES, EVENTS, ORGANIZERS, VENUES } from './town.js';

interface Options {
  config: Config;
  database: Database;
  adminId: number;
  /** Asked in the transaction that fills the calendar: another process may be filling it, too. */
  isEmpty?: (db: Db) => Promise<boolean>;
  /** Reports that pictures could not be stored, without which the calendar is as good a sample. */
  warn?: (error: unknown) => void;
}

/** Fills an empty calendar with the life of a small town, through the same operations and rules as all other writes. */
export async function addSampleCalendar({ config, database, adminId, isEmpty, warn }: Options): Promise<void> {
  const site = siteOf(config);
  const key = await database.write(secretKey);
  const hashes = new Map<unknown, string>();
  for (const { password } of EVENTS)
    if (typeof password === 'string') hashes.set(password, await hashOfWord(password, key));
  const admin: Caller = { user: { id: adminId, username: 'admin', role: 'administrator' } };
  const made = new Map<unknown, number>();
  await database.write(async (db) => {
    made.clear();
    if (isEmpty && !(await isEmpty(db))) return;
    const { make } = writer(db, site, admin, hashes);
    const parents = new Map<string, number>();
    for (const { under, ...category } of CATEGORIES) {
      const parent = under === undefined ? undefined : parents.get(under);
      parents.set(category.name, await make(categoryKind, { ...category, ...(parent ? { parent } : {}) }));
    }
    for (const venue of VENUES) await make(venueKind, venue);
    for (const organizer of ORGANIZERS) await make(organizerKind, organizer);
    for (const { part_of, picture: _, ...event } of EVENTS) {
      const parent = part_of === undefined ? {} : { post_parent: made.get(part_of) };
      made.set(event.title, await make(eventKind, { show_map: true, show_map_link: true, ...event, ...parent }));
    }
  });
  await addPictures(config, database, admin, made).catch((error: unknown) => {
    if (!warn) throw error;
    warn(error);
  });
}

/** `made`: the ids of the events by their titles. */
async function addPictures(config: Config, database: Database, admin: Caller, made: Map<unknown, number>) {
  // The limits of the site are for what others send.
  const media = mediaOf({ ...config, mediaLimit: 1_000_000, mediaPixels: 1_000_000 }, database);
  for (const { title, picture } of EVENTS) {
    const id = made.get(title);
    if (id === undefined || !picture) continue;
    const bytes = readFileSync(new URL(`./pictures/${picture.file}`, import.meta.url));
    const images = await media.prepare({}, admin, '', bytes);
    await database.write(async (db) => {
      const image = await images.fromUpload(db, picture.shows);
      await writer(db, siteOf(config), admin).change(eventKind, id, { image });
    });
  }
}

function writer(db: Db, site: Context['site'], caller: Caller, hashes = new Map<unknown, string>()) {
  const now = nowSeconds();
  const contextOf = (given: Record<string, unknown>): Context => ({
    db,
    site,
    now,
    given,
    caller,
    address: { home: '', api: '', global: '', root: '', namespace: '' },
    translate: (key) => key,
    passwordHash: async () => undefined,
    wrongPassword: () => undefined,
    newPasswordHash: hashes.get(given.password),
  });
  return {
    make: async (kind: Kind, given: Record<string, unknown>): Promise<number> => {
      const context = contextOf(given);
      const values = (await readArgs(kind.create.args, given, readingOf(context, true))) as never;
      return ((await kind.create.run(context, values)) as { id: number }).id;
    },
    change: async (kind: Kind, id: number, given: Record<string, unknown>): Promise<void> => {
      const context = contextOf(given);
      const values = (await readArgs(kind.update.args, given, readingOf(context, false))) as never;
      await kind.update.run(context, { by: 'id', id }, values);
    },
  };
}
