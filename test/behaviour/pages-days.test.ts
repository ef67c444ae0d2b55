import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviour, makeEvent, unique } from '../support/rows.js';

/** The page of all events from a day on, and the addresses that led to it in other calendars. */
behaviour('pages of days', (s) => {
  const page = (path: string) => s.ask('GET', `~${path}`, { headers: { Accept: 'text/html' } });
  const text = async (path: string): Promise<string> => {
    const reply = await page(path);
    assert.equal(reply.status, 200, path);
    return reply.text;
  };

  test('a list begins with what is not over on its day, also in the past, and keeps to it from page to page', async () => {
    const word = unique('Procession').replace(' ', '-');
    for (let day = 1; day <= 12; day++) {
      const date = `2019-05-${String(day).padStart(2, '0')}`;
      await makeEvent(s, { title: `${word} ${date}`, start_date: `${date} 10:00`, end_date: `${date} 12:00` });
    }
    await makeEvent(s, { title: `${word} long`, start_date: '2019-04-01', end_date: '2019-05-03 12:00' });
    const found = await text(`/events/?from=2019-05-02&search=${word}`);
    const titles = found.match(new RegExp(`${word} [\\w-]+(?=</a>)`, 'g'))?.map((one) => one.slice(word.length + 1));
    const days = Array.from({ length: 9 }, (_, n) => `2019-05-${String(n + 2).padStart(2, '0')}`);
    assert.deepEqual(titles, ['long', ...days]);
    assert.ok(found.includes('<title>Events from Thursday, May 2, 2019'), found);
    assert.ok(found.includes('name="from" value="2019-05-02"'), found);
    assert.ok(found.includes(`href="?search=${word}&amp;from=2019-05-02&amp;page=2"`), found);
    assert.ok((await text(`/events/?search=${word}&from=2019-05-02&page=2`)).includes(`${word} 2019-05-12`));
    assert.match(
      await text('/de/events/?from=2019-05-02'),
      /<h1 dir="auto">Veranstaltungen ab Donnerstag, 2\. Mai 2019</,
    );
    const alike = await page(`/events/?tribe-bar-date=2019-05&tribe-bar-search=${word}`);
    assert.ok(alike.text.includes(`${word} 2019-05-01`));
    assert.equal(alike.headers.get('x-robots-tag'), 'noindex');
    // The same for calendars.
    const calendar = await s.ask('GET', '~/events/', { query: { from: '2019-05-11', search: word, ical: 1 } });
    assert.deepEqual(calendar.text.match(/(?<=SUMMARY:).*(?=\r)/g), [`${word} 2019-05-11`, `${word} 2019-05-12`]);
    for (const wrong of ['2019-13-01', '2019-02-30', '0000-00-00', 'tomorrow', '1', "2019-05-02'", '2019-05-02 10:00'])
      assert.equal((await page(`/events/?from=${encodeURIComponent(wrong)}`)).status, 404, wrong);
    assert.equal((await page('/events/?from=&search=')).status, 200);
  });

  test('addresses of other calendars lead on, in the language that they name', async () => {
    for (const [former, now] of [
      ['/events/list/', '/events/'],
      ['/events/list', '/events/'],

      ['/events/today/', '/events/'],
      ['/events/month/2026-12-05/', '/events/?from=2026-12-05'],
      ['/events/2026-12/', '/events/?from=2026-12'],
      ['/events/2026-12-05/', '/events/?from=2026-12-05'],
      ['/events/page/3/', '/events/?page=3'],
      ['/events/list/page/2/', '/events/?page=2'],
      ['/events/list/?tribe-bar-date=2026-12-05&tribe-bar-search=fado', '/events/?search=fado&from=2026-12-05'],
      ['/events/list/?ical=1', '/events/?ical=1'],
      ['/events/LIST/?page=3', '/events/?page=3'],
      ['/de/events/week/', '/de/events/'],
    ]) {
      const reply = await page(former as string);
      assert.deepEqual([reply.status, reply.headers.get('location')], [301, now], former);
    }
    for (const nowhere of [
      '/events/lists/',
      '/events/list/x/',
      '/events/page/0/',
      '/events/page/2/3/',
      '/events/2026/',
      '/events/list/?from=x',
    ]) {
      const { status, text } = await page(nowhere);
      assert.equal(status, 404, nowhere);
      assert.match(text, /<h1 dir="auto">There is no such page</);
    }
  });
});
