import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { contextFor } from '../../bench/fill.js';
import { text } from '../../bench/words.js';
import { sweepChanges } from '../../src/db/changes.js';
import type { Database } from '../../src/db/database.js';
import { createEvents } from '../../src/events/event.bulk.js';
import { nowSeconds } from '../../src/time/clock.js';
import { ENGINE, onServer } from '../support/engine.js';
import { type Asked, cannotCount, cost, noting } from '../support/reads.js';
import { must } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';
import { randomOf } from '../tools/random.js';

/**
 * What a read costs, counted and not timed: the questions that it asks the database, and the pages that these look at.
 * Neither may grow with what lies in the past.
 */
const UPCOMING = 40;
const PAST = [200, 2000] as const;
/** What an index of ten times the size may cost: a level more here and there. Ten times as many rows would show. */
const mayBecome = (before: number, times = 1.5): number => before * times + 10;

const ids = { event: 0, slug: '', venue: 0, organizer: 0, category: 0, tag: 0 };

interface Read {
  path: () => string;
  /** The most questions, beside the look at what changed: the first time, the second and third time that it is asked. */
  most: [first: number, second: number, third: number];
  /** How many times as much it may look at with ten times as much past. */
  times?: number;
}

/** Every collection and every single record that anybody may read, and every way to narrow the events. */
const READS: Record<string, Read> = {
  events: { path: () => '/events?', most: [4, 1, 0] },
  'a later page of them': { path: () => '/events?per_page=5&page=3', most: [4, 1, 0] },
  // Days among those of the past, before most of them.
  'events of some days': { path: () => '/events?start_date=2017-07-15&end_date=2017-07-17', most: [4, 1, 0] },
  'events of a category': { path: () => `/events?categories=${ids.category}`, most: [6, 3, 2] },
  'events with a tag': { path: () => `/events?tags=${ids.tag}`, most: [5, 2, 1] },
  'events at a venue': { path: () => `/events?venue=${ids.venue}`, most: [5, 2, 1] },
  'events of an organizer': { path: () => `/events?organizer=${ids.organizer}`, most: [5, 2, 1] },
  'featured events': { path: () => '/events?featured=true', most: [4, 1, 0] },
  'events with tickets': { path: () => '/events?ticketed=true', most: [4, 1, 0] },
  'events near a place': { path: () => '/events?geoloc_lat=52.5&geoloc_lng=13.4', most: [4, 1, 0] },
  // Three letters of a word are in many others.
  'events with a word': { path: () => '/events?search=lantern', most: [4, 1, 0], times: 3 },
  'events by id': { path: () => `/events?include=${ids.event}`, most: [4, 1, 0] },
  'an event': { path: () => `/events/${ids.event}?`, most: [4, 4, 4] },
  'an event by slug': { path: () => `/events/by-slug/${ids.slug}?`, most: [4, 4, 4] },
  venues: { path: () => '/venues?', most: [2, 2, 2] },
  'venues with a word': { path: () => '/venues?search=hall', most: [2, 2, 2] },
  'venues that have events': { path: () => '/venues?has_events=1', most: [2, 2, 2] },
  'venues of an event': { path: () => `/venues?event=${ids.event}`, most: [3, 3, 3] },
  'a venue': { path: () => `/venues/${ids.venue}?`, most: [1, 1, 1] },
  organizers: { path: () => '/organizers?', most: [2, 2, 2] },
  'organizers that have events': { path: () => '/organizers?has_events=1', most: [2, 2, 2] },
  'an organizer': { path: () => `/organizers/${ids.organizer}?`, most: [1, 1, 1] },
  categories: { path: () => '/categories?', most: [2, 2, 2] },
  'a category': { path: () => `/categories/${ids.category}?`, most: [1, 1, 1] },
  tags: { path: () => '/tags?', most: [2, 2, 2] },
  'tags of an event': { path: () => `/tags?event=${ids.event}`, most: [3, 3, 3] },
  'a tag': { path: () => `/tags/${ids.tag}?`, most: [1, 1, 1] },
};

describe('counts', () => {
  let s: TestServer;
  const own = { venues: [], organizers: [], categories: [], tags: [] } as Record<string, number[]>;
  before(async () => {
    s = await startServer();
    const make = async (plural: string, json: object) =>
      own[plural]?.push((await must(s.post(`/${plural}`, json, 'admin'))).id);
    for (let n = 0; n < 12; n++) {
      await make('venues', { venue: `Hall ${n}`, geo_lat: 52.5 + n / 10, geo_lng: 13.4 });
      await make('organizers', { organizer: `Society ${n}` });
      await make('categories', { name: `Field ${n}` });
      await make('tags', { name: `topic ${n}` });
    }
    await add(UPCOMING, 'Lantern', nowSeconds() + 86_400, 0);
    const [event] = (await s.get('/events?page=2')).json.events;
    Object.assign(ids, { event: event.id, slug: event.slug });
    [ids.venue = 0] = own.venues ?? [];
    [ids.organizer = 0] = own.organizers ?? [];
    [ids.category = 0] = own.categories ?? [];
    [ids.tag = 0] = own.tags ?? [];
  });
  after(() => s.close());

  /** Events an hour apart; those of the past have six venues, organizers and terms of their own. */
  async function add(many: number, title: string, from: number, half: 0 | 6): Promise<void> {
    const pick = (plural: string, n: number): number => own[plural]?.[half + (n % 6)] ?? 0;
    const given = (n: number) => ({
      title: `${title} ${n}`,
      description: text(randomOf(from, n), 1500),
      start_date: from + n * 3600,
      end_date: from + n * 3600 + 1800,
      venue: pick('venues', n),
      organizer: pick('organizers', n),
      categories: [pick('categories', n)],
      tags: [pick('tags', n)],
      featured: n % 3 === 0,
      ...(n % 4 === 0 ? { tickets: [{ name: 'Seat' }] } : {}),
    });
    const events = Array.from({ length: many }, (_, n) => ({ given: given(n) }));
    await s.database.write((db) => createEvents(contextFor(db, nowSeconds(), s.users.admin.id, {}), events));
    // Engines choose their ways by how much there is, as far as they know. Where changed rows leave their old versions
    // behind, those count until somebody tidies up, which happens at any time.
    if (ENGINE === 'postgres') await onServer(s.config.databaseUrl, 'VACUUM (ANALYZE)');
  }

  /** Lets a server that has answered nothing yet answer, and tells what it asked. */
  async function watching(work: (ask: (path: string) => Promise<Asked[]>) => Promise<void>): Promise<void> {
    const asked: Asked[] = [];
    const server = await startServer({}, s, (database) => noting(database, asked));
    const ask = async (path: string): Promise<Asked[]> => {
      asked.length = 0;
      assert.equal((await server.get(path)).status, 200, path);
      // What others may have written is looked for with every request that is not answered from memory.
      // Who had to wait for a selection that is being made has asked the same before.
      const once = new Map(asked.map((one) => [JSON.stringify(one), one]));
      return [...once.values()].filter(({ sql: statement }) => !/change_log/.test(statement));
    };
    await work(ask).finally(() => server.close());
  }

  /** The cost of each read, asked of a server for the first time. */
  async function costs(): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const [name, { path }] of Object.entries(READS))
      await watching(async (ask) => {
        found.set(name, await cost(s.database, await ask(path())));
      });
    return found;
  }

  for (const [name, { path, most }] of Object.entries(READS)) {
    test(`${name}: at most ${most.join(', ')} questions, and none for the same once more`, async () => {
      await watching(async (ask) => {
        // A parameter that means nothing makes it another address.
        for (const [n, limit] of most.entries()) {
          const asked = await ask(`${path()}&x=${n}`);
          assert.ok(asked.length <= limit, `${n + 1}: ${asked.map(({ sql: statement }) => statement).join('\n')}`);
        }
        // Memory may not be sure at this very moment; then it looks, and asks for no more than before.
        let asked = 1;
        for (let tries = 0; asked > 0 && tries < 20; tries++) {
          asked = (await ask(`${path()}&x=2`)).length;
          if (asked > 0) await setTimeout(20 * tries);
        }
        assert.equal(asked, 0);
      });
    });
  }

  const SIFTED = ['featured=true', 'featured=false', 'ticketed=true', 'geoloc=true', 'geoloc=false'];
  test('what must be sifted event by event is not counted by those who answer', async () => {
    for (const filter of SIFTED) {
      await watching(async (ask) => {
        const counted = (await ask(`/events?${filter}`)).filter(({ sql: statement }) => /count\(/i.test(statement));
        assert.deepEqual(counted, [], filter);
      });
    }
  });

  test('it is selected by one question, not by one for each stretch of time', async () => {
    const asked: unknown[] = [];
    const server = await startServer({}, s, (database) => {
      const { aside } = database;
      const each: typeof aside.each = (query, take) => {
        asked.push(query);
        return aside.each(query, take);
      };
      return { ...database, aside: { ...aside, each } };
    });
    try {
      for (const [n, filter] of SIFTED.entries()) {
        assert.equal((await server.get(`/events?${filter}`)).status, 200);
        assert.equal(asked.length, n + 1, filter);
      }
      asked.length = 0;
      const alike = Array.from({ length: 20 }, (_, n) => server.get(`/events?search=crowd&x=${n}`));
      for (const answer of await Promise.all(alike)) assert.equal(answer.status, 200);
      assert.equal(asked.length, 1, 'those who ask at the same time wait for the same');
    } finally {
      await server.close();
    }
  });

  test('no read looks at more when there is ten times as much past', { skip: cannotCount }, async () => {
    const [few, many] = PAST;
    await add(few, 'Past', 1_500_000_000, 6);
    const before = await costs();
    await add(many - few, 'Past too', 1_600_000_000, 6);
    const grown = [...(await costs())].filter(
      ([name, now]) => now > mayBecome(before.get(name) ?? 0, READS[name]?.times),
    );
    assert.deepEqual(
      grown.map(([name, now]) => `${name}: ${before.get(name)} before, ${now} now`),
      [],
    );
    assert.ok(
      [...before.values()].every((one) => one > 0),
      'everything was counted',
    );
  });

  const notCounted = ENGINE === 'postgres' ? 'what a change looks at is counted on SQLite only' : cannotCount;
  test('a step of sweeping the log of changes looks at what it removes', { skip: notCounted }, async () => {
    // Some four hundred pages.
    await s.database.write((db) =>
      db.run(sql`WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < 100000)
        INSERT INTO change_log (kind, id) SELECT 'event', n FROM series`),
    );
    const steps: Asked[] = [];
    const write: Database['write'] = (work) =>
      s.database.write((db) =>
        work({
          q: db.q,
          dialect: db.dialect,
          all: (query) => db.all(query),
          first: (query) => db.first(query),
          run: (query) => db.run(query),
          changed: async (query) => {
            const { sql: text, parameters: values } = query.compile(db.q);
            steps.push({ sql: text, values });
            return 0;
          },
        }),
      );
    await sweepChanges({ write });
    assert.equal(steps.length, 1);
    const pages = await cost(s.database, steps);
    assert.ok(pages > 0 && pages < 40, `${pages} pages`);
  });
});
