import assert from 'node:assert/strict';
import { test } from 'node:test';
import { picture, upload } from '../security/support.js';
import { SOON } from '../support/browser.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';

/** What pages tell to those who list them, send them to each other, or come late. */
behaviour('what pages say about themselves', (s) => {
  const page = async (path: string): Promise<string> => {
    const reply = await s.ask('GET', path.replace(s.home, '~'), { headers: { Accept: 'text/html' } });
    assert.equal(reply.status, 200, reply.text);
    return reply.text;
  };
  const titleOf = (text: string): string => /<title>(.*)<\/title>/.exec(text)?.[1] ?? '';
  const homeOf = (text: string): string => /<link rel="canonical" href="([^"]*)">/.exec(text)?.[1] ?? '';

  test('pages of a list differ in title and address, and searches are not for lists of pages', async () => {
    const tag = unique('paged');
    for (let n = 0; n < 12; n++) await makeEvent(s, { ...SOON, tags: [tag] });
    const url = (await s.get('/tags', { search: tag })).json.tags[0].url as string;
    const [first, second] = [await page(url), await page(`${url}?page=2`)];
    assert.deepEqual([titleOf(first), homeOf(first)], [`${tag} – Kalends`, url]);
    assert.deepEqual([titleOf(second), homeOf(second)], [`${tag} – 2 – Kalends`, `${url}?page=2`]);
    assert.match(second, /<span>2\/2<\/span>/);
    assert.equal(homeOf(await page('~/events/')), `${s.home}/events/`);
    assert.equal(homeOf(await page('~/de/')), `${s.home}/`);
    const found = await s.get('~/events/', { search: tag });
    assert.equal(titleOf(found.text), `Upcoming events: ${tag} – Kalends`);
    assert.equal(found.headers.get('x-robots-tag'), 'noindex');
  });

  test('very many categories are folded, so that the events come first', async () => {
    const names = Array.from({ length: 31 }, (_, n) => unique(`Kind ${n}`));
    const few = await page('~/events/');
    assert.ok(!few.includes('<details>') && few.includes('<ul class="events">'));
    await makeEvent(s, { ...SOON, categories: names.map((name) => ({ name })) });
    for (const path of ['~/', '~/events/']) {
      const [, many = '', links = ''] =
        /<details><summary>Categories \((\d+)\)<\/summary>(.*?)<\/details>/s.exec(await page(path)) ?? [];
      assert.ok(Number(many) >= 31, many);
      assert.equal(links.split('<a ').length - 1, Number(many));
      for (const name of names) assert.ok(links.includes(`>${name}</a>`), name);
    }
  });

  test('a film or a recording in a text may come from any site, on pages that show texts', async () => {
    const { url } = await makeEvent(s, {
      ...SOON,
      description: '<video controls src="https://films.example/a.mp4"></video>',
    });
    const policyAt = async (path: string) =>
      (await s.ask('GET', path.replace(s.home, '~'), { headers: { Accept: 'text/html' } })).headers.get(
        'content-security-policy',
      ) ?? '';
    assert.match(await policyAt(url), /media-src \*;/);
    assert.match(await policyAt('~/docs'), /media-src 'self';/);
  });

  test('a link that is sent on shows a title, a text and a picture, of which there are several sizes', async () => {
    const image = (await must(upload(s, await picture(900, 1200), 'admin'), 201)) as { id: number };
    const event = await makeEvent(s, {
      ...SOON,
      title: unique('Poster'),
      description: 'Come <b>all</b>.',
      image: image.id,
    });
    const text = await page(event.url);
    for (const [name, content] of [
      ['title', event.title],
      ['site_name', 'Kalends'],
      ['url', event.url],
      ['image', event.image.url],
    ])
      assert.ok(text.includes(`<meta property="og:${name}" content="${content}">`), `${name} in ${text}`);
    assert.match(text, /<meta property="og:description" content="[A-Z][a-z]+day, [^"]* · Come all\.">/);
    const { thumbnail, medium } = event.image.sizes;
    const pathOf = ({ url }: { url: string }): string => url.slice(s.home.length);
    assert.ok(text.includes(`${pathOf(medium)} ${medium.width}w, `), text);
    assert.ok(text.includes(`${pathOf(event.image)} 900w" sizes=`), text);
    assert.ok(!text.includes(pathOf(thumbnail)), 'a part of the picture is not the picture');
    const list = await page(`~/events/?search=${event.title}`);
    assert.ok(list.includes(`<li><img class="thumbnail" src="${pathOf(thumbnail)}" alt=""`), list);
    await must(s.patch(`/events/${event.id}`, { image: '' }, 'admin'), 200);
    assert.ok(!(await page(`~/events/?search=${event.title}`)).includes('<img'));
    const small = (await must(upload(s, await picture(40, 30), 'admin'), 201)) as { id: number; url: string };
    const { image: shown } = await must(s.patch(`/events/${event.id}`, { image: small.id }, 'admin'), 200);
    assert.ok((await page(`~/events/?search=${event.title}`)).includes(`src="${pathOf(shown)}" alt=""`));
  });

  test('without a text, a link that is sent on says when and where', async () => {
    const venue = unique('Pier & quay');
    const event = await makeEvent(s, { start_date: '2031-03-05 10:00', end_date: '2031-03-05 12:00', venue });
    const text = await page(`~/de${event.url.slice(s.home.length)}`);
    const [, summary = ''] = /<meta property="og:description" content="([^"]*)">/.exec(text) ?? [];
    assert.match(summary, /^Mittwoch, 5\. März 2031.*, Pier &amp; quay/);
  });

  test('whoever finds nothing to come can look in the past', async () => {
    const title = unique('Bygone');
    await makeEvent(s, { start_date: '2020-01-01 10:00', end_date: '2020-01-01 12:00', title });
    const text = await page(`~/events/?search=${encodeURIComponent(title)}`);
    const [, way = ''] = /href="([^"]*)">Past events</.exec(text) ?? [];
    const past = await page(`~/events/${way.replaceAll('&amp;', '&')}`);
    assert.match(past, new RegExp(`<h1 dir="auto">Past events: ${title}</h1>.*>${title}</a>`, 's'));
    assert.ok(!past.includes('webcal:') && !past.includes('href="?past=1'), 'neither to subscribe to, nor once more');
    assert.match((await s.get('~/events/list/', 'tribe_event_display=past')).headers.get('location') ?? '', /past=1/);
    assert.match(await page(`~/events/?past=1&search=${unique('Never')}`), /No past event was found/);
  });

  test('past events begin with the latest, and each is on one page', async () => {
    const word = unique('Chronicle');
    for (let day = 1; day <= 23; day++) {
      const date = `2019-03-${String(day).padStart(2, '0')}`;
      await makeEvent(s, { start_date: `${date} 10:00`, end_date: `${date} 12:00`, title: `${word} ${day}` });
    }
    const daysOn = async (n: number): Promise<number[]> => {
      const text = await page(`~/events/?past=1&search=${word}&page=${n}`);
      return [...text.matchAll(new RegExp(`>${word} (\\d+)</a>`, 'g'))].map(([, day]) => Number(day));
    };
    const pages = [await daysOn(1), await daysOn(2)];
    assert.deepEqual(
      pages.map((one) => one.length),
      [13, 10],
    );
    assert.deepEqual(
      pages.flat(),
      Array.from({ length: 23 }, (_, n) => 23 - n),
    );
    for (const odd of ['0', '3', 'x', '1.5'])
      assert.equal((await s.get('~/events/', { past: '1', search: word, page: odd })).status, 404, odd);
  });

  test('from the list of events one goes to the categories in which there are some, and on to those below', async () => {
    const [above, below, empty] = [unique('Above'), unique('Below'), unique('Empty')];
    const { id: parent, url } = await must(s.post('/categories', { name: above }, 'admin'), 201);
    const category = await must(s.post('/categories', { name: `${below} & more`, parent }, 'admin'), 201);
    await must(s.post('/categories', { name: empty }, 'admin'), 201);
    await makeEvent(s, { ...SOON, categories: [category.id] });
    const links = async (path: string): Promise<string[]> =>
      [...(await page(path)).matchAll(/<a href="([^"]*\/category\/[^"]*)" dir="auto">([^<]*)<\/a>/g)]
        .map(([, to, name]) => `${to} ${name}`)
        .filter((link) => [above, below, empty].some((name) => link.includes(name)));
    const path = url.slice(s.home.length);
    for (const from of ['', '/de'])
      for (const list of ['/', '/events/', '/events/?from=2027-01-01'])
        assert.deepEqual(await links(`~${from}${list}`), [`${from}${path} ${above}`]);
    assert.deepEqual(await links(`~${path}`), [`${category.url.slice(s.home.length)} ${below} &amp; more`]);
    assert.deepEqual(await links(category.url), [`${path} ${above}`], 'and back');
    assert.deepEqual(await links('~/events/?search=of'), [], 'they would leave what was searched');
    const names = Array.from({ length: 51 }, (_, n) => `${below} ${n}`);
    const many = [];
    for (const name of names) many.push((await must(s.post('/categories', { name, parent }, 'admin'), 201)).id);
    await makeEvent(s, { ...SOON, categories: many });
    assert.equal((await links(`~${path}`)).length, 52, 'more than a page of them');
  });

  test('in lists, the time zone is told of what is not by the clocks of the site; on its own page always', async () => {
    const both = unique('clock');
    const [ours, theirs] = [`Our ${both}`, `Their ${both}`];
    const here = await makeEvent(s, { ...SOON, title: ours, timezone: 'Etc/UTC' });
    await makeEvent(s, { ...SOON, title: theirs, timezone: 'Asia/Tokyo' });
    const zoneOf = (text: string, title: string): string | undefined =>
      new RegExp(`</time>(?: <small dir="ltr">([^<]*)</small>)?<br><strong><a [^>]*>${title}<`).exec(text)?.[1];
    const list = await page(`~/events/?search=${both}`);
    assert.deepEqual([zoneOf(list, ours), zoneOf(list, theirs)], [undefined, 'Asia/Tokyo']);
    assert.ok(list.includes(`>${ours}<`));
    assert.match(await page(here.url), /<\/time> <small dir="ltr">Etc\/UTC<\/small>/);
  });

  test('what costs nothing does so in the language of the reader', async () => {
    const event = await makeEvent(s, { ...SOON, cost: ['0', '5'] });
    const path = event.url.slice(s.home.length);
    assert.match(await page(`~/de${path}`), /<dd><bdi>Kostenlos – 5\u00a0\$<\/bdi><\/dd>/);
    assert.match(await page(`~${path}`), /<dd><bdi>Free – \$5<\/bdi><\/dd>/);
    for (const [cost, english, german] of [
      [['12 Euro'], '12\u00a0Euro', '12\u00a0Euro'],
      [['5 kr.', '10 kr.'], '5\u00a0kr. – 10\u00a0kr.', '5\u00a0kr. – 10\u00a0kr.'],
      [['12 CHF'], 'CHF\u00a012', '12\u00a0CHF'],
      [['EUR 7.5'], 'EUR\u00a07.50', '7,50\u00a0EUR'],
    ] as const) {
      const { url } = await makeEvent(s, { ...SOON, cost });
      const at = url.slice(s.home.length);
      const shown = async (path: string) => /<dt>(?:Cost|Eintritt)<\/dt><dd><bdi>([^<]*)</.exec(await page(path))?.[1];
      assert.deepEqual([await shown(`~${at}`), await shown(`~/de${at}`)], [english, german]);
    }
    const own = await makeEvent(s, { ...SOON, cost: 'Free for members' });
    assert.match(await page(`~/de${own.url.slice(s.home.length)}`), /<dd><bdi>Free for members<\/bdi><\/dd>/);
  });

  test('tickets are told with their prices, as the reader writes them', async () => {
    const tickets = [
      { name: 'Front <row>', price: 1234.5, currency: 'eur', url: 'https://tickets.example/1' },
      { name: 'Back', price: 7.25 },
      { name: 'Children', price: 0 },
      { name: 'At the door' },
    ];
    const { url } = await makeEvent(s, { ...SOON, title: unique('Sold'), tickets });
    const text = async (language: string): Promise<string> =>
      (await s.get(`~/${language}${new URL(url).pathname}`)).text.replaceAll('\u00a0', ' ');
    const [english, german] = [await text('en'), await text('de')];
    for (const [page, ...prices] of [
      [english, '€1,234.50', '7.25', 'Free'],
      [german, '1.234,50 €', '7,25', 'Kostenlos'],
    ] as const) {
      const [front, back, children] = prices;
      assert.match(page, /href="https:\/\/tickets\.example\/1"[^>]*>Front</);
      assert.ok(page.includes(`</a>: <bdi>${front}</bdi><br>Back: <bdi>${back}</bdi><br>`), page);
      assert.ok(page.includes(`<br>Children: <bdi>${children}</bdi><br>At the door</dd>`), page);
    }
  });

  test('an event that is over says so, and one that goes on does not', async () => {
    const past = await makeEvent(s, { start_date: '2020-01-01 10:00', end_date: '2020-01-01 12:00' });
    assert.match(await page(past.url), /<p role="note">This event is over\.<\/p>/);
    const running = await makeEvent(s, { start_date: '-1 day', end_date: '+1 day' });
    assert.ok(!(await page(running.url)).includes('is over'));
  });

  test('whoever is to be reached can be reached by a click', async () => {
    const fields = { organizer: unique('Society'), phone: '+351 21/123', email: 'a&b@c.example' };
    const { url } = await must(s.post('/organizers', fields, 'admin'), 201);
    const text = await page(url);
    assert.match(text, /<a href="tel:\+35121123"><bdi dir="ltr">\+351 21\/123<\/bdi><\/a>/);
    const both = await must(s.post('/venues', { venue: unique('V'), phone: '21 123 or 21 456' }, 'admin'), 201);
    assert.match(await page(both.url), /<dd><bdi dir="ltr">21 123 or 21 456<\/bdi><\/dd>/);
    assert.match(text, /<a href="mailto:a&amp;b@c\.example"><bdi dir="ltr">a&amp;b@c\.example<\/bdi><\/a>/);
  });
});
