import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LANGUAGES, ownName } from '../../src/i18n/languages.js';
import { translator } from '../../src/i18n/translate.js';
import { makeEvent, must } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';

/** How pages of records lead to each other, and what they say around a record. What they show of it: behaviour/pages. */

const HTML = { accept: 'text/html' };
const SOON = { start_date: '+2 days 19:00', end_date: '+2 days 21:00' };
let server: TestServer;
let behind: TestServer;

/** An event with everything that has a page of its own, and enough others for a second page. */
async function fill(s: TestServer): Promise<void> {
  const category = await must(s.post('/categories', { name: 'Music' }, 'admin'));
  const linked = { venue: { venue: 'Hall' }, organizer: { organizer: 'Ada' }, tags: ['quiet'] };
  await makeEvent(s, { ...SOON, ...linked, title: 'Fado', categories: [category.id], featured: true });
  for (let n = 0; n < 11; n++) await makeEvent(s, { ...SOON, title: `Later ${n}`, venue: ['Hall'] });
}

before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  behind = await startServer({ KALENDS_LOG_LEVEL: 'silent', KALENDS_PUBLIC_URL: 'https://town.example/a&b' });
  await fill(server);
  await fill(behind);
});
after(async () => {
  await server.close();
  await behind.close();
});

const SIGNS: [string, string][] = [
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&amp;', '&'],
];
const unescaped = (html: string): string => SIGNS.reduce((text, [code, sign]) => text.replaceAll(code, sign), html);
const pageAt = (at: string, s = server) => s.ask('GET', `~${at}`, { headers: HTML });
/** Where the links of a page lead, but for those to other languages. */
const linksIn = (text: string): string[] =>
  [...text.matchAll(/<a (?![^>]*hreflang)[^>]*href="([^"]*)"/g)].map(([, link = '']) => unescaped(link));
const languagesIn = (text: string): string[] =>
  [...text.matchAll(/<a href="([^"]*)" lang="(\w+)" hreflang="\2"/g)].map(([, link = '']) => unescaped(link));

/** Every page that can be reached from one by links within the site, by its address. */
async function reached(s: TestServer, first: string, site = '', last?: string): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const next = [first];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    if (seen.has(at)) continue;
    const { status, text } = await pageAt(at, s);
    assert.equal(status, 200, at);
    seen.set(at, text);
    if (at === last) continue;
    const from = new URL(`https://town.example${site}${at}`);
    const found = linksIn(text.replace(/<article.*<\/article>/s, '')).map((link) => new URL(link, from));
    const own = found.filter(({ origin, pathname }) => origin === from.origin && !/openapi/.test(pathname));
    for (const { pathname, search } of own) {
      assert.ok(pathname.startsWith(`${site}/`), `${at} leads to ${pathname}`);
      next.push(pathname.slice(site.length) + search);
    }
  }
  return seen;
}

const SITES: [name: string, site: () => TestServer, path: string][] = [
  ['at the top of its host', () => server, ''],
  ['below a path', () => behind, '/a&b'],
];
for (const [name, site, path] of SITES)
  test(`a site ${name}: whoever reads in German reaches every page, and each in German`, async () => {
    const seen = await reached(site(), '/de/', path);
    for (const at of ['/', '/events/', '/events/?page=2', '/event/fado/', '/venue/hall/', '/organizer/ada/'])
      assert.ok(seen.has(`/de${at}`), `${at} is not among ${[...seen.keys()]}`);
    for (const at of ['/events/category/music/', '/tag/quiet/', '/venue/hall/?page=2', '/docs'])
      assert.ok(seen.has(`/de${at}`), `${at} is not among ${[...seen.keys()]}`);
    for (const [at, text] of seen) {
      assert.ok(at.startsWith('/de/'), at);
      const isGerman = at.endsWith('ical=1') ? /^BEGIN:VCALENDAR\r\n/ : /<html lang="de"/;
      assert.match(text, isGerman, at);
    }
  });

test('who chose no language is sent to pages without one, but to the documentation in their own', async () => {
  // Whoever looks at that has chosen one.
  const seen = await reached(server, '/', '', '/en/docs');
  assert.ok(seen.size > 15, [...seen.keys()].join());
  for (const at of seen.keys()) assert.ok(at === '/en/docs' || !/^\/\w\w\//.test(at), at);
});

test('pages offer themselves in the other languages, which are named in their own', async () => {
  const PAGES = ['/', '/events/', '/events/?page=2', '/event/fado/', '/venue/hall/', '/organizer/ada/', '/tag/quiet/'];
  for (const at of [...PAGES, '/events/featured/', '/events/category/music/', '/docs'])
    for (const from of ['', '/ja']) {
      const { text } = await pageAt(from + at);
      const offered = languagesIn(text);
      assert.deepEqual(
        offered,
        LANGUAGES.map((one) => `/${one}${at}`),
        from + at,
      );
      const current = from === '' ? 'en' : 'ja';
      assert.equal(text.match(/aria-current/g)?.length, 1);
      assert.ok(text.includes(`hreflang="${current}" aria-current="true">${ownName(current)}</a>`), from + at);
      assert.match(text, /<nav aria-label="[^"]+"><a href="[^"]*\/en\//);
      if (from === '')
        for (const one of offered) assert.equal((await pageAt(one)).headers.get('content-language'), one.slice(1, 3));
    }
});

test('what is asked of a page is not repeated in its links', async () => {
  const { text } = await pageAt('/de/events/?utm=%22%3E%3Cscript%3E&page=2');
  assert.ok(!/utm|script/.test(text), text);
  const odd = await pageAt('/de/tag/%22%3E%3Cscript%3E/');
  assert.equal(odd.status, 404);
  assert.ok(!odd.text.includes('script'), odd.text);
  assert.equal(languagesIn(odd.text)[1], '/de/events/');
});

test('the address of a record by its number leads to its page in the same language', async () => {
  const { json } = await server.get('/events/by-slug/fado');
  for (const [from, to] of [
    ['/', '/event/fado/'],
    ['/fr/', '/fr/event/fado/'],
  ]) {
    const reply = await server.get(`~${from}`, { post_type: 'tribe_events', p: json.id });
    assert.deepEqual([reply.status, reply.headers.get('location')], [302, to]);
  }
});

test('a page in a language is at home where its record says', async () => {
  const { json } = await server.get('/events/by-slug/fado');
  const { text, headers } = await pageAt('/de/event/fado/');
  assert.ok(text.includes(`<link rel="canonical" href="${json.url}">`), text);
  assert.equal(headers.get('x-tec-api-root'), `${server.home}/de/api/calendar/events/v1/events/${json.id}`);
});

test('a page of a venue does not name it again under each event, but other venues of the event', async () => {
  const foyer = await must(server.post('/venues', { venue: 'Foyer' }, 'admin'));
  const { json: hall } = await server.get('/venues/by-slug/hall');
  await makeEvent(server, { ...SOON, start_date: '+1 day 19:00', title: 'In both', venue: [hall.id, foyer.id] });
  const { text } = await pageAt('/venue/hall/');
  assert.ok(text.includes('<h1 dir="auto">Hall</h1>') && text.includes('href="/event/fado/"'), text);
  const named = async (at: string) =>
    [...(await pageAt(at)).text.matchAll(/<bdi>(\w+)<\/bdi>/g)].map(([, name]) => name);
  assert.deepEqual(await named('/venue/hall/'), ['Foyer']);
  assert.deepEqual(await named('/venue/foyer/'), ['Hall']);
  assert.deepEqual((await named('/events/')).slice(0, 3), ['Hall', 'Foyer', 'Hall']);
  // Of organizers lists say nothing.
  assert.deepEqual(await named('/organizer/ada/'), ['Hall']);
});

test('a page that is not there says so, and leads to the events', async () => {
  for (const language of LANGUAGES) {
    const translate = translator(language);
    const { status, text } = await pageAt(`/${language}/event/nowhere/`);
    assert.equal(status, 404);
    const [, said, link, name] =
      /<main id="main" tabindex="-1"><section><p>([^<]+)<\/p>\s*<p><a href="([^"]*)">([^<]+)<\/a><\/p><\/section><\/main>/.exec(
        text,
      ) ?? [];
    assert.deepEqual(
      [unescaped(said ?? ''), link, name],
      [translate('page.gone'), `/${language}/events/`, translate('page.all')],
      text,
    );
    assert.equal((await pageAt(link ?? '')).status, 200);
  }
});

test('each page begins with a way past its links', async () => {
  for (const path of ['/', '/events/', '/venue/hall/', '/de/event/nowhere/', '/sign-in']) {
    const { text } = await pageAt(path);
    const [, to, name] = /<body>\n<a class="skip" href="#(\w+)">([^<]+)<\/a>\n<header>/.exec(text) ?? [];
    assert.equal(name, translator(path.startsWith('/de/') ? 'de' : 'en')('page.skip'), path);
    assert.ok(text.includes(`<main id="${to}" tabindex="-1">`), path);
  }
});

/** Links to events, on the page at this address and on those after it. */
async function eventsFrom(at: string): Promise<string[]> {
  const { status, text } = await pageAt(at);
  assert.equal(status, 200, at);
  const here = linksIn(text).filter((link) => link.includes('/event/'));
  const next = /<a rel="next" href="([^"]*)"/.exec(text)?.[1];
  return next === undefined ? here : [...here, ...(await eventsFrom(at.replace(/\?.*/, unescaped(next))))];
}

test('the page of all events finds what the interface finds, page after page', async () => {
  const sizes: number[] = [];
  for (const search of ['later', 'fado', '"later 1" -10', 'fado & later']) {
    const asked = { search, ends_after: 'now', strict_dates: true, per_page: 50 };
    const { events } = (await server.get('/events', asked)).json;
    const wanted = events.map(({ url }: { url: string }) => `/de${new URL(url).pathname}`);
    assert.deepEqual(await eventsFrom(`/de/events/?search=${encodeURIComponent(search)}`), wanted, search);
    sizes.push(wanted.length);
  }
  assert.deepEqual(sizes, [11, 1, 1, 0]);
  for (const at of ['/events/?search=', '/events/?search=+']) assert.ok((await eventsFrom(at)).length >= 12, at);
  // As in the interface the last one counts.
  assert.deepEqual(await eventsFrom('/events/?search=later&search=fado'), ['/event/fado/']);
});

test('its form shows what was looked for, and so do the links to other pages and languages', async () => {
  const FORM = /<form role="search"><label>([^<]+)<input type="search" name="search" value="([^"]*)"[^>]*><\/label>/;
  for (const search of ['', 'later', '"><script>alert(1)</script>', "a'b&c=d+e %41"]) {
    const { text } = await pageAt(`/ja/events/?search=${encodeURIComponent(search)}`);
    const [, label, value = '-'] = FORM.exec(text) ?? [];
    assert.deepEqual([label?.trim(), unescaped(value)], [translator('ja')('page.search'), search], text);
    assert.ok(!text.includes('<script'), text);
    const there = new URL(languagesIn(text)[1] ?? '', server.home);
    assert.deepEqual([there.pathname, there.searchParams.get('search') ?? ''], ['/de/events/', search]);
  }
  const { text } = await pageAt('/events/?search=later&page=2');
  assert.ok(text.includes('<a rel="prev" href="?search=later&amp;page=1">'), text);
  assert.equal(languagesIn(text)[1], '/de/events/?search=later&page=2');
  const nothing = await pageAt('/events/?search=nowhere');
  assert.ok(nothing.text.includes(translator('en')('page.unfound')) && !nothing.text.includes('class="events"'));
});

test('only the page of all events searches', async () => {
  for (const at of ['/venue/hall/', '/events/featured/', '/tag/quiet/', '/']) {
    const { text } = await pageAt(`${at}?search=nowhere`);
    assert.ok(text.includes('class="events"') && !/role="search"|nowhere/.test(text), text);
  }
});
