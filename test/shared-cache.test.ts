import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Front, hasNginx, nginxBefore } from './support/proxies.js';
import { raw } from './support/raw.js';
import { eventually, makeEvent, must } from './support/rows.js';
import { type Ask, type Reply, startServer, type TestServer } from './support/server.js';
import { temporaryFolder } from './tools/site.js';

/** A real cache in front of two instances, as deploy/nginx.conf sets it up. */

const ENV = {
  KALENDS_PUBLIC_URL: 'https://calendar.example.org',
  KALENDS_TRUSTED_PROXIES: '127.0.0.1',
  KALENDS_ALLOWED_ORIGINS: 'https://friend.example',
  // Kept answers are told of at this level only.
  KALENDS_LOG_LEVEL: 'debug',
};
/** What Cache-Control allows, and what instances may be behind each other. */
const SEEN_WITHIN_MS = 1000 + 2000;
/** nginx counts whole seconds; and this machine has other work. */
const SLACK_MS = 1500;

/** Without encryption, which the cache does not depend on; and it tells how it came by its answer. */
const tellingHow = (http: string): string =>
  http
    .replaceAll(' ssl http2;', ';')
    .replace('proxy_cache_key ', 'add_header X-Cache $upstream_cache_status always;\n        proxy_cache_key ');

const skip = hasNginx() ? false : 'nginx is not installed. On Debian: apt-get install nginx';

describe('behind a shared cache', { skip }, () => {
  let s: TestServer;
  let other: TestServer;
  let nginx: Front;
  let home: string;
  /** What has been in the cache from the beginning, and is now answered with what may not be kept. */
  const old = { path: '', since: 0 };
  before(async () => {
    s = await startServer(ENV);
    other = await startServer(ENV, s);
    const ports = [s, other].map((one) => Number(new URL(one.home).port));
    nginx = await nginxBefore(ports, temporaryFolder('cache'), tellingHow);
    home = `http://127.0.0.1:${new URL(nginx.home).port}`;
    const venue = (await must(s.post('/venues', { venue: 'Closed soon' }, 'admin'))).id;
    old.path = `/events?venue=${venue}`;
    assert.equal((await get(old.path)).status, 200);
    old.since = performance.now();
    await must(s.del(`/venues/${venue}`, 'admin'), 200);
  });
  after(async () => {
    await nginx?.stop();
    await other?.close();
    await s?.close();
  });

  const through = (path: string): string => s.api.replace(s.home, home) + path;
  const get = (path: string, ask: Ask = {}): Promise<Reply> => s.ask('GET', through(path), ask);
  const cacheOf = (reply: Reply): string => reply.headers.get('x-cache') ?? '';
  const LIST = '/events?start_date=2031-01-01&end_date=2032-01-01';
  let asked = 0;
  /** A question that nobody has asked before. */
  const anew = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}x=${++asked}`;
  /** What instances answered to questions with this text in them. */
  const answered = (text: string): number[] =>
    [...s.logs, ...other.logs]
      .map((line) => JSON.parse(line))
      .flatMap((l) => (l.url?.includes(text) ? [l.status] : []));

  test('asked once, answered many times with the same', async () => {
    await makeEvent(s);
    const path = anew(LIST);
    const replies = [await get(path)];
    for (let n = 0; n < 5; n++) replies.push(await get(path));
    assert.deepEqual(replies.map(cacheOf), ['MISS', 'HIT', 'HIT', 'HIT', 'HIT', 'HIT']);
    const told = ({ headers, text }: Reply) =>
      JSON.stringify([text, ...[...headers].filter(([name]) => !['date', 'x-cache'].includes(name))]);
    assert.equal(new Set(replies.map(told)).size, 1);
    assert.equal(answered(path).length, 1);
  });

  test('of many who come at once, one goes through', async () => {
    for (let n = 0; n < 10; n++) {
      const path = anew(LIST);
      const replies = await Promise.all(Array.from({ length: 20 }, () => get(path)));
      assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
      assert.equal(answered(path).length, 1);
    }
  });

  test('after its time it is shown once more, and asked for anew behind that: nothing changed, nothing sent', async () => {
    const path = anew(LIST);
    await get(path);
    await sleep(2100);
    assert.equal(cacheOf(await get(path)), 'STALE');
    await eventually(async () => (answered(path).length === 2 ? true : undefined));
    assert.deepEqual(answered(path).sort(), [200, 304]);
    assert.equal(cacheOf(await get(path)), 'HIT');
  });

  test('a tag that a visitor has is compared by the cache', async () => {
    const path = anew(LIST);
    const tag = (await get(path)).headers.get('etag') ?? '';
    const again = await get(path, { headers: { 'if-none-match': tag } });
    assert.deepEqual([again.status, again.text, cacheOf(again)], [304, '', 'HIT']);
  });

  test('a write is seen by those who keep asking, whichever instance took it', async () => {
    const { id } = await makeEvent(s);
    const path = anew(`/events/${id}`);
    for (const [n, at] of [s, other, s, other].entries()) {
      await get(path);
      await must(at.patch(`/events/${id}`, { title: `Title ${n}` }, 'admin'), 200);
      const since = performance.now();
      await eventually(async () => ((await get(path)).json.title === `Title ${n}` ? true : undefined));
      const ms = performance.now() - since;
      assert.ok(ms < SEEN_WITHIN_MS + SLACK_MS, `after ${ms} ms`);
    }
  });

  test('what is withdrawn is gone for those who keep asking, and is not a moment behind when it comes back', async () => {
    const { id } = await makeEvent(s, { title: 'Withdrawn' });
    for (const [change, status] of [
      [{ status: 'private' }, 403],
      [{ status: 'trash' }, 403],
      [{ password: 'unused', new_password: 'word' }, 403],
    ] as const) {
      const path = anew(`/events/${id}`);
      assert.equal((await get(path)).status, 200);
      await must(s.patch(`/events/${id}`, change, 'admin'), 200);
      const since = performance.now();
      await eventually(async () => ((await get(path)).status === status ? true : undefined));
      assert.ok(performance.now() - since < SEEN_WITHIN_MS + SLACK_MS, JSON.stringify(change));
      await must(s.patch(`/events/${id}`, { status: 'publish', password: 'word', new_password: '' }, 'admin'), 200);
      const back = performance.now();
      await eventually(async () => ((await get(path)).status === 200 ? true : undefined));
      assert.ok(performance.now() - back < SEEN_WITHIN_MS + SLACK_MS, `back from ${JSON.stringify(change)}`);
    }
  });

  test('that nothing is there is kept for its second, and never shown longer', async () => {
    const path = '/events/by-slug/not-yet';
    assert.deepEqual([(await get(path)).status, cacheOf(await get(path))], [404, 'HIT']);
    await must(
      s.post('/events', { title: 'x', slug: 'not-yet', start_date: '2031-01-01', end_date: '2031-01-01' }, 'admin'),
    );
    await sleep(SEEN_WITHIN_MS);
    const now = await get(path);
    assert.deepEqual([now.status, cacheOf(now)], [200, 'EXPIRED']);
    for (const [bad, status] of [
      ['/events?per_page=x', 400],
      ['/events?password=guess&include=999', 200],
      [`/events/${now.json.id}?password=guess`, 200],
    ] as const) {
      const replies = [await get(bad), await get(bad)];
      assert.deepEqual(
        replies.map((reply) => [reply.status, cacheOf(reply)]),
        [
          [status, 'MISS'],
          [status, 'MISS'],
        ],
        bad,
      );
    }
  });

  test('whoever shows credentials or a cookie is never answered from the cache, nor put into it', async () => {
    const secret = await makeEvent(s, { title: 'For insiders', status: 'private' });
    const paths = ['/events?status=any', LIST, `/events/${secret.id}`, `/events/by-slug/${secret.slug}`, '/users/me'];
    for (const path of paths) {
      const before = path === '/events?status=any' ? undefined : await get(path);
      const insider = await get(path, { as: 'admin' });
      assert.deepEqual([insider.status, cacheOf(insider)], [200, 'BYPASS'], path);
      const cookie = await get(path, { headers: { cookie: 'a=b' } });
      assert.equal(cacheOf(cookie), 'BYPASS', path);
      for (let n = 0; n < 3; n++) {
        const stranger = await get(path);
        assert.doesNotMatch(stranger.text, /For insiders/, path);
        assert.notEqual(stranger.text, insider.text, path);
        if (before) assert.equal(stranger.text, before.text, path);
      }
    }
    // A page of a stranger may not read what is sent with cookies: nobody else must be told so for that.
    const [asking, origin] = [anew(LIST), 'https://stranger.example'];
    await get(asking, { headers: { origin, cookie: 'a=b' } });
    const without = await get(asking, { headers: { origin } });
    assert.equal(without.headers.get('access-control-allow-origin'), '*');
    const wrong = await get(LIST, { headers: { authorization: 'Basic YTpi' } });
    assert.equal(wrong.status, 401);
    assert.equal((await get(LIST)).status, 200);
  });

  test('languages, encodings and origins are kept apart', async () => {
    const path = anew(LIST);
    for (let n = 0; n < 2; n++) {
      const expected = n === 0 ? 'MISS' : 'HIT';
      for (const language of ['de', 'fr', 'en']) {
        const spoken = await get(path, { headers: { 'accept-language': language, 'accept-encoding': 'identity' } });
        assert.deepEqual([spoken.headers.get('content-language'), cacheOf(spoken)], [language, expected]);
        const reply = await s.ask('GET', through(path).replace('/api/', `/${language}/api/`));
        assert.ok(reply.json.rest_url.startsWith(`${ENV.KALENDS_PUBLIC_URL}/${language}/api/`), reply.json.rest_url);
      }
      for (const encoding of ['br', 'gzip', 'identity']) {
        const reply = await raw(through(path), { headers: { 'accept-encoding': encoding } });
        assert.equal(reply.headers.get('content-encoding') ?? 'identity', encoding);
        assert.equal(cacheOf(reply), expected);
        assert.equal(reply.json !== undefined, encoding === 'identity');
      }
      for (const [origin, allowed] of [
        ['https://friend.example', 'https://friend.example'],
        ['https://stranger.example', '*'],
      ] as const) {
        const reply = await get(path, { headers: { origin, 'accept-encoding': 'identity' } });
        assert.deepEqual([reply.headers.get('access-control-allow-origin'), cacheOf(reply)], [allowed, expected]);
      }
    }
  });

  test('what cannot be replaced is shown for 31 seconds at most', async () => {
    await sleep(Math.max(0, old.since + 31_000 + SLACK_MS - performance.now()));
    const reply = await get(old.path);
    assert.deepEqual([reply.status, cacheOf(reply)], [400, 'EXPIRED']);
  });
});
