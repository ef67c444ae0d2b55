import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Database } from '../../src/db/database.js';
import { type Kind, type Ref, type Step, step } from '../differential.steps.js';
import { picture as aPicture, upload } from '../security/support.js';
import { type Made, questionOf, told } from '../support/questions.js';
import { type Reply, startServer, type TestServer } from '../support/server.js';

/**
 * Two servers on one database, one that keeps what it can and one that keeps nothing: after every write both must
 * answer the same. MEMORY_STEPS=2000 asks more, MEMORY_SEED asks others.
 */
const STEPS = Number(process.env.MEMORY_STEPS ?? 60);
const SEED = Number(process.env.MEMORY_SEED ?? 7);
const ASKED_EACH_TIME = 12;
const SETTINGS = {
  KALENDS_PUBLIC_URL: 'http://calendar.example',
  KALENDS_SIGN_IN_LIMIT: '0',
  KALENDS_WRITE_LIMIT: '0',
  KALENDS_LOG_LEVEL: 'silent',
};

let keeps: TestServer;
let forgets: TestServer;
before(async () => {
  keeps = await startServer(SETTINGS);
  forgets = await startServer({ ...SETTINGS, KALENDS_MEMORY: 'off' }, keeps);
});
after(async () => {
  await forgets.close();
  await keeps.close();
});

const ref = (of: Kind, n: number): Ref => ({ ref: of, n });
const ALL = { start_date: '1900-01-01', end_date: '2200-01-01' };
const lists = (kind: Kind, queries: Record<string, unknown>[]): Step[] =>
  queries.map((query) => ({ method: 'GET', kind, as: undefined, query }));
/** The same again and again: what is asked once is not kept. */
const READS: Step[] = [
  ...lists('events', [
    {},
    ALL,
    { ...ALL, per_page: 3 },
    { ...ALL, per_page: 2, page: 2 },
    { ...ALL, categories: ref('categories', 0) },
    { ...ALL, categories: ref('categories', 1), tags: ref('tags', 0) },
    { ...ALL, tags: ref('tags', 1) },
    { ...ALL, venue: ref('venues', 0) },
    { ...ALL, organizer: ref('organizers', 0) },
    { ...ALL, search: 'concert' },
    { ...ALL, search: '-a' },
    { ...ALL, featured: true },
    { ...ALL, geoloc: true },
    { ...ALL, geoloc_lat: 0, geoloc_lng: 0, geoloc_distance: 20_000 },
    { ...ALL, post_parent: ref('events', 0) },
    { include: ref('events', 1) },
  ]),
  ...(['venues', 'organizers'] as const).flatMap((kind) =>
    lists(kind, [{}, { has_events: true }, { event: ref('events', 2) }, { search: 'a' }, { per_page: 2 }]),
  ),
  ...(['categories', 'tags'] as const).flatMap((kind) =>
    lists(kind, [{}, { hide_empty: false }, { event: ref('events', 1) }, { orderby: 'count', order: 'desc' }]),
  ),
  ...(['events', 'venues', 'organizers', 'categories', 'tags'] as const).flatMap((kind) =>
    [0, 1, 2, 3].map((which): Step => ({ method: 'GET', kind, which, as: undefined })),
  ),
];

/** What depends on how long an answer has stood is not told by one who remembers nothing. */
const comparable = (reply: Parameters<typeof told>[0]) => {
  const { headers, ...rest } = told(reply);
  return { ...rest, headers: headers.filter(([name]) => !['last-modified', 'cache-control', 'etag'].includes(name)) };
};

test('what another process wrote is told whole, or not yet: never beside what memory holds from before', async () => {
  const day = { start_date: '2061-02-03', end_date: '2061-02-03' };
  const made = async (by: TestServer, title: string): Promise<number> =>
    (await by.post('/events', { title, ...day }, 'admin')).json.id;
  const list = async (n: number) => (await keeps.get('/events', { ...day, per_page: 50, x: n })).json;
  await made(keeps, 'First');
  // What the question selects is in memory from here on.
  for (let n = 0; n < 3; n++) await list(-n);
  for (let n = 1; n <= 12; n++) {
    // Selected at once, but not shown to anybody yet: its row must be read.
    const id = await made(keeps, 'Unseen');
    await made(forgets, 'Another');
    assert.equal((await forgets.patch(`/events/${id}`, { title: 'Seen' }, 'admin')).status, 200);
    const { events, total } = await list(n);
    assert.equal(events.find((one: { id: number }) => one.id === id)?.title, 'Seen');
    assert.deepEqual([events.length, total], [1 + n * 2, 1 + n * 2]);
  }
});

test('a slug leads to the event that has it now', async () => {
  const day = { start_date: '2062-02-03', end_date: '2062-02-03' };
  const made = async (slug: string): Promise<number> =>
    (await keeps.post('/events', { title: slug, slug, ...day }, 'admin')).json.id;
  const [one, two] = [await made('slug-of-one'), await made('slug-of-two')];
  let asked = 0;
  // Another question each time, so that no whole answer is kept, but its parts are.
  const at = async (slug: string) => {
    const { status, json } = await keeps.get(`/events/by-slug/${slug}`, { x: asked++ });
    return status === 200 ? json.id : status;
  };
  for (let n = 0; n < 3; n++) assert.deepEqual([await at('slug-of-one'), await at('slug-of-two')], [one, two]);
  await keeps.patch(`/events/${one}`, { slug: 'slug-of-nobody' }, 'admin');
  assert.deepEqual([await at('slug-of-one'), await at('slug-of-nobody')], [404, one]);
  await keeps.patch(`/events/${two}`, { slug: 'slug-of-one' }, 'admin');
  for (let n = 0; n < 3; n++) assert.deepEqual([await at('slug-of-one'), await at('slug-of-two')], [two, 404]);
  await keeps.del(`/events/${two}`, 'admin');
  assert.notEqual(await at('slug-of-one'), two);
});

test('the name of a term leads to the term that has it now', async () => {
  const made = async (name: string) => (await keeps.post('/categories', { name, slug: name }, 'admin')).json.id;
  const [one, two] = [await made('name-of-one'), await made('name-of-two')];
  const day = { start_date: '2063-02-03', end_date: '2063-02-03' };
  for (const category of [one, two])
    await keeps.post('/events', { title: `In ${category}`, categories: [category], ...day }, 'admin');
  let asked = 0;
  const titles = async (categories: string) => {
    const { status, json } = await keeps.get('/events', { ...day, categories, x: asked++ });
    return status === 200 ? json.events.map(({ title }: { title: string }) => title) : status;
  };
  const rename = (id: number, name: string) => keeps.patch(`/categories/${id}`, { name, slug: name }, 'admin');
  for (let n = 0; n < 3; n++) assert.deepEqual(await titles('name-of-one'), [`In ${one}`]);
  assert.equal((await rename(one, 'name-of-nobody')).status, 200);
  assert.equal(await titles('name-of-one'), 400);
  assert.equal((await rename(two, 'name-of-one')).status, 200);
  for (let n = 0; n < 3; n++) assert.deepEqual(await titles('name-of-one'), [`In ${two}`]);
  assert.equal((await keeps.del(`/categories/${two}`, 'admin')).status, 200);
  assert.equal(await titles('name-of-one'), 400);
});

test('whatever is written, memory tells what the data does', async () => {
  const made: Made = { events: [], venues: [], organizers: [], categories: [], tags: [] };
  const steps = fc.sample(fc.noBias(step), { numRuns: STEPS * 4, seed: SEED });
  const writes = steps.filter(({ method }) => method !== 'GET').slice(0, STEPS);
  let compared = 0;
  for (const [at, write] of writes.entries()) {
    const { method, at: where, ...question } = questionOf(write, made);
    const done = await keeps.ask(method, where, question);
    if (method === 'POST' && done.status === 201) made[write.kind].push(done.json.id);
    for (let n = 0; n < ASKED_EACH_TIME; n++) {
      const read = questionOf(READS[(at * 7 + n * 5) % READS.length] as Step, made);
      const ask = (server: TestServer) => server.ask('GET', read.at, { query: read.query });
      const truth = comparable(await ask(forgets));
      // Once as it may be kept from before this write, and once more.
      for (const _ of [1, 2]) assert.deepEqual(comparable(await ask(keeps)), truth, JSON.stringify({ write, read }));
      compared += truth.status === 200 ? 1 : 0;
    }
  }
  console.log(`# memory: ${compared} answers compared after ${writes.length} writes, seed ${SEED}`);
  assert.ok(compared > STEPS * 3, `${compared}`);
});

interface Known {
  event: number;
  venue: number;
  organizer: number;
  category: number;
  tag: number;
  image: number;
}
type Case = [what: string, questions: (ids: Known) => string[], write: (ids: Known) => Promise<Reply>];
const CASES: Case[] = [
  [
    'a category has another name',
    ({ event, category }) => [`/events/${event}`, `/events?categories=${category}`, '/events', '/categories'],
    ({ category }) => keeps.patch(`/categories/${category}`, { name: 'Renamed category' }, 'admin'),
  ],
  [
    'a venue has another name',
    ({ event, venue }) => [`/events/${event}`, '/events', `/events?venue=${venue}`, `/venues/${venue}`, '/venues'],
    ({ venue }) => keeps.patch(`/venues/${venue}`, { venue: 'Renamed venue' }, 'admin'),
  ],
  [
    'an organizer goes to the trash',
    ({ event }) => [`/events/${event}`, '/events', `/organizers?event=${event}`, `/events/by-slug/remembered`],
    ({ organizer }) => keeps.del(`/organizers/${organizer}`, 'admin'),
  ],
  [
    'a picture has another text',
    ({ event }) => [`/events/${event}`, '/events'],
    ({ image }) => keeps.patch(`/media/${image}`, { alt_text: 'Another text' }, 'admin'),
  ],
  [
    'an event loses its tag',
    ({ event, tag }) => [`/tags?event=${event}`, `/events?tags=${tag}`, '/tags', `/venues?has_events=true`],
    ({ event }) => keeps.patch(`/events/${event}`, { tags: [] }, 'admin'),
  ],
  [
    'an event has another slug',
    ({ event }) => ['/events/by-slug/remembered', `/events/${event}`, '/events'],
    ({ event }) => keeps.patch(`/events/${event}`, { slug: 'renamed-event' }, 'admin'),
  ],
  [
    'an event goes to the trash',
    ({ event }) => [`/events/${event}`, '/events', '/events?search=remembered', '/categories', '/venues?has_events=1'],
    ({ event }) => keeps.del(`/events/${event}`, 'admin'),
  ],
];

describe('what is kept is forgotten when', () => {
  const ids = {} as Known;
  before(async () => {
    const picture = await upload(keeps, await aPicture(), 'admin');
    assert.equal(picture.status, 201, picture.text);
    const event = await keeps.post(
      '/events',
      {
        title: 'Remembered',
        slug: 'remembered',
        start_date: '2050-01-01 10:00',
        end_date: '2050-01-01 12:00',
        venue: { venue: 'Remembered venue' },
        organizer: { organizer: 'Remembered organizer' },
        categories: ['Remembered category'],
        tags: ['Remembered tag'],
        image: picture.json.id,
      },
      'admin',
    );
    assert.equal(event.status, 201, event.text);
    const { id, venue, organizer, categories, tags } = event.json;
    const [first, category, tag] = [organizer[0], categories[0], tags[0]];
    Object.assign(ids, { event: id, venue: venue.id, organizer: first.id, category: category.id, tag: tag.id });
    ids.image = picture.json.id;
  });

  for (const [what, questions, write] of CASES) {
    test(what, async () => {
      const asked = questions(ids);
      const before = [];
      for (const path of asked) for (const _ of [1, 2, 3]) before.push((await keeps.get(path)).text);
      const done = await write(ids);
      assert.equal(done.status, 200, done.text);
      let changed = 0;
      for (const [at, path] of asked.entries()) {
        const truth = comparable(await forgets.get(path));
        for (const _ of [1, 2]) assert.deepEqual(comparable(await keeps.get(path)), truth, path);
        if (truth.body !== before[at * 3 + 2]) changed++;
      }
      assert.ok(changed > 0, 'the write shows somewhere');
    });
  }
});

/** Where a connection is lost in the midst of a read, it is done once more from its beginning. */
test('whoever reads twice keeps the same', async () => {
  const twice = (database: Database): Database => {
    const read: Database['read'] = async (work, reading) => {
      await database.read(work, reading);
      return database.read(work, reading);
    };
    return { ...database, read };
  };
  const server = await startServer(SETTINGS, keeps, twice);
  try {
    for (const query of ['', '&featured=false', '&search=remembered']) {
      const path = `/events?start_date=1900-01-01&end_date=2200-01-01${query}`;
      const truth = comparable(await forgets.get(path));
      for (const n of [1, 2, 3, 4]) {
        // A parameter that means nothing makes it another address, so that the answer is made.
        const { total, events } = (await server.get(`${path}&x=${n}`)).json;
        const wanted = JSON.parse(truth.body);
        assert.equal(total, wanted.total, path);
        assert.deepEqual(
          events.map(({ id }: { id: number }) => id),
          wanted.events.map(({ id }: { id: number }) => id),
        );
        await sleep(50);
      }
    }
  } finally {
    await server.close();
  }
});
