import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviour, makeEvent, must } from '../support/rows.js';
import type { Reply, TestServer } from '../support/server.js';
import { Findings, nameOf, picture, ROUTES, upload, WHO } from './support.js';

/** Row "shared caches": what one caller was shown is never served to another by a cache between them. */

/** A cache as RFC 9111 lets one be: it stores what it may, keyed by the address and by what `Vary` names. */
class Cache {
  private readonly kept = new Map<string, { vary: string[]; sent: Record<string, string>; reply: Reply }[]>();
  constructor(private readonly s: TestServer) {}
  async get(url: string, sent: Record<string, string>): Promise<{ reply: Reply; hit: boolean }> {
    const known = this.kept
      .get(url)
      ?.find(({ vary, sent: before }) => vary.every((name) => before[name] === sent[name]));
    if (known) return { reply: known.reply, hit: true };
    const reply = await this.s.ask('GET', url, { headers: sent });
    const control = reply.headers.get('cache-control') ?? '';
    const vary = (reply.headers.get('vary') ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
      .filter(Boolean);
    // The most that a careless cache does: `no-cache` is kept (it should ask again), `private` and `no-store` are not.
    if (!/private|no-store/.test(control) && !vary.includes('*')) {
      this.kept.set(url, [...(this.kept.get(url) ?? []), { vary, sent, reply }]);
    }
    return { reply, hit: false };
  }
}

behaviour('shared caches', async (s) => {
  const image = await must(upload(s, await picture(), 'admin'));
  const draft = await makeEvent(s, {
    title: 'Unseen',
    status: 'draft',
    image: image.id,
    venue: { venue: 'Unseen hall', status: 'private' },
  });
  const shut = await makeEvent(s, { title: 'Shut', password: 'word', description: 'Unseen words' });
  const open = await makeEvent(s, { title: 'Open' });
  const authorization = (who: (typeof WHO)[number]): Record<string, string> => {
    if (!who) return {};
    const { username, password } = s.users[who];
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  };
  const urls = [
    '/events?status=any',
    '/events',
    `/events/${draft.id}`,
    `/events?include=${draft.id}`,
    `/events/${shut.id}?context=edit`,
    `/events/${shut.id}?password=wrong`,
    `/events/${draft.id}?_envelope=1`,
    `/events/by-slug/${open.slug}`,
    '/venues',
    '/venues?status=any',
    '/organizers',
    '/categories?hide_empty=0',
    '/tags',
    '/users/me',
    '/media',
    `/media/${image.id}`,
    '/events?_envelope=1',
    '/events/0',
    '/nothing',
    '/',
    '/doc',
    '~/api',
    image.url as string,
  ];

  test('signed in first, then nobody: the cache gives away nothing', async () => {
    const found = new Findings();
    for (const url of urls) {
      const own = new Map<unknown, string>();
      for (const who of WHO) own.set(who, (await s.ask('GET', url, { headers: authorization(who) })).text);
      for (const who of WHO) {
        const cache = new Cache(s);
        await cache.get(url, authorization(who));
        for (const other of WHO) {
          if (other === who) continue;
          const { reply, hit } = await cache.get(url, authorization(other));
          found.check(
            reply.text === own.get(other),
            () => `${url}: ${nameOf(other)} got what ${nameOf(who)} was shown (hit ${hit})`,
          );
        }
      }
    }
    found.end(500);
  });

  test('answers to somebody are private and not stored; answers to nobody say on what they depend', async () => {
    const found = new Findings();
    const every = ROUTES.map(({ path }) => path.replace(':id', String(open.id)).replace(':slug', open.slug));
    for (const url of [...urls.filter((one) => !one.startsWith('http')), ...every]) {
      for (const who of WHO) {
        for (const method of ['GET', 'HEAD', 'OPTIONS']) {
          if (url.startsWith('~') && method !== 'GET') continue;
          const { status, headers } = await s.ask(method, url, { headers: authorization(who) });
          const label = `${method} ${url} as ${nameOf(who)}`;
          const [control, vary] = [headers.get('cache-control') ?? '', headers.get('vary') ?? ''];
          for (const name of ['Authorization', 'Origin', 'Accept-Language'])
            found.check(vary.includes(name), () => `${label}: Vary is ${vary}`);
          if (who)
            found.check(
              /no-store/.test(control) && /private/.test(control),
              () => `${label}: Cache-Control ${control}`,
            );
          // What everybody sees may be kept for a moment; what a word opened may not.
          else {
            const brief = status < 300 ? 'public, max-age=1, stale-while-revalidate=30' : 'public, max-age=1';
            const kept = control === brief && !/[?&](password|_envelope)=/.test(url) && method !== 'OPTIONS';
            found.check(kept || control.startsWith('no-cache'), () => `${label}: Cache-Control ${control}`);
          }
        }
      }
    }
    found.end(500);
  });

  test('a wrong credential is not remembered for those who have none', async () => {
    for (const header of ['Basic YTpi', 'Bearer kal_wrong']) {
      const reply = await s.ask('GET', '/events', { headers: { authorization: header } });
      assert.equal(reply.status, 401);
      assert.match(reply.headers.get('cache-control') ?? '', /no-store/);
    }
  });

  test('an ETag that another caller got does not turn a refusal into "not modified"', async () => {
    const { headers } = await s.ask('GET', `/events/${draft.id}`, { as: 'admin' });
    const reply = await s.ask('GET', `/events/${draft.id}`, {
      headers: { 'if-none-match': headers.get('etag') ?? '"x"' },
    });
    assert.equal(reply.status, 403);
    const any = await s.ask('GET', `/events/${draft.id}`, { headers: { 'if-none-match': '*' } });
    assert.equal(any.status, 403);
  });

  test('a picture: public for a year once a published record shows it, else not stored', async () => {
    const url = image.url as string;
    const before = await s.ask('GET', url, { as: 'admin' });
    assert.equal(before.status, 200);
    assert.match(before.headers.get('cache-control') ?? '', /private.*no-store|no-store.*private/);
    const nobody = await s.ask('GET', url);
    assert.equal(nobody.status, 404);
    assert.match(nobody.headers.get('cache-control') ?? '', /no-store/);
    const shown = await must(upload(s, await picture(), 'admin'));
    await makeEvent(s, { image: shown.id });
    assert.match(
      (await s.ask('GET', shown.url)).headers.get('cache-control') ?? '',
      /public, max-age=31536000, immutable/,
    );
  });
});
