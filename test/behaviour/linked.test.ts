import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Field, fieldSuites } from '../support/fields.js';
import { behaviour, idsIn, makeEvent, must, rows, unique } from '../support/rows.js';
import type { RoleName, TestServer } from '../support/server.js';

const line = (field: string, moves: string[] = []): Field => ({
  field,
  values: [
    ['One  <b>line</b> & 50%', { [field]: 'One line & 50%' }],
    [12345, { [field]: '12345' }],
  ],
  moves: [field, ...moves],
  clear: [['', []], { [field]: undefined }],
  bad: [{ a: 1 }, ['x'], true],
});

/** Fields that venues and organizers share. */
const shared = (s: TestServer, name: string): Field[] => [
  {
    field: 'author',
    values: [[s.users.editor.id, { author: String(s.users.editor.id) }]],
    moves: ['author'],
    bad: [999_999, 'x', -1, {}],
  },
  {
    field: 'date',
    values: [['2026-01-02T03:04:05+01:00', { date: '2026-01-02 02:04:05', date_utc: '2026-01-02 02:04:05' }]],
    moves: ['date', 'date_utc'],
    bad: ['someday', '2026-02-30', {}],
  },
  {
    field: 'date_utc',
    values: [['2026-01-02 03:04:05', { date: '2026-01-02 03:04:05', date_utc: '2026-01-02 03:04:05' }]],
    moves: ['date', 'date_utc'],
    bad: ['someday', true, {}],
  },
  {
    field: name,
    values: [
      ['Rock & Pop', { [name]: /^Rock &(amp|#0?38); Pop$/ }],
      [1984, { [name]: '1984' }],
    ],
    moves: [name],
    bad: ['', {}, true],
  },
  {
    field: 'description',
    values: [
      ['One\nTwo', { description: '<p>One<br />\nTwo</p>' }],
      ['One [gallery ids="1,2"]Two', { description: '<p>One Two</p>' }],
    ],
    moves: ['description'],
    clear: [['', []], { description: undefined }],
    bad: [{ a: 1 }, ['x'], true],
  },
  {
    field: 'status',
    values: ['draft', 'pending', 'private'].map((status) => [status, { status }]),
    moves: ['status', 'url'],
    bad: ['published', 'any', 5, {}],
  },
  line('phone'),
  {
    field: 'website',
    values: [['https://example.org/?a=1&b=%20', { website: 'https://example.org/?a=1&b=%20' }]],
    moves: ['website'],
    clear: [['', []], { website: undefined }],
    bad: ['example.org', 'ftp://example.org', 'javascript:alert(1)', 7],
  },
  { field: 'image', values: [], moves: ['image'], clear: [['', []], { image: undefined }], bad: [999_999, 'pic'] },
  {
    field: 'slug',
    values: [['Über Slug', { slug: /^uber-slug(-2)?$/ }]],
    moves: ['slug', 'url'],
    bad: [{ a: 1 }, ['x'], true],
  },
];

const mapFlag = (field: string): Field => ({
  field,
  values: [
    ['false', { [field]: false }],
    [true, { [field]: true }],
    ['yes', { [field]: true }],
    [0, { [field]: false }],
  ],
  moves: [field],
  bad: [{ a: 1 }, ['x']],
});

behaviour('fields of a venue', (s) => {
  const region = ['stateprovince'];
  fieldSuites(s, {
    plural: 'venues',
    least: (more) => ({ venue: unique('Venue'), ...more }),
    full: () =>
      must(
        s.post(
          '/venues',
          {
            venue: unique('Full'),
            description: 'Kept',
            address: '1 Kept St',
            city: 'Kept City',
            country: 'US',
            province: 'Kept Province',
            state: 'TX',
            zip: '0123',
            phone: '1',
            website: 'https://kept.example',
            show_map: false,
            geo_lat: 1,
            geo_lng: 2,
          },
          'admin',
        ),
      ),
    required: ['venue'],
    fields: [
      ...shared(s, 'venue'),
      mapFlag('show_map'),
      mapFlag('show_map_link'),
      ...['address', 'city', 'zip', 'stateprovince'].map((name) => line(name)),
      ...['country', 'province', 'state'].map((name) => line(name, region)),
    ],
  });
  rows(
    s,
    [
      {
        name: 'state in the United States',
        json: { state: 'TX', country: 'US', province: 'P' },
        shows: { stateprovince: 'TX' },
      },
      { name: 'state without a country', json: { state: 'TX' }, shows: { stateprovince: 'TX' } },
      {
        name: 'province elsewhere',
        json: { state: 'Bavaria', province: 'Ontario', country: 'Canada' },
        shows: { stateprovince: 'Ontario' },
      },
      {
        name: 'nothing to take it from',
        json: { state: 'Bavaria', country: 'Germany' },
        shows: { stateprovince: undefined },
      },
      { name: 'given', json: { state: 'TX', stateprovince: 'Elsewhere' }, shows: { stateprovince: 'Elsewhere' } },
    ].map(({ name, json, shows }) => ({
      name: `C1 stateprovince: ${name}`,
      ask: 'POST /venues',
      as: 'admin' as const,
      json: { venue: unique('Region'), ...json },
      status: 201,
      shows,
    })),
  );

  for (const blank of ['', ' '])
    test(`A5 C1 a region that is emptied stays empty: "${blank}"`, async () => {
      const fields = { venue: unique('Region'), province: 'Lisboa', country: 'Portugal', stateprovince: 'Own' };
      const { id } = await must(s.post('/venues', fields, 'admin'), 201);
      const emptied = await must(s.patch(`/venues/${id}`, { stateprovince: blank }, 'admin'), 200);
      assert.equal(emptied.stateprovince, undefined);
    });
});

behaviour('fields of an organizer', (s) => {
  fieldSuites(s, {
    plural: 'organizers',
    least: (more) => ({ organizer: unique('Organizer'), ...more }),
    full: () =>
      must(
        s.post(
          '/organizers',
          {
            organizer: unique('Full'),
            description: 'Kept',
            phone: '1',
            email: 'kept@example.org',
            website: 'https://kept.example',
          },
          'admin',
        ),
      ),
    required: ['organizer'],
    fields: [...shared(s, 'organizer'), line('email')],
  });
});

for (const kind of ['venue', 'organizer'] as const) {
  const plural = `${kind}s`;
  behaviour(`the list of ${plural}`, async (s) => {
    const ids: Record<string, number> = {};
    const events: Record<string, number> = {};
    const make = async (name: string, more: object = {}, as: RoleName = 'admin') => {
      ids[name] = (await must(s.post(`/${plural}`, { [kind]: name, ...more }, as))).id;
    };
    const PUBLIC = ['upcoming', 'running', 'past', 'hidden', 'drafted', 'locked', 'binned', 'lonely'];
    for (const name of PUBLIC) await make(name);
    const link = async (name: string, start_date: string, end_date: string, more: object = {}, as?: RoleName) => {
      events[name] = (await makeEvent(s, { start_date, end_date, [kind]: ids[name], ...more }, as)).id;
    };
    await link('upcoming', 'tomorrow', '+2 days');
    await link('running', '-1 day', '+1 day');
    await link('past', '2020-01-01', '2020-01-02');
    await link('hidden', 'tomorrow', '+2 days', { hide_from_listings: true });
    await link('drafted', 'tomorrow', '+2 days', { status: 'draft' }, 'author');
    await link('locked', 'tomorrow', '+2 days', { password: 'word' }, 'author');
    await link('binned', 'tomorrow', '+2 days');
    await must(s.del(`/events/${events.binned}`, 'admin'), 200);
    const names = async (query: Record<string, unknown>, as?: RoleName): Promise<string[]> => {
      const reply = await s.get(`/${plural}`, query, as);
      assert.equal(reply.status, 200, reply.text.slice(0, 300));
      assert.equal(reply.json.total, reply.json[plural].length, 'B3');
      assert.equal(reply.headers.get('x-tec-total'), String(reply.json.total));
      return reply.json[plural].map((record: Record<string, string>) => record[kind]);
    };
    test('B13 newest first, then the higher id', async () => assert.deepEqual(await names({}), [...PUBLIC].reverse()));
    const cases: [string, Record<string, unknown>, string[], RoleName?][] = [
      ['has_events', { has_events: true }, ['upcoming', 'running', 'past', 'hidden']],
      [
        'E4 has_events, read by the author of a draft and of a protected event',
        { has_events: 'yes' },
        ['upcoming', 'running', 'past', 'hidden', 'drafted', 'locked'],
        'author',
      ],
      [
        'has_events, read by another contributor',
        { has_events: 1 },
        ['upcoming', 'running', 'past', 'hidden'],
        'contributor',
      ],
      [
        'E4 without events, as far as strangers may know',
        { has_events: false },
        ['drafted', 'locked', 'binned', 'lonely'],
      ],
      ['without events, for an editor', { has_events: '0' }, ['binned', 'lonely'], 'editor'],
      [
        'B12 upcoming means not yet ended, and not hidden from listings',
        { only_with_upcoming: true },
        ['upcoming', 'running'],
      ],
      [
        'E4 upcoming drafts and protected events, for their author',
        { only_with_upcoming: 'true' },
        ['upcoming', 'running', 'drafted', 'locked'],
        'author',
      ],
      ['only_with_upcoming=false is no filter', { only_with_upcoming: false }, PUBLIC],
      ['event', { event: events.past }, ['past']],
      ['event and has_events', { event: events.past, has_events: false }, []],
      ['event, a draft, for its author', { event: events.drafted }, ['drafted'], 'author'],
      ['event, one in the trash, for an editor', { event: events.binned }, [], 'editor'],
      ['E4 event, a protected one, for its author', { event: events.locked }, ['locked'], 'author'],
    ];
    for (const [name, query, wanted, as] of cases) {
      test(`B16 ${name}`, async () => assert.deepEqual((await names(query, as)).sort(), [...wanted].sort()));
      test(`B2 links keep the selection: ${name}`, async () => {
        const seen: string[] = [];
        let reply = await s.get(`/${plural}`, { ...query, per_page: 1 }, as);
        for (;;) {
          seen.push(...reply.json[plural].map((record: Record<string, string>) => record[kind]));
          if (!reply.json.next_rest_url) break;
          reply = await s.get(reply.json.next_rest_url, undefined, as);
        }
        assert.deepEqual(seen.sort(), [...wanted].sort());
      });
    }
    for (const [asked, shown] of [
      ['yes', 'yes'],
      ['0', '0'],
      [['1', 'x'], 'true'],
      [true, 'true'],
    ] as const) {
      test(`B2 the link says has_events as it was asked: ${asked}`, async () => {
        const { rest_url } = (await s.get(`/${plural}`, { has_events: asked })).json;
        assert.equal(new URL(rest_url).searchParams.get('has_events'), shown);
      });
    }
    test('E4 event, one that was protected when it was published, for the contributor who wrote it', async () => {
      const fields = { title: 'Locked', start_date: 'tomorrow', end_date: '+2 days', [kind]: ids.lonely };
      const event = await must(s.post('/events', fields, 'contributor'), 201);
      await must(s.patch(`/events/${event.id}`, { status: 'publish', password: 'word' }, 'admin'), 200);
      assert.deepEqual(await names({ event: event.id }, 'contributor'), ['lonely']);
      await must(s.del(`/events/${event.id}?force=true`, 'admin'), 200);
    });
    const refused = { ask: `GET /${plural}`, status: 400, code: 'rest_invalid_param' };
    rows(s, [
      { ...refused, name: 'A3 event that may not be read', query: { event: events.drafted }, params: ['event'] },
      { ...refused, name: 'E4 event that a password closes', query: { event: events.locked }, params: ['event'] },
      { ...refused, name: 'A3 event that does not exist', query: { event: 999_999 }, params: ['event'] },
      { ...refused, name: 'event that is none', query: { event: ids.lonely }, params: ['event'] },
      { ...refused, name: 'page=0', query: { page: 0 }, params: ['page'] },
      { ...refused, name: 'per_page=x', query: { per_page: 'x' }, params: ['per_page'] },
      { ...refused, name: 'B11 status=draft, anonymous', query: { status: 'draft' }, params: ['status'] },
      {
        ...refused,
        name: 'B11 status=any, a subscriber',
        as: 'subscriber',
        query: { status: 'any' },
        params: ['status'],
      },
      { ...refused, name: 'B11 publish twice in a list', query: { status: 'publish,publish' }, params: ['status'] },
      { ...refused, name: 'B11 an unknown status', as: 'admin', query: { status: 'x' }, params: ['status'] },
      { name: 'B1 past the end', ask: `GET /${plural}?page=9`, status: 404, code: `${kind}-archive-page-not-found` },
      {
        name: 'B1 per_page is cut',
        ask: `GET /${plural}?per_page=99`,
        status: 200,
        shows: { rest_url: /per_page=50/ },
      },
      {
        name: 'B2 nothing found',
        ask: `GET /${plural}?search=nowhere`,
        status: 200,
        shows: { [plural]: [], total: 0, total_pages: 0 },
      },
    ]);
    test('B11 E2 statuses by role: published ones and those the caller may read', async () => {
      await make('d-author', { status: 'draft' }, 'author');
      await make('p-contributor', { status: 'publish' }, 'contributor');
      await make('x-admin', { status: 'private' });
      await make('x-author', { status: 'private' }, 'author');
      await make('t-admin', { status: 'trash' });
      const more = async (as: RoleName | undefined, query = {}) =>
        (await names({ per_page: 50, ...query }, as)).filter((name) => !PUBLIC.includes(name)).sort();
      assert.deepEqual(await more(undefined), []);
      assert.deepEqual(await more('subscriber'), []);
      assert.deepEqual(await more('contributor'), ['p-contributor']);
      assert.deepEqual(await more('author'), ['d-author', 'x-author']);
      assert.deepEqual(await more('editor'), ['d-author', 'p-contributor', 'x-admin', 'x-author']);
      assert.deepEqual(await more('editor', { status: 'trash' }), ['t-admin']);
      assert.deepEqual(await more('author', { status: 'trash,private' }), ['x-author']);
      assert.deepEqual(await more('admin', { status: 'draft,pending' }), ['d-author', 'p-contributor']);
      assert.deepEqual(await more('contributor', { status: 'pending' }), ['p-contributor']);
      for (const status of ['', ',', ['', ''], '0']) {
        const named = `A6 no status in particular: ${status}`;
        assert.deepEqual(await more('editor', { status }), ['x-admin', 'x-author'], named);
        assert.deepEqual(await more('author', { status }), ['x-author'], named);
        assert.deepEqual(await more('contributor', { status }), [], named);
      }
    });
    test('B13 a given date decides the order', async () => {
      await make('old', { date: '2001-01-01' });
      assert.equal(idsIn(await s.get(`/${plural}`, { per_page: 50 }), plural).at(-1), ids.old);
    });
  });
}
