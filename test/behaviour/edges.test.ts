import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, newEvent, rows, unique } from '../support/rows.js';

/** Small rules at the edges, each of which somebody stumbled over. */
behaviour('edges', async (s) => {
  describe('slugs (D14, D16)', () => {
    test('a record without a slug gets one in the trash, and none when it comes back', async () => {
      const slugs = [];
      const drafts = [];
      for (let n = 0; n < 2; n++) {
        const draft = await makeEvent(s, { status: 'draft' });
        assert.equal(draft.slug, '');
        drafts.push(draft.id);
        slugs.push((await must(s.del(`/events/${draft.id}`, 'admin'), 200)).slug);
      }
      assert.deepEqual(slugs, ['__trashed', '__trashed-2']);
      for (const id of drafts)
        assert.equal((await must(s.patch(`/events/${id}`, { status: 'draft' }, 'admin'), 200)).slug, '');
      const [id] = drafts;
      const trashed = await must(s.patch(`/events/${id}`, { status: 'trash' }, 'admin'), 200);
      assert.equal(trashed.slug, '__trashed');
      const shown = await must(s.patch(`/events/${id}`, { status: 'publish', title: 'Back again' }, 'admin'), 200);
      assert.equal(shown.slug, 'back-again');
    });
    for (const word of ['feed', 'rdf', 'rss', 'rss2', 'atom', 'embed']) {
      test(`"${word}" is a word of addresses`, async () => {
        assert.equal((await makeEvent(s, { slug: word })).slug, `${word}-2`);
      });
    }
    test('a slug leads to its record as it is told, encoded like any other text', async () => {
      const { id, slug } = await makeEvent(s, { title: '日本語' });
      assert.match(slug, /^%e6/);
      for (const one of [slug, encodeURIComponent(slug), encodeURIComponent('日本語')])
        assert.equal((await s.get(`/events/by-slug/${one}`)).json.id, id, one);
    });
  });

  describe('forms (A4)', () => {
    const form = { ...newEvent(), 'organizer[][organizer]': unique('One') };
    test('each empty bracket begins an element', async () => {
      const [two, three] = [unique('Two'), unique('Three')];
      const text = `${new URLSearchParams(form as Record<string, string>)}&organizer%5B%5D%5Borganizer%5D=${two}&organizer[][organizer]=${three}`;
      const made = await must(s.ask('POST', '/events', { as: 'admin', form: text }));
      const names = made.organizer.map(({ organizer }: { organizer: string }) => organizer);
      assert.deepEqual(names, [form['organizer[][organizer]'], two, three]);
    });
    test('in parts, too', async () => {
      const parts = new FormData();
      for (const [name, value] of Object.entries(newEvent())) parts.append(name, String(value));
      for (const name of ['A', 'B']) parts.append('organizer[][organizer]', unique(name));
      assert.equal((await must(s.ask('POST', '/events', { as: 'admin', body: parts }))).organizer.length, 2);
    });
  });

  describe('large numbers', () => {
    rows(s, [
      ...['1e18', '9223372036854774784'].map((page) => ({
        name: `page ${page} is past the end`,
        ask: `GET /events?page=${page}`,
        status: 404,
        code: 'event-archive-page-not-found',
      })),
      { name: 'a page of that length', ask: 'GET /events?per_page=1e18', status: 200 },
      { name: 'beyond 64 bits', ask: 'GET /events?page=1e19', status: 400, params: ['page'] },
      { name: 'no such id', ask: 'GET /events?include=9007199254740993', status: 200, shows: { total: 0 } },
      ...['venue', 'organizer', 'categories', 'tags'].map((name) => ({
        name: `digits are an id, however many: ${name} (D8)`,
        ask: 'POST /events',
        as: 'admin' as const,
        json: newEvent({ [name]: '99999999999999999999' }),
        status: 400,
        params: [name],
      })),
    ]);
  });

  rows(s, [
    {
      name: 'B14 a form of places that was left blank',
      ask: 'GET /events?geoloc_lat=&geoloc_lng=&geoloc_distance=',
      status: 200,
    },
    { name: 'B14 one of both', ask: 'GET /events?geoloc_lat=&geoloc_lng=5', status: 400, params: ['geoloc_lat'] },
    {
      name: 'A7 a name that is too long',
      ask: 'POST /categories',
      as: 'admin',
      json: { name: 'x'.repeat(201) },
      status: 400,
      code: 'db_insert_error',
    },
    {
      name: 'a name that is just short enough',
      ask: 'POST /tags',
      as: 'admin',
      json: { name: 'x'.repeat(200) },
      status: 201,
    },
    {
      name: 'D13 a password that is too long is told to be so',
      ask: 'POST /events',
      as: 'admin',
      json: newEvent({ password: 'x'.repeat(300) }),
      status: 400,
      shows: { 'data.params.password': /255/ },
    },
    ...[
      ['US', 'TX'],
      ['United States', 'TX'],
      ['', 'TX'],
      ['us', undefined],
      ['Germany', undefined],
    ].map(([country, region]) => ({
      name: `the state stands for the region: "${country}"`,
      ask: 'POST /venues',
      as: 'admin' as const,
      json: { venue: unique('V'), country, state: 'TX' },
      status: 201,
      shows: { stateprovince: region },
    })),
  ]);

  test('an all-day event lasts until the day is over, also where the last hour comes twice (D4)', async () => {
    for (const [timezone, day, end] of [
      ['America/Santiago', '2031-04-05', '2031-04-06 03:59:59'],
      ['America/Santiago', '2031-04-04', '2031-04-05 02:59:59'],
      ['Europe/Berlin', '2031-10-26', '2031-10-26 22:59:59'],
    ] as const) {
      const made = await makeEvent(s, { all_day: true, timezone, start_date: day, end_date: day });
      assert.deepEqual([made.end_date, made.utc_end_date], [`${day} 23:59:59`, end]);
    }
  });
});

behaviour(
  'links to an hour that comes twice (B2)',
  async (s) => {
    for (const hour of ['05:45', '06:00', '06:15', '06:45'])
      await makeEvent(s, { start_date: `2031-11-02T${hour}:00Z`, end_date: `2031-11-02T${hour}:30Z` });
    test('lead to the same events', async () => {
      for (const [from, total] of [
        ['05:30', 4],
        ['06:10', 2],
        ['06:40', 1],
      ] as const) {
        const query = `start_date=2031-11-02T${from}:00Z&end_date=2031-11-02T23:00:00Z&strict_dates=1`;
        const { json } = await s.get(`/events?${query}`);
        assert.equal(json.total, total);
        assert.equal((await s.get(json.rest_url)).json.total, total, json.rest_url);
      }
    });
  },
  { TZ: 'UTC', KALENDS_TIMEZONE: 'America/New_York' },
);
