import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Database } from '../../src/db/database.js';
import { makeEvent, must } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';
import { type Answer, bytesOf, jsonOf, Line } from '../tools/wire.js';

/** One connection that sends the same bytes again and again; what they mean is not read anew each time. */
describe('the same bytes on the same connection', () => {
  let s: TestServer;
  let id: number;
  before(async () => {
    s = await startServer({
      KALENDS_LOG_LEVEL: 'debug',
      KALENDS_REQUEST_TIMEOUT: '1',
      KALENDS_TRUSTED_PROXIES: '127.0.0.1',
    });
    id = (await makeEvent(s, { title: 'One', description: `Straße ${'und weiter '.repeat(200)}` })).id;
  });
  after(() => s.close());

  const connect = (): Line => new Line(Number(new URL(s.home).port));
  type Headers = [name: string, value: string][];
  const bytesFor = (path: string, headers: Headers = []): Buffer =>
    bytesOf({ method: 'GET', target: new URL(s.api + path).pathname, headers });
  /** All of it but the time. */
  const told = ({ status, headers, body }: Answer) => ({
    status,
    headers: [...headers].filter(([name]) => name !== 'date'),
    body: body.toString('latin1'),
  });

  test('are answered with the same bytes each time', async () => {
    const heads: Headers[] = [
      [],
      [['Accept-Encoding', 'br']],
      [
        ['Accept-Language', 'de'],
        ['Origin', 'https://other.example'],
      ],
    ];
    for (const headers of heads) {
      const [line, request] = [connect(), bytesFor(`/events/${id}`, headers)];
      await line.ask(request);
      // The first one is made, and not kept: who asks only once takes no room.
      const kept = await line.ask(request);
      assert.equal(kept.status, 200);
      for (let n = 0; n < 5; n++) assert.deepEqual(told(await line.ask(request)), told(kept));
      const conditional = bytesFor(`/events/${id}`, [...headers, ['If-None-Match', kept.headers.get('etag') ?? '']]);
      const unchanged = await line.ask(conditional);
      assert.equal(unchanged.status, 304);
      for (let n = 0; n < 3; n++) assert.deepEqual(told(await line.ask(conditional)), told(unchanged));
      line.close();
    }
  });

  test('get a list told anew as often as others come and go, whole each time', async () => {
    const { pathname } = new URL(`${s.api}/events`);
    const asking = (query: string): Buffer =>
      bytesOf({ method: 'GET', target: `${pathname}?start_date=2000-01-01&end_date=2100-01-01&per_page=1${query}` });
    const line = connect();
    for (let n = 0; n < 5; n++) await line.ask(asking(''));
    for (let n = 0; n < 12; n++) {
      const later = await makeEvent(s, { title: 'Later', start_date: '2090-01-01', end_date: '2090-01-01' });
      if (n % 3 === 2) await must(s.del(`/events/${later.id}?force=true`, 'admin'), 200);
      const kept = await line.ask(asking(''));
      const made = await line.ask(asking(`&x=${n}`));
      assert.equal(kept.body.toString(), made.body.toString());
      assert.equal(kept.headers.get('etag'), made.headers.get('etag'));
    }
    line.close();
  });

  /** All that comes back on one connection for bytes that are sent at once. */
  const exchanged = (bytes: Buffer): Promise<string> =>
    new Promise((resolve) => {
      const parts: Buffer[] = [];
      const socket = net.connect(Number(new URL(s.home).port), '127.0.0.1', () => socket.write(bytes));
      socket.on('data', (part) => parts.push(part));
      socket.on('error', () => {});
      socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
    });

  test('who sends many requests without waiting gets their answers; who sends very many loses the connection', async () => {
    const request = (n: number): Buffer => bytesFor(`/events/${id}`, [['X-Number', String(n)]]);
    const last = bytesFor('/events', [['Connection', 'close']]);
    const some = await exchanged(Buffer.concat([...Array.from({ length: 40 }, (_, n) => request(n)), last]));
    assert.equal(some.match(/HTTP\/1\.1 200 OK/g)?.length, 41);
    const many = await exchanged(Buffer.concat([...Array.from({ length: 1000 }, (_, n) => request(n)), last]));
    assert.ok((many.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0) < 100);
    assert.equal((await s.get(`/events/${id}`)).status, 200);
  });

  test('an interim answer does not get into another one', async () => {
    const body = Buffer.from('{"name":"x"}');
    const expecting: Headers = [
      ['Expect', '100-continue'],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
      ['Connection', 'close'],
    ];
    const write = bytesOf({ method: 'POST', target: new URL(`${s.api}/tags`).pathname, headers: expecting });
    // Not kept yet, so that it is still being made when the other one comes.
    const read = bytesOf({ method: 'GET', target: `${new URL(s.api).pathname}/events?search=interim` });
    const all = await exchanged(Buffer.concat([read, write, body]));
    const [, answer = ''] = all.split('HTTP/1.1 401 ');
    const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
    assert.equal(answer.slice(answer.indexOf('\r\n\r\n') + 4).length, length, all);
    assert.match(await exchanged(Buffer.concat([write, body])), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
  });

  test('get another answer at once after a write', async () => {
    const [line, request] = [connect(), bytesFor(`/events/${id}`)];
    const titleNow = async (): Promise<string> => (jsonOf(await line.ask(request)) as { title: string }).title;
    for (const title of ['Two', 'Three', 'Four']) {
      for (let n = 0; n < 5; n++) await line.ask(request);
      await must(s.patch(`/events/${id}`, { title }, 'admin'), 200);
      assert.equal(await titleNow(), title);
    }
    await must(s.patch(`/events/${id}`, { new_password: 'secret' }, 'admin'), 200);
    assert.doesNotMatch((await line.ask(request)).body.toString(), /und weiter/);
    await must(s.patch(`/events/${id}`, { new_password: '' }, 'admin'), 200);
    await must(s.del(`/events/${id}`, 'admin'), 200);
    assert.notEqual((await line.ask(request)).status, 200);
    await must(s.patch(`/events/${id}`, { status: 'publish' }, 'admin'), 200);
    assert.equal(await titleNow(), 'Four');
    line.close();
  });

  test('are counted and logged like any other request', async () => {
    const counted = async (): Promise<number> =>
      Number(
        /kalends_http_requests_total\{method="GET",route="[^"]*\/events\/:id[^"]*",status="200"\} (\d+)/.exec(
          (await s.get('~/metrics')).text,
        )?.[1],
      );
    const [line, request] = [connect(), bytesFor(`/events/${id}`, [['X-Forwarded-For', '203.0.113.9']])];
    await line.ask(request);
    const before = await counted();
    assert.ok(before > 0);
    s.logs.length = 0;
    for (let n = 0; n < 6; n++) await line.ask(request);
    assert.equal(await counted(), before + 6);
    const lines = s.logs.map((line) => JSON.parse(line)).filter(({ url }) => url?.endsWith(`/events/${id}`));
    assert.equal(lines.length, 6);
    for (const { ip, method, status } of lines) {
      assert.deepEqual({ ip, method, status }, { ip: '203.0.113.9', method: 'GET', status: 200 });
    }
    line.close();
  });

  test('what is not kept is told in the same way as on a new connection, and so is every failure', async () => {
    const [{ slug }, { etag }] = await Promise.all([
      s.get(`/events/${id}`).then(({ json }) => json),
      s.get(`/events/${id}`).then(({ headers }) => ({ etag: headers.get('etag') ?? '' })),
    ]);
    const paths = [
      '/events?',
      '/events?per_page=1&page=2&',
      '/events?page=99&',
      '/events?start_date=nonsense&',
      '/venues?',
    ];
    paths.push(
      `/events/${id}?`,
      `/events/by-slug/${slug}?`,
      '/events/999999?',
      '/categories?search=none&',
      '/nothing?',
    );
    const kinds: Headers[] = [[], [['Accept-Encoding', 'br']], [['If-None-Match', etag]], [['Accept-Language', 'de']]];
    let n = 0;
    for (const headers of kinds) {
      const regular = connect();
      for (const path of ['/tags', '/tags', '/tags', '/tags', ...paths]) {
        const asked = `${path}${path.endsWith('?') || path.endsWith('&') ? `new=${++n}` : ''}`;
        const bytes = bytesOf({ method: 'GET', target: new URL(s.api).pathname + asked, headers });
        const fresh = connect();
        const [first, again] = [told(await fresh.ask(bytes)), told(await regular.ask(bytes))];
        assert.deepEqual(again, first, asked);
        fresh.close();
      }
      regular.close();
    }
    const lines = s.logs.map((line) => JSON.parse(line)).filter(({ url }) => url?.includes('new='));
    assert.equal(lines.length, 2 * n, 'each is told of once');
  });

  test('whatever comes in whatever pieces is answered in its order, as it would be alone', async () => {
    const at = (path: string, headers: Headers = [], method = 'GET', body = ''): Buffer =>
      bytesOf({ method, target: new URL(s.api).pathname + path, headers, body: Buffer.from(body) });
    const one = at(`/events/${id}`);
    const etag = (await s.get(`/events/${id}`)).headers.get('etag') ?? '';
    const asks = [
      one,
      at('/events'),
      at('/events?new=1'),
      at('/events?per_page=1&new=2'),
      at(`/events/${id}?new=3`, [['Accept-Encoding', 'gzip']]),
      at(`/events/${id}`, [['If-None-Match', etag]]),
      at(`/events/${id}`, [['X-Forwarded-For', '203.0.113.7']]),
      at('/tags'),
      at('/events/999999'),
      at('/events?page=nonsense'),
      at('/nothing'),
      at('/events', [], 'HEAD'),
      // What it brings along looks like requests.
      at('/nothing', [['Content-Type', 'text/plain']], 'POST', `${one}${one}`),
    ];
    const isHead = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 4) === 'HEAD';
    /** What is kept tells its length before its encoding. */
    const shown = (answer: Answer) => ({ ...told(answer), headers: told(answer).headers.sort() });
    const alone: object[] = [];
    for (const bytes of asks) {
      const line = connect();
      alone.push(shown(await line.ask(bytes, isHead(bytes))));
      line.close();
    }
    const step = fc.record({
      which: fc.nat(asks.length - 1),
      /** Where it is cut in two; mostly it is not. */
      cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 2, nil: undefined }),
      /** Whether all is answered before the next one comes. */
      waits: fc.boolean(),
    });
    const play = async (steps: { which: number; cut: number | undefined; waits: boolean }[]): Promise<object[]> => {
      const line = connect();
      await line.connect();
      const answers: object[] = [];
      const waiting: Buffer[] = [];
      const take = async (): Promise<void> => {
        for (const bytes of waiting.splice(0)) answers.push(shown(await line.answer(isHead(bytes))));
      };
      for (const { which, cut, waits } of steps) {
        const bytes = asks[which] as Buffer;
        const at = cut === undefined ? bytes.length : Math.floor(cut * bytes.length);
        for (const part of [bytes.subarray(0, at), bytes.subarray(at)]) {
          if (part.length > 0) line.write(part);
          await sleep(cut === undefined ? 0 : 2);
        }
        waiting.push(bytes);
        if (waits) await take();
      }
      await take();
      line.close();
      return answers;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        assert.deepEqual(
          await play(steps),
          steps.map(({ which }) => alone[which]),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('that come twice before the first was answered are answered in their turn', async () => {
    const slow = (database: Database): Database => ({
      ...database,
      read: async (work, freshness) => {
        await sleep(60);
        return database.read(work, freshness);
      },
    });
    const server = await startServer({ KALENDS_LOG_LEVEL: 'silent' }, s, slow);
    const line = new Line(Number(new URL(server.home).port));
    try {
      const at = (path: string, headers: Headers = []): Buffer =>
        bytesOf({ method: 'GET', target: new URL(server.api).pathname + path, headers });
      const kept = at(`/events/${id}`);
      // From here on, its bytes are known.
      for (let n = 0; n < 5; n++) await line.ask(kept);
      for (let n = 0; n < 3; n++) {
        const twice = at(`/organizers?search=nobody${n}`);
        for (const bytes of [at(`/tags?search=nothing${n}`, [['X-New', String(n)]]), twice, twice]) {
          line.write(bytes);
          await sleep(10);
        }
        const bodies = [(await line.answer()).body, (await line.answer()).body];
        line.write(kept);
        bodies.push((await line.answer()).body, (await line.answer()).body);
        assert.deepEqual(
          bodies.map((body) => Object.keys(JSON.parse(body.toString()))[0]),
          ['rest_url', 'organizers', 'organizers', 'id'],
        );
      }
    } finally {
      line.close();
      await server.close();
    }
  });

  test('may come for longer than a single request may take', async () => {
    const [line, request] = [connect(), bytesFor(`/events/${id}`)];
    for (let n = 0; n < 12; n++) {
      assert.ok(n === 0 || line.open, 'it is the same connection');
      assert.equal((await line.ask(request)).status, 200);
      await sleep(300);
    }
    line.close();
  });
});
