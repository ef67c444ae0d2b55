import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authenticator, issue } from '../../src/accounts/accounts.js';
import { listCredentials } from '../../src/accounts/credential.store.js';
import { secretKey } from '../../src/accounts/secrets.js';
import { findUser } from '../../src/accounts/user.store.js';
import type { Database } from '../../src/db/database.js';
import { behaviour, makeEvent, must, rows } from '../support/rows.js';
import type { RoleName } from '../support/server.js';

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

behaviour('credentials, health and logs (A8, E6)', async (s) => {
  const event = await makeEvent(s, {}, 'author');
  const venue = await must(s.post('/venues', { venue: 'Hall' }, 'editor'));
  const tag = await must(s.post('/tags', { name: 'T' }, 'admin'));

  describe('credentials (A8, E6)', async () => {
    const wrong = { status: 401, code: 'incorrect_password' };
    const routes = [
      'GET /events',
      `GET /events/${event.id}`,
      'POST /events',
      `PATCH /venues/${venue.id}`,
      `DELETE /tags/${tag.id}`,
      'GET /users/me',
      'OPTIONS /events',
      'HEAD /nowhere',
      'GET /nowhere',
    ];
    rows(
      s,
      routes.flatMap((ask) => [
        {
          ...wrong,
          name: `A8 a wrong password, ${ask}`,
          ask,
          headers: basic('admin', 'wrong'),
          ...(ask.startsWith('HEAD') ? { code: undefined as never } : {}),
        },
      ]),
    );
    test('A8 an unknown user and a wrong password are told in the same words', async () => {
      const [a, b] = [
        await s.ask('GET', '/events', { headers: basic('nobody', 'wrong') }),
        await s.ask('GET', '/events', { headers: basic('admin', 'wrong') }),
      ];
      assert.deepEqual([a.status, a.text], [b.status, b.text]);
    });
    const { password } = s.users.author;
    const own = await s.database.read((db) => findUser(db, 'author'));
    assert.ok(own);
    const token = (await s.database.write((db) => issue(db, own, 'token', 'for tests'))).secret;
    const me = { ask: 'GET /users/me', status: 200 };
    const nobody = { authenticated: false, id: 0, username: '', role: '' };
    const author = { authenticated: true, id: s.users.author.id, username: 'author', role: 'author' };
    rows(s, [
      { ...me, name: 'E6 an application password', headers: basic('author', password), shows: author },
      {
        ...me,
        name: 'E6 blanks in it do not matter',
        headers: basic('author', `${password.slice(0, 6)} ${password.slice(6)} `),
        shows: author,
      },
      {
        ...me,
        name: 'E6 the letters of the user name do not matter',
        headers: basic('AUTHOR', password),
        shows: author,
      },
      { ...wrong, name: 'A8 the password of another', ask: 'GET /users/me', headers: basic('admin', password) },
      {
        ...me,
        name: 'E6 a token',
        headers: { authorization: `Bearer ${token}` },
        shows: { ...author, authorization_scheme: 'bearer' },
      },
      {
        ...wrong,
        name: 'A8 a wrong token',
        ask: 'GET /users/me',
        headers: { authorization: `Bearer ${token.slice(0, -1)}_` },
        shows: { message: 'The token is incorrect. It may have been revoked.' },
      },
      { ...wrong, name: 'A8 a token is no password', ask: 'GET /users/me', headers: basic('author', token) },
      {
        ...me,
        name: 'E6 another scheme is nobody, but it arrived',
        headers: { authorization: 'Digest x' },
        shows: { ...nobody, authorization_header: 'received' },
      },
      {
        ...me,
        name: 'A8 without a name it is no credential, and so no wrong one',
        headers: basic('', 'wrong'),
        shows: { ...nobody, authorization_header: 'received' },
      },
      { ...me, name: 'E6 nothing arrived', shows: { ...nobody, authorization_header: 'missing' } },
      {
        name: 'a nonce without a session',
        ask: 'GET /events',
        headers: { 'x-wp-nonce': 'x' },
        status: 403,
        code: 'rest_cookie_invalid_nonce',
      },
      {
        name: 'a nonce without a session, in a form',
        ask: 'POST /tags',
        form: { name: 'By nonce', _wpnonce: 'x' },
        status: 403,
        code: 'rest_cookie_invalid_nonce',
      },
      {
        name: 'a nonce in JSON is a member like others',
        ask: 'POST /tags',
        json: { name: 'By nonce', _wpnonce: 'x' },
        status: 401,
        code: 'rest_forbidden',
      },
      {
        name: 'a nonce beside a credential',
        ask: 'POST /tags',
        as: 'admin',
        form: { name: 'By nonce', _wpnonce: 'x' },
        status: 201,
      },
    ]);
    const rights: Record<RoleName, boolean[]> = {
      subscriber: [false, false, false, false, false, false],
      contributor: [true, false, false, false, false, false],
      author: [true, true, false, true, true, false],
      editor: [true, true, true, true, true, true],
      admin: [true, true, true, true, true, true],
    };
    for (const [as, wanted] of Object.entries(rights)) {
      test(`E1 what ${as} may do`, async () => {
        const { rights } = await must(s.get('/users/me', {}, as as RoleName), 200);
        assert.deepEqual(Object.values(rights), wanted);
        assert.deepEqual(Object.keys(rights), [
          'create',
          'publish',
          'edit_others',
          'upload',
          'manage_categories',
          'manage_tags',
        ]);
      });
    }
  });

  describe('health', () => {
    rows(s, [
      { name: '/livez', ask: 'GET ~/livez', status: 200, has: ['ok'] },
      { name: '/readyz', ask: 'GET ~/readyz', status: 200, has: ['ok'] },
      { name: '/livez asks for no credentials', ask: 'GET ~/livez', headers: basic('a', 'b'), status: 200 },
      {
        name: '/metrics',
        ask: 'GET ~/metrics',
        status: 200,
        has: [
          'kalends_http_requests_total{',
          'kalends_http_request_duration_seconds_bucket{',
          'process_cpu_seconds_total',
        ],
        header: { 'content-type': /^text\/plain/ },
      },
      // Proxies keep these from strangers by their address.
      ...['/metrics/', '/de/metrics', '//metrics', '/index.php/metrics', '/%6Detrics', '/de/livez', '/readyz/'].map(
        (at) => ({ name: `not at ${at}`, ask: `GET ~${at}`, status: 404, header: { 'content-type': /^text\/html/ } }),
      ),
      { name: '/livez with a query', ask: 'GET ~/livez?now', status: 200, has: ['ok'] },
    ]);
  });

  test('/metrics counts every answer once, in one of the spans of time', async () => {
    const numbers = async (): Promise<Record<string, number>> => {
      const { text } = await s.get('~/metrics');
      const told = text
        .split('\n')
        .filter((line) => line.startsWith('kalends_http') && line.includes('route="/livez"'));
      return Object.fromEntries(told.map((line) => [line.replace(/ \S+$/, ''), Number(line.replace(/^.* /, ''))]));
    };
    const labels = 'method="GET",route="/livez"';
    const name = 'kalends_http_request_duration_seconds';
    const before = await numbers();
    for (let times = 0; times < 3; times++) await s.get('~/livez');
    const after = await numbers();
    const more = (key: string): number => (after[key] ?? Number.NaN) - (before[key] ?? 0);
    assert.equal(more(`kalends_http_requests_total{${labels},status="200"}`), 3);
    assert.equal(more(`${name}_count{${labels}}`), 3);
    assert.ok(more(`${name}_sum{${labels}}`) > 0);
    const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, '+Inf'].map((le) =>
      more(`${name}_bucket{${labels},le="${le}"}`),
    );
    assert.deepEqual(
      buckets,
      [...buckets].sort((a, b) => a - b),
    );
    assert.equal(buckets.at(-1), 3);
  });

  test('when a credential was last used is noted later, where it could not be at once', async () => {
    const user = await s.database.read((db) => findUser(db, 'author'));
    assert.ok(user);
    const { secret, id } = await s.database.write((db) => issue(db, user, 'token', 'seldom used'));
    let isAway = true;
    const write: Database['write'] = (work) => (isAway ? Promise.reject(new Error('away')) : s.database.write(work));
    const { identify, noteUse } = authenticator({ ...s.database, write }, await s.database.write(secretKey));
    await identify(`Bearer ${secret}`, async () => {});
    await assert.rejects(noteUse(), /away/);
    isAway = false;
    await noteUse();
    const known = await s.database.read((db) => listCredentials(db, 'token', user.id));
    assert.equal(typeof known.find((one) => one.id === id)?.last_used_at, 'number');
  });

  describe('logs', () => {
    test('one line of JSON for each request', async () => {
      const before = s.logs.length;
      await s.get('/events', { search: 'logline' }, 'author');
      await new Promise((resolve) => setTimeout(resolve, 20));
      const lines = s.logs
        .slice(before)
        .map((line) => JSON.parse(line))
        .filter((line) => String(line.url).includes('logline'));
      assert.equal(lines.length, 1);
      assert.deepEqual([lines[0].method, lines[0].status, lines[0].user], ['GET', 200, 'author']);
    });
    test('of probes only bad news', async () => {
      const before = s.logs.length;
      for (const at of ['~/livez', '~/readyz', '~/metrics', '~/nope']) await s.get(at);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const told = s.logs.slice(before).map((line) => JSON.parse(line).url);
      assert.deepEqual(told.filter(Boolean), ['/nope']);
    });
    test('no secret is in them', async () => {
      const word = 'hush-hush-word';
      const locked = await makeEvent(s, { password: word });
      const at = `/events/${locked.id}`;
      for (const query of [
        `password=${word}`,
        `PASSWORD=${word}`,
        `x=1&password=${word}&y=2`,
        `new_password=${word}`,
        `_wpnonce=${word}`,
        `password[]=${word}`,
      ])
        await s.get(at, query);
      await s.patch(at, { new_password: `${word}2` }, 'admin');
      await s.ask('GET', at, { headers: basic('admin', word) });
      await s.ask('GET', at, { headers: { authorization: `Bearer kal_${word}` } });
      await new Promise((resolve) => setTimeout(resolve, 20));
      const all = s.logs.join('');
      assert.ok(all.includes(at));
      assert.ok(
        !all.includes(word),
        s.logs.find((line) => line.includes(word)),
      );
      for (const { password } of Object.values(s.users)) assert.ok(!all.includes(password));
      assert.ok(!/authorization/i.test(all));
    });
    test('nor when its name is written in octets, or with what stands for an underscore', async () => {
      for (const name of [
        'p%61ssword',
        'pass%77ord',
        '%20password',
        'password%00x',
        'new.password',
        'new+password',
        'password[]',
      ])
        await s.get(`/events/${event.id}`, `${name}=octet-secret`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.ok(!s.logs.join('').includes('octet-secret'));
    });
  });
});
