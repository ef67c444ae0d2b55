import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { behaviour, makeEvent, type Row, rows } from '../support/rows.js';
import { basic, Findings, ROUTES } from './support.js';

/** Row "cross-site requests": a page of another site acts for nobody; credentials travel in a header, never in a cookie. */

const EVIL = 'https://evil.test';
const FRIEND = 'https://friend.example';
const acao = 'access-control-allow-origin';
const acac = 'access-control-allow-credentials';

behaviour(
  'cross-site requests',
  async (s) => {
    const event = await makeEvent(s, {});
    const { username, password } = s.users.admin;
    const authorization = basic(username, password);
    const preflight = (origin: string, method: string, headers?: string): Record<string, string> => ({
      origin,
      'access-control-request-method': method,
      ...(headers ? { 'access-control-request-headers': headers } : {}),
    });
    const one = `/events/${event.id}`;
    const never = { [acac]: null };

    rows(s, [
      {
        name: 'an unknown origin reads what is public',
        ask: 'GET /events',
        status: 200,
        headers: { origin: EVIL },
        header: { [acao]: '*', ...never },
      },
      {
        name: 'but gets no answer that credentials opened',
        ask: 'GET /events',
        status: 200,
        headers: { origin: EVIL, authorization },
        header: { [acao]: null, ...never },
      },
      {
        name: 'nor one with a cookie, which no cache gives to others',
        ask: 'GET /events',
        status: 200,
        headers: { origin: EVIL, cookie: 'session=1' },
        header: { [acao]: null, ...never, 'cache-control': 'private, no-store' },
      },
      {
        name: 'nor an error with a cookie',
        ask: 'GET /events/0',
        status: 404,
        headers: { origin: EVIL, cookie: 'session=1' },
        header: { [acao]: null, ...never, 'cache-control': 'private, no-store' },
      },
      {
        name: 'nor an error that credentials opened',
        ask: 'GET /events/0',
        status: 404,
        headers: { origin: EVIL, authorization },
        header: { [acao]: null, ...never },
      },
      {
        name: 'nor a wrong sign-in',
        ask: 'GET /events',
        status: 401,
        headers: { origin: EVIL, authorization: basic('a', 'b') },
        header: { [acao]: null, ...never },
      },
      {
        name: 'a preflight for Authorization is refused',
        ask: `OPTIONS ${one}`,
        status: 200,
        headers: preflight(EVIL, 'GET', 'authorization'),
        header: { [acao]: null, ...never },
      },
      {
        name: 'in any letter case and company',
        ask: `OPTIONS ${one}`,
        status: 200,
        headers: preflight(EVIL, 'GET', 'X-A, AUTHORIZATION'),
        header: { [acao]: null, ...never },
      },
      ...['DELETE', 'PUT', 'PATCH'].map(
        (method): Row => ({
          name: `a preflight for ${method} allows reading only`,
          ask: `OPTIONS ${one}`,
          status: 200,
          headers: preflight(EVIL, method),
          header: { 'access-control-allow-methods': 'OPTIONS, GET', ...never },
        }),
      ),
      {
        name: 'a write of an unknown origin gets no answer to read',
        ask: 'POST /events',
        status: 400,
        headers: { origin: EVIL },
        json: {},
        header: { [acao]: null, ...never },
      },
      {
        name: 'a configured origin may send credentials',
        ask: 'GET /events',
        status: 200,
        headers: { origin: FRIEND, authorization },
        header: { [acao]: FRIEND, [acac]: 'true', vary: /Origin/ },
      },
      {
        name: 'and its preflight is answered',
        ask: `OPTIONS ${one}`,
        status: 200,
        headers: preflight(FRIEND, 'DELETE', 'authorization'),
        header: {
          [acao]: FRIEND,
          'access-control-allow-methods': /DELETE/,
          'access-control-allow-headers': /Authorization/,
        },
      },
      ...[
        'null',
        `${FRIEND}.evil.test`,
        `${FRIEND}:444`,
        'http://friend.example',
        'https://friend.example.',
        'https://xfriend.example',
        `${FRIEND}/`,
        'https://FRIEND.example',
      ].map(
        (origin): Row => ({
          name: `${origin} is not the configured one`,
          ask: 'GET /events',
          status: 200,
          headers: { origin, authorization },
          header: { [acao]: null, ...never },
        }),
      ),
    ]);

    test('no route sets a cookie, asks a browser for a password, or answers JSONP', async () => {
      const found = new Findings();
      const paths = ROUTES.map(({ path }) => path.replace(':id', String(event.id)).replace(':slug', event.slug));
      for (const path of [...paths, '~/docs', '~/api', '~/metrics', '~/nothing']) {
        const sent: Record<string, string>[] = [
          {},
          { authorization },
          { authorization: basic('a', 'b') },
          { cookie: 'wordpress_logged_in=admin' },
        ];
        for (const headers of sent) {
          const reply = await s.ask('GET', path, { headers, query: '_jsonp=alert&callback=alert' });
          found.check(reply.headers.get('set-cookie') === null, () => `${path} sets a cookie`);
          // A browser that was asked remembers the password, and sends it with every form of every site.
          found.check(!/basic/i.test(reply.headers.get('www-authenticate') ?? ''), () => `${path} asks for Basic`);
          found.check(
            !reply.text.startsWith('/**/') && !reply.text.startsWith('alert('),
            () => `${path} answers JSONP`,
          );
        }
      }
      found.end(200);
    });

    test('what a page can send without asking changes nothing: forms, links, overrides, cookies', async () => {
      const state = () =>
        s.database.read((db) => db.all(sql`SELECT value FROM counter UNION ALL SELECT count(*) FROM record`));
      const before = await state();
      const cookie = `session=${password}; kalends=${authorization}; wordpress_logged_in=admin`;
      const bodies: Record<string, string> = {
        'application/x-www-form-urlencoded': 'title=Evil&start_date=2031-01-01&end_date=2031-01-02',
        'text/plain': '{"title":"Evil","start_date":"2031-01-01","end_date":"2031-01-02"}',
      };
      for (const [type, body] of Object.entries(bodies)) {
        for (const query of ['', '_method=DELETE', '_method=PATCH', '_method=PUT']) {
          for (const path of ['/events', one, '/categories', '/media']) {
            const reply = await s.ask('POST', path, {
              body,
              query,
              headers: { 'content-type': type, origin: EVIL, cookie },
            });
            assert.ok([400, 401, 404].includes(reply.status), `${path}?${query}: ${reply.status}`);
          }
        }
      }
      for (const query of ['_method=DELETE', '_method=POST&title=Evil', 'force=true&_method=delete']) {
        const reply = await s.ask('GET', one, {
          query,
          headers: { authorization, 'x-http-method-override': 'DELETE' },
        });
        assert.equal(reply.status, 200, 'a link only reads');
      }
      assert.deepEqual(await state(), before);
    });

    test('a nonce is refused: the interface takes no sessions', async () => {
      assert.equal((await s.ask('GET', '/events', { headers: { 'x-wp-nonce': 'a' } })).status, 403);
      assert.equal((await s.get('/events', '_wpnonce=a')).status, 403);
    });
  },
  { KALENDS_ALLOWED_ORIGINS: FRIEND },
);
