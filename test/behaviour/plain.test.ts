import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { makeEvent, must } from '../support/rows.js';
import { type Reply, startServer, type TestServer } from '../support/server.js';

/**
 * What anybody asks is answered without the framework, and what is unusual by it. A range is unusual, and ignored: with
 * one, a question goes the long way, and must be answered just the same.
 */
describe('plain questions', () => {
  let s: TestServer;
  let event: { id: number; slug: string };
  let ids: Record<string, number>;
  before(async () => {
    s = await startServer({ KALENDS_ALLOWED_ORIGINS: 'https://friend.example' });
    const linked = { venue: { venue: 'Hall' }, organizer: { organizer: 'Ann' }, categories: ['Music'], tags: ['late'] };
    event = await makeEvent(s, {
      title: 'Größe & "Maß" 🎻',
      description: 'One\n\ntwo <b>three</b>',
      cost: '5',
      ...linked,
    });
    const shared = {
      venue: [{ venue: 'Barn' }, { venue: 'Yard' }],
      organizer: [{ organizer: 'Bo' }, { organizer: 'Cy' }],
    };
    await makeEvent(s, { title: 'Several', ...shared, tags: ['late', 'early'] });
    ids = {
      draft: (await makeEvent(s, { title: 'Draft', status: 'draft' })).id,
      locked: (await makeEvent(s, { title: 'Locked', password: 'word' })).id,
      trashed: (await makeEvent(s, { title: 'Gone' })).id,
    };
    await must(s.del(`/events/${ids.trashed}`, 'admin'), 200);
    for (let n = 0; n < 15; n++) await makeEvent(s, { title: `More ${n}` });
  });
  after(() => s.close());

  const OWN = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'last-modified'];
  const told = ({ status, headers, text }: Reply) => ({
    status,
    text,
    headers: Object.fromEntries([...headers].filter(([name]) => !OWN.includes(name)).sort()),
  });

  async function compare(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
    const asked = { 'Accept-Encoding': 'identity', ...headers };
    const long = await s.ask(method, path, { headers: { ...asked, Range: 'bytes=0-1' } });
    const plain = await s.ask(method, path, { headers: asked });
    assert.deepEqual(told(plain), told(long), `${method} ${path} ${JSON.stringify(headers)}`);
    return plain;
  }

  const WINDOW = 'start_date=2000-01-01&end_date=2100-01-01';

  test('every kind of question, and every failure', async () => {
    const paths = [
      ...['events', 'venues', 'organizers', 'categories', 'tags'].flatMap((kind) => [
        `/${kind}`,
        `/${kind}?per_page=2&page=2`,
      ]),
      `/events?${WINDOW}&per_page=3&page=2`,
      `/events/${event.id}`,
      `/events/by-slug/${event.slug}`,
      '/events/by-slug/draft',
      ...Object.values(ids).map((id) => `/events/${id}`),
      '/events/99999',
      '/events/99999999999999999999',
      `/events/00${event.id}`,
      '/events?page=77',
      '/events?per_page=-1&start_date=nonsense',
      `/events?status=draft&${WINDOW}`,
      `/events/${event.id}?context=edit`,
      `/events?_fields=total,events.id&${WINDOW}`,
      `/events/${event.id}?_fields=id,venue.venue`,
      '/nothing',
      '/events/by-slug/',
      '/',
      '/doc',
    ];
    const statuses = new Set<number>();
    for (const path of paths) statuses.add((await compare(path)).status);
    assert.deepEqual([...statuses].sort(), [200, 400, 403, 404]);
  });

  test('languages, origins, encodings, tags and methods', async () => {
    const path = `/events?${WINDOW}`;
    const { headers } = await compare(path);
    const wishes: Record<string, string>[] = [
      { 'Accept-Language': 'de-AT, en;q=0.5' },
      { Origin: 'https://friend.example' },
      { Origin: 'https://stranger.example' },
      { 'Accept-Encoding': 'gzip' },
      { 'Accept-Encoding': 'br, gzip' },
      { 'If-None-Match': headers.get('etag') ?? '' },
      { 'If-None-Match': '"another"' },
    ];
    for (const asked of wishes) {
      await compare(path, asked);
      await compare(path, asked, 'HEAD');
      await compare(`/events/${event.id}`, asked);
      await compare('/events/99999', asked);
    }
  });

  test('whatever the address carries (A4)', async () => {
    const name = fc.constantFrom(
      'page',
      'per_page',
      'search',
      'start_date',
      'categories',
      'tags',
      'x',
      'toString',
      '_fields',
      '__proto__',
      '',
    );
    const value = fc.oneof(
      fc.constantFrom(
        '1',
        '2',
        'music',
        'late',
        '2030-01-01',
        'ü',
        '%C3%BC',
        '%20',
        '+',
        '%',
        '%zz',
        '%C3',
        'a%26b',
        '1,2',
        '%5B',
        '[]',
        '',
      ),
      fc.webQueryParameters(),
    );
    const pair = fc
      .tuple(name, fc.constantFrom('=', '', '[]=', '[a]=', '%5B%5D='), value)
      .map((parts) => parts.join(''));
    const query = fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&'));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/events', '/venues', '/tags', `/events/${event.id}`),
        query,
        async (path, asked) => {
          await compare(`${path}?${asked}`);
        },
      ),
      { numRuns: 150 },
    );
  });
});
