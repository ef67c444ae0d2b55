import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { checkAnswer, checkedAnswers, document, type Exchange } from '../support/contract.js';
import { startServer, type TestServer } from '../support/server.js';
import { withoutTexts } from './support.js';

/** Every answer that a test asks for is held against openapi.json; here it is shown that the check bites. */

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Json = any;
let server: TestServer;
let event: Json;
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  const body = {
    title: 'Fair',
    start_date: '+1 day',
    end_date: '+1 day',
    venue: 'Hall',
    organizer: ['Ada'],
    tags: ['x'],
  };
  event = (await server.post('/events', body, 'admin')).json;
});
after(() => server.close());

interface Change {
  /** Members of the body, by path; undefined takes one away. */
  body?: Record<string, unknown>;
  /** A header, by name. */
  without?: string;
  exchange?: () => Partial<Exchange>;
}

/** A real answer with something changed. */
async function exchange(at: string, change: Change): Promise<Exchange> {
  const reply = await server.get(at);
  const headers = new Headers(reply.headers);
  if (change.without) headers.delete(change.without);
  const body = structuredClone(reply.json);
  for (const [path, value] of Object.entries(change.body ?? {})) {
    const steps = path.split('.');
    const last = steps.pop() ?? '';
    const place = steps.reduce((inner, step) => inner[step], body);
    if (value === undefined) delete place[last];
    else place[last] = value;
  }
  const { config, api } = server;
  const real = { config, method: 'GET', url: api + at, sent: {}, status: reply.status, headers };
  return { ...real, text: JSON.stringify(body), ...change.exchange?.() };
}

test('the document that the server serves is the one that answers are held against', async () => {
  const served = (await server.get('/openapi.json')).json;
  const plain = (one: Json) => withoutTexts({ ...one, servers: [] });
  assert.deepEqual(plain(served), plain(document));
  assert.equal(served.servers[0].url, server.api);
});

test('answers are counted, at every address of the interface', async () => {
  for (const at of [
    '/events',
    `/events/${event.id}`,
    '~/wp-json/tribe/events/v1/tags/',
    '~/DE/api/Calendar/events/v1/events',
  ]) {
    const before = checkedAnswers();
    assert.equal((await server.get(at)).status, 200, at);
    assert.equal(checkedAnswers(), before + 1, at);
  }
  const before = checkedAnswers();
  for (const at of ['~/readyz', '~/api', '/nothing']) await server.get(at);
  await server.ask('OPTIONS', '/events');
  await server.get('/events', { _envelope: 1 });
  assert.equal(checkedAnswers(), before);
});

const WRONG: [what: string, at: string, change: Change, message: RegExp][] = [
  ['a member that is not documented', '/events/{id}', { body: { colour: 'red' } }, /colour/],
  ['such a member of a nested record', '/events', { body: { 'events.0.venue.colour': 'red' } }, /colour/],
  ['such a member of a list', '/events', { body: { pages: 1 } }, /pages/],
  ['a member that is missing', '/events/{id}', { body: { slug: undefined } }, /slug/],
  ['a number that should be a text', '/events/{id}', { body: { author: 1 } }, /author/],
  ['a date of another form', '/events', { body: { 'events.0.start_date': '2027-01-01T00:00' } }, /start_date/],
  ['a word that is not one of the words', '/venues', { body: { 'venues.0.status': 'live' } }, /status/],
  ['an address that is none', '/organizers', { body: { 'organizers.0.url': 'no address' } }, /url/],
  ['totals that differ', '/tags', { body: { total: 7 } }, /totals/],
  ['a status that is not documented', '/events', { exchange: () => ({ status: 418 }) }, /statuses/],
  ['a server error', '/events', { exchange: () => ({ status: 500 }) }, /statuses/],
  ['a method that is not documented', '/events', { exchange: () => ({ method: 'PUT' }) }, /neither the route/],
  ['an unknown route', '/events', { exchange: () => ({ url: `${server.api}/people` }) }, /neither the route/],
  ['a code that is not documented', '/events?page=99', { body: { code: 'oops' } }, /oops/],
  ['an error without a status', '/events?page=99', { body: { 'data.status': undefined } }, /status/],
  ['no type of content', '/events', { without: 'content-type' }, /Content-Type/],
  ...['Allow', 'Link', 'Content-Language', 'ETag', 'X-TEC-Total', 'X-TEC-TotalPages'].map(
    (without): (typeof WRONG)[number] => [`no header ${without}`, '/events', { without }, new RegExp(without)],
  ),
];

for (const [what, at, change, message] of WRONG) {
  test(`refused: ${what}`, async () => {
    const path = at.replace('{id}', event.id);
    checkAnswer(await exchange(path, {}));
    const wrong = await exchange(path, change);
    assert.throws(() => checkAnswer(wrong), message);
  });
}

test('refused: a new record without its address', async () => {
  const reply = await server.post('/tags', { name: 'new' }, 'admin');
  const headers = new Headers(reply.headers);
  const { config, api } = server;
  const real = { config, method: 'POST', url: `${api}/tags`, sent: {}, status: 201, headers, text: reply.text };
  checkAnswer(real);
  headers.set('location', `${api}/tags/0`);
  assert.throws(() => checkAnswer(real), /Location/);
  headers.delete('location');
  assert.throws(() => checkAnswer(real), /Location/);
});

test('a wrong answer fails the test that asked for it', async (t) => {
  const path = `/events/${event.id}`;
  const real = await server.get(path);
  const { title, ...rest } = real.json as Json;
  const answers = [JSON.stringify({ title, ...rest }), JSON.stringify(rest)];
  const other = createServer((_, answer) => {
    for (const [name, value] of real.headers)
      if (!/^(content-length|transfer-encoding)$/.test(name)) answer.setHeader(name, value);
    answer.end(answers.shift());
  }).listen(0, '127.0.0.1');
  t.after(() => {
    other.closeAllConnections();
    other.close();
  });
  await once(other, 'listening');
  const there = `http://127.0.0.1:${(other.address() as AddressInfo).port}${new URL(server.api).pathname}${path}`;
  assert.equal((await server.get(there)).json.title, 'Fair');
  await assert.rejects(server.get(there), /Not as openapi.json says[\s\S]*title/);
});
