import { sql } from 'kysely';
import { createUser } from '../src/accounts/accounts.js';
import { categoryKind } from '../src/categories/category.js';
import { readConfig } from '../src/config.js';
import { type Database, type Db, SEARCH_TABLES } from '../src/db/database.js';
import { migrate } from '../src/db/migrate.js';
import { createEvents } from '../src/events/event.bulk.js';
import { organizerKind } from '../src/organizers/organizer.js';
import { readArgs } from '../src/records/args.js';
import type { Context } from '../src/records/context.js';
import type { Kind } from '../src/records/kind.js';
import { siteOf } from '../src/site.js';
import { tagKind } from '../src/tags/tag.js';
import { venueKind } from '../src/venues/venue.js';
import { categories, type DataSet, event, type Ids, organizer, placesOf, tags, venue } from './data.js';

/** Puts a made-up calendar into an empty database, through the same rules as every other write. */

type Given = Record<string, unknown>;
const AT_ONCE = 10_000;

function defaultSite(): Context['site'] {
  const reading = readConfig({}, {});
  if ('problems' in reading) throw new Error(reading.problems.join('\n'));
  return siteOf(reading.config);
}
const SITE = defaultSite();

export function contextFor(db: Db, now: number, adminId: number, given: Given): Context {
  return {
    db,
    now,
    given,
    site: SITE,
    caller: { user: { id: adminId, username: 'bench', role: 'administrator' } },
    address: { home: '', api: '', global: '', root: '', namespace: '' },
    translate: (key) => key,
    scheme: undefined,
    passwordHash: async () => undefined,
    wrongPassword: () => undefined,
  };
}

/** One record, by the operation that a request runs. */
export async function make(kind: Kind, context: Context): Promise<number> {
  const { db, caller, site, now, given } = context;
  const values = await readArgs(kind.create.args, given, { db, caller, site: site.zone, now, creating: true });
  return ((await kind.create.run(context, values as never)) as { id: number }).id;
}

export interface Filled {
  ids: Ids;
  /** What to send as Authorization. */
  admin: string;
  /** How long the events alone took. */
  eventSeconds: number;
}

/** `say`: the share that is done, and what is being made. */
export async function fill(
  database: Database,
  set: DataSet,
  say: (share: number, what: string) => void,
): Promise<Filled> {
  await migrate(database);
  const { user, secret } = await database.write((db) => createUser(db, 'bench', 'administrator', 'bench'));
  const places = placesOf(set);
  const oneByOne = async (kind: Kind, what: string, given: Given[]): Promise<number[]> => {
    const ids: number[] = [];
    for (let from = 0; from < given.length; from += 500) {
      await database.write(async (db) => {
        for (const one of given.slice(from, from + 500))
          ids.push(await make(kind, contextFor(db, set.today, user.id, one)));
      });
      say(0, what);
    }
    return ids;
  };
  const categoryIds: number[] = [];
  await database.write(async (db) => {
    for (const { given, under } of categories()) {
      const parent = under === undefined ? {} : { parent: categoryIds[under] };
      categoryIds.push(await make(categoryKind, contextFor(db, set.today, user.id, { ...given, ...parent })));
    }
  });
  const numbers = Array.from({ length: places }, (_, n) => n);
  const ids: Ids = {
    categories: categoryIds,
    tags: await oneByOne(tagKind, 'tags', tags(set)),
    venues: await oneByOne(
      venueKind,
      'venues',
      numbers.map((n) => venue(set, n)),
    ),
    organizers: await oneByOne(
      organizerKind,
      'organizers',
      numbers.map((n) => organizer(set, n)),
    ),
  };
  const start = performance.now();
  for (let from = 0; from < set.events; from += AT_ONCE) {
    const many = Math.min(AT_ONCE, set.events - from);
    const events = Array.from({ length: many }, (_, n) => ({ given: event(set, from + n, ids) }));
    await database.write((db) => createEvents(contextFor(db, set.today, user.id, {}), events));
    say((from + many) / set.events, 'events');
  }
  const eventSeconds = (performance.now() - start) / 1000;
  say(1, 'the index of texts');
  await settle(database);
  const admin = `Basic ${Buffer.from(`bench:${secret}`).toString('base64')}`;
  return { ids, admin, eventSeconds };
}

/** A calendar that has grown event by event has an index in order; after a load a server is busy with that for a while. */
async function settle(database: Database): Promise<void> {
  if (database.engine !== 'sqlite') return;
  const left = (): Promise<number> => database.read((db) => db.dialect.toIndex(db));
  while ((await left()) > 0) await database.write((db) => db.dialect.indexWritten(db, AT_ONCE));
  for (const table of SEARCH_TABLES) {
    const index = sql.table(`${table}_index`);
    await database.write((db) => db.run(sql`INSERT INTO ${index} (${index}) VALUES ('optimize')`));
  }
}
