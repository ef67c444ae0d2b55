import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALL, JUNE, june } from '../support/june.js';
import { behaviour, makeEvent } from '../support/rows.js';
import type { Reply } from '../support/server.js';

const titles = (reply: Reply): string[] => {
  assert.equal(reply.status, 200, reply.text.slice(0, 300));
  return reply.json.events.map((event: { title: string }) => event.title);
};

behaviour('the list of events: selections', async (s) => {
  const { music, bebop, dance, calm, hall, park, ann, bob, past, next, early, hidden, secret } = await june(s);
  const strict = (query: object) => ({ ...query, strict_dates: 'true' });

  /** Name, query, titles in order. */
  const selections: [string, Record<string, unknown>, string[]][] = [
    ['B13 all of a month, by instant of start', JUNE, ALL],
    ['B6 start_date: that day on', { ...JUNE, start_date: '2031-06-10 18:00' }, ALL.slice(1)],
    ['B6 B8 end_date: ends on or before that day', { ...JUNE, end_date: '2031-06-10' }, ['Early', 'Late']],
    [
      'B6 end_date: all-day events of that day too',
      { ...JUNE, end_date: '2031-06-11 00:00:00' },
      ['Multi', 'Early', 'Late', 'Whole'],
    ],
    ['B6 starts_before: that day included', { starts_before: '2031-06-10' }, ['Past', 'Multi', 'Early', 'Late']],
    ['B6 starts_after: that day excluded', { starts_after: '2031-06-10' }, ['Whole', 'Tokyo', 'Next', 'Child']],
    ['B6 ends_before: that day included', { ends_before: '2031-06-11' }, ['Past', 'Multi', 'Early', 'Late', 'Whole']],
    ['B6 ends_after: that day excluded', { ends_after: '2031-06-11' }, ['Tokyo', 'Next', 'Child']],
    ['B8 overlap is asked for with two', { starts_before: '2031-06-10', ends_after: '2031-06-10' }, ['Multi']],
    [
      'B7 start_date and starts_after both count',
      { start_date: '2031-06-12', starts_after: '2031-06-10' },
      ['Next', 'Child'],
    ],
    ['B7 and the other way round', { start_date: '2031-06-10', starts_after: '2031-06-11' }, ['Next', 'Child']],
    [
      'B7 end_date and ends_before both count',
      { start_date: '2031-06-01', end_date: '2031-06-11', ends_before: '2031-06-20' },
      ['Multi', 'Early', 'Late', 'Whole'],
    ],
    [
      'B7 a relative filter drops only the default',
      { start_date: '2031-06-10', starts_before: '2031-06-10' },
      ['Early', 'Late'],
    ],
    ['B6 strict start_date: the very second', strict({ ...JUNE, start_date: '2031-06-10 09:00:00' }), ALL.slice(1)],
    ['B6 strict start_date: a second later', strict({ ...JUNE, start_date: '2031-06-10 09:00:01' }), ALL.slice(2)],
    ['B6 strict end_date: the very second', strict({ ...JUNE, end_date: '2031-06-10 10:00:00' }), ['Early']],
    ['B6 strict end_date: a second earlier', strict({ ...JUNE, end_date: '2031-06-10 09:59:59' }), []],
    [
      'B6 strict starts_before: the very second is out',
      strict({ starts_before: '2031-06-10 09:00:00' }),
      ['Past', 'Multi'],
    ],
    [
      'B6 strict starts_before: a second later',
      strict({ starts_before: '2031-06-10 09:00:01' }),
      ['Past', 'Multi', 'Early'],
    ],
    [
      'B6 strict starts_after: the very second is out',
      strict({ starts_after: '2031-06-11 23:30:00' }),
      ['Next', 'Child'],
    ],
    [
      'B6 strict starts_after: a second earlier',
      strict({ starts_after: '2031-06-11 23:29:59' }),
      ['Tokyo', 'Next', 'Child'],
    ],
    ['B6 strict ends_before: the very second is out', strict({ ...JUNE, ends_before: '2031-06-10 10:00:00' }), []],
    ['B6 strict ends_before: a second later', strict({ ...JUNE, ends_before: '2031-06-10 10:00:01' }), ['Early']],
    ['B6 strict ends_after: the very second is out', strict({ ends_after: '2031-06-12 01:00:00' }), ['Child']],
    ['B6 strict ends_after: a second earlier', strict({ ends_after: '2031-06-12 00:59:59' }), ['Next', 'Child']],
    [
      'B5 strict with an offset',
      strict({ starts_after: '2031-06-12T08:29:59+09:00', ends_before: '2031-06-12T09:30:01+09:00' }),
      ['Tokyo'],
    ],
    ['B7 include ignores the default window', { include: `${past.id},${early.id}` }, ['Past', 'Early']],
    [
      'B7 include ignores given dates',
      { include: [past.id, next.id], start_date: '2031-06-12', starts_after: '2040-01-01' },
      ['Past', 'Next'],
    ],
    ['B7 include and another filter', { include: [past.id, early.id], featured: true }, ['Early']],
    ['A3 include of what may not be read is silent', { include: [secret.id, early.id, 999_999] }, ['Early']],
    ['B12 include does not show what is hidden', { include: [hidden.id, early.id] }, ['Early']],
    ['B9 a category with its descendants', { ...JUNE, categories: music.id }, ['Multi', 'Early', 'Whole']],
    ['B9 by slug', { ...JUNE, categories: 'jazz' }, ['Multi', 'Whole']],
    ['B9 by name, its slug being another', { ...JUNE, categories: 'Be Bop' }, ['Whole']],
    ['B9 encoded twice', { ...JUNE, categories: 'Be%20Bop' }, ['Whole']],
    ['B9 encoded twice, with a plus sign for the blank', { ...JUNE, categories: 'dance%2CBe+Bop' }, ['Whole', 'Next']],
    ['B9 encoded twice, and a lone percent sign', { ...JUNE, categories: 'dance%,Be%20Bop' }, ['Whole', 'Next']],
    ['B9 CSV, mixed', { ...JUNE, categories: `bop, ${dance.id}` }, ['Whole', 'Next']],
    ['B9 brackets', { ...JUNE, categories: [bebop.id, 'Music'] }, ['Multi', 'Early', 'Whole']],
    ['B9 any one tag suffices', { ...JUNE, tags: `loud,${calm.id}` }, ['Early', 'Late', 'Whole']],
    ['B9 categories and tags together', { ...JUNE, categories: 'music', tags: 'calm' }, ['Whole']],
    ['B9 venue', { ...JUNE, venue: hall.id }, ['Early', 'Late']],
    [
      'B9 any one venue suffices, each event once',
      { ...JUNE, venue: `${hall.id},${park.id}` },
      ['Early', 'Late', 'Whole'],
    ],
    ['B9 organizer', { ...JUNE, organizer: bob.id }, ['Late', 'Tokyo']],
    ['B9 venue and organizer together', { ...JUNE, venue: [park.id], organizer: [ann.id] }, ['Late']],
    ['featured', { ...JUNE, featured: 'true' }, ['Early']],
    ['not featured', { ...JUNE, featured: '0' }, ALL.filter((t) => t !== 'Early')],
    ['B15 ticketed', { ...JUNE, ticketed: 'true' }, ['Next']],
    ['B15 not ticketed', { ...JUNE, ticketed: 'false' }, ALL.filter((t) => t !== 'Next')],
    ['post_parent', { ...JUNE, post_parent: early.id }, ['Child']],
    [
      'B7 post_parent keeps the window',
      { post_parent: early.id, start_date: '2031-06-21', end_date: '2031-06-30' },
      [],
    ],
    ['B10 search', { ...JUNE, search: 'AR' }, ['Early']],
    ['B11 status publish', { ...JUNE, status: 'publish' }, ALL],
    [
      'B9 repeated names',
      'start_date=2031-06-01&end_date=2031-06-30&categories=bop&categories=dance' as never,
      ['Whole', 'Next'],
    ],
  ];
  describe('selections', () => {
    for (const [name, query, wanted] of selections) {
      test(name, async () => {
        const reply = await s.get('/events', query);
        assert.deepEqual(titles(reply), wanted);
        // B3: totals describe exactly this selection, in the body and in the headers.
        assert.equal(reply.json.total, wanted.length);
        assert.equal(reply.json.total_pages, Math.ceil(wanted.length / 10));
        assert.equal(reply.headers.get('x-tec-total'), String(wanted.length));
        assert.equal(reply.headers.get('x-tec-totalpages'), String(reply.json.total_pages));
      });
      test(`B2 links lead through the same selection: ${name}`, async () => {
        const query1 = typeof query === 'string' ? `${query}&per_page=1` : { ...query, per_page: 1 };
        const seen: string[] = [];
        let reply = await s.get('/events', query1);
        for (;;) {
          seen.push(...titles(reply));
          assert.equal(reply.json.total, wanted.length);
          assert.doesNotMatch(reply.json.rest_url, /[^!-~]/, 'A10');
          assert.deepEqual(titles(await s.get(reply.json.rest_url)), titles(reply), 'rest_url is this very page');
          if (!reply.json.next_rest_url) break;
          const before = reply;
          reply = await s.get(reply.json.next_rest_url);
          assert.deepEqual(titles(await s.get(reply.json.previous_rest_url)), titles(before));
        }
        assert.deepEqual(seen, wanted);
      });
    }
  });

  describe('order (B13)', () => {
    test('B13 the same start: by publication, then by id', async () => {
      const same = { start_date: '2033-01-01 10:00', end_date: '2033-01-01 11:00' };
      const [a, b, c] = [
        await makeEvent(s, { ...same, date: '2026-03-01' }),
        await makeEvent(s, { ...same, date: '2026-01-01' }),
        await makeEvent(s, { ...same, date: '2026-01-01', sticky: true, featured: true }),
      ];
      const reply = await s.get('/events', { start_date: '2033-01-01', end_date: '2033-01-01' });
      assert.deepEqual(
        reply.json.events.map((e: { id: number }) => e.id),
        [b.id, c.id, a.id],
      );
    });
  });
});

behaviour('the default window of the list of events', async (s) => {
  const today = new Date().toISOString().slice(0, 10);
  const twoYears = `${Number(today.slice(0, 4)) + 2}${today.slice(4) === '-02-29' ? '-02-28' : today.slice(4)}`;
  const at = (title: string, start_date: string, end_date: string) => makeEvent(s, { title, start_date, end_date });
  await at('First second', `${today} 00:00:00`, `${today} 00:00:00`);
  await at('Running', 'yesterday 23:59:59', `${twoYears} 00:00:00`);
  await at('Last second', `${twoYears} 23:00:00`, `${twoYears} 23:59:59`);
  await at('Too far', `${twoYears} 23:00:00`, `${twoYears} 23:59:59 +1 second`);
  test('B4 B8 from 00:00:00 today to 23:59:59 two years later, contained', async () => {
    const reply = await s.get('/events');
    assert.deepEqual(titles(reply), ['First second', 'Last second']);
    assert.equal(reply.json.total, 2);
  });
  test('B7 starts_before and ends_after drop it', async () => {
    assert.deepEqual(titles(await s.get('/events', { starts_before: 'today', ends_after: 'today' })), ['Running']);
  });
});
