import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import ICAL from 'ical.js';
import { contextFor } from '../../bench/fill.js';
import { createEvents } from '../../src/events/event.bulk.js';
import { nowSeconds } from '../../src/time/clock.js';
import { picture, upload } from '../security/support.js';
import { below, browserAt, SOON } from '../support/browser.js';
import { behaviour, makeEvent, must, unique } from '../support/rows.js';

/** What pages show, told to calendars (`?ical=1`), read by another program. */
behaviour('calendars', (s) => {
  const told = async (url: string, headers: Record<string, string> = {}) => {
    const reply = await s.ask('GET', url.replace(s.home, '~'), { query: { ical: 1 }, headers });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('content-type'), 'text/calendar; charset=utf-8');
    return reply;
  };
  const read = (text: string): ICAL.Component => {
    for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75 && !line.includes('\n'), line);
    const calendar = new ICAL.Component(ICAL.parse(text));
    for (const component of calendar.getAllSubcomponents('vtimezone'))
      ICAL.TimezoneService.register(new ICAL.Timezone({ component, tzid: String(value(component, 'tzid')) }));
    return calendar;
  };
  const value = (component: ICAL.Component, name: string): unknown => component.getFirstPropertyValue(name);
  const time = (component: ICAL.Component, name: string): ICAL.Time => value(component, name) as ICAL.Time;
  const eventsOf = (calendar: ICAL.Component): ICAL.Component[] => calendar.getAllSubcomponents('vevent');
  const eventOf = async (url: string): Promise<ICAL.Component> => {
    const [event, ...more] = eventsOf(read((await told(url)).text));
    assert.ok(event && more.length === 0);
    return event;
  };
  const seconds = (utc: string): number => Date.parse(`${utc.replace(' ', 'T')}Z`) / 1000;
  const titlesAt = async (url: string): Promise<unknown[]> =>
    eventsOf(read((await told(url)).text)).map((one) => value(one, 'summary'));

  test('an event with all that it has', async () => {
    const image = (await must(upload(s, await picture(600, 400), 'admin'), 201)) as { id: number };
    const name = unique('Field');
    const event = await makeEvent(s, {
      ...SOON,
      title: 'Fado; by "candlelight", <em>twice</em> & more',
      description: '<p>Two guitars,\none voice.</p><ul><li>First</li><li>Second &amp; last</li></ul>',
      timezone: 'Europe/Lisbon',
      venue: {
        venue: 'Harbour, Hall',
        address: 'Quay 12',
        zip: '1200',
        city: 'Lisbon',
        geo_lat: 38.5,
        geo_lng: -0.0000025,
      },
      organizer: [{ organizer: 'Society', email: 'a@society.example', phone: '+351 21' }, { organizer: 'Others' }],
      categories: [name, `${name}, two`],
      image: image.id,
    });
    const calendar = read((await told(event.url)).text);
    assert.equal(value(calendar, 'version'), '2.0');
    const [one] = eventsOf(calendar) as [ICAL.Component];
    assert.equal(value(one, 'summary'), 'Fado; by "candlelight", twice & more');
    assert.equal(value(one, 'description'), 'Two guitars,\none voice.\n\nFirst\nSecond & last');
    assert.equal(value(one, 'location'), 'Harbour, Hall, Quay 12, 1200 Lisbon');
    assert.deepEqual(value(one, 'geo'), [38.5, -0.000003]);
    assert.equal(value(one, 'url'), event.url);
    assert.equal(value(one, 'attach'), event.image.url);
    assert.deepEqual(
      one.getAllProperties('contact').map((property) => property.getFirstValue()),
      ['Society, +351 21, a@society.example', 'Others'],
    );
    assert.deepEqual(one.getFirstProperty('categories')?.getValues().sort(), [name, `${name}, two`].sort());
    assert.equal(time(one, 'dtstart').zone?.tzid, 'Europe/Lisbon');
    assert.equal(time(one, 'dtstart').toUnixTime(), seconds(event.utc_start_date));
    assert.equal(time(one, 'dtend').toUnixTime(), seconds(event.utc_end_date));
    assert.equal(time(one, 'last-modified').toUnixTime(), seconds(event.modified_utc));
  });

  test('it stays the same event whatever is changed, and each change is told', async () => {
    const event = await makeEvent(s, SOON);
    const before = await eventOf(event.url);
    await must(s.patch(`/events/${event.id}`, { slug: unique('moved'), start_date: '+2 days 20:00' }, 'admin'), 200);
    const moved = (await s.get(`/events/${event.id}`)).json;
    const after = await eventOf(moved.url);
    assert.equal(value(after, 'uid'), value(before, 'uid'));
    assert.ok(Number(value(after, 'sequence')) > Number(value(before, 'sequence')));
    assert.equal(time(after, 'dtstart').toUnixTime(), seconds(moved.utc_start_date));
  });

  test('times are those of the interface in every kind of zone, and in the hour that comes twice', async () => {
    for (const [timezone, start_date, end_date] of [
      ['America/New_York', '2027-03-14 01:30:00', '2027-03-14 03:30:00'],
      ['America/New_York', '2027-11-07 01:30:00', '2027-11-07 02:30:00'],
      ['America/New_York', '2027-11-07T06:30:00Z', '2027-11-07T06:45:00Z'],
      ['Australia/Lord_Howe', '2027-04-04 01:45:00', '2027-04-04 03:00:00'],
      ['Asia/Kathmandu', '2027-05-01 10:00:00', '2027-05-01 10:00:00'],
      ['UTC', '2027-05-01 10:00:00', '2027-05-03 11:00:00'],
      ['UTC+5.5', '2027-05-01 10:00:00', '2027-05-01 11:00:00'],
      ['america/chicago', '2027-07-01 10:00:00', '2027-07-01 11:00:00'],
      ['Europe/Paris', '2150-07-01 12:00:00', '2150-07-01 13:00:00'],
      ['Europe/Berlin', '1893-06-01 12:00:00', '1893-06-01 13:00:00'],
      ['Africa/Casablanca', '2027-02-10 12:00:00', '2027-02-10 13:00:00'],
      ['Europe/Dublin', '2026-12-31 23:30:00', '2027-01-01 00:30:00'],
    ]) {
      const event = await makeEvent(s, { timezone, start_date, end_date });
      const one = await eventOf(event.url);
      const what = `${timezone} ${start_date}`;
      assert.equal(time(one, 'dtstart').toUnixTime(), seconds(event.utc_start_date), what);
      if (event.start_date === event.end_date) assert.equal(value(one, 'dtend'), null, what);
      else assert.equal(time(one, 'dtend').toUnixTime(), seconds(event.utc_end_date), what);
    }
  });

  test('a zone is told for all years that its events are in', async () => {
    const [tag, next] = [unique('years'), new Date().getFullYear() + 1];
    const on = (day: string) => ({ start_date: `${day} 19:00:00`, end_date: `${day} 20:00:00`, tags: [tag] });
    for (const year of [next, next + 3]) await makeEvent(s, { ...on(`${year}-07-01`), timezone: 'Europe/Berlin' });
    const { url } = (await s.get('/tags', { search: tag })).json.tags[0];
    const starts = eventsOf(read((await told(url)).text)).map((one) => time(one, 'dtstart').toUnixTime());
    assert.deepEqual(
      starts,
      [next, next + 3].map((year) => seconds(`${year}-07-01 17:00:00`)),
    );
  });

  test('whole days are days, and the last of them belongs to them', async () => {
    for (const [end_date, after] of [
      ['2027-06-10', '2027-06-11'],
      ['2027-06-30', '2027-07-01'],
      ['9999-12-31', ''],
    ]) {
      const one = await eventOf((await makeEvent(s, { all_day: true, start_date: '2027-06-10', end_date })).url);
      assert.deepEqual([String(time(one, 'dtstart')), String(time(one, 'dtend') ?? '')], ['2027-06-10', after]);
    }
  });

  test('lists go on beyond a page, and back a month, in the order of the interface', async () => {
    const tag = unique('many');
    for (let n = 0; n < 60; n++)
      await makeEvent(s, {
        title: `${tag} ${n}`,
        start_date: `+${3 + n} days 19:00`,
        end_date: `+${3 + n} days 20:00`,
        tags: [tag],
      });
    const past = (days: number) => ({
      start_date: `-${days} days 10:00`,
      end_date: `-${days} days 12:00`,
      tags: [tag],
    });
    await makeEvent(s, { ...past(20), title: `${tag} lately` });
    await makeEvent(s, { ...past(40), title: `${tag} long ago` });
    const { url } = (await s.get('/tags', { search: tag })).json.tags[0];
    const wanted = [...Array.from({ length: 60 }, (_, n) => `${tag} ${n}`), `${tag} lately`];
    assert.deepEqual(await titlesAt(url), wanted);
    // A change is seen at once.
    await makeEvent(s, { title: `${tag} first`, start_date: '+1 day 19:00', end_date: '+1 day 20:00', tags: [tag] });
    assert.deepEqual(await titlesAt(url), [`${tag} first`, ...wanted]);
    assert.equal((await titlesAt('~/events/')).includes(`${tag} 59`), true);
    assert.deepEqual(await titlesAt('~/'), await titlesAt('~/events/'));
  });

  test('each kind of page has one, and says where it is', async () => {
    const name = unique('Place');
    const event = await makeEvent(s, {
      ...SOON,
      title: name,
      featured: true,
      venue: { venue: name },
      organizer: { organizer: name },
      categories: [name],
      tags: [name],
    });
    const { json } = await s.get('/categories', { search: name });
    for (const url of [
      event.url,
      event.venue.url,
      event.organizer[0].url,
      json.categories[0].url,
      `${s.home}/events/`,
      `${s.home}/events/featured/`,
    ]) {
      const page = await s.ask('GET', url.replace(s.home, '~'));
      assert.ok(page.text.includes(`<link rel="alternate" type="text/calendar" href="${url}?ical=1">`), url);
      const way = url === event.url ? `${url}?ical=1` : `${url.replace('http:', 'webcal:')}?ical=1`;
      assert.ok(page.text.includes(`href="${way}"`), way);
      assert.ok((await titlesAt(url)).includes(name), url);
    }
    assert.match(
      (await told(event.url)).headers.get('content-disposition') ?? '',
      /^attachment; filename="[\w-]+\.ics"$/,
    );
  });

  test('what strangers may not see is in none, what a password closes tells only that it is', async () => {
    const tag = unique('hidden');
    const closed = await makeEvent(s, {
      ...SOON,
      title: `${tag} closed`,
      description: 'secret',
      password: 'word',
      tags: [tag],
    });
    const draft = await makeEvent(s, { ...SOON, title: `${tag} draft`, status: 'draft', tags: [tag] });
    await makeEvent(s, { ...SOON, title: `${tag} unlisted`, hide_from_listings: true, tags: [tag] });
    const { text } = await told('~/events/');
    assert.ok(text.includes(`${tag} closed`) && !text.includes('secret'), text);
    for (const hidden of ['draft', 'unlisted']) assert.ok(!text.includes(`${tag} ${hidden}`), hidden);
    const accept = { Accept: 'text/html' };
    const single = await s.ask('GET', closed.url.replace(s.home, '~'), { query: { ical: 1 }, headers: accept });
    assert.deepEqual([single.status, single.text.includes('secret')], [403, false]);
    assert.equal((await s.ask('GET', '~/event/nowhere/', { query: { ical: 1 }, headers: accept })).status, 404);
    const opened = await s.ask('POST', closed.url.replace(s.home, '~'), {
      form: { password: 'word' },
      headers: accept,
    });
    assert.deepEqual(
      [opened.status, opened.text.includes('secret'), opened.text.includes('ical=1')],
      [200, true, false],
    );
    // Those who are signed in see what they may; nobody keeps it for others.
    const browser = browserAt(s);
    await browser.signIn('admin');
    const own = await browser.get('/events/?ical=1');
    assert.ok(!own.text.includes(`${tag} draft`), 'a file is soon handed on');
    assert.equal(own.headers.get('cache-control'), 'private, no-store');
    assert.equal(own.headers.get('access-control-allow-origin'), null);
    assert.ok(!(await browser.get(below(draft.url))).text.includes('text/calendar'));
    assert.ok(!(await told('~/events/')).text.includes(`${tag} draft`));
  });

  test('what was made for somebody who sees more is kept for nobody', async () => {
    const venue = await must(s.post('/venues', { venue: unique('Secret'), status: 'draft' }, 'admin'));
    const event = await makeEvent(s, { ...SOON, venue: venue.id });
    const browser = browserAt(s);
    await browser.signIn('admin');
    // Soon after a change was noticed none is kept.
    await told(event.url);
    await sleep(2200);
    assert.ok((await browser.get('/events/?ical=1')).text.includes(venue.venue));
    assert.ok(!(await told('~/events/')).text.includes(venue.venue));
  });

  test('who has it already is told so, until something changes', async () => {
    const event = await makeEvent(s, SOON);
    const first = await told(event.url);
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^"[\w-]+"$/);
    assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=1,/);
    assert.equal(first.headers.get('access-control-allow-origin'), '*');
    const ask = (headers: Record<string, string>, method = 'GET') =>
      s.ask(method, event.url.replace(s.home, '~'), { query: { ical: 1 }, headers });
    const again = await ask({ 'If-None-Match': tag });
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', tag]);
    assert.equal((await ask({ 'If-None-Match': tag }, 'HEAD')).status, 304);
    const head = await ask({}, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('etag')], [200, tag]);
    await must(s.patch(`/events/${event.id}`, { title: 'Other', description: 'words '.repeat(400) }, 'admin'), 200);
    assert.equal((await ask({ 'If-None-Match': tag })).status, 200);
    const packed = await ask({ 'Accept-Encoding': 'gzip' });
    assert.equal(packed.headers.get('content-encoding'), 'gzip');
    assert.match(packed.text, /SUMMARY:Other/);
  });

  test('what is to come has room before what was, and of that the latest', async () => {
    const { id, url } = await must(s.post('/venues', { venue: unique('Busy') }, 'admin'));
    const at = async (title: string, start: string) =>
      makeEvent(s, { title, start_date: start, end_date: `${start} +1 hour`, venue: id });
    await s.database.write(async (db) => {
      const past = Array.from({ length: 520 }, (_, n) => ({
        given: {
          title: `past ${n}`,
          start_date: nowSeconds() - 20 * 86_400 + n * 60,
          end_date: nowSeconds() - 20 * 86_400 + n * 60 + 30,
          venue: id,
        },
      }));
      await createEvents(contextFor(db, nowSeconds(), s.users.admin.id, {}), past);
    });
    await at('to come', '+3 days 10:00');
    const titles = await titlesAt(url);
    assert.deepEqual([titles.length, ...titles.slice(0, 3)], [500, 'to come', 'past 519', 'past 518']);
  });

  test('one zone in several spellings is one zone', async () => {
    const tag = unique('zones');
    for (const timezone of ['europe/madrid', 'Europe/Madrid', 'EUROPE/Madrid'])
      await makeEvent(s, { ...SOON, timezone, tags: [tag] });
    const { url } = (await s.get('/tags', { search: tag })).json.tags[0];
    const { text } = await told(url);
    assert.deepEqual([...new Set(text.match(/(?<=TZID[:=])[\w/]+/g))], ['Europe/Madrid'], text);
    assert.equal(text.match(/BEGIN:VTIMEZONE/g)?.length, 1);
  });

  test('a megabyte is the most, and long texts are cut', async () => {
    const tag = unique('long');
    const long = { ...SOON, description: '漢字'.repeat(20_000), tags: [tag] };
    for (let n = 0; n < 45; n++) await makeEvent(s, { ...long, title: `${tag} ${n}` });
    const { url } = (await s.get('/tags', { search: tag })).json.tags[0];
    const { text } = await told(url);
    assert.ok(Buffer.byteLength(text) < 1_010_000, String(Buffer.byteLength(text)));
    const events = eventsOf(read(text));
    assert.ok(events.length > 30 && events.length < 45, String(events.length));
    assert.equal(String(value(events[0] as ICAL.Component, 'description')).length, 8001);
  });

  test('asked several times the last counts, and the number of an event leads to its calendar', async () => {
    const event = await makeEvent(s, { ...SOON, title: unique('日本語') });
    const type = async (query: string) =>
      (await s.ask('GET', `~${below(event.url)}?${query}`)).headers.get('content-type')?.split(';')[0];
    assert.deepEqual([await type('ical=1&ical=0'), await type('ical=0&ical=1')], ['text/html', 'text/calendar']);
    assert.equal((await s.ask('GET', '~/events/?page=7&page=1')).status, 200);
    const numbered = await s.ask('GET', `~/?post_type=tribe_events&p=${event.id}&ical=1`);
    assert.deepEqual([numbered.status, numbered.headers.get('location')], [302, `${below(event.url)}?ical=1`]);
    assert.match((await told(event.url)).headers.get('content-disposition') ?? '', /filename="events\.ics"/);
  });

  test('nothing that is written begins a line of its own', async () => {
    const attack = 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:forged';
    const event = await makeEvent(s, {
      ...SOON,
      title: attack,
      description: attack,
      venue: { venue: attack, address: attack },
      organizer: { organizer: attack, phone: attack },
      categories: [unique(attack)],
      website: 'https://x.example/%0d%0aSUMMARY:forged',
    });
    const { text } = await told(event.url);
    assert.equal(text.match(/^BEGIN:VEVENT/gm)?.length, 1, text);
    assert.equal(text.match(/^SUMMARY/gm)?.length, 1, text);
  });
});
