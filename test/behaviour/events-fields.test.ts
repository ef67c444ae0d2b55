import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Field, fieldSuites } from '../support/fields.js';
import { behaviour, makeEvent, must, newEvent, unique } from '../support/rows.js';

const flag = (field: string): Field => ({
  field,
  values: [
    [true, { [field]: true }],
    ['0', { [field]: false }],
    ['TRUE', { [field]: true }],
    [false, { [field]: false }],
  ],
  moves: [field],
  bad: ['yes', 2, 'on', {}],
});

const DATES = ['_date', '_date_details'].flatMap((end) => ['start', 'end'].map((word) => word + end));
const UTC_DATES = DATES.map((name) => `utc_${name}`);

behaviour('fields of an event', async (s) => {
  const venues = await Promise.all(['Hall', 'Park'].map((v) => must(s.post('/venues', { venue: unique(v) }, 'admin'))));
  const people = await Promise.all(
    ['Ann', 'Bob'].map((o) => must(s.post('/organizers', { organizer: unique(o) }, 'admin'))),
  );
  const cats = await Promise.all(
    ['Music', 'Dance'].map((c) => must(s.post('/categories', { name: unique(c) }, 'admin'))),
  );
  const tags = await Promise.all(['loud', 'calm'].map((t) => must(s.post('/tags', { name: unique(t) }, 'admin'))));
  const parents = [await makeEvent(s), await makeEvent(s)];
  const [venue1, venue2] = venues.map((v) => v.id as number);
  const [person1, person2] = people.map((o) => o.id as number);

  const fields: Field[] = [
    {
      field: 'author',
      values: [
        [s.users.editor.id, { author: String(s.users.editor.id) }],
        [String(s.users.author.id), { author: String(s.users.author.id) }],
      ],
      moves: ['author'],
      bad: [999_999, 'somebody', -1, 1.5, {}],
    },
    {
      field: 'date',
      values: [
        ['2026-01-02 03:04:05', { date: '2026-01-02 03:04:05', date_utc: '2026-01-02 03:04:05' }],
        ['2025-12-31T23:00:00-02:00', { date: '2026-01-01 01:00:00', date_utc: '2026-01-01 01:00:00' }],
      ],
      moves: ['date', 'date_utc'],
      bad: ['whenever', '2026-02-30 10:00:00', true, {}],
    },
    {
      field: 'date_utc',
      values: [
        ['2026-02-03 04:05:06', { date: '2026-02-03 04:05:06', date_utc: '2026-02-03 04:05:06' }],
        [1_767_225_600, { date: '2026-01-01 00:00:00', date_utc: '2026-01-01 00:00:00' }],
      ],
      moves: ['date', 'date_utc'],
      bad: ['whenever', '2025-13-01', false, {}],
    },
    {
      field: 'title',
      values: [
        ['Bread & Roses', { title: /^Bread &(amp|#0?38); Roses$/ }],
        [2027, { title: '2027' }],
        ['No\u0000thing', { title: 'Nothing' }],
        ['50% off \\o/ <b>now</b>', { title: '50% off \\o/ <b>now</b>' }],
      ],
      moves: ['title'],
      bad: ['', [], {}, true],
    },
    {
      field: 'description',
      values: [
        ['One\nTwo\n\nThree', { description: '<p>One<br />\nTwo</p>\n<p>Three</p>' }],
        ['C:\\temp 100%', { description: '<p>C:\\temp 100%</p>' }],
        ['One [gallery ids="1,2"]Two', { description: '<p>One Two</p>' }],
      ],
      moves: ['description'],
      clear: [['', []], { description: '' }],
      bad: [{ a: 1 }, ['x'], true],
    },
    {
      field: 'excerpt',
      values: [
        ['In short', { excerpt: '<p>In short</p>' }],
        ['In brief', { excerpt: '<p>In brief</p>' }],
      ],
      moves: ['excerpt'],
      clear: [['', []], { excerpt: '' }],
      bad: [{ a: 1 }, ['x'], true],
    },
    {
      field: 'slug',
      values: [
        ['A Slug of Mine', { slug: /^a-slug-of-mine(-2)?$/, url: /\/event\/a-slug-of-mine(-2)?\/$/ }],
        ['другой', { slug: /^%d0%b4%d1%80%d1%83%d0%b3%d0%be%d0%b9(-2)?$/ }],
      ],
      moves: ['slug', 'url'],
      bad: [{ a: 1 }, ['x'], true],
    },
    {
      field: 'status',
      values: [
        ['draft', { status: 'draft' }],
        ['pending', { status: 'pending' }],
        ['private', { status: 'private' }],
      ],
      moves: ['status', 'url'],
      bad: ['published', 'any', 'auto-draft', 'inherit', 5, {}],
    },
    {
      field: 'timezone',
      values: [
        [
          'Asia/Tokyo',
          { timezone: 'Asia/Tokyo', start_date: '2031-05-06 19:30:00', utc_start_date: '2031-05-06 10:30:00' },
        ],
        ['UTC-3.5', { timezone: 'UTC-3.5', start_date: '2031-05-06 19:30:00', utc_start_date: '2031-05-06 23:00:00' }],
      ],
      moves: ['timezone', 'timezone_abbr', ...UTC_DATES],
      clear: [[''], { timezone: 'UTC', utc_start_date: '2031-05-06 19:30:00' }],
      bad: ['Moon/Base', 'UTC+16', 'UTCnonsense', 5, {}],
    },
    {
      field: 'all_day',
      values: [[true, { all_day: true, start_date: '2031-05-06 00:00:00', end_date: '2031-05-06 23:59:59' }]],
      moves: ['all_day', ...DATES, ...UTC_DATES],
      bad: ['whole', 3, {}],
    },
    {
      field: 'start_date',
      values: [['2031-05-05 08:00', { start_date: '2031-05-05 08:00:00', end_date: '2031-05-06 21:00:00' }]],
      moves: ['start_date', 'start_date_details', 'utc_start_date', 'utc_start_date_details'],
      bad: ['some day', '2031-02-30 10:00:00', '2031-04-31', true, {}, ''],
    },
    {
      field: 'end_date',
      values: [['2031-05-08 08:00', { start_date: '2031-05-06 19:30:00', end_date: '2031-05-08 08:00:00' }]],
      moves: ['end_date', 'end_date_details', 'utc_end_date', 'utc_end_date_details'],
      bad: ['some day', '2031-06-31', true, {}, ''],
    },
    {
      field: 'image',
      values: [],
      moves: ['image'],
      clear: [['', []], { image: false }],
      bad: [999_999, '999999', 'pic'],
    },
    {
      field: 'cost',
      values: [
        ['25', { cost: '$25', 'cost_details.values': ['25'] }],
        [12.5, { cost: '$12.5', 'cost_details.values': ['12.5'] }],
        [['8€', '3€'], { cost: '3€ – 8€', 'cost_details.values': ['3', '8'], 'cost_details.currency_symbol': '€' }],
        ['Donation', { cost: 'Donation' }],
      ],
      moves: ['cost', 'cost_details'],
      clear: [['', []], { cost: '', 'cost_details.values': [] }],
      bad: [{ a: { b: 1 } }, [[1]]],
    },
    {
      field: 'website',
      values: [
        ['https://example.org/a?b=1&c=2', { website: 'https://example.org/a?b=1&amp;c=2' }],
        ['http://example.net:8080/', { website: 'http://example.net:8080/' }],
      ],
      moves: ['website'],
      clear: [['', []], { website: '' }],
      bad: ['javascript:alert(1)', 'ftp://example.org', 'example.org', '//example.org', 'mailto:a@example.org', 7],
    },
    ...['show_map', 'show_map_link', 'hide_from_listings', 'sticky', 'featured'].map(flag),
    {
      field: 'categories',
      values: [
        [[cats[0].id], { 'categories.0.id': cats[0].id, 'categories.1': undefined }],
        [cats[1].name, { 'categories.0.id': cats[1].id, 'categories.1': undefined }],
        [`${cats[0].id},${cats[1].slug}`, { 'categories.0.id': cats[1].id, 'categories.1.id': cats[0].id }],
      ],
      moves: ['categories'],
      clear: [['', []], { categories: [] }],
      bad: [999_999, [999_999], [[1]]],
    },
    {
      field: 'tags',
      values: [
        [[tags[0].id], { 'tags.0.id': tags[0].id, 'tags.1': undefined }],
        [[{ id: tags[1].id }], { 'tags.0.id': tags[1].id, 'tags.1': undefined }],
      ],
      moves: ['tags'],
      clear: [['', []], { tags: [] }],
      bad: [999_999, [cats[0].id + 100_000], [[1]]],
    },
    {
      field: 'venue',
      values: [
        [venue1, { 'venue.id': venue1 }],
        [[venue1, venue2], { 'venue.0.id': venue1, 'venue.1.id': venue2 }],
      ],
      moves: ['venue'],
      clear: [['', []], { venue: [] }],
      bad: [999_999, person1, [[1]], true],
    },
    {
      field: 'organizer',
      values: [
        [person1, { 'organizer.0.id': person1, 'organizer.1': undefined }],
        [`${person2},${person1}`, { 'organizer.0.id': person2, 'organizer.1.id': person1 }],
        [`${person1}, `, { 'organizer.0.id': person1, 'organizer.1': undefined }],
        [[`${person2},${person1}`], { 'organizer.0.id': person2, 'organizer.1.id': person1 }],
      ],
      moves: ['organizer'],
      clear: [['', []], { organizer: [] }],
      bad: [999_999, venue1, [[1]], true],
    },
    {
      field: 'tickets',
      values: [
        [
          [{ name: 'Seat', provider: 'Box office', price: '12.50', currency: 'eur', capacity: 90 }],
          { ticketed: ['Box office'], 'tickets.0.price': 12.5, 'tickets.0.currency': 'EUR', 'tickets.0.capacity': 90 },
        ],
        [
          [
            { name: 'A', provider: 'P' },
            { name: 'B', provider: 'Q', url: 'https://q.example/b', sale_ends: '2031-05-01T12:00:00+02:00' },
            { name: 'C', provider: 'P' },
          ],
          { ticketed: ['P', 'Q'], 'tickets.2.name': 'C', 'tickets.1.sale_ends': '2031-05-01 10:00:00' },
        ],
      ],
      moves: ['ticketed', 'tickets'],
      clear: [['', []], { ticketed: false }],
      bad: [
        'x',
        [5],
        [{}],
        [{ name: '' }],
        [{ name: 'a', price: -1 }],
        [{ name: 'a', capacity: 1.5 }],
        [{ name: 'a', currency: 'EURO' }],
        [{ name: 'a', url: 'ftp://x.example' }],
        [{ name: 'a', sale_starts: 'sometime' }],
      ],
    },
    {
      field: 'post_parent',
      values: [
        [parents[0].id, { post_parent: parents[0].id }],
        [String(parents[1].id), { post_parent: parents[1].id }],
      ],
      moves: ['post_parent'],
      clear: [['', 0, []], { post_parent: undefined }],
      bad: [999_999, venue1, 'x', -1, {}],
    },
  ];

  const full = (): Promise<{ id: number }> =>
    makeEvent(s, {
      description: 'Kept',
      excerpt: 'Kept too',
      cost: '$7',
      website: 'https://kept.example',
      show_map: true,
      sticky: true,
      categories: [cats[0].id],
      tags: [tags[0].id],
      venue: venue1,
      organizer: [person1, person2],
      tickets: [{ name: 'Kept' }],
      post_parent: parents[0].id,
    });
  fieldSuites(s, { plural: 'events', least: newEvent, full, required: ['title', 'start_date', 'end_date'], fields });

  test('C4 the currency that a price names is told, else the one of the site', async () => {
    for (const [cost, price, priceCurrency] of [
      ['4€ – 8€', 4, 'EUR'],
      ['1.250 CHF', 1250, 'CHF'],
      ['12', 12, 'USD'],
    ]) {
      const { json_ld } = await must(s.get(`/events/${(await makeEvent(s, { cost })).id}`), 200);
      assert.deepEqual([json_ld.offers.price, json_ld.offers.priceCurrency], [price, priceCurrency]);
    }
  });
});
