import { hashOfWord, secretKey } from '../accounts/secrets.js';
import { categoryKind } from '../categories/category.js';
import type { Config } from '../config.js';
import type { Database, Db } from '../db/database.js';
import { eventKind } from '../events/event.js';
import { organizerKind } from '../organizers/organizer.js';
import { readArgs, readingOf } from '../records/args.js';
import type { Context } from '../records/context.js';
import type { Kind } from '../records/kind.js';
import { siteOf } from '../site.js';
import { nowSeconds } from '../time/clock.js';
import { venueKind } from '../venues/venue.js';
import { CATEGORIES, EVENTS, ORGANIZERS, VENUES } from './town.js';

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
  await database.write(async (db) => {
    const make = maker(db, site, adminId, hashes);
    const parents = new Map<string, number>();
    for (const { under, ...category } of CATEGORIES) {
      const parent = under === undefined ? undefined : parents.get(under);
      parents.set(category.name, await make(categoryKind, { ...category, ...(parent ? { parent } : {}) }));
    }
    for (const venue of VENUES) await make(venueKind, venue);
    for (const organizer of ORGANIZERS) await make(organizerKind, organizer);
    const made = new Map<unknown, number>();
    for (const { part_of, ...event } of EVENTS) {
      const parent = part_of === undefined ? {} : { post_parent: made.get(part_of) };
      made.set(event.title, await make(eventKind, { show_map: true, show_map_link: true, ...event, ...parent }));
    }
  });
}

function maker(db: Db, site: Context['site'], adminId: number, hashes: Map<unknown, string>) {
  const now = nowSeconds();
  return async (kind: Kind, given: Record<string, unknown>): Promise<number> => {
    const context: Context = {
      db,
      site,
      now,
      given,
      caller: { user: { id: adminId, username: 'admin', role: 'administrator' } },
      address: { home: '', api: '', global: '', root: '', namespace: '' },
      translate: (key) => key,
      passwordHash: async () => undefined,
      wrongPassword: () => undefined,
      newPasswordHash: hashes.get(given.password),
    };
    const values = (await readArgs(kind.create.args, given, readingOf(context, true))) as never;
    return ((await kind.create.run(context, values)) as { id: number }).id;
  };
}
