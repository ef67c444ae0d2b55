import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { browserAt } from '../support/browser.js';
import { behaviour, makeEvent, must } from '../support/rows.js';

/** The page of a month: every day, and what is on. */
behaviour('pages of months', async (s) => {
  const page = (path: string) => s.ask('GET', `~${path}`, { headers: { Accept: 'text/html' } });
  const month = async (path: string): Promise<string> => {
    const reply = await page(path);
    assert.equal(reply.status, 200, path);
    return reply.text;
  };
  /** What is told of each day, without markup. */
  const daysIn = (text: string): Map<string, string[]> =>
    new Map(
      [...text.matchAll(/<td[^>]*><time datetime="([\d-]+)">.*?<\/time>(.*?)<\/td>/gs)].map(
        ([, day = '', told = '']) => [
          day,
          [...told.matchAll(/<(?:li|p)>(.*?)<\/(?:li|p)>/gs)].map(([, one = '']) => one.replace(/<[^>]+>/g, '')),
        ],
      ),
    );
  const make = (title: string, start_date: string, end_date: string, more = {}) =>
    makeEvent(s, { title, start_date, end_date, ...more });

  await make('Exhibition', '2031-04-10 10:00', '2031-05-02 18:00');
  await make('Concert', '2031-05-05 19:30', '2031-05-05 21:00');
  await make('Matinée', '2031-05-05 11:00', '2031-05-05 12:00');
  await make('Festival', '2031-05-09', '2031-05-11', { all_day: true });
  await make('Night', '2031-05-10 22:00', '2031-05-11 02:00');
  await make('Midnight', '2031-05-13 00:00', '2031-05-13 00:00');
  await make('Harbour', '2031-05-14 21:30', '2031-05-14 23:00', { timezone: 'America/New_York' });
  // Elsewhere it is June already, or still April.
  await make('Dawn', '2031-06-01 07:00', '2031-06-01 08:00', { timezone: 'Asia/Tokyo' });
  await make('Dusk', '2031-04-30 21:00', '2031-04-30 22:00', { timezone: 'America/New_York' });
  for (let n = 1; n <= 7; n++) await make(`Talk ${n}`, `2031-05-20 1${n}:00`, `2031-05-20 1${n}:30`);
  const draft = await make('Draft', '2031-05-21 10:00', '2031-05-21 11:00', { status: 'draft' });
  await make('Whole summer', '2031-05-25 10:00', '2031-07-03 18:00');

  test('each event stands on the days that it is on by its own clock, what begins before what goes on', async () => {
    const days = daysIn(await month('/events/month/2031-05/'));
    assert.equal(days.size, 31);
    const told = Object.fromEntries([...days].filter(([, events]) => events.length > 0));
    const narrow = (text: string): string => text.replace(/[\u202f\u00a0]/g, ' ');
    assert.deepEqual(Object.fromEntries(Object.entries(told).map(([day, events]) => [day, events.map(narrow)])), {
      '2031-05-01': ['Exhibition'],
      '2031-05-02': ['Exhibition'],
      '2031-05-05': ['11:00 AM Matinée', '7:30 PM Concert'],
      '2031-05-09': ['Festival'],
      '2031-05-10': ['10:00 PM Night', 'Festival'],
      '2031-05-11': ['Festival'],
      '2031-05-13': ['12:00 AM Midnight'],
      '2031-05-14': ['9:30 PM EDT Harbour'],
      '2031-05-20': [...[11, 12, 1, 2, 3].map((hour, n) => `${hour}:00 ${n < 1 ? 'A' : 'P'}M Talk ${n + 1}`), 'More'],
      '2031-05-25': ['10:00 AM Whole summer'],
      ...Object.fromEntries(['26', '27', '28', '29', '30', '31'].map((day) => [`2031-05-${day}`, ['Whole summer']])),
    });
    const beside = [daysIn(await month('/events/month/2031-06/')), daysIn(await month('/events/month/2031-04/'))];
    assert.deepEqual(beside[0]?.get('2031-06-01')?.map(narrow), ['7:00 AM JST Dawn', 'Whole summer']);
    assert.deepEqual(beside[1]?.get('2031-04-30')?.map(narrow), ['9:00 PM EDT Dusk', 'Exhibition']);
  });

  test('the ways to other months end where nothing is beyond them', async () => {
    const ways = async (at: string): Promise<(string | undefined)[]> => {
      const text = await month(`/events/month/${at}/`);
      return ['prev', 'next'].map((rel) => new RegExp(`rel="${rel}" href="([^"]*)"`).exec(text)?.[1]);
    };
    assert.deepEqual(await ways('2031-05'), ['/events/month/2031-04/', '/events/month/2031-06/']);
    const { events } = await must(s.get('/events?starts_after=2000-01-01&per_page=50'), 200);
    const last = events
      .map((one: { end_date: string }) => one.end_date)
      .sort()
      .at(-1) as string;
    assert.equal((await ways(events[0].start_date.slice(0, 7)))[0], undefined);
    assert.equal((await ways(last.slice(0, 7)))[1], undefined);
    assert.deepEqual(await ways('1900-01'), [undefined, '/events/month/1900-02/']);
    assert.deepEqual(await ways('0001-01'), [undefined, '/events/month/0001-02/']);
    assert.deepEqual(await ways('9999-12'), ['/events/month/9999-11/', undefined]);
  });

  test('weeks begin as those of the language do; a month without events says so', async () => {
    assert.match(await month('/events/month/2031-05/'), /<thead><tr><th scope="col"><abbr title="Sunday">Sun</);
    const german = await month('/de/events/month/2031-05/');
    assert.match(german, /<thead><tr><th scope="col"><abbr title="Montag">Mo</);
    assert.match(german, /<h1 dir="auto">Mai 2031<\/h1>/);
    assert.match(german, /href="\/de\/events\/month\/2031-06\/">Juni 2031</);
    assert.match(await month('/events/month/1931-05/'), /<p>There are no events in this month\.<\/p>/);
    assert.doesNotMatch(german, /Nothing is on|findet nichts statt/);
    for (const wrong of ['2031-13', '2031-00', '0000-01'])
      assert.equal((await page(`/events/month/${wrong}/`)).status, 404, wrong);
  });

  test('without a month it is this one, and today is marked', async () => {
    const text = await month('/events/month/');
    const [today = ''] = /(?<=<td[^>]* aria-current="date"><time datetime=")[\d-]+/.exec(text) ?? [];
    const ago = Date.now() - Date.parse(today);
    assert.ok(ago >= 0 && ago < 2 * 86_400_000, today);
    assert.ok(text.includes(`<link rel="canonical" href="${s.home}/events/month/${today.slice(0, 7)}/">`), text);
    for (const list of ['/events/', '/']) assert.ok((await month(list)).includes('href="/events/month/"'), list);
    assert.ok((await month('/events/?from=2031-05-03')).includes('href="/events/month/2031-05/"'));
  });

  test('it changes with what is on, and shows what its reader may see', async () => {
    const talk = daysIn(await month('/events/month/2031-05/')).get('2031-05-21');
    assert.deepEqual(talk, []);
    await must(s.patch(`/events/${draft.id}`, { status: 'publish' }, 'admin'), 200);
    const shown = daysIn(await month('/events/month/2031-05/')).get('2031-05-21');
    assert.match(String(shown), /Draft/);
    await must(s.patch(`/events/${draft.id}`, { status: 'draft' }, 'admin'), 200);
    assert.deepEqual(daysIn(await month('/events/month/2031-05/')).get('2031-05-21'), []);
  });

  test('what lasts is not lost in the crowd that it began with', async () => {
    for (let n = 0; n < 11; n++) {
      await make(`Until May ${n}`, `2033-04-${n + 10} 10:00`, '2033-05-02 18:00');
      await make(`Morning ${n}`, '2033-05-10 08:00', '2033-05-10 09:00');
    }
    await make('All May', '2033-04-25 10:00', '2033-05-31 18:00');
    await make('Fair', '2033-05-10 18:00', '2033-05-12 18:00');
    const days = daysIn(await month('/events/month/2033-05/'));
    assert.deepEqual(
      ['03', '11', '12', '31'].map((day) => days.get(`2033-05-${day}`)),
      [['All May'], ['All May', 'Fair'], ['All May', 'Fair'], ['All May']],
    );
  });

  test('what is kept of it is for its language and its address, and for strangers alone', async () => {
    const [at, browser] = ['/events/month/2031-05/', browserAt(s)];
    await browser.signIn('admin');
    await month(at);
    // What was made before everybody had heard of the last change is not kept.
    await sleep(2100);
    for (const look of ['first', 'second']) {
      assert.match(String(daysIn((await browser.get(at)).text).get('2031-05-21')), / \(Draft\)/, look);
      assert.deepEqual(daysIn(await month(at)).get('2031-05-21'), [], look);
      assert.match(await month(`/de${at}`), /href="\/de\/event\/.*title="Montag"|title="Montag".*href="\/de\/event\//s);
      const german = await s.ask('GET', `~${at}`, { headers: { Accept: 'text/html', 'Accept-Language': 'de' } });
      assert.match(german.text, /title="Montag"/);
      assert.match(await month(at), /title="Monday"/);
      assert.match(await month(`/en${at}`), /href="\/en\/event\//);
      assert.doesNotMatch(await month(at), /href="\/(en|de)\/event\//);
    }
  });

  test('as a calendar it has the events of the month', async () => {
    const { text } = await s.ask('GET', '~/events/month/2031-06/', { query: { ical: 1 } });
    assert.deepEqual(text.match(/(?<=SUMMARY:).*(?=\r)/g), ['Whole summer']);
  });
});
