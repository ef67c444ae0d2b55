import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { raw } from '../support/raw.js';
import { behaviour, makeEvent, newEvent, rows, unique } from '../support/rows.js';

/** What belongs to the protocol and to no route: envelopes, chosen members, types of bodies, preconditions. */
behaviour('protocol (A1, A2, A4)', async (s) => {
  const event = await makeEvent(s, { venue: { venue: 'Hall', city: 'Köln' } });
  const at = `/events/${event.id}`;

  describe('_envelope (A2)', () => {
    test('tells what the answer says of itself, and only there', async () => {
      const list = await s.get(`/events?include=${event.id}&_envelope=1`);
      assert.deepEqual(Object.keys(list.json), ['body', 'status', 'headers']);
      assert.deepEqual(list.json.headers, { 'X-TEC-Total': 1, 'X-TEC-TotalPages': 1, Allow: 'GET' });
      for (const name of ['allow', 'x-tec-total', 'x-tec-totalpages']) assert.equal(list.headers.get(name), null, name);
    });
    test('nothing to tell is an empty list', async () => {
      const { json } = await s.get('/nowhere?_envelope');
      assert.deepEqual([json.status, json.body.code, json.headers], [404, 'rest_no_route', []]);
    });
  });

  describe('_fields (A2)', () => {
    const slice = (...names: string[]) => Object.fromEntries(names.map((name) => [name, event[name]]));
    const only = async (fields: string, wanted: unknown): Promise<void> =>
      assert.deepEqual((await s.get(`${at}?_fields=${fields}`)).json, wanted);
    test('blanks and commas stand between them', () => only('id%20slug,,title', slice('id', 'title', 'slug')));
    test('none is no wish', async () => {
      const whole = Object.keys((await s.get(at)).json);
      for (const none of ['', ',', '%20,%20']) {
        assert.deepEqual(Object.keys((await s.get(`${at}?_fields=${none}`)).json), whole, none);
      }
    });
    test('what is left with nothing is an empty list', () => only('venue.nope', { venue: [] }));
    test('in a body', async () => {
      const json = { name: unique('T'), _fields: 'id,name' };
      // The query says so only for whoever compares with the document.
      const reply = await s.ask('POST', '/tags?_fields=id', { json, as: 'admin' });
      assert.deepEqual([reply.status, Object.keys(reply.json)], [201, ['id', 'name']]);
    });
  });

  describe('OPTIONS (A1)', () => {
    test('where there is nothing', async () => {
      const reply = await s.ask('OPTIONS', '/nowhere', { headers: { origin: 'https://else.example' } });
      assert.deepEqual([reply.status, reply.json, reply.headers.get('allow')], [200, [], null]);
      assert.equal(reply.headers.get('access-control-allow-origin'), '*');
      assert.equal((await s.ask('OPTIONS', `${s.home}/nowhere`)).status, 404);
    });
    test('whatever is sent along', async () => {
      const broken = { headers: { 'content-type': 'application/json' }, body: '{' };
      assert.equal((await s.ask('OPTIONS', '/events', broken)).status, 200);
    });
  });

  describe('the root', () => {
    for (const root of ['/api', '/wp-json/']) {
      test(`${root} takes _fields, says what may be done, and tells every origin`, async () => {
        const headers = { origin: 'https://else.example' };
        const reply = await s.ask('GET', `${s.home}${root}?_fields=name,namespaces`, { headers });
        assert.deepEqual(Object.keys(reply.json), ['name', 'namespaces', '_links']);
        assert.equal(reply.headers.get('access-control-allow-origin'), '*');
        const pretty = await s.get(`${s.home}${root}?_fields=name&_pretty`);
        assert.match(pretty.text, /^{\n {4}"name": /);
        const options = await s.ask('OPTIONS', `${s.home}${root}`);
        assert.deepEqual([options.status, options.json.methods], [200, ['GET']]);
      });
    }
  });

  describe('types of bodies (A4)', () => {
    const send = (type: string, body: string, query = '') =>
      raw(`${s.api}/tags${query}`, {
        method: 'POST',
        headers: { 'content-type': type, authorization: admin },
        body,
      });
    const { username, password } = s.users.admin;
    const admin = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    for (const type of ['json', '', ';', 'text/', 'text/json', 'application/jsonx', 'xapplication/json', '/']) {
      test(`"${type}" carries no parameters`, async () => {
        const reply = await send(type, '{"name":"x"}', `?name=${unique('T')}`);
        assert.equal(reply.status, 201, reply.text);
        const without = await send(type, '{"name":"x"}');
        assert.deepEqual([without.status, without.json.code], [400, 'rest_missing_callback_param']);
      });
    }
    for (const type of [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/vnd.a.b+c+json',
      'application/json, text/plain',
    ]) {
      test(`"${type}" is JSON`, async () => {
        assert.equal((await send(type, JSON.stringify({ name: unique('T') }))).status, 201);
      });
    }
    for (const [depth, code] of [
      [510, undefined],
      [513, 1],
      [50_000, 1],
    ] as const) {
      test(`JSON of ${depth} levels`, async () => {
        const { json } = await send('application/json', `${'['.repeat(depth)}${']'.repeat(depth)}`);
        assert.equal(json.data.json_error_code, code);
      });
    }
  });

  describe('credentials and nonces', () => {
    rows(s, [
      {
        name: 'A8 a nonce that is refused is nobody else’s business',
        ask: 'GET /events',
        headers: { 'x-wp-nonce': 'x' },
        status: 403,
        code: 'rest_cookie_invalid_nonce',
        header: { 'cache-control': /no-store.*private/, expires: /1984/ },
      },
      { name: 'A8 who is known needs none', ask: 'GET /events?_wpnonce=x', as: 'subscriber', status: 200 },
    ]);
  });

  describe('If-Match comes after everything that would be refused anyway (RFC 9110, 13.2.1)', () => {
    const headers = { 'if-match': '"other"' };
    rows(s, [
      { name: 'a stranger', ask: `PATCH ${at}`, json: { title: 'X' }, headers, status: 401, code: 'rest_forbidden' },
      { name: 'a wrong body', ask: `PATCH ${at}`, as: 'admin', json: { start_date: 'x' }, headers, status: 400 },
      { name: 'all is well but that', ask: `PATCH ${at}`, as: 'admin', json: { title: 'X' }, headers, status: 412 },
      {
        name: 'what is not there',
        ask: 'PATCH /events/999999',
        as: 'admin',
        json: { title: 'X' },
        headers: { 'if-match': '*' },
        status: 404,
      },
    ]);
    test('and leaves everything as it was', async () => {
      assert.equal((await s.get(at)).json.title, event.title);
      const before = (await s.get('/venues')).json.total;
      const made = await s.ask('PATCH', at, { as: 'admin', headers, json: { venue: { venue: unique('V') } } });
      assert.deepEqual([made.status, (await s.get('/venues')).json.total], [412, before]);
    });
  });
});

behaviour(
  'behind a proxy that is trusted, and beside it (A12)',
  async (s) => {
    await makeEvent(s, newEvent());
    const told = async (from: string, host: string): Promise<string> => {
      const url = `${s.api}/events?per_page=1&_fields=rest_url`;
      const headers = { 'x-forwarded-host': host, 'x-forwarded-proto': 'https' };
      return (await raw(url, { headers, localAddress: from })).json.rest_url;
    };
    test('what is kept for one is not told the other', async () => {
      for (const [stranger, proxy, host] of [
        ['127.0.0.1', '127.0.0.2', 'one.example'],
        ['127.0.0.2', '127.0.0.1', 'two.example'],
      ] as const) {
        for (let n = 0; n < 3; n++) await told(stranger, host);
        const expected = (from: string): RegExp =>
          from === '127.0.0.2' ? /^https:\/\/(one|two)\.example\// : /^http:\/\/127/;
        for (let n = 0; n < 3; n++) assert.match(await told(proxy, host), expected(proxy));
        assert.match(await told(stranger, host), expected(stranger));
      }
    });
    test('a host that cannot be one is passed over', async () => {
      for (const host of ['a.example:99999', '[::::]', '..:99999'])
        assert.match(await told('127.0.0.2', host), /^http:\/\/127/);
    });
  },
  { KALENDS_TRUSTED_PROXIES: '127.0.0.2' },
);
