import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { openDatabase } from '../../src/db/open.js';
import { type FreshDatabase, freshDatabase } from '../support/engine.js';
import { assertReplayed, keyed, older, titled } from '../support/idempotency.js';
import { eventually, newEvent, unique } from '../support/rows.js';
import { type Reply, startServer, type TestServer } from '../support/server.js';
import { API, NO_LIMITS, newSite, type Server, type Site, serve, stopServer, temporaryFolder } from '../tools/site.js';

/** `Idempotency-Key` on several instances, and on processes that are killed: never two. */

describe('idempotency: while it runs', () => {
  let [one, two]: TestServer[] = [];
  /** Shows a picture at once, but to the first who asks only when told to. */
  let waiting: http.ServerResponse | undefined;
  let asked = 0;
  let pictures: http.Server;
  let png: Buffer;
  const address = () =>
    `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/${unique('p').replace(' ', '')}.png`;
  before(async () => {
    png = await sharp({ create: { width: 3, height: 3, channels: 3, background: { r: 1, g: 2, b: 3 } } })
      .png()
      .toBuffer();
    pictures = http.createServer((_request, response) => {
      response.setHeader('content-type', 'image/png');
      if (asked++ === 0) waiting = response;
      else response.end(png);
    });
    await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
    const env = { KALENDS_FETCH_ALLOW: `127.0.0.1:${(pictures.address() as AddressInfo).port}` };
    one = await startServer(env);
    two = await startServer(env, one);
  });
  after(async () => {
    await two?.close();
    await one?.close();
    pictures.close();
  });
  const both = (): [TestServer, TestServer] => {
    assert.ok(one && two);
    return [one, two];
  };
  /** A request that has begun, and waits for its picture. */
  async function begun(s: TestServer, key: string, body: unknown): Promise<() => Promise<Reply>> {
    asked = 0;
    waiting = undefined;
    const reply = keyed(s, key, '/events', body);
    const response = await eventually(async () => waiting);
    return () => {
      response.end(png);
      return reply;
    };
  }

  test('others wait: 409 with Retry-After, on every instance; then they have the answer', async () => {
    const [a, b] = both();
    const body = newEvent({ image: address() });
    const finish = await begun(a, 'slow', body);
    for (const s of [a, b]) {
      const reply = await keyed(s, 'slow', '/events', body);
      assert.deepEqual([reply.status, reply.json.code], [409, 'idempotency-conflict']);
      assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal((await keyed(s, 'slow', '/events', { ...body, title: 'Other' })).status, 422);
    }
    const first = await finish();
    assert.equal(first.status, 201);
    for (const s of [a, b]) assertReplayed(first, await keyed(s, 'slow', '/events', body));
    assert.equal(await titled(a, body.title), 1);
  });

  test('who was given up for dead and wakes up again writes nothing', async () => {
    const [a, b] = both();
    const body = newEvent({ image: address() });
    const finish = await begun(a, 'late', body);
    await older(b.database, 60);
    const second = await keyed(b, 'late', '/events', body);
    assert.equal(second.status, 201);
    const first = await finish();
    assert.deepEqual([first.status, first.json.code], [409, 'idempotency-conflict']);
    assert.equal(await titled(a, body.title), 1);
    assertReplayed(second, await keyed(a, 'late', '/events', body));
  });

  test('who fails while another has taken over does not take the key away', async () => {
    const [a, b] = both();
    const body = newEvent({ image: address() });
    const finish = await begun(a, 'taken', body);
    await older(b.database, 60);
    const again = await begun(b, 'taken', body);
    assert.equal((await finish()).status, 409);
    assert.equal((await keyed(a, 'taken', '/events', body)).status, 409, 'still running on the other');
    assert.equal((await again()).status, 201);
    assert.equal(await titled(a, body.title), 1);
  });

  test('fifty at once on two instances make one event', async () => {
    const [a, b] = both();
    const body = newEvent();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => keyed(i % 2 ? a : b, 'fifty', '/events', body)),
    );
    const made = replies.filter(({ status }) => status === 201);
    assert.equal(made.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1);
    assert.equal(new Set(made.map(({ text }) => text)).size, 1);
    assert.deepEqual(
      replies.filter(({ status }) => status !== 201 && status !== 409),
      [],
    );
    assert.equal(await titled(a, body.title), 1);
  });

  test('fifty keys at once make fifty events', async () => {
    const [a, b] = both();
    const title = unique('Many');
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => keyed(i % 2 ? a : b, `many-${i}`, '/events', newEvent({ title }))),
    );
    assert.deepEqual(
      replies.filter(({ status }) => status !== 201),
      [],
    );
    assert.equal(await titled(a, title), 50);
  });
});

describe('idempotency: processes that are killed', () => {
  let site: Site;
  let own: FreshDatabase;
  before(async () => {
    const folder = temporaryFolder('once');
    own = await freshDatabase(folder);
    site = await newSite(folder, NO_LIMITS, own.url);
  });
  after(() => own.drop());
  const send = (server: Server, key: string, body: unknown): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}${API}/events`, {
      method: 'POST',
      headers: { authorization: site.users.editor, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });

  test('whenever it dies, what is sent again is there once, and answered as it was', async () => {
    const answers = new Map<string, string>();
    const bodies = new Map<string, Record<string, unknown>>();
    let unanswered = 0;
    let server = await serve(site);
    for (let round = 0; round < 5; round++) {
      const dying = server;
      const cut: string[] = [];
      let alive = true;
      const writers = Array.from({ length: 6 }, async () => {
        while (alive) {
          const key = unique('key').replaceAll(' ', '-');
          const body = newEvent({ title: key });
          bodies.set(key, body);
          try {
            const reply = await send(dying, key, body);
            assert.equal(reply.status, 201);
            answers.set(key, await reply.text());
          } catch (error) {
            assert.ok(error instanceof TypeError, String(error));
            cut.push(key);
            return;
          }
        }
      });
      await sleep(200 + randomInt(150));
      dying.child.kill('SIGKILL');
      await dying.ended;
      alive = false;
      await Promise.all(writers);
      unanswered += cut.length;
      server = await serve(site);
      const database = await openDatabase(own.url);
      await older(database, 60);
      await database.close();
      for (const key of cut) {
        const reply = await send(server, key, bodies.get(key));
        assert.equal(reply.status, 201);
        answers.set(key, await reply.text());
      }
    }
    for (const [key, text] of answers) {
      const reply = await send(server, key, bodies.get(key));
      assert.equal(reply.headers.get('idempotency-replayed'), 'true', key);
      assert.equal(await reply.text(), text);
    }
    await stopServer(server);
    const database = await openDatabase(own.url);
    const events = await database.read((db) => db.all(db.q.selectFrom('event').select(['id', 'title'])));
    await database.close();
    assert.ok(unanswered > 0, 'nobody was cut off, so nothing was shown');
    assert.equal(events.length, answers.size);
    assert.deepEqual(new Set(events.map(({ title }) => title)), new Set(answers.keys()));
  });
});
