import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';
import type { Reply } from '../support/server.js';

/** C5: `url` of an event, venue, organizer, category and tag is a page that exists; it shows what a stranger may see. */

const HTML = { accept: 'text/html,*/*;q=0.8' };
const SOON = { start_date: '+2 days 19:00', end_date: '+2 days 21:00' };

behaviour('pages of records', async (s) => {
  const pathOf = (url: string): string => `~${new URL(url).pathname}`;
  const page = (url: string): Promise<Reply> => s.get(pathOf(url));
  const [hall, society] = [unique('Hall'), unique('Society')];
  const event = await makeEvent(s, {
    ...SOON,
    title: 'Tom & <em>Jerry</em> "live"',
    description: 'For <b>all</b>.<script>alert(1)</script>',
    venue: { venue: hall, city: 'Lisbon', phone: '+351 21 000', geo_lat: 38.7, geo_lng: -9.1 },
    organizer: { organizer: society, email: 'a@b.example' },
    tags: [unique('tag')],
    cost: '12',
    website: 'https://elsewhere.example/x?a=1&b=2',
  });
  const elsewhere = await makeEvent(s, { ...SOON, title: unique('Elsewhere') });
  const above = await must(s.post('/categories', { name: unique('Above') }, 'admin'));
  const below = await must(s.post('/categories', { name: unique('Below'), parent: above.id }, 'admin'));
  await must(s.patch(`/events/${event.id}`, { categories: [below.id] }, 'admin'), 200);
  const tag = await must(s.get(`/tags/${event.tags[0].id}`), 200);
  const year = await must(s.post('/tags', { name: '2084' }, 'admin'));
  await must(s.patch(`/events/${event.id}`, { tags: [tag.id, year.id] }, 'admin'), 200);

  test('an event: its facts, its text, its links, and what machines read', async () => {
    const { status, text, headers } = await page(event.url);
    assert.equal(status, 200);
    assert.match(text, /<h1 dir="auto">Tom &amp; Jerry (&quot;|[“”])live/);
    for (const one of [
      '<b>all</b>',
      `href="${new URL(event.venue.url).pathname}"`,
      `href="${new URL(event.organizer[0].url).pathname}"`,
      'href="https://elsewhere.example/x?a=1&amp;b=2"',
      `href="/events/category/${below.slug}/"`,
      `href="/tag/${tag.slug}/"`,
      'mlat=38.7&amp;mlon=-9.1',
      `<link rel="canonical" href="${event.url}">`,
      `datetime="${event.utc_start_date.slice(0, 16).replace(' ', 'T')}Z"`,
    ])
      assert.ok(text.includes(one), `${one} in ${text}`);
    assert.equal(text.match(/<script/g)?.length, 1);
    const machines = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)?.[1] ?? '';
    assert.equal(JSON.parse(machines)['@type'], 'Event');
    assert.equal(headers.get('x-tec-api-root'), `${s.api}/events/${event.id}`);
    const head = await s.ask('HEAD', pathOf(event.url));
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  test('of what an event does not have its page says nothing', async () => {
    const { text } = await page((await makeEvent(s, { ...SOON, title: unique('Bare') })).url);
    assert.deepEqual(
      [...text.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, fact]) => fact),
      ['When'],
    );
    const venue = { venue: unique('Unmapped'), geo_lat: 38.7, geo_lng: -9.1, show_map_link: false };
    assert.ok(!(await page((await makeEvent(s, { ...SOON, venue })).url)).text.includes('mlat='));
  });

  for (const [name, url, shows, root] of [
    ['a venue', event.venue.url, hall, `/events/?venue=${event.venue.id}`],
    ['an organizer', event.organizer[0].url, society, '/'],
    ['a category', above.url, above.name, `/events/?categories=${above.slug}`],
    ['a category below another', below.url, below.name, `/events/?categories=${below.slug}`],
    ['a tag', tag.url, tag.name, `/events/?tags=${tag.slug}`],
    ['a tag that is a year, by its id', year.url, year.name, `/events/?tags=${year.id}`],
  ] as const) {
    test(`${name}: its name, and what is on`, async () => {
      const { status, text, headers } = await page(url);
      assert.equal(status, 200, text);
      assert.ok(text.includes(`<h1 dir="auto">${shows}</h1>`), text);
      assert.ok(text.includes(`<link rel="canonical" href="${url}">`), text);
      assert.ok(text.includes(`href="${new URL(event.url).pathname}"`), text);
      assert.ok(!text.includes(new URL(elsewhere.url).pathname), text);
      assert.equal(headers.get('x-tec-api-root'), s.api + root);
    });
  }

  test('names in other scripts', async () => {
    const title = unique('日本語の催し');
    const { text, status } = await page((await makeEvent(s, { title })).url);
    assert.equal(status, 200);
    assert.ok(text.includes(title));
  });

  test('what a stranger may not see has no page, whoever asks', async () => {
    for (const status of ['draft', 'private', 'pending', 'trash']) {
      const { id, slug } = await makeEvent(s, { title: unique('Secret'), slug: unique('secret').replace(' ', '-') });
      if (status === 'trash') await must(s.del(`/events/${id}`, 'admin'), 200);
      else await must(s.patch(`/events/${id}`, { status }, 'admin'), 200);
      for (const as of [undefined, 'admin'] as const) {
        const reply = await s.ask('GET', `~/event/${slug}/`, { as, headers: HTML });
        assert.equal(reply.status, 404, status);
        assert.ok(!reply.text.includes('Secret'), reply.text);
      }
    }
  });

  test('a protected event asks for its word, which does not stand in an address', async () => {
    const inside = { description: 'Only for us', venue: { venue: unique('Hidden') }, tags: ['inner'], cost: 'Gratis' };
    const { url } = await makeEvent(s, { title: 'Members & <i>friends</i>', ...inside, password: 'lantern' });
    const closed = await page(url);
    assert.equal(closed.status, 403);
    assert.match(closed.text, /<form method="post">/);
    assert.ok(!closed.text.includes('role="alert"'));
    const wrong = await s.ask('POST', pathOf(url), { form: { password: 'candle' } });
    assert.equal(wrong.status, 403);
    assert.match(wrong.text, /role="alert" id="problem".*<input [^>]*aria-describedby="problem" aria-invalid="true"/s);
    // Lists tell its title and when it is, too, and nothing else (E4).
    for (const { text } of [closed, wrong]) {
      assert.match(text, /<h1 dir="auto">Members &amp; friends<\/h1>/);
      assert.match(
        text,
        /<time datetime="2031-05-06T19:30Z">[^<]*6, 2031[^<]*<\/time> <small dir="ltr">[^<]+<\/small>.*protected by a password.*<form/s,
      );
      assert.ok(!/Only for us|Hidden|inner|Gratis|canonical|ld\+json/.test(text), text);
    }
    const open = await s.ask('POST', pathOf(url), { form: { password: 'lantern' } });
    assert.equal(open.status, 200);
    assert.ok(open.text.includes('Only for us'));
    assert.match(open.headers.get('cache-control') ?? '', /no-store/);
  });

  test('of a protected event that no list shows, its page tells only that it is protected', async () => {
    const { url } = await makeEvent(s, { title: 'Unheard of', password: 'lantern', hide_from_listings: true });
    const { status, text } = await page(url);
    assert.equal(status, 403);
    assert.match(text, /<h1 dir="auto">This event is protected by a password<\/h1>.*<form method="post">/s);
    assert.ok(!/Unheard|<time/.test(text), text);
  });

  test('all that is to come, page by page; featured ones apart', async () => {
    for (let n = 0; n < 12; n++) await makeEvent(s, { ...SOON, featured: n === 0 });
    const first = await s.get('~/events/');
    assert.equal(first.headers.get('x-tec-api-root'), `${s.api}/`);
    assert.match(first.text, /<a rel="next" href="\?page=2">/);
    assert.ok(!first.text.includes('rel="prev"'));
    const second = await s.get('~/events/', { page: 2 });
    assert.match(second.text, /<a rel="prev" href="\?page=1">/);
    assert.ok(!second.text.includes('rel="next"'));
    const linked = (text: string): string[] => [...text.matchAll(/href="(\/event\/[^"]+)"/g)].map(([, at = '']) => at);
    const { total } = (await s.get('/events', { ends_after: 'now', strict_dates: true })).json;
    assert.equal(new Set([...linked(first.text), ...linked(second.text)]).size, total);
    const featured = await s.get('~/events/featured/');
    assert.equal(linked(featured.text).length, 1);
    assert.equal(featured.headers.get('x-tec-api-root'), `${s.api}/events/?featured=1`);
  });

  test('what runs now is told, what is over today is not', async () => {
    const running = await makeEvent(s, { title: unique('Running'), start_date: '-3 days', end_date: '+3 days' });
    const over = await makeEvent(s, { title: unique('Over'), start_date: '-2 minutes', end_date: '-1 minute' });
    for (const at of ['~/', '~/events/']) {
      const { text } = await s.get(at);
      assert.deepEqual([text.includes(running.title), text.includes(over.title)], [true, false], at);
    }
  });

  test('the address of what is not published leads to its page once it is, and nowhere before (C5)', async () => {
    for (const [kind, given] of [
      ['events', { title: unique('Later'), ...SOON }],
      ['venues', { venue: unique('Later') }],
      ['organizers', { organizer: unique('Later') }],
    ] as const) {
      const { id, url } = await must(s.post(`/${kind}`, { ...given, status: 'draft' }, 'admin'));
      const at = `~/${new URL(url).search}`;
      assert.match(at, new RegExp(`^~/\\?post_type=tribe_\\w+&p=${id}$`));
      assert.equal((await s.get(at)).status, 404);
      const shown = await must(s.patch(`/${kind}/${id}`, { status: 'publish' }, 'admin'), 200);
      const reply = await s.get(at);
      assert.deepEqual([reply.status, reply.headers.get('location')], [302, new URL(shown.url).pathname]);
    }
    const { id, url } = await makeEvent(s, { ...SOON, password: 'word' });
    const reply = await s.get('~/', { post_type: 'tribe_events', p: id });
    assert.equal(reply.headers.get('location'), new URL(url).pathname);
    assert.equal((await s.get('~/', { post_type: 'tribe_events', p: 999_999 })).status, 404);
  });

  test('is sent compressed to those who take it so', async () => {
    for (const encoding of ['br', 'gzip']) {
      const { headers, text } = await s.ask('GET', pathOf(event.url), { headers: { 'accept-encoding': encoding } });
      assert.deepEqual([headers.get('content-encoding'), text.includes(hall)], [encoding, true]);
      assert.match(headers.get('vary') ?? '', /Accept-Encoding/);
    }
  });

  test('in the language of the address, or of the reader', async () => {
    const german = await s.get(`~/de${new URL(event.url).pathname}`);
    assert.ok(german.text.includes('<html lang="de"') && german.text.includes('<dt>Wann</dt>'), german.text);
    const arabic = await s.ask('GET', pathOf(event.url), { headers: { 'accept-language': 'ar' } });
    assert.ok(arabic.text.includes('dir="rtl"'));
  });

  test('no such page: told as one to browsers, as ever to programs; below the interface to both', async () => {
    for (const at of [
      '~/nope',
      '~/event/nope/',
      '~/tag/nope/',
      '~/events/category/a/nope/',
      '~/events/?page=99',
      '~/events/?page=x',
      '~/tag/*/',
    ]) {
      const reply = await s.ask('GET', at, { headers: HTML });
      assert.equal(reply.status, 404, at);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/, at);
      assert.equal(reply.headers.get('x-tec-api-version'), 'v1');
      assert.equal(reply.headers.get('x-tec-api-root'), `${s.api}/`);
    }
    // Whatever the client accepts, but only outside the API.
    for (const Accept of ['*/*', 'application/json']) {
      for (const at of ['~/nope', '~/wp-jsonx/nope', '~/events/nowhere/']) {
        const reply = await s.ask('GET', at, { headers: { Accept } });
        assert.equal(reply.status, 404, at);
        assert.match(reply.text, /^<!doctype html>.*<meta name="tec-api-version" content="v1">/s, at);
        assert.equal(reply.headers.get('x-tec-api-root'), `${s.api}/`);
      }
    }
    assert.equal((await s.ask('HEAD', '~/nope')).headers.get('x-tec-api-origin'), s.home);
    for (const at of ['/nope', '~/api/nope', '~/API/calendar/events/v2/events', '~/de/wp-json/nope'])
      assert.equal((await s.ask('GET', at, { headers: HTML })).json.code, 'rest_no_route', at);
    assert.equal((await s.ask('POST', '~/nope')).json.code, 'rest_no_route');
  });
});
