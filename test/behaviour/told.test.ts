import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviour, must, newEvent, rows } from '../support/rows.js';

/** Answers that say what they mean: links that lead on, and reasons that name what is wrong. */

behaviour('links to the other pages (B2, A10)', async (s) => {
  const ids: number[] = [];
  for (const name of ['One', 'Two', 'Three']) ids.push((await must(s.post('/tags', { name }, 'admin'))).id);
  const list = `${ids[0]},${ids[1]},${ids[2]}`;
  rows(s, [
    {
      name: 'commas are octets there, and commas in the own link (reference)',
      ask: 'GET /tags',
      query: `include=${list}&hide_empty=0&per_page=1&page=2`,
      status: 200,
      shows: {
        rest_url: `${s.api}/tags/?page=2&per_page=1&include=${list}&hide_empty=0`,
        next_rest_url: `${s.api}/tags/?per_page=1&include=${list.replaceAll(',', '%2C')}&hide_empty=0&page=3`,
        previous_rest_url: `${s.api}/tags/?per_page=1&include=${list.replaceAll(',', '%2C')}&hide_empty=0`,
      },
    },
    {
      name: 'a list that begins anywhere goes on from there',
      ask: 'GET /tags',
      query: 'offset=1&hide_empty=0&per_page=1&page=7',
      status: 200,
      shows: {
        'tags.0.name': 'Three',
        rest_url: `${s.api}/tags/?per_page=1&hide_empty=0&offset=1`,
        next_rest_url: `${s.api}/tags/?per_page=1&hide_empty=0&offset=2`,
        previous_rest_url: `${s.api}/tags/?per_page=1&hide_empty=0`,
      },
    },
    {
      name: 'and ends where it ends',
      ask: 'GET /tags',
      query: 'offset=2&hide_empty=0&per_page=1',
      status: 200,
      shows: { 'tags.0.name': 'Two', next_rest_url: undefined },
    },
    {
      name: 'what is left of a term when it is embedded is left on the next page, too',
      ask: 'GET /tags',
      query: 'context=embed&hide_empty=0&per_page=1',
      status: 200,
      shows: { next_rest_url: `${s.api}/tags/?per_page=1&hide_empty=0&context=embed&page=2` },
    },
  ]);
});

behaviour('terms whose names are numbers (B9, B17)', async (s) => {
  const year = await must(s.post('/categories', { name: '2024' }, 'admin'));
  const other = await must(s.post('/categories', { name: String(year.id), slug: 'other' }, 'admin'));
  const event = await must(s.post('/events', newEvent({ categories: [year.id] }), 'admin'));
  const dates = 'start_date=2031-01-01&end_date=2032-01-01';
  rows(s, [
    {
      name: 'are found by them',
      ask: 'GET /events',
      query: `categories=2024&${dates}`,
      status: 200,
      shows: { total: 1, 'events.0.id': event.id },
    },
    {
      name: 'but an id comes first',
      ask: 'GET /categories',
      query: `include=${year.id}&hide_empty=0`,
      status: 200,
      shows: { total: 1, 'categories.0.id': year.id },
    },
    {
      name: 'a number that neither has',
      ask: 'GET /events',
      query: 'categories=2025',
      status: 400,
      code: 'rest_invalid_param',
    },
  ]);
  test('an id that is a name elsewhere', () => assert.notEqual(other.id, year.id));
});

behaviour('reasons', async (s) => {
  const many = Array.from({ length: 501 }, (_, n) => n + 1).join(',');
  const invalid = { status: 400, code: 'rest_invalid_param' };
  const asking = (json: object) =>
    ({ ask: 'POST /events', as: 'admin', json: newEvent({ ...json }), ...invalid }) as const;
  const told = (param: string, ...reasons: string[]) => ({ shows: { [`data.params.${param}`]: reasons.join(' ') } });
  rows(s, [
    ...['include', 'venue', 'organizer', 'categories', 'tags'].map((name) => ({
      name: `too many: ${name}`,
      ask: 'GET /events',
      query: `${name}=${many}`,
      ...invalid,
      ...told(name, `${name} has too many elements: at most 500.`),
    })),
    ...['page=0', 'per_page=x', 'page=1.5'].map((query) => ({
      name: query,
      ask: 'GET /events',
      query,
      ...invalid,
      ...told(query.split('=')[0] ?? '', `${query.split('=')[0]} must be a whole number, 1 or more.`),
    })),
    {
      name: 'of members of a new venue',
      ...asking({ venue: { venue: 'V', website: 'nope nope', geo_lat: 999 } }),
      ...told(
        'venue',
        'venue.website must be a web address that begins with http:// or https://.',
        'venue.geo_lat must be a number of degrees between -90 and 90.',
      ),
    },
    {
      name: 'of members of the second of new organizers',
      ...asking({ organizer: [{ organizer: 'A' }, { organizer: 'B', website: 'nope nope' }] }),
      ...told('organizer', 'organizer[1].website must be a web address that begins with http:// or https://.'),
    },
    {
      name: 'of the parent of a new category',
      ...asking({ categories: [{ name: 'Q', parent: 999_999 }] }),
      ...told('categories', 'categories[0].parent must be the ID of a category.'),
    },
    {
      name: 'of members of a ticket',
      ...asking({ tickets: [{ name: 'A' }, { name: 'B', price: -1, currency: 'x' }] }),
      shows: { 'data.params.tickets': /^tickets\[1\]\.price .*\. tickets\[1\]\.currency .*\.$/ },
    },
  ]);
  rows(
    s,
    (['events', 'venues', 'organizers'] as const).flatMap((plural) => {
      const code = plural === 'events' ? 'rest-event-not-found' : `${plural.slice(0, -1)}-not-found`;
      return [
        ['nope', 'nope'],
        ['100%', '100%'],
        ['caf%E9', 'caf%E9'],
        ['%FF', '%FF'],
        ['x'.repeat(5000), 'x'.repeat(5000)],
      ].map(([written = '', read = '']) => ({
        name: `A11 nothing has the slug ${written.slice(0, 10)} among ${plural}`,
        ask: `GET /${plural}/by-slug/${written}`,
        status: 404,
        code,
        shows: { message: `There is no ${plural.slice(0, -1)} with the slug ${read}.` },
        header: { allow: 'GET' },
      }));
    }),
  );
  rows(s, [
    {
      name: 'a nonce that is refused is refused before all else',
      ask: 'GET /events',
      headers: { 'x-wp-nonce': 'bad' },
      status: 403,
      code: 'rest_cookie_invalid_nonce',
      header: { allow: null },
    },
  ]);
});
