import { behaviour, must, newEvent, rows } from '../support/rows.js';

/** Answers that say what they mean: links that lead on, and reasons that name what is wrong. */

behaviour('links to the other pages (B2)', async (s) => {
  for (const name of ['One', 'Two', 'Three']) await must(s.post('/tags', { name }, 'admin'));
  rows(s, [
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
      name: 'on the first page there is no way back',
      ask: 'GET /tags',
      query: 'offset=1&hide_empty=0&per_page=1',
      status: 200,
      shows: { 'tags.0.name': 'Three', previous_rest_url: undefined },
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
      ...asking({ organizer: ['', { organizer: 'B', website: 'nope nope' }] }),
      ...told('organizer', 'organizer[1].website must be a web address that begins with http:// or https://.'),
    },
    {
      name: 'of the parent of a new category',
      ...asking({ categories: [{ name: 'Q', parent: 999_999 }] }),
      ...told('categories', 'categories[0].parent must be the ID of a category.'),
    },
    {
      name: 'too many tickets',
      ...asking({ tickets: Array.from({ length: 101 }, () => ({ name: 'a' })) }),
      ...told('tickets', 'tickets has too many elements: at most 100.'),
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
