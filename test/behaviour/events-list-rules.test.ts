import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALL, JUNE, june } from '../support/june.js';
import { behaviour, rows } from '../support/rows.js';
import type { Reply, RoleName } from '../support/server.js';

const titles = (reply: Reply): string[] => {
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
  return reply.json.events.map((event: { title: string }) => event.title);
};

behaviour('the list of events: pages, statuses, bad values', async (s) => {
  const { music, loud, hall, cellar, ann, spook, early, secret } = await june(s);
  describe('paging (B1)', () => {
    const keys = (query: object) => s.get('/events', { ...JUNE, ...query }).then((r) => Object.keys(r.json).join(' '));
    test('B2 members of the first, a middle and the last page', async () => {
      assert.equal(await keys({ per_page: 3 }), 'events rest_url next_rest_url total total_pages');
      assert.equal(
        await keys({ per_page: 3, page: 2 }),
        'events rest_url next_rest_url previous_rest_url total total_pages',
      );
      assert.equal(await keys({ per_page: 3, page: 3 }), 'events rest_url previous_rest_url total total_pages');
      assert.equal(await keys({ per_page: 3, venue: hall.id }), 'events rest_url total total_pages');
    });
    test('B2 ids that are told as one text are told again so', async () => {
      for (const venue of [`${hall.id}, ${cellar.id}`, `${hall.id},`, ` ${hall.id}`]) {
        const { rest_url, total } = (await s.get('/events', { ...JUNE, venue }, 'admin')).json;
        assert.equal(new URL(rest_url).searchParams.get('venue'), venue);
        assert.equal((await s.get(rest_url, undefined, 'admin')).json.total, total);
      }
      const list = { ...JUNE, venue: [hall.id, '', cellar.id] };
      const { rest_url } = (await s.get('/events', list, 'admin')).json;
      assert.equal(new URL(rest_url).searchParams.get('venue'), `${hall.id},${cellar.id}`);
    });
    rows(s, [
      {
        name: 'B1 a second page',
        ask: 'GET /events',
        query: { ...JUNE, per_page: 3, page: 2 },
        status: 200,
        shows: { 'events.0.title': 'Whole', total: 7, total_pages: 3 },
      },
      {
        name: 'B1 past the end',
        ask: 'GET /events',
        query: { ...JUNE, per_page: 3, page: 4 },
        status: 404,
        code: 'event-archive-page-not-found',
      },
      {
        name: 'B1 nothing on page 1 is no error',
        ask: 'GET /events?search=nowhere',
        status: 200,
        shows: { events: [], total: 0, total_pages: 0 },
      },
      {
        name: 'B1 nothing on page 2 is',
        ask: 'GET /events?search=nowhere&page=2',
        status: 404,
        code: 'event-archive-page-not-found',
      },
      {
        name: 'B1 per_page above the maximum is cut',
        ask: 'GET /events?per_page=1000',
        status: 200,
        shows: { rest_url: /[?&]per_page=50(&|$)/ },
      },
      { name: 'B1 ten by default', ask: 'GET /events', status: 200, shows: { rest_url: /[?&]page=1&per_page=10&/ } },
      { name: 'B1 2.0 is 2', ask: 'GET /events?per_page=2.0', status: 200, shows: { rest_url: /[?&]per_page=2(&|$)/ } },
      {
        name: 'A9 Link names the next page',
        ask: 'GET /events',
        query: { ...JUNE, per_page: 3 },
        status: 200,
        header: { link: /<[^>]+page=2>; rel="next"/ },
      },
      {
        name: 'A9 Link names the page before',
        ask: 'GET /events',
        query: { ...JUNE, per_page: 3, page: 3 },
        status: 200,
        header: { link: /<[^>]+page=2>; rel="prev"/ },
      },
    ]);
  });

  describe('statuses by role (B11, E2)', () => {
    const own: [RoleName | undefined, string[], string][] = [
      [undefined, [], 'publish'],
      ['subscriber', [], 'publish'],
      ['contributor', ['Pending'], 'any'],
      ['author', ['Draft'], 'any'],
      ['editor', ['Draft', 'Pending', 'Private', 'Future'], 'any'],
      ['admin', ['Draft', 'Pending', 'Private', 'Future'], 'any'],
    ];
    for (const [as, more, shown] of own) {
      const who = as ?? 'anonymous';
      test(`B11 ${who} without status`, async () => {
        const reply = await s.get('/events', { ...JUNE, per_page: 50 }, as);
        assert.deepEqual(titles(reply).sort(), [...ALL, ...more].sort());
        assert.equal(reply.json.total, ALL.length + more.length);
        assert.equal(new URL(reply.json.rest_url).searchParams.get('status'), shown);
      });
      const writer = shown === 'any';
      const sees = (...wanted: string[]) => wanted.filter((title) => more.includes(title));
      const asked: [string, string[]][] = [
        ['draft', sees('Draft')],
        ['draft,pending', sees('Draft', 'Pending')],
        ['private', sees('Private')],
        ['future', sees('Future')],
        ['trash', who === 'editor' || who === 'admin' ? ['Trash'] : []],
        ['any', [...ALL, ...more]],
        ['publish,draft', [...ALL, ...sees('Draft')]],
      ];
      for (const [status, wanted] of asked) {
        test(`B11 ${who} asks for ${status}`, async () => {
          const reply = await s.get('/events', { ...JUNE, per_page: 50, status }, as);
          if (!writer) {
            assert.equal(reply.status, 400);
            assert.deepEqual(Object.keys(reply.json.data.params), ['status']);
            return;
          }
          assert.deepEqual(titles(reply).sort(), [...wanted].sort());
          assert.equal(reply.json.total, wanted.length);
        });
      }
      test(`B12 ${who} and the hidden event`, async () => {
        assert.ok(!titles(await s.get('/events', { ...JUNE, per_page: 50 }, as)).includes('Hidden'));
        const editing = titles(await s.get('/events', { ...JUNE, per_page: 50, context: 'edit' }, as));
        assert.equal(editing.includes('Hidden'), ['author', 'editor', 'admin'].includes(who));
      });
    }
  });

  describe('dates that no calendar has, as clients ask for a month or for everything (A6)', () => {
    const both = (query: object) =>
      s
        .get('/events', { ...query, per_page: 50 })
        .then((reply) => ({ titles: titles(reply), url: reply.json.rest_url }));
    test('the 31st of June is 1 July', async () => {
      const asked = await both({ start_date: '2031-06-01', end_date: '2031-06-31' });
      assert.deepEqual(asked, await both({ start_date: '2031-06-01', end_date: '2031-07-01' }));
      assert.ok(asked.titles.includes('Multi'));
      assert.deepEqual((await both({ starts_after: '2031-06-31' })).titles, await after('2031-07-01'));
    });
    test('with include they do not matter (B7), and links repeat the relative ones', async () => {
      const { titles, url } = await both({ include: early.id, starts_after: '2040-01-01', start_date: '2041-01-01' });
      assert.deepEqual(titles, ['Early']);
      assert.match(url, /starts_after=2040-01-01\+23%3A59%3A59/);
      assert.ok(!url.includes('start_date'), url);
    });
    test('before the first day and after the last', async () => {
      const all = await both({ start_date: '0001-01-01', end_date: '9999-12-31' });
      assert.ok(all.titles.includes('Past') && all.titles.includes('Multi'));
      for (const start_date of ['0000-01-01', '0000-00-00', '0000-00-00 00:00:00'])
        assert.deepEqual(await both({ start_date, end_date: '9999-12-31' }), all, start_date);
    });
    const after = async (starts_after: string) => (await both({ starts_after })).titles;
  });

  describe('bad values (A7)', () => {
    const bad: Record<string, unknown[]> = {
      page: ['0', '-1', '1.5', 'x', '', '99999999999999999999'],
      per_page: ['0', '-1', 'x', ''],
      ...Object.fromEntries(
        ['start_date', 'end_date', 'starts_before', 'starts_after', 'ends_before', 'ends_after'].map((name) => [
          name,
          ['', 'x', '2031-13-01', '2031-06-32', '2031-06-10 25:00', ['2031-01-01']],
        ]),
      ),
      strict_dates: [''],
      search: ['', '0', ['a']],
      categories: ['', 'nope', '999999', `${music.id},nope`, String(loud.id + 5000)],
      tags: ['', 'nope', '999999'],
      venue: ['', 'Hall', '999999', ann.id, cellar.id, `${hall.id},999999`],
      organizer: ['', 'Ann', '999999', hall.id, spook.id],
      featured: ['', 'yes', '2'],
      ticketed: ['', 'yes', '2'],
      geoloc: ['', 'yes', '2'],
      status: ['', 'nope', 'publish,draft'],
      include: ['', 'x', '0', '-1', '1.5', `${early.id},x`],
      post_parent: ['', 'x', '0', '999999', hall.id, secret.id],
    };
    rows(
      s,
      Object.entries(bad).flatMap(([name, values]) =>
        values.map((value) => ({
          name: `A7 ${name}=${JSON.stringify(value)}`,
          ask: 'GET /events',
          query: { [name]: value },
          status: 400,
          code: 'rest_invalid_param',
          params: [name],
        })),
      ),
    );
    rows(s, [
      {
        name: 'A7 all bad ones together, as declared',
        ask: 'GET /events?venue=x&page=0&start_date=x',
        status: 400,
        params: ['page', 'start_date', 'venue'],
      },
      {
        name: 'B9 a private venue, for who may read it',
        ask: `GET /events?venue=${cellar.id}&starts_after=2031-01-01`,
        as: 'admin',
        status: 200,
        shows: { 'events.0.title': 'Multi', total: 1 },
      },
      {
        name: 'B9 a draft organizer, for who may read it',
        ask: `GET /events?organizer=${spook.id}&starts_after=2031-01-01`,
        as: 'editor',
        status: 200,
        shows: { total: 1 },
      },
      {
        name: 'A6 statuses that sites of the reference know, and no event here has',
        ask: 'GET /events?status=auto-draft,inherit',
        as: 'contributor',
        status: 200,
        shows: { total: 0 },
      },
      {
        name: 'A6 the same beside one that events have',
        ask: `GET /events?status=inherit,publish&venue=${cellar.id}&starts_after=2031-01-01`,
        as: 'admin',
        status: 200,
        shows: { 'events.0.title': 'Multi', total: 1 },
      },
      {
        name: 'B11 the same, for who may ask for published ones only',
        ask: 'GET /events?status=inherit',
        status: 400,
        params: ['status'],
      },
      {
        name: 'B11 an unknown status, for who may ask',
        ask: 'GET /events?status=nope',
        as: 'admin',
        status: 400,
        params: ['status'],
      },
      { name: 'unknown parameters do not matter', ask: 'GET /events?orderby=title&utm_source=x', status: 200 },
    ]);
  });
});
