import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type Client, type ClientOptions, createClient } from '../src/client/client.js';
import { clientAs, collect, concert, failing, pretend } from './support/client.js';
import { type RoleName, startServer, type TestServer } from './support/server.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

const as = (role?: RoleName, options?: Partial<ClientOptions>): Client => clientAs(server, role, options);

describe('errors', () => {
  test('wrong credentials: 401', async () => {
    const error = await failing(as(undefined, { user: 'admin', password: 'wrong' }).events.list());
    assert.deepEqual([error.name, error.status, error.code], ['KalendsError', 401, 'incorrect_password']);
    assert.ok(error.message.length > 10);
    assert.equal((await failing(as().events.create(concert))).status, 401);
  });

  test('not allowed: 403', async () => {
    const error = await failing(as('subscriber').events.create(concert));
    assert.deepEqual([error.status, error.code], [403, 'rest_forbidden']);
  });

  test('not there: 404', async () => {
    assert.equal((await failing(as().events.get(987_654))).code, 'rest-event-not-found');
    assert.equal((await failing(as().events.get({ slug: 'no-such/thing?' }))).status, 404);
  });

  test('bad parameters: 400, with a reason each', async () => {
    const error = await failing(as().events.list({ start_date: 'when pigs fly', venue: [987_654] }));
    assert.deepEqual([error.status, error.code], [400, 'rest_invalid_param']);
    assert.deepEqual(Object.keys(error.params).sort(), ['start_date', 'venue']);
    assert.ok(Object.values(error.params).every((reason) => typeof reason === 'string' && reason !== ''));
    assert.equal((error.body as { code: string }).code, 'rest_invalid_param');
  });

  test('missing parameters are named too', async () => {
    const error = await failing(as('admin').events.create({} as typeof concert));
    assert.equal(error.code, 'rest_missing_callback_param');
    assert.deepEqual(Object.keys(error.params).sort(), ['end_date', 'start_date', 'title']);
  });

  // A header is written when its test runs: others may have taken more than a minute by then.
  const waits: [name: string, header: () => string, seconds: (value: number | undefined) => boolean][] = [
    ['seconds', () => '7', (value) => value === 7],
    [
      'a date in a minute',
      () => new Date(Date.now() + 60_000).toUTCString(),
      (value) => value !== undefined && value > 50 && value <= 61,
    ],
    ['a date that is over', () => new Date(0).toUTCString(), (value) => value === 0],
    ['neither', () => 'soon', (value) => value === undefined],
  ];
  for (const [name, header, right] of waits) {
    test(`Retry-After: ${name}`, async () => {
      const body = { code: 'service-unavailable', message: 'Later', data: { status: 503 } };
      const { fetch } = pretend(() => ({ status: 503, headers: { 'Retry-After': header() }, body }));
      const error = await failing(as(undefined, { fetch }).events.list());
      assert.ok(right(error.retryAfter), String(error.retryAfter));
    });
  }

  test('an answer that is no JSON, whatever its status', async () => {
    for (const status of [200, 502]) {
      const { fetch } = pretend(() => ({ status, body: '<h1>Bad gateway</h1>' }));
      const error = await failing(as(undefined, { fetch }).events.list());
      assert.deepEqual([error.status, error.code, error.body], [status, 'unreadable-answer', '<h1>Bad gateway</h1>']);
    }
  });

  test('a write that is redirected fails instead of becoming a read', async () => {
    const moved = createServer((request, reply) => {
      reply.writeHead(301, { Location: server.home + request.url }).end();
    }).listen(0);
    const port = (moved.address() as AddressInfo).port;
    const client = as('admin', { url: server.api.replace(/:\d+/, `:${port}`) });
    assert.equal((await failing(client.events.create(concert))).status, 301);
    moved.close();
  });

  test('nobody there: the error of fetch', async () => {
    for (const url of ['http://127.0.0.1:1/api/calendar/events/v1', 'http://127.0.0.1:1']) {
      await assert.rejects(createClient({ url }).events.list(), TypeError);
    }
  });

  test('the reader gives up', async () => {
    const { events } = as();
    await assert.rejects(events.list({}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(collect(events.all({}, { signal: AbortSignal.abort() })), { name: 'AbortError' });
    await assert.rejects(events.get(1, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(as().me({ signal: AbortSignal.abort() }), { name: 'AbortError' });
    const silent = createServer(() => {}).listen(0);
    for (const at of ['/api/calendar/events/v1', '']) {
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}${at}`;
      const signal = AbortSignal.timeout(50);
      await assert.rejects(createClient({ url }).events.list({}, { signal }), { name: 'TimeoutError' });
    }
    silent.closeAllConnections();
    silent.close();
  });
});
