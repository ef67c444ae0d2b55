import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { addSampleCalendar } from '../../src/demo/sample.js';
import { type Reply, startServer, type TestServer } from '../support/server.js';
import { fileText } from './support.js';

/** The example of every body is sent as it is to the sample calendar, as by whoever tries the interface for the first time. */

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Json = any;
const document: Json = JSON.parse(fileText('docs/openapi.json'));
const TAKING = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item)
    .filter(([, { requestBody }]) => requestBody?.content['application/json'])
    .map(([method, { requestBody }]) => ({ path, method: method.toUpperCase(), content: requestBody.content })),
);
const CREATING = TAKING.filter(({ path }) => !path.includes('{'));
const CHANGING = TAKING.filter(({ path }) => path.includes('{'));

let server: TestServer;
/** What was made, by the path of its list. */
const made = new Map<string, Json>();
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  await addSampleCalendar({ config: server.config, database: server.database, adminId: server.users.admin.id });
  const body = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const headers = { 'content-type': 'image/png' };
  made.set('/media', (await server.ask('POST', '/media', { body, headers, as: 'admin' })).json);
});
after(() => server.close());

async function send(method: string, at: string, content: Json): Promise<Reply> {
  const { example } = content['application/json'];
  assert.ok(example, 'there is no example');
  assert.deepEqual(content['application/x-www-form-urlencoded'].example, example);
  const reply = await server.ask(method, at, { json: example, as: 'admin' });
  assert.equal(reply.headers.get('x-kalends-ignored'), null);
  return reply;
}

test('there are bodies of every kind', () => {
  assert.deepEqual(
    CREATING.map(({ path }) => path),
    ['/events', '/venues', '/organizers', '/categories', '/tags'],
  );
  assert.equal(CHANGING.length, 9 * 3);
});

for (const { path, method, content } of CREATING)
  test(`${method} ${path}: the example makes a record`, async () => {
    const reply = await send(method, path, content);
    assert.equal(reply.status, 201, reply.text);
    made.set(path, reply.json);
  });

test('the event is at a venue and of an organizer that were there before', async () => {
  const { venue, organizer } = made.get('/events');
  for (const [at, search] of [
    ['/venues', venue.venue],
    ['/organizers', organizer[0].organizer],
  ])
    assert.equal((await server.get(at, { search: `"${search}"` })).json.total, 1, search);
});

for (const { path, method, content } of CHANGING)
  test(`${method} ${path}: the example changes a record`, async () => {
    const { id, slug } = made.get(path.replace(/(\/by-slug)?\/\{.*/, ''));
    const reply = await send(method, path.replace('{id}', id).replace('{slug}', slug), content);
    assert.equal(reply.status, 200, reply.text);
  });
