import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
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
    test('a slug leads to its record as it is told, and so does what it says; encoded once more it does not', async () => {
      const { id, slug } = await makeEvent(s, { title: '日本語' });
      assert.match(slug, /^%e6/);
      for (const one of [slug, encodeURIComponent('日本語')])
        assert.equal((await s.get(`/events/by-slug/${one}`)).json.id, id, one);
      assert.equal((await s.get(`/events/by-slug/${encodeURIComponent(slug)}`)).status, 404);
    });
    for (const slug of ['col%c2%b7lectiu', 'O%CA%BBahu', 'caf%C3%89', 'a%e2%80%93b']) {
      test(`what is told of the slug ${slug}, and it itself, lead to its record`, async () => {
        const made = await makeEvent(s, { slug });
        for (const one of [made.slug, slug])
          assert.equal((await s.get(`/events/by-slug/${one}`)).json.id, made.id, one);
      });
    }
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
    test('a file that nobody takes is told of', async () => {
      const parts = new FormData();
      for (const [name, value] of Object.entries(newEvent())) parts.append(name, String(value));
      parts.append('image', new Blob(['GIF89a']), 'a.gif');
      const made = await s.ask('POST', '/events', { as: 'admin', body: parts });
      assert.deepEqual([made.status, made.json.image, made.headers.get('x-kalends-ignored')], [201, false, 'image']);
    });
    test('one without a name is passed over', async () => {
      const fields = Object.entries(newEvent()).map(([name, value]) => `form-data; name="${name}"\r\n\r\n${value}`);
      const parts = [
        ...fields,
        'form-data\r\n\r\nx',
        'form-data; filename="a.gif"\r\nContent-Type: image/gif\r\n\r\nGIF89a',
      ];
      const body = `${parts.map((part) => `--x\r\nContent-Disposition: ${part}\r\n`).join('')}--x--\r\n`;
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      const made = await s.ask('POST', '/events', { as: 'admin', body, headers });
      assert.deepEqual([made.status, made.headers.get('x-kalends-ignored')], [201, null]);
    });
  });

  describe('large numbers', () => {
    rows(s, [
      ...['1e18', '9223372036854775807'].map((page) => ({
        name: `page ${page} is past the end`,
        ask: `GET /events?page=${page}`,
        status: 404,
        code: 'event-archive-page-not-found',
      })),
      { name: 'a page of that length', ask: 'GET /events?per_page=1e18', status: 200 },
      ...['9223372036854775808', '1e19'].map((page) => ({
        name: `beyond 64 bits: ${page}`,
        ask: `GET /events?page=${page}`,
        status: 400,
        params: ['page'],
      })),
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
      ['cost', '5 or more '.repeat(101), /1,?000 characters/],
      ['cost', Array(51).fill('5'), /50/],
      ['website', `https://x.example/${'y'.repeat(2000)}`, /2,?000 characters/],
      ['categories', ['x'.repeat(201)], /200 characters/],
      ['tags', ['9'.repeat(20)], /"9{20}"/],
    ].map(([name, value, reason]) => ({
      name: `A7 what is wrong with ${name} is told: ${reason}`,
      ask: 'POST /events',
      as: 'admin' as const,
      json: newEvent({ [String(name)]: value }),
      status: 400,
      shows: { [`data.params.${name}`]: reason },
    })),
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

  describe('rights at the edges', () => {
    for (const plural of ['venues', 'organizers'])
      test(`with the number of one of ${plural} that is not there nothing can be done (A9)`, async () => {
        for (const as of ['admin', 'author'] as const) {
          const reply = await s.get(`/${plural}/999999`, {}, as);
          assert.deepEqual([reply.status, reply.headers.get('allow')], [404, 'GET'], as);
        }
      });
    test('what a contributor made for the trash is a draft there (D14)', async () => {
      const { id } = await must(s.post('/venues', { venue: unique('V'), status: 'trash' }, 'contributor'));
      const reply = await s.get(`/venues/${id}`, {}, 'contributor');
      assert.deepEqual([reply.status, reply.headers.get('allow')], [200, 'GET, DELETE, POST, PUT, PATCH']);
      assert.equal((await s.del(`/venues/${id}`, 'contributor')).status, 410);
      const back = await must(s.patch(`/venues/${id}`, { status: 'publish' }, 'contributor'), 200);
      assert.equal(back.status, 'pending');
    });
  });

  rows(s, [
    ...['false', '{}'].map((text) => ({
      name: `A7 what counts as empty and is no text: ${text}`,
      ask: 'POST /organizers',
      as: 'admin' as const,
      json: { organizer: 'x', email: JSON.parse(text) },
      status: 400,
      params: ['email'],
      shows: { 'data.details.email.code': 'rest_invalid_type' },
    })),
    {
      name: 'A7 of an event it is refused as empty',
      ask: 'POST /events',
      as: 'admin',
      json: newEvent({ description: false }),
      status: 400,
      params: ['description'],
      shows: { 'data.details': [] },
    },
  ]);

  test('B6 only few words make dates strict', async () => {
    const shown = async (word: string): Promise<string> =>
      (await s.get(`/events?start_date=2027-05-10%2011:00:00&strict_dates=${word}`)).json.rest_url;
    for (const word of ['1', 'true', 'ON', 'Yes']) assert.match(await shown(word), /2027-05-10(\+| |%20)11/, word);
    for (const word of ['y', 'enable', 'enabled', 'no', 'false'])
      assert.match(await shown(word), /2027-05-10(\+| |%20)00/, word);
  });

  test('D14 what is not plainly true does not remove for good', async () => {
    for (const force of ['abc', '', 'yes', 'false']) {
      const { id } = await makeEvent(s);
      const reply = await s.del(`/events/${id}`, 'admin', { force });
      assert.deepEqual([reply.status, reply.json.status], [200, 'trash'], force);
    }
  });

  test('A1 a method that nobody knows', async () => {
    const { port } = new URL(s.home);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('FOO /api/calendar/events/v1/events HTTP/1.1\r\nHost: x\r\n\r\n');
    const [, head = '', body = ''] = /^(.*?)\r\n\r\n(.*)$/s.exec(await text(socket)) ?? [];
    assert.match(head, /^HTTP\/1\.1 404 /);
    assert.equal(JSON.parse(body).code, 'rest_no_route');
  });

  test('an address with letters as they are says what to do about it', async () => {
    const { port } = new URL(s.home);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('GET /api/calendar/events/v1/events?search=caf\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n');
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /"code":"bad-request","message":"[^"]*percent-encoded\."/);
  });

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
