import { readFileSync } from 'node:fs';
import type { Caller } from '../access/rights.js';
import { hashOfWord, secretKey } from '../accounts/secrets.js';
import { categoryKind } from '../categories/category.js';
import type { Config } from '../config.js';
import type { Database, Db } from '../db/database.js';
import { eventKind } from '../events/event.js';
import type { Images, Media } from '../media/media.js';
import { mediaOf } from '../media/open.js';
import { organizerKind } from '../organizers/organizer.js';
import { readArgs, readingOf } from '../records/args.js';
import type { Context } from '../records/context.js';
import type { Kind } from '../records/kind.js';
import { siteOf } from '../site.js';
import { nowSeconds } from '../time/clock.js';
import { venueKind } from '../venues/venue.js';
import { CATEGORIES, EVENTS, ORGANIZERS, VENUES } from './town.js';

/** Stored before the transaction, like those of all other writes. */
async function picturesOf(media: Media, caller: Caller): Promise<Map<unknown, Images>> {
  const found = new Map<unknown, Images>();
  for (const { picture } of EVENTS) {
    if (!picture) continue;
    const bytes = readFileSync(new URL(`./pictures/${picture.file}`, import.meta.url));
    found.set(picture, await media.prepare({}, caller, '', bytes));
  }
  return found;
}

/** Fills an empty calendar with the life of a small town, through the same operations and rules as all other writes. */
export async function addSampleCalendar(options: {
  config: Config;
  database: Database;
  adminId: number;
}): Promise<void> {
  const { config, database, adminId } = options;
  const site = siteOf(config);
  const key = await database.write(secretKey);
  const hashes = new Map<unknown, string>();
  for (const { password } of EVENTS)
    if (typeof password === 'string') hashes.set(password, await hashOfWord(password, key));
  const admin: Caller = { user: { id: adminId, username: 'admin', role: 'administrator' } };
  // The limits of the site are for what others send.
  const limits = { mediaLimit: 1_000_000, mediaPixels: 1_000_000 };
  const pictures = await picturesOf(mediaOf({ ...config, ...limits }, database), admin);
  await database.write(async (db) => {
    const { make, change } = writer(db, site, admin, hashes);
    const parents = new Map<string, number>();
    for (const { under, ...category } of CATEGORIES) {
      const parent = under === undefined ? undefined : parents.get(under);
      parents.set(category.name, await make(categoryKind, { ...category, ...(parent ? { parent } : {}) }));
    }
    for (const venue of VENUES) await make(venueKind, venue);
    for (const organizer of ORGANIZERS) await make(organizerKind, organizer);
    const made = new Map<unknown, number>();
    for (const { part_of, picture: _, ...event } of EVENTS) {
      const parent = part_of === undefined ? {} : { post_parent: made.get(part_of) };
      made.set(event.title, await make(eventKind, { show_map: true, show_map_link: true, ...event, ...parent }));
    }
    // Pictures have ids, too: examples in the documentation name the ids of other records, which do not shift this way.
    for (const { title, picture } of EVENTS) {
      const image = picture && (await pictures.get(picture)?.fromUpload(db, admin, picture.shows));
      if (image) await change(eventKind, made.get(title) ?? 0, { image });
    }
  });
}

function writer(db: Db, site: Context['site'], caller: Caller, hashes: Map<unknown, string>) {
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
