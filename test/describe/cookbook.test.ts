import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addSampleCalendar } from '../../src/demo/sample.js';
import { type Recipe, recipesOf } from '../../src/web/cookbook.js';
import { commandOf } from '../../src/web/docs.js';
import { type Reply, startServer, type TestServer } from '../support/server.js';
import { LISTS, nameOf } from './specification.js';

/** Every example of the documentation page is run, in order, against the sample calendar. */

let server: TestServer;
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  await addSampleCalendar({ config: server.config, database: server.database, adminId: server.users.admin.id });
});
after(() => server.close());

const RECIPES = recipesOf({ perPage: 10, perPageMost: 50 });

/** Examples that find nothing in the sample, and why. */
const FINDS_NOTHING: Record<string, string> = {
  month: 'a month that is written out; the sample is counted from today',
  running: 'everything in the sample is to come or over, but for a moment',
  'starts-after': 'a day that is written out',
  'time-zone': 'a moment that is written out',
};

function run(recipe: Recipe): Promise<Reply> {
  const { method = 'GET', path, body, headers } = recipe;
  return server.ask(method, path, {
    ...(recipe.user ? { as: 'admin' as const } : {}),
    ...(body ? { json: body } : {}),
    ...(headers ? { headers } : {}),
  });
}

const seen = new Map<string, Reply>();
for (const recipe of RECIPES) {
  test(`${recipe.id}: ${recipe.title}`, async () => {
    const reply = await run(recipe);
    seen.set(recipe.id, reply);
    const wanted = recipe.method === 'POST' ? 201 : 200;
    assert.equal(reply.status, wanted, reply.text.slice(0, 500));
    if (recipe.method === 'HEAD') {
      assert.ok(Number(reply.headers.get('x-tec-total')) > 0);
      return;
    }
    const plural = /^\/(\w+)(?:\?|$)/.exec(recipe.path)?.[1] ?? '';
    const listed = recipe.method === undefined && Array.isArray(reply.json[plural]);
    if (listed && !Object.hasOwn(FINDS_NOTHING, recipe.id)) assert.ok(reply.json[plural].length > 0, 'finds nothing');
  });
}

const titles = (id: string): string[] =>
  (seen.get(id)?.json.events ?? []).map((event: { title: string }) => event.title).sort();

test('the examples find what they say', () => {
  assert.deepEqual(titles('search'), ['Fado by candlelight']);
  assert.deepEqual(titles('past'), ['Winter lantern workshop']);
  assert.deepEqual(titles('ticketed'), ['Fado by candlelight']);
  assert.deepEqual(titles('featured'), ['Fado by candlelight', 'Light Festival']);
  assert.deepEqual(titles('tag'), ['Light Festival', 'Monday run, all paces', 'Riverside 10K', 'Saturday market']);
  // A category includes those below it: jazz is music.
  assert.ok(titles('category').some((title) => title.startsWith('Late set')));
  assert.ok(titles('near-me').length > 2 && !titles('near-me').some((title) => title.startsWith('Late set')));
  // All but the protected one, whose place is nobody's business (E4).
  assert.equal(seen.get('with-place')?.json.total, seen.get('upcoming')?.json.total - 1);
  assert.equal(titles('all-pages').length, seen.get('upcoming')?.json.total);
  // The past too, and nothing twice.
  assert.equal(new Set(titles('moving')).size, 13);
  const few = seen.get('few-fields')?.json;
  assert.deepEqual(Object.keys(few), ['events', 'total']);
  assert.deepEqual(Object.keys(few.events[0]).sort(), ['id', 'start_date', 'title', 'venue']);
});

test('single records: what opens, what is made, what is changed, what is removed', async () => {
  assert.equal(seen.get('single')?.json.title, 'Fado by candlelight');
  assert.match(seen.get('protected')?.json.description, /for members only/);
  assert.equal(seen.get('me')?.json.role, 'administrator');
  const [made, changed, moved] = ['create', 'change', 'move'].map((id) => seen.get(id)?.json);
  assert.deepEqual([made.venue.venue, made.timezone], ['Harbour Hall', 'Europe/Lisbon']);
  assert.equal(changed.start_date.slice(11), '18:30:00');
  assert.equal(changed.end_date, made.end_date);
  assert.deepEqual([moved.timezone, moved.start_date], ['Europe/Madrid', changed.start_date]);
  assert.notEqual(moved.utc_start_date, changed.utc_start_date);
  assert.equal((await server.get(`/events/${made.id}`)).status, 404);
  assert.equal(seen.get('new-venue')?.json.geo_lat, 38.7028);
});

test('the ETag example works with a real ETag', async () => {
  const recipe = RECIPES.find(({ id }) => id === 'changed');
  const etag = seen.get('changed')?.headers.get('etag');
  assert.ok(recipe && etag);
  assert.equal((await run({ ...recipe, headers: { 'If-None-Match': etag } })).status, 304);
});

test('all pages: following next_rest_url reaches every event once', async () => {
  const found: number[] = [];
  let next: string | undefined = `${server.api}/events?per_page=3`;
  while (next) {
    const { json }: Reply = await server.ask('GET', next);
    found.push(...json.events.map(({ id }: { id: number }) => id));
    next = json.next_rest_url;
  }
  assert.equal(new Set(found).size, found.length);
  assert.deepEqual(
    found.sort(),
    seen
      .get('all-pages')
      ?.json.events.map(({ id }: { id: number }) => id)
      .sort(),
  );
});

test('every parameter of the list of events is shown by an example', () => {
  const shown = new Set(
    RECIPES.filter(({ path }) => path.startsWith('/events?')).flatMap(({ path }) => [
      ...new URLSearchParams(path.slice(path.indexOf('?'))).keys(),
    ]),
  );
  const missing = (LISTS.events ?? []).map(nameOf).filter((name) => !shown.has(name));
  assert.deepEqual(missing, []);
});

test('examples have names of their own, and are on the page as commands of this site', async () => {
  assert.equal(new Set(RECIPES.map(({ id }) => id)).size, RECIPES.length);
  const { text } = await server.get('~/docs');
  const unescaped = text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  for (const recipe of RECIPES) {
    assert.ok(text.includes(`<article id="${recipe.id}" lang="en" dir="ltr">`), recipe.id);
    assert.ok(unescaped.includes(commandOf(recipe, server.api)), recipe.id);
  }
  assert.match(
    commandOf({ id: 'x', title: '', text: '', path: '/x', method: 'POST', body: { a: "it's" } }, ''),
    /'\\''s/,
  );
  assert.equal(commandOf({ id: 'x', title: '', text: '', path: '/x', method: 'HEAD' }, ''), "curl -I '/x'");
});
