import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Kind, type Ref, type Step, step } from '../differential.steps.js';
import { type Made, questionOf, told } from '../support/questions.js';
import { startServer, type TestServer } from '../support/server.js';

/**
 * Two servers on one database, one that keeps what it can and one that keeps nothing: after every write both must
 * answer the same. MEMORY_STEPS=2000 asks more, MEMORY_SEED asks others.
 */
const STEPS = Number(process.env.MEMORY_STEPS ?? 120);
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
