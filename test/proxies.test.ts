import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { basic, picture } from './security/support.js';
import { caddyBefore, type Front, hasCaddy, hasNginx, hasOpenssl, nginxBefore } from './support/proxies.js';
import { type RoleName, startServer, type TestServer } from './support/server.js';
import { temporaryFolder } from './tools/site.js';

/** Two instances behind the proxies of deploy/: what passes through them arrives, and what must not does not. */

const skipped = (names: string): string => `not installed. On Debian: apt-get install ${names}`;
const PROXIES = [
  {
    name: 'nginx',
    front: nginxBefore,
    skip: hasNginx() && hasOpenssl() ? false : skipped('nginx openssl'),
    // The address of the site is that of port 443.
    address: 'https://localhost',
    // We are on its machine.
    metrics: 200,
    writesRefused: 0,
  },
  {
    name: 'Caddy',
    front: caddyBefore,
    skip: hasCaddy() ? false : skipped('caddy'),
    address: /^https:\/\/localhost:\d+/,
    metrics: 404,
    // By many versions, until the next look at an instance's health: see there.
    writesRefused: 12,
  },
] as const;

const SIGN_INS = 6;
const ENV = {
  KALENDS_TRUSTED_PROXIES: '127.0.0.1,::1',
  KALENDS_WRITE_LIMIT: '0',
  KALENDS_SIGN_IN_LIMIT: String(SIGN_INS),
};
const event = (title: string) => ({
  title,
  start_date: 'tomorrow 10:00',
  end_date: 'tomorrow 11:00',
  description: 'Long enough to be compressed. '.repeat(100),
  status: 'publish',
});

for (const { name, front, skip, address, metrics, writesRefused } of PROXIES) {
  // As a test, so that it is counted.
  if (skip) {
    test(`behind ${name}`, { skip });
    continue;
  }
  describe(`behind ${name}`, { timeout: 90_000 }, () => {
    let [one, two]: (TestServer | undefined)[] = [];
    let proxy: Front;
    let api: string;
    // Its certificate is its own.
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    const ask = async (
      method: 'GET' | 'HEAD' | 'POST' | 'PATCH',
      at: string,
      { as, json, body, headers = {} }: { as?: RoleName; json?: unknown; body?: Buffer; headers?: object } = {},
    ) => {
      const user = as && (one as TestServer).users[as];
      const reply = await request(/^https?:/.test(at) ? at : api + at, {
        dispatcher: agent,
        method,
        headers: {
          ...(user ? { authorization: basic(user.username, user.password) } : {}),
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: json === undefined ? (body ?? null) : JSON.stringify(json),
      });
      const bytes = Buffer.from(await reply.body.arrayBuffer());
      // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
      const parsed = (): any => JSON.parse(bytes.toString());
      return { status: reply.statusCode, headers: reply.headers, bytes, parsed };
    };
    let kept: { id: number; url: string; rest_url: string };

    before(async () => {
      one = await startServer(ENV);
      two = await startServer(ENV, one);
      const ports = [one, two].map(({ home }) => Number(new URL(home).port));
      proxy = await front(ports, temporaryFolder('proxy'));
      api = proxy.home + new URL(one.api).pathname;
      kept = (await ask('POST', '/events', { as: 'admin', json: event('Kept') })).parsed();
    });
    after(async () => {
      await agent.close();
      await proxy?.stop();
      await two?.close();
      await one?.close();
    });

    test('credentials arrive, and wrong ones are refused by Kalends', async () => {
      assert.deepEqual((await ask('GET', '/users/me', { as: 'editor' })).parsed().role, 'editor');
      const wrong = await ask('GET', '/events', { headers: { authorization: basic('admin', 'wrong') } });
      assert.deepEqual([wrong.status, wrong.parsed().code], [401, 'incorrect_password']);
    });

    test('links begin with the address that the caller used, whatever it claims', async () => {
      const claims = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp', forwarded: 'host=evil.example' };
      for (const headers of [{}, claims]) {
        const { rest_url } = (await ask('GET', `/events/${kept.id}`, { as: 'editor', headers })).parsed();
        if (typeof address === 'string') assert.ok(rest_url.startsWith(`${address}/`), rest_url);
        else assert.match(rest_url, address);
      }
    });

    test('HEAD is GET without its body', async () => {
      const [got, headed] = [await ask('GET', `/events/${kept.id}`), await ask('HEAD', `/events/${kept.id}`)];
      assert.equal(headed.status, 200);
      assert.equal(headed.bytes.length, 0);
      for (const header of ['content-type', 'content-length', 'etag', 'cache-control', 'vary'])
        assert.equal(headed.headers[header], got.headers[header], header);
    });

    test('tags: 304 for what is known, 412 for what has changed', async () => {
      for (const encoding of ['identity', 'gzip', 'br']) {
        const headers = { 'accept-encoding': encoding };
        const { etag } = (await ask('GET', `/events/${kept.id}`, { headers })).headers;
        assert.ok(etag, encoding);
        const known = await ask('GET', `/events/${kept.id}`, { headers: { ...headers, 'if-none-match': etag } });
        assert.deepEqual([known.status, known.bytes.length], [304, 0], encoding);
      }
      const patch = { as: 'editor', json: { cost: '5' }, headers: { 'if-match': '"another"' } } as const;
      assert.equal((await ask('PATCH', `/events/${kept.id}`, patch)).status, 412);
    });

    test('answers arrive as Kalends compressed them, each caller getting what it asked for', async () => {
      const as = async (encoding: string) => {
        const got = await ask('GET', `/events/${kept.id}`, { headers: { 'accept-encoding': encoding } });
        assert.match(String(got.headers.vary), /Accept-Encoding/i);
        return got;
      };
      const plain = await as('identity');
      const [brotli, gzip] = [await as('br'), await as('gzip')];
      const encodings = [plain, brotli, gzip].map(({ headers }) => headers['content-encoding']);
      assert.deepEqual(encodings, [undefined, 'br', 'gzip']);
      assert.ok(brotliDecompressSync(brotli.bytes).equals(plain.bytes));
      assert.ok(gunzipSync(gzip.bytes).equals(plain.bytes));
      assert.ok((await as('identity')).bytes.equals(plain.bytes));
    });

    test('nobody is shown what was made for another: languages, origins, the signed in', async () => {
      const at = '/events?status=any&per_page=50';
      await ask('POST', '/events', { as: 'author', json: { ...event('Unseen'), status: 'draft' } });
      assert.match(String((await ask('GET', at, { as: 'author' })).bytes), /Unseen/);
      assert.doesNotMatch(String((await ask('GET', at)).bytes), /Unseen/);
      assert.match(String((await ask('GET', at, { as: 'author' })).bytes), /Unseen/);
      const texts = new Set<string>();
      for (const language of ['en', 'de', 'fr', 'en']) {
        const answer = await ask('GET', '/events/999999', { headers: { 'accept-language': language } });
        assert.equal(answer.headers['content-language'], language);
        texts.add(answer.parsed().message);
      }
      assert.equal(texts.size, 3);
    });

    test('whoever is signed in sees what it wrote, on whichever instance', async () => {
      for (let n = 0; n < 10; n++) {
        const json = { title: `Changed ${n}` };
        assert.equal((await ask('PATCH', `/events/${kept.id}`, { as: 'editor', json })).status, 200);
        assert.equal((await ask('GET', `/events/${kept.id}`, { as: 'editor' })).parsed().title, json.title);
      }
    });

    test('pictures up to the limit, and the reason above it', async () => {
      const image = await picture(1400, 1000);
      // Above what nginx takes by itself; what stands after a picture is not part of it.
      const large = Buffer.concat([image, Buffer.alloc(3_000_000)]);
      const send = (body: Buffer) =>
        ask('POST', '/media', { as: 'author', body, headers: { 'content-type': 'image/png' } });
      const made = await send(large);
      assert.equal(made.status, 201, String(made.bytes));
      const shown = new URL(made.parsed().url);
      const got = await ask('GET', proxy.home + shown.pathname, { as: 'author' });
      assert.deepEqual([got.status, got.headers['content-type']], [200, 'image/png']);
      const refused = await send(Buffer.concat([image, Buffer.alloc(10_500_000)]));
      assert.deepEqual([refused.status, refused.headers['content-type']?.includes('json')], [413, true]);
      const far = await send(Buffer.alloc(13_000_000)).catch((error: { code: string }) => error.code);
      if (typeof far === 'string') assert.match(far, /ECONNRESET|EPIPE|UND_ERR_SOCKET/);
      else assert.equal(far.status, 413, String(far.bytes));
    });

    test('addresses arrive as they were sent', async () => {
      const made = await ask('POST', '/tags', { as: 'editor', json: { name: 'Käse & Brot' } });
      assert.equal(made.status, 201);
      const found = await ask('GET', `/tags?search=${encodeURIComponent('Käse & B')}&hide_empty=0`);
      assert.equal(found.parsed().total, 1);
      assert.equal((await ask('GET', '/events/by-slug/a%2Fb')).parsed().data.status, 404);
    });

    test('metrics and health are not for the world; without TLS nothing is answered', async () => {
      for (const at of ['/metrics', '/livez', '/readyz'])
        assert.equal((await ask('GET', proxy.home + at)).status, metrics, at);
      for (const at of ['/metrics/', '/de/metrics', '/index.php/metrics'])
        assert.ok((await ask('GET', proxy.home + at)).status >= 400, at);
      if (!proxy.plain) return;
      const { status, headers } = await ask('GET', `${proxy.plain}/x?y=1`, {
        headers: { host: 'calendar.example.org' },
      });
      assert.deepEqual([status, headers.location], [301, 'https://calendar.example.org/x?y=1']);
    });

    test('an instance is gone: the other answers, and every write is done once', async () => {
      await two?.close();
      two = undefined;
      const refused: number[] = [];
      for (let n = 0; n < 12; n++) {
        assert.equal((await ask('GET', `/events?per_page=${n + 1}`)).status, 200);
        const json = event(`Once ${n}`);
        const once = { as: 'author', json, headers: { 'idempotency-key': `once-${n}` } } as const;
        for (;;) {
          const { status } = await ask('POST', '/events', once);
          if (status === 201) break;
          assert.equal(status, 502);
          refused.push(n);
          assert.ok(refused.length <= writesRefused, `write ${n} is refused`);
          await sleep(100);
        }
      }
      const { json } = await (one as TestServer).get('/events', { search: 'Once', per_page: 50 }, 'admin');
      assert.equal(json.total, 12);
    });

    test('limits count the address of the caller, whatever it claims', async () => {
      const statuses: number[] = [];
      for (let n = 0; n < SIGN_INS + 2; n++) {
        const headers = { authorization: basic('admin', `wrong ${n}`), 'x-forwarded-for': `203.0.113.${n}` };
        statuses.push((await ask('GET', '/users/me', { headers })).status);
      }
      assert.equal(statuses.at(-1), 429, statuses.join());
    });
  });
}
