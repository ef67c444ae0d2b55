import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../support/raw.js';
import { behaviour, makeEvent, newEvent, unique } from '../support/rows.js';

/** Requests that try to say where the server is. */
const LIES = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  forwarded: 'host=evil.example',
};

behaviour('addresses in answers (A12, C5)', async (s) => {
  const event = await makeEvent(s, { tags: ['x'], categories: [unique('c')] });
  await makeEvent(s);
  const alias = `${s.home}/wp-json/tribe/events/v1`;
  test('A12 neither Host nor forwarded headers are believed', async () => {
    const reply = await raw(`${s.api}/events/${event.id}`, { headers: LIES });
    assert.equal(reply.status, 200);
    assert.ok(!reply.text.includes('evil'));
    assert.equal(reply.json.rest_url, `${s.api}/events/${event.id}`);
    assert.ok(!String(reply.headers.get('link')).includes('evil'));
  });
  for (const [name, base] of [
    ['the alias', alias],
    ['the alias in another case', `${s.home}/WP-JSON/Tribe/events/v1`],
    ['the alias behind two slashes', `${s.home}//wp-json/tribe/events/v1`],
    ['the alias behind the file of the site', `${s.home}/index.php/wp-json/tribe/events/v1`],
  ] as const) {
    test(`${name} answers, with links that stay on it`, async () => {
      const list = await s.get(`${base}/events`, { starts_after: '2031-01-01', per_page: 1 });
      assert.equal(list.status, 200);
      assert.ok(list.json.rest_url.startsWith(`${alias}/events/?`), list.json.rest_url);
      assert.ok(list.json.next_rest_url.startsWith(`${alias}/events/?`));
      assert.equal(list.json.events[0].rest_url, `${alias}/events/${event.id}`);
      assert.ok(list.json.events[0].tags[0].urls.self.startsWith(`${alias}/tags/`));
      assert.ok(list.headers.get('link')?.startsWith(`<${s.home}/wp-json/>`));
      assert.ok(!list.text.includes('/api/calendar'));
      assert.equal((await s.get(list.json.next_rest_url)).status, 200);
    });
  }
  test('the route as a parameter, as sites without readable addresses have it', async () => {
    for (const page of ['/', '/index.php', '/index.php/']) {
      const at = `${s.home}${page}?rest_route=`;
      const list = await s.get(`${at}/tribe/events/v1/events&starts_after=2031-01-01&per_page=1`);
      assert.deepEqual([list.status, list.json.events.length], [200, 1]);
      assert.equal(list.json.events[0].rest_url, `${alias}/events/${event.id}`);
      assert.equal((await s.get(`${at}%2Ftribe%2Fevents%2Fv1%2Fevents%2F${event.id}`)).json.id, event.id);
      assert.equal((await s.get(`${at}/tribe/events/v1/events/999999`)).json.code, 'rest-event-not-found');
      assert.equal((await s.get(`${at}/tribe/events/v1/`)).json.namespace, 'tribe/events/v1');
      assert.ok(Array.isArray((await s.get(`${at}/`)).json.namespaces));
      const made = await s.post(`${at}/tribe/events/v1/tags`, { name: unique('T') }, 'admin');
      assert.equal(made.status, 201);
    }
    const german = await s.get(`${s.home}/de/?rest_route=/tribe/events/v1/events/999999`);
    assert.match(german.json.message, /^Eine Veranstaltung/);
    const page = await s.get(`${s.home}/de/?rest_route=/tribe/events/v1/events/${event.id}`);
    assert.equal(page.json.rest_url, `${s.home}/de/wp-json/tribe/events/v1/events/${event.id}`);
    for (const nowhere of ['x', '/nope', 'tribe/events/v1/events', '/tribe/events/v1/nope']) {
      assert.equal((await s.get(`${s.home}/?rest_route=${nowhere}`)).json.code, 'rest_no_route', nowhere);
    }
    assert.match((await s.get(`${s.home}/?rest_route=`)).text, /^<!doctype html>/);
  });
  test('slashes that are doubled at the start are one, everywhere', async () => {
    assert.equal((await s.get(`${s.home}//api/calendar/events/v1/events/${event.id}`)).json.id, event.id);
    assert.ok(Array.isArray((await s.get(`${s.home}//wp-json/`)).json.namespaces));
    assert.equal((await s.get(`${s.home}//de/wp-json/tribe/events/v1/nope`)).headers.get('content-language'), 'de');
    assert.equal((await s.get(`${s.home}/wp-json//tribe/events/v1/events`)).json.code, 'rest_no_route');
    assert.equal((await s.get(`${s.home}//evil.example/`)).status, 404);
  });
  test('the alias writes too', async () => {
    const reply = await s.post(`${alias}/tags`, { name: unique('T') }, 'admin');
    assert.equal(reply.status, 201);
    assert.equal(reply.headers.get('location'), `${alias}/tags/${reply.json.id}`);
    assert.ok(JSON.stringify(reply.json._links).includes(alias));
  });
  test('the own address has links that stay on it', async () => {
    assert.ok(!(await s.get('/events', { starts_after: '2031-01-01' })).text.includes('wp-json'));
  });
});

behaviour(
  'addresses in answers, with a public address (A12)',
  async (s) => {
    const made = await s.post('/events', newEvent(), 'admin');
    const { id, slug } = made.json;
    const base = 'https://cal.example.org/sub';
    test('A12 C5 all of them begin with it', async () => {
      const reply = await raw(`${s.api}/events/${id}`, { headers: LIES });
      assert.equal(reply.json.rest_url, `${base}/api/calendar/events/v1/events/${id}`);
      assert.equal(reply.json.url, `${base}/event/${slug}/`);
      assert.equal(reply.json.global_id, `cal.example.org/sub?id=${id}`);
      assert.equal(made.headers.get('location'), `${base}/api/calendar/events/v1/events/${id}`);
      assert.ok(!reply.text.includes('evil') && !reply.text.includes('127.0.0.1'));
    });
  },
  { KALENDS_PUBLIC_URL: 'https://cal.example.org/sub', KALENDS_TRUSTED_PROXIES: '127.0.0.1' },
);

behaviour(
  'addresses in answers, behind a trusted proxy (A12)',
  async (s) => {
    const { id } = await makeEvent(s);
    const said = async (headers: Record<string, string>) =>
      (await raw(`${s.api}/events/${id}?_fields=rest_url`, { headers })).json.rest_url.replace(/\/api\/.*/, '');
    const cases: [string, Record<string, string>, string][] = [
      [
        'what the proxy says',
        { 'x-forwarded-host': 'Cal.Example.com', 'x-forwarded-proto': 'https' },
        'https://cal.example.com',
      ],
      ['no protocol said', { 'x-forwarded-host': 'cal.example.com:8080' }, 'http://cal.example.com:8080'],
      [
        'of several hosts the one nearest',
        { 'x-forwarded-host': 'evil.example, cal.example.com' },
        'http://cal.example.com',
      ],
      ['a host that is none', { 'x-forwarded-host': 'evil.example/path?' }, s.home],
      ['only Host', { host: 'evil.example' }, s.home],
      ['nothing said', {}, s.home],
    ];
    for (const [name, headers, wanted] of cases)
      test(`A12 ${name}`, async () => assert.equal(await said(headers), wanted));
  },
  { KALENDS_TRUSTED_PROXIES: '127.0.0.1, ::1' },
);

behaviour(
  'namespaces of three words, and roots that differ in case only',
  async (s) => {
    for (const at of ['/a/b/c', '/API/x/events/v1', '/api/calendar/events/v1'])
      test(`${at} answers`, async () => assert.equal((await s.get(`~${at}/events`)).status, 200));
    test('the root lists what is below it', async () => {
      const { namespaces } = (await s.get('~/Api')).json;
      assert.deepEqual(namespaces, ['calendar/events/v1', 'x/events/v1']);
    });
  },
  { KALENDS_ALIASES: '/a/b/c, /API/x/events/v1' },
);
