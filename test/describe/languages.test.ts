import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LANGUAGES } from '../../src/i18n/languages.js';
import { translator } from '../../src/i18n/translate.js';
import { type Ask, startServer, type TestServer } from '../support/server.js';
import { withoutTexts } from './support.js';

/** The language of an address, or of the reader, changes texts for people and nothing else (C8). */

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Json = any;
const BASE = '/api/calendar/events/v1';
let server: TestServer;
let event: Json;
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  const body = {
    title: 'Fair',
    start_date: '+1 day',
    end_date: '+1 day',
    venue: { venue: 'Hall', country: 'Germany' },
  };
  event = (await server.post('/events', { ...body, organizer: ['Ada'], categories: ['Music'], tags: ['x'] }, 'admin'))
    .json;
  await server.post('/events', { ...body, title: 'Second' }, 'admin');
});
after(() => server.close());

const at = (language: string, path: string): string => `~/${language}${BASE}${path}`;
const spoken = async (accept: string | undefined, path = '/events'): Promise<string | null> => {
  const reply = await server.ask('GET', path, accept === undefined ? {} : { headers: { 'accept-language': accept } });
  return reply.headers.get('content-language');
};
/** Links with the language taken out of them. */
const neutral = (language: string, value: unknown): Json =>
  JSON.parse(JSON.stringify(value).replaceAll(`${server.home}/${language}/`, `${server.home}/`));

for (const language of LANGUAGES) {
  const other = language === 'en' ? 'de' : 'en';

  test(`${language}: index, /doc and openapi.json have the same structure and texts of their own`, async () => {
    for (const path of ['', '/doc', '/openapi.json']) {
      const here = await server.get(at(language, path));
      const english = await server.get(at('en', path));
      assert.equal(here.headers.get('content-language'), language, path);
      const texts = ['description', 'summary', 'title', 'message'];
      const plain = (one: string, json: Json) => withoutTexts(neutral(one, json), texts);
      assert.deepEqual(plain(language, here.json), plain('en', english.json), path);
      assert.equal(
        JSON.stringify(plain(language, here.json)),
        JSON.stringify(plain('en', english.json)),
        `${path}: order`,
      );
      if (language !== 'en') assert.notDeepEqual(neutral(language, here.json), neutral('en', english.json), path);
    }
  });

  test(`${language}: every description of the index is the text of the catalogue`, async () => {
    const { routes } = (await server.get(at(language, ''))).json;
    const translate = translator(language);
    const { args } = routes['/calendar/events/v1/events'].endpoints[0];
    assert.equal(args.page.description, translate('arg.page'));
    assert.equal(args.search.description, translate('arg.event.search'));
    const { info, tags } = (await server.get(at(language, '/openapi.json'))).json;
    assert.equal(info.title, translate('doc.title', { site: 'Kalends' }));
    assert.equal(tags[0].description, translate('group.events'));
  });

  test(`${language}: records are the same, and links stay in the variant`, async () => {
    for (const path of [
      '/events',
      `/events/${event.id}`,
      '/events/by-slug/fair',
      '/venues',
      '/organizers',
      '/categories',
    ]) {
      const here = await server.get(at(language, path));
      const plain = await server.get(path);
      assert.deepEqual(neutral(language, here.json), plain.json, path);
    }
    const { json, headers } = await server.get(at(language, '/events'), { per_page: 1 });
    const prefix = `${server.home}/${language}${BASE}/`;
    for (const link of [json.rest_url, json.next_rest_url, json.events[0].rest_url])
      assert.ok(link.startsWith(prefix), link);
    assert.ok(headers.get('link')?.startsWith(`<${server.home}/${language}/api/>`));
    assert.ok(headers.get('link')?.includes(`<${prefix}`));
    // Pages have no variant: their path words are the same in all (C8).
    assert.ok(json.events[0].url.startsWith(`${server.home}/event`));
    const next = await server.ask('GET', json.next_rest_url);
    assert.deepEqual([next.status, next.headers.get('content-language')], [200, language]);
    const made = await server.ask('POST', at(language, '/tags'), { as: 'admin', json: { name: `tag ${language}` } });
    assert.equal(made.headers.get('location'), `${prefix}tags/${made.json.id}`);
  });

  test(`${language}: errors have the same codes and statuses, and messages of the language`, async () => {
    const cases: [
      method: string,
      path: string,
      ask: Ask,
      status: number,
      code: string,
      values?: Record<string, string>,
    ][] = [
      ['GET', '/events?page=x', {}, 400, 'rest_invalid_param', { params: 'page' }],
      [
        'POST',
        '/events',
        { as: 'admin', json: {} },
        400,
        'rest_missing_callback_param',
        { params: 'title, start_date, end_date' },
      ],
      ['GET', '/events', { headers: { authorization: 'Basic eDp5' } }, 401, 'incorrect_password'],
      [
        'POST',
        '/events',
        { json: { title: 'x', start_date: '2027-01-01', end_date: '2027-01-01' } },
        401,
        'rest_forbidden',
      ],
      ['DELETE', `/events/${event.id}`, { as: 'subscriber' }, 403, 'rest_forbidden'],
      ['GET', '/events/999999', {}, 404, 'rest-event-not-found', { id: '999999' }],
      ['GET', '/nothing', {}, 404, 'rest_no_route'],
      ['GET', '?namespace=x', {}, 404, 'rest_invalid_namespace'],
    ];
    const translate = translator(language);
    for (const [method, path, ask, status, code, values] of cases) {
      const reply = await server.ask(method, at(language, path), ask);
      assert.deepEqual([reply.status, reply.json.code], [status, code], path);
      assert.equal(reply.json.message, translate(`error.${code}`, values), path);
      assert.ok(!/[{}]/.test(reply.json.message), reply.json.message);
      assert.notEqual(reply.json.message, translator(other)(`error.${code}`, values), path);
      assert.equal(reply.headers.get('content-language'), language, path);
    }
    const { data } = (await server.get(at(language, '/events?start_date=never'))).json;
    assert.equal(data.params.start_date, translate('reason.date', { name: 'start_date' }));
  });

  test(`${language}: the page says its language and direction`, async () => {
    const { status, text, headers } = await server.get(`~/${language}/docs`);
    assert.equal(status, 200);
    assert.ok(text.includes(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`));
    assert.equal(headers.get('content-language'), language);
    assert.match(headers.get('vary') ?? '', /Accept-Language/);
    assert.ok(
      text.includes(`data-document="/${language}${BASE}/openapi.json"`),
      'the reference is in another language',
    );
  });
}

test('without a language in the address the reader decides, by weight, region and order', async () => {
  const cases: [accept: string | undefined, language: string][] = [
    [undefined, 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['pt-BR,en;q=0.5', 'pt'],
    ['zh-Hans-CN', 'zh'],
    ['fr;q=0.2, es;q=0.9, it;q=0.5', 'es'],
    ['fr;q=0.5, es;q=0.5', 'fr'],
    ['en;q=0.1, ja', 'ja'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['xx, yy;q=0.9', 'en'],
    ['xx, nl;q=0.1', 'nl'],
    ['*', 'en'],
    ['', 'en'],
    [';;q=,,;', 'en'],
    [`${'x'.repeat(3000)},de`, 'en'],
  ];
  for (const [accept, language] of cases) assert.equal(await spoken(accept), language, String(accept).slice(0, 60));
});

test('the address wins over the reader; letter case does not matter', async () => {
  for (const path of [at('fr', '/events'), `~/FR${BASE}/events`, '~/fr/wp-json/tribe/events/v1/events', '~/fr/api'])
    assert.equal(await spoken('de', path), 'fr', path);
});

test('answers vary by the language of the reader, and have another version in each', async () => {
  const tags = new Set<string | null>();
  for (const accept of ['en', 'de', 'ja']) {
    const reply = await server.ask('GET', '', { headers: { 'accept-language': accept } });
    const vary = (reply.headers.get('vary') ?? '').split(/,\s*/);
    assert.ok(vary.includes('Accept-Language') && vary.includes('Origin'), String(vary));
    tags.add(reply.headers.get('etag'));
  }
  assert.equal(tags.size, 3);
  const wrong = await server.ask('GET', '/nothing', { headers: { 'accept-language': 'pl' } });
  assert.deepEqual([wrong.status, wrong.headers.get('content-language')], [404, 'pl']);
  assert.match(wrong.headers.get('vary') ?? '', /Accept-Language/);
});

test('the language of the site is configured, and spoken where nobody says otherwise', async () => {
  const polish = await startServer({ KALENDS_LOG_LEVEL: 'silent', KALENDS_LANGUAGE: 'pl' });
  try {
    assert.equal((await polish.get('/events')).headers.get('content-language'), 'pl');
    const unknown = await polish.get('/events/999999');
    assert.equal(unknown.json.message, translator('pl')('error.rest-event-not-found', { id: '999999' }));
    const asked = await polish.ask('GET', '/events', { headers: { 'accept-language': 'xx' } });
    assert.equal(asked.headers.get('content-language'), 'pl');
    const german = await polish.ask('GET', '/events', { headers: { 'accept-language': 'de' } });
    assert.equal(german.headers.get('content-language'), 'de');
    assert.equal((await polish.get(`~/en${BASE}/events`)).headers.get('content-language'), 'en');
  } finally {
    await polish.close();
  }
  await assert.rejects(startServer({ KALENDS_LANGUAGE: 'xx' }), /KALENDS_LANGUAGE/);
});

test('a segment that is no language is no address', async () => {
  for (const path of [
    `~/xx${BASE}`,
    `~/xx${BASE}/events`,
    '~/xx/api',
    '~/xx/docs',
    `~/deu${BASE}`,
    `~/de/de${BASE}`,
    `~/de-at${BASE}`,
  ])
    assert.equal((await server.get(path)).status, 404, path);
});
