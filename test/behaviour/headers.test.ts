import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, newEvent, rows, unique } from '../support/rows.js';
import type { RoleName } from '../support/server.js';

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const ORIGIN = 'https://friend.example';

behaviour(
  'headers (A9)',
  async (s) => {
    const event = await makeEvent(s, {}, 'author');
    const draft = await makeEvent(s, {}, 'contributor');
    const venue = await must(s.post('/venues', { venue: 'Hall' }, 'editor'));
    const category = await must(s.post('/categories', { name: 'C' }, 'admin'));
    const tag = await must(s.post('/tags', { name: 'T' }, 'admin'));

    describe('Allow: what this caller may do here (A9)', () => {
      const ALL = 'GET, DELETE, POST, PUT, PATCH';
      const TERM = 'GET, POST, PUT, PATCH, DELETE';
      const roles: (RoleName | undefined)[] = [undefined, 'subscriber', 'contributor', 'author', 'editor', 'admin'];
      const table: [string, string[]][] = [
        ['/events', ['GET', 'GET', 'GET, POST', 'GET, POST', 'GET, POST', 'GET, POST']],
        ['/venues', ['GET', 'GET', 'GET, POST', 'GET, POST', 'GET, POST', 'GET, POST']],
        ['/categories', ['GET', 'GET', 'GET', 'GET, POST', 'GET, POST', 'GET, POST']],
        ['/tags', ['GET', 'GET', 'GET', 'GET', 'GET, POST', 'GET, POST']],
        [`/events/${event.id}`, ['GET', 'GET', 'GET', ALL, ALL, ALL]],
        [`/events/by-slug/${event.slug}`, ['GET', 'GET', 'GET', ALL, ALL, ALL]],
        [`/events/${draft.id}`, ['GET', 'GET', ALL, 'GET', ALL, ALL]],
        [`/venues/${venue.id}`, ['GET', 'GET', 'GET', 'GET', ALL, ALL]],
        [`/categories/${category.id}`, ['GET', 'GET', 'GET', TERM, TERM, TERM]],
        [`/tags/${tag.id}`, ['GET', 'GET', 'GET', 'GET', TERM, TERM]],
      ];
      for (const [at, allowed] of table) {
        for (const [n, as] of roles.entries()) {
          test(`A9 Allow of ${at} for ${as ?? 'anonymous'}`, async () => {
            assert.equal((await s.get(at, undefined, as)).headers.get('allow'), allowed[n]);
          });
        }
      }
    });

    describe('on every answer (A9)', () => {
      const common = {
        'content-type': 'application/json; charset=UTF-8',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
        link: new RegExp(`^<${s.home}/api/>; rel="https://api\\.w\\.org/"`),
        vary: /Origin/,
      };
      rows(
        s,
        [
          { name: 'A9 a read', ask: `GET /events/${event.id}`, status: 200, header: common },
          { name: 'A9 an error', ask: 'GET /events/999999', status: 404, header: { ...common, etag: null } },
          {
            name: 'A9 signed in: not to be kept',
            ask: '/events',
            as: 'author',
            status: 200,
            header: { ...common, 'cache-control': /no-store.*private/, expires: /1984/ },
          },
          {
            name: 'A9 wrong credentials: not to be kept',
            ask: 'GET /events',
            headers: basic('admin', 'x'),
            status: 401,
            header: { 'cache-control': /no-store/ },
          },
        ].map((row) => ({ ...row, ask: row.ask.startsWith('/') ? `GET ${row.ask}` : row.ask })) as Parameters<
          typeof rows
        >[1],
      );
      for (const [plural, body] of Object.entries({
        events: newEvent(),
        venues: { venue: unique('V') },
        organizers: { organizer: unique('O') },
        categories: { name: unique('C') },
        tags: { name: unique('T') },
      })) {
        test(`A9 Location of a new one of ${plural} leads to it`, async () => {
          const reply = await s.post(`/${plural}`, body, 'admin');
          assert.equal(reply.headers.get('location'), `${s.api}/${plural}/${reply.json.id}`);
          assert.equal((await must(s.get(reply.headers.get('location') ?? ''), 200)).id, reply.json.id);
        });
      }
    });

    describe('ETag (A9)', () => {
      test('A9 the same tag: 304 without a body; after a change, 200', async () => {
        const { id } = await makeEvent(s);
        const ask = (tag: string) => s.ask('GET', `/events/${id}`, { headers: { 'if-none-match': tag } });
        const tag = (await s.get(`/events/${id}`)).headers.get('etag') ?? '';
        assert.match(tag, /^(W\/)?"[^"]+"$/);
        for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
          const reply = await ask(sent);
          assert.deepEqual([reply.status, reply.text, reply.headers.get('etag')], [304, '', tag], sent);
        }
        assert.equal((await ask('"other"')).status, 200);
        await must(s.patch(`/events/${id}`, { title: 'Changed' }, 'admin'), 200);
        assert.equal((await ask(tag)).status, 200);
      });
      test('A9 lists too; an answer to another caller has another tag when it differs', async () => {
        const query = { include: [event.id, draft.id].join(',') };
        const [anonymous, admin] = [await s.get('/events', query), await s.get('/events', query, 'admin')];
        assert.notEqual(anonymous.headers.get('etag'), admin.headers.get('etag'));
      });
    });

    describe('other origins (A9)', () => {
      const foreign = { origin: 'https://stranger.example' };
      const exposed = /X-TEC-Total.*X-TEC-TotalPages.*Link.*Location.*Allow.*ETag.*X-Kalends-Ignored/;
      const signedIn = basic('admin', s.users.admin.password);
      const preflight = (origin: string, method: string, headers?: string) => ({
        origin,
        'access-control-request-method': method,
        ...(headers ? { 'access-control-request-headers': headers } : {}),
      });
      rows(s, [
        {
          name: 'A9 an anonymous read answers anybody',
          ask: 'GET /events',
          headers: foreign,
          status: 200,
          header: {
            'access-control-allow-origin': '*',
            'access-control-allow-credentials': null,
            'access-control-expose-headers': exposed,
          },
        },
        {
          name: 'A9 so does the index of interfaces',
          ask: 'GET ~/api',
          headers: foreign,
          status: 200,
          header: { 'access-control-allow-origin': '*' },
        },
        {
          name: 'A9 errors too',
          ask: 'GET /events/999999',
          headers: foreign,
          status: 404,
          header: { 'access-control-allow-origin': '*' },
        },
        {
          name: 'A9 credentials from a stranger: no',
          ask: 'GET /events',
          headers: { ...foreign, ...signedIn },
          status: 200,
          header: { 'access-control-allow-origin': null, 'access-control-allow-credentials': null },
        },
        {
          name: 'A9 a cookie from a stranger: no',
          ask: 'GET /events',
          headers: { ...foreign, cookie: 'a=b' },
          status: 200,
          header: { 'access-control-allow-origin': null },
        },
        {
          name: 'A9 a write from a stranger: no',
          ask: 'POST /events',
          headers: foreign,
          json: newEvent(),
          status: 401,
          header: { 'access-control-allow-origin': null },
        },
        {
          name: 'A9 a configured origin',
          ask: 'GET /events',
          headers: { origin: ORIGIN, ...signedIn },
          status: 200,
          header: {
            'access-control-allow-origin': ORIGIN,
            'access-control-allow-credentials': 'true',
            'access-control-expose-headers': exposed,
            vary: /Origin/,
          },
        },
        {
          name: 'A9 nearly a configured origin',
          ask: 'GET /events',
          headers: { origin: `${ORIGIN}.evil.example`, ...signedIn },
          status: 200,
          header: { 'access-control-allow-origin': null },
        },
        {
          name: 'A9 asked first, a configured origin',
          ask: 'OPTIONS /events',
          headers: preflight(ORIGIN, 'POST', 'authorization,content-type'),
          status: 200,
          header: {
            'access-control-allow-origin': ORIGIN,
            'access-control-allow-methods': /POST/,
            'access-control-allow-headers': /Authorization/,
          },
        },
        {
          name: 'A9 asked first, a stranger with credentials',
          ask: 'OPTIONS /events',
          headers: preflight(foreign.origin, 'GET', 'authorization'),
          status: 200,
          header: { 'access-control-allow-origin': null },
        },
        {
          name: 'A9 asked first, a stranger who only reads',
          ask: 'OPTIONS /events',
          headers: preflight(foreign.origin, 'GET', 'if-none-match'),
          status: 200,
          header: { 'access-control-allow-origin': '*', 'access-control-allow-methods': /GET/ },
        },
        { name: 'A9 no origin', ask: 'GET /events', status: 200, header: { 'access-control-allow-origin': null } },
      ]);
    });
  },
  { KALENDS_ALLOWED_ORIGINS: ORIGIN },
);
