import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../support/server.js';

/** By what machines find the interface: headers, tags, and the small files at known addresses. */

let server: TestServer;
let behind: TestServer;
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent', KALENDS_SITE_NAME: 'Harbour & Hill' });
  behind = await startServer({
    KALENDS_LOG_LEVEL: 'silent',
    KALENDS_PUBLIC_URL: 'https://town.example/calendar',
    KALENDS_PER_PAGE: '7',
    KALENDS_PER_PAGE_MAX: '30',
  });
});
after(async () => {
  await server.close();
  await behind.close();
});

test('every answer of the interface, errors too, links to its root with rel https://api.w.org/', async () => {
  const rel = 'rel="https://api.w.org/"';
  const cases: [at: string, status: number, root: string][] = [
    ['', 200, '/api/'],
    ['/events', 200, '/api/'],
    ['/events/999999', 404, '/api/'],
    ['/nothing', 404, '/api/'],
    ['/events?page=x', 400, '/api/'],
    ['~/wp-json/tribe/events/v1/venues', 200, '/wp-json/'],
    ['~/fr/api/calendar/events/v1/tags', 200, '/fr/api/'],
    ['~/ja/wp-json/tribe/events/v1/tags/9999', 404, '/ja/wp-json/'],
    ['~/api', 200, '/api/'],
  ];
  for (const [at, status, root] of cases) {
    const reply = await server.get(at);
    assert.equal(reply.status, status, at);
    assert.ok(
      reply.headers.get('link')?.startsWith(`<${server.home}${root}>; ${rel}`),
      `${at}: ${reply.headers.get('link')}`,
    );
    assert.equal(reply.headers.get('x-tec-api-version'), null, at);
  }
  const wrong = await server.ask('GET', '/events', { headers: { authorization: 'Basic eDp5' } });
  assert.equal(wrong.status, 401);
  assert.ok(wrong.headers.get('link')?.includes(rel));
  const options = await server.ask('OPTIONS', '/events');
  assert.ok(options.headers.get('link')?.includes(rel));
});

test('pages carry the three headers and the three tags of the reference, in its order', async () => {
  for (const [at, root] of [
    ['/docs', '/api/calendar/events/v1/'],
    ['/de/docs', '/de/api/calendar/events/v1/'],
  ] as const) {
    const { status, headers, text } = await server.get(`~${at}`);
    assert.equal(status, 200, at);
    assert.equal(headers.get('content-type'), 'text/html; charset=UTF-8');
    assert.equal(headers.get('x-tec-api-version'), 'v1');
    assert.equal(headers.get('x-tec-api-origin'), server.home);
    assert.equal(headers.get('x-tec-api-root'), server.home + root, at);
    const head = text.slice(0, text.indexOf('</head>'));
    const tags = [
      '<meta name="tec-api-version" content="v1">',
      `<meta name="tec-api-origin" content="${server.home}">`,
      `<link rel="alternate" href="${server.home}${root}">`,
    ];
    const places = tags.map((tag) => head.indexOf(tag));
    assert.ok(!places.includes(-1), `${at}: ${tags[places.indexOf(-1)]}`);
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
    // Crawlers look for this one.
    const known = `<link rel="alternate" href="${server.home}/wp-json/tribe/events/v1/">`;
    assert.equal(head.slice((places[2] as number) + (tags[2] as string).length).indexOf(known), 1, at);
    assert.ok(text.includes('Harbour &amp; Hill') && !text.includes('Harbour & Hill'));
  }
});

test('pages name the root behind which crawlers put tribe/events/v1, as a header and as a tag', async () => {
  const cases: [from: TestServer, at: string, root: string][] = [
    [server, '~/', `${server.home}/wp-json/`],
    [server, '~/event/none/', `${server.home}/wp-json/`],
    [behind, '~/docs', 'https://town.example/calendar/wp-json/'],
  ];
  for (const [from, at, root] of cases) {
    const { headers, text } = await from.ask('GET', at, { headers: { accept: 'text/html' } });
    assert.equal(headers.get('link'), `<${root}>; rel="https://api.w.org/"`, at);
    assert.ok(text.includes(`<link rel="https://api.w.org/" href="${root}">`), at);
  }
  assert.equal((await server.get('~/wp-json/tribe/events/v1/events')).status, 200);
  const alone = await startServer({ KALENDS_LOG_LEVEL: 'silent', KALENDS_ALIASES: '' });
  const { headers, text } = await alone.get('~/');
  await alone.close();
  assert.equal(headers.get('link'), `<${alone.home}/api/>; rel="https://api.w.org/"`);
  assert.equal(text.match(/<link rel="alternate" href/g)?.length, 1);
});

test('the front page lists what is planned under a heading, and says when nothing is', async () => {
  const empty = (await server.get('~/de')).text;
  assert.ok(empty.includes('<h2 id="upcoming">Kommende Veranstaltungen</h2>'), empty);
  assert.ok(empty.includes('<p>Zurzeit sind keine Veranstaltungen geplant.</p>') && !empty.includes('<ul'), empty);
  await behind.post('/events', { title: 'Fado', start_date: '+2 days 19:00', end_date: '+2 days 21:00' }, 'admin');
  const { text } = await behind.get('~/');
  assert.match(
    text,
    /<h2 id="upcoming">Upcoming events<\/h2>\n<ul class="events"><li>.*<strong><a href="\/calendar\/event\/fado\/" dir="auto">Fado<\/a><\/strong>/,
  );
  assert.ok(!text.includes('No events are planned'));
});

test('pages allow nothing but their own files', async () => {
  const { headers, text } = await server.get('~/docs');
  const csp = headers.get('content-security-policy') ?? '';
  assert.match(csp, /default-src 'none'/);
  assert.ok(!/unsafe|\*|https?:/.test(csp), csp);
  const files = [...text.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, file]) => file);
  assert.equal(files.length, 5);
  for (const file of files) {
    const reply = await server.get(`~${file}`);
    assert.equal(reply.status, 200, file);
    assert.match(reply.headers.get('content-type') ?? '', /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/);
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
    const packed = await server.ask('GET', `~${file}`, { headers: { 'accept-encoding': 'br' } });
    if (reply.text.length > 1000) assert.equal(packed.headers.get('content-encoding'), 'br', file);
    assert.equal(packed.headers.get('vary'), 'Accept-Encoding', file);
    const headers = { 'if-none-match': packed.headers.get('etag') ?? '' };
    assert.equal((await server.ask('GET', `~${file}`, { headers })).status, 304);
  }
  assert.ok(!/<script(?! src=)|<style| style=| on\w+=/.test(text), 'something inline');
});

test('no page is shown within another site, or tells it where its readers come from', async () => {
  for (const at of ['/', '/docs', '/events/', '/sign-in', '/event/nope/']) {
    const { headers } = await server.ask('GET', `~${at}`, { headers: { accept: 'text/html' } });
    assert.match(
      headers.get('content-security-policy') ?? '',
      /base-uri 'none'; form-action 'self'; frame-ancestors 'none'/,
    );
    assert.equal(headers.get('x-frame-options'), 'DENY', at);
    assert.equal(headers.get('referrer-policy'), 'same-origin', at);
  }
});

test('/.well-known/api-catalog is a linkset (RFC 9727) whose links lead somewhere', async () => {
  const reply = await server.get('~/.well-known/api-catalog');
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/linkset\+json/);
  const [entry, ...others] = reply.json.linkset;
  assert.equal(others.length, 0);
  assert.equal(entry.anchor, `${server.api}/`);
  assert.deepEqual(Object.keys(entry), ['anchor', 'service-desc', 'service-doc', 'status']);
  for (const relation of ['service-desc', 'service-doc', 'status']) {
    const [{ href, type }] = entry[relation];
    const target = await fetch(href);
    assert.equal(target.status, 200, href);
    assert.ok(target.headers.get('content-type')?.startsWith(type), `${href} is not ${type}`);
  }
});

test('HEAD works where GET works, outside of the interface too', async () => {
  for (const at of [
    '/.well-known/api-catalog',
    '/.well-known/security.txt',
    '/llms.txt',
    '/robots.txt',
    '/docs',
    '/api',
  ]) {
    const get = await server.get(`~${at}`);
    const head = await server.ask('HEAD', `~${at}`);
    assert.deepEqual([head.status, head.text], [200, ''], at);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'), at);
  }
});

test('/.well-known/security.txt has the fields of RFC 9116', async () => {
  const reply = await server.get('~/.well-known/security.txt');
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; charset=utf-8$/i);
  const fields = reply.text
    .trimEnd()
    .split('\n')
    .map((line) => /^([\w-]+): (\S.*)$/.exec(line)?.slice(1) ?? [line]);
  const all = new Map(fields as [string, string][]);
  assert.equal(all.size, fields.length, 'a field is there twice');
  assert.match(all.get('Contact') ?? '', /^(https?:\/\/|mailto:)/);
  const expires = all.get('Expires') ?? '';
  assert.match(expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/);
  const days = (Date.parse(expires) - Date.now()) / 86_400_000;
  assert.ok(days > 1 && days < 366, expires);
  assert.equal(all.get('Canonical'), `${server.home}/.well-known/security.txt`);
  assert.match(all.get('Preferred-Languages') ?? '', /\ben\b/);
});

test('/llms.txt tells what this is and where the description lies', async () => {
  const reply = await server.get('~/llms.txt');
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain/);
  assert.ok(reply.text.startsWith('# Harbour & Hill\n\n> '));
  const links = [...reply.text.matchAll(/\]\((http[^)]+)\)/g)].map(([, link]) => link ?? '');
  assert.deepEqual(links, [
    `${server.api}/openapi.json`,
    `${server.api}/events`,
    `${server.home}/events/?ical=1`,
    `${server.home}/docs`,
  ]);
  for (const link of links) assert.equal((await fetch(link)).status, 200, link);
  // Every word in code is a parameter or a member that exists.
  const { paths, components } = (await server.get('/openapi.json')).json;
  const known = new Set([
    ...paths['/events'].get.parameters.map(({ name }: { name: string }) => name),
    ...Object.keys(components.parameters),
    ...Object.keys(components.schemas.Event.properties),
    'next_rest_url',
  ]);
  for (const [, word] of reply.text.matchAll(/`(\w+)`/g)) assert.ok(known.has(word ?? ''), word);
});

test('how long pages may be is told as it is set', async () => {
  assert.match((await server.get('~/llms.txt')).text, /`per_page` up to 50\n/);
  assert.match((await behind.get('~/llms.txt')).text, /`per_page` up to 30\n/);
  const { text } = await behind.get('~/docs');
  for (const words of ['A page has up to 7 events', 'The maximum per_page is 30', 'per_page=30&amp;page=1'])
    assert.ok(text.includes(words), words);
  assert.ok(!/per_page=50|\bfifty\b/i.test(text));
});

test('/robots.txt lets robots in; the interface itself asks not to be indexed', async () => {
  const reply = await server.get('~/robots.txt');
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(reply.text, /^User-agent: \*$/m);
  assert.ok(reply.text.endsWith(`\nSitemap: ${server.home}/sitemap.xml\n`), reply.text);
  assert.equal((await server.get('/events')).headers.get('x-robots-tag'), 'noindex');
});

test('behind a public address, all of them name that address', async () => {
  const home = 'https://town.example/calendar';
  const catalog = (await behind.get('~/.well-known/api-catalog')).json.linkset[0];
  assert.equal(catalog.anchor, `${home}/api/calendar/events/v1/`);
  assert.ok((await behind.get('~/llms.txt')).text.includes(`(${home}/docs)`));
  assert.ok((await behind.get('~/.well-known/security.txt')).text.includes(`Canonical: ${home}/`));
  assert.equal((await behind.get('~/docs')).headers.get('x-tec-api-origin'), home);
  assert.ok((await behind.get('')).headers.get('link')?.startsWith(`<${home}/api/>`));
  const spoofed = await behind.ask('GET', '~/llms.txt', { headers: { 'x-forwarded-host': 'evil.example' } });
  assert.ok(!spoofed.text.includes('evil.example'));
});

test('behind a public address with a path, links of pages begin with that path and lead somewhere', async () => {
  for (const [at, files] of [
    ['/', 2],
    ['/docs', 5],
  ] as const) {
    const { text } = await behind.get(`~${at}`);
    const links = [...text.matchAll(/(?:src|href|data-document)="(\/[^"]*)"/g)].map(([, link = '']) => link);
    assert.equal(links.filter((link) => link.startsWith('/calendar/docs/assets/')).length, files, at);
    assert.ok(
      links.some((link) => link === '/calendar/en/docs'),
      at,
    );
    // The proxy in front takes the path away.
    for (const link of links) {
      assert.ok(link.startsWith('/calendar/'), `${at}: ${link}`);
      assert.equal((await behind.get(`~${link.slice('/calendar'.length)}`)).status, 200, `${at}: ${link}`);
    }
  }
});
