import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, must, newEvent, rows } from '../support/rows.js';

behaviour('dates of an event, each alone and together', async (s) => {
  describe('order of start and end (D3)', async () => {
    const { id } = await makeEvent(s);
    const refused = { as: 'admin', status: 400, code: 'rest_invalid_param', params: ['end_date'] } as const;
    const pair = (start_date: string, end_date: string, more = {}) => newEvent({ start_date, end_date, ...more });
    rows(s, [
      {
        ...refused,
        name: 'D3 end before start',
        ask: 'POST /events',
        json: pair('2031-05-06 10:00', '2031-05-06 09:59:59'),
      },
      {
        ...refused,
        name: 'A3 D3 before rights are looked at',
        ask: 'POST /events',
        json: pair('2031-05-06', '2031-05-05'),
        as: undefined,
      },
      {
        ...refused,
        name: 'A3 D3 before what a title lacks',
        ask: 'POST /events',
        json: pair('2031-05-06', '2031-05-05', { title: ' ' }),
      },
      {
        ...refused,
        name: 'D3 by instant, not by text',
        ask: 'POST /events',
        json: pair('2031-05-06T12:00:00Z', '2031-05-06T13:00:00+05:00'),
      },
      {
        ...refused,
        name: 'D3 in a fold, both the first',
        ask: 'POST /events',
        json: pair('2031-11-02 01:30', '2031-11-02 01:10', { timezone: 'America/New_York' }),
      },
      {
        ...refused,
        name: 'D3 all day',
        ask: 'POST /events',
        json: pair('2031-05-06', '2031-05-05', { all_day: true }),
      },
      { ...refused, name: 'D3 a new end alone', ask: `PATCH /events/${id}`, json: { end_date: '2031-05-06 19:29:59' } },
      {
        ...refused,
        name: 'D3 a new start alone',
        ask: `PATCH /events/${id}`,
        json: { start_date: '2031-05-06 21:00:01' },
      },
      {
        name: 'D3 nothing was changed',
        ask: `GET /events/${id}`,
        status: 200,
        shows: { start_date: '2031-05-06 19:30:00', end_date: '2031-05-06 21:00:00' },
      },
      {
        name: 'D3 equal is fine',
        ask: `PATCH /events/${id}`,
        as: 'admin',
        json: { start_date: '2031-05-06 21:00:00' },
        status: 200,
        shows: { start_date: '2031-05-06 21:00:00' },
      },
      {
        name: 'D3 D4 wall clock runs backwards over a fold, the instant does not',
        ask: 'POST /events',
        as: 'admin',
        json: pair('2031-11-02 01:30', '2031-11-02T01:10:00-05:00', { timezone: 'America/New_York' }),
        status: 201,
        shows: {
          start_date: '2031-11-02 01:30:00',
          end_date: '2031-11-02 01:10:00',
          utc_end_date: '2031-11-02 06:10:00',
        },
      },
    ]);
  });

  describe('each alone (D2)', () => {
    const make = () =>
      makeEvent(s, { timezone: 'Europe/Berlin', start_date: '2031-07-01 10:00', end_date: '2031-07-03 12:00' });
    const cases: [string, Record<string, unknown>, Record<string, unknown>][] = [
      [
        'zone alone keeps the wall clock',
        { timezone: 'America/New_York' },
        {
          start_date: '2031-07-01 10:00:00',
          end_date: '2031-07-03 12:00:00',
          utc_start_date: '2031-07-01 14:00:00',
          utc_end_date: '2031-07-03 16:00:00',
          timezone_abbr: 'EDT',
        },
      ],
      [
        'start alone',
        { start_date: '2031-06-30 09:00' },
        {
          start_date: '2031-06-30 09:00:00',
          utc_start_date: '2031-06-30 07:00:00',
          end_date: '2031-07-03 12:00:00',
          timezone: 'Europe/Berlin',
        },
      ],
      [
        'end alone, as an instant',
        { end_date: '2031-07-04T00:00:00Z' },
        { end_date: '2031-07-04 02:00:00', utc_end_date: '2031-07-04 00:00:00', start_date: '2031-07-01 10:00:00' },
      ],
      [
        'all day alone, over several days',
        { all_day: true },
        {
          start_date: '2031-07-01 00:00:00',
          end_date: '2031-07-03 23:59:59',
          utc_start_date: '2031-06-30 22:00:00',
          utc_end_date: '2031-07-03 21:59:59',
        },
      ],
      [
        'zone and start together',
        { timezone: 'Asia/Tokyo', start_date: '2031-07-01 01:00' },
        {
          start_date: '2031-07-01 01:00:00',
          utc_start_date: '2031-06-30 16:00:00',
          utc_end_date: '2031-07-03 03:00:00',
        },
      ],
      [
        'an instant with a new zone',
        { timezone: 'Asia/Tokyo', start_date: '2031-07-01T00:00:00Z' },
        { start_date: '2031-07-01 09:00:00', utc_start_date: '2031-07-01 00:00:00' },
      ],
      [
        'zone "" is the site\'s',
        { timezone: '' },
        { timezone: 'UTC', start_date: '2031-07-01 10:00:00', utc_start_date: '2031-07-01 10:00:00' },
      ],
      [
        'parts of the date agree with it',
        { start_date: '2031-02-03 04:05:06' },
        {
          start_date_details: { year: '2031', month: '02', day: '03', hour: '04', minutes: '05', seconds: '06' },
          'utc_start_date_details.hour': '03',
        },
      ],
    ];
    for (const [name, change, shows] of cases) {
      test(`D2 ${name}`, async () => {
        const { id } = await make();
        await must(s.patch(`/events/${id}`, change, 'admin'), 200);
        const seen = await must(s.get(`/events/${id}`), 200);
        for (const [path, value] of Object.entries(shows)) {
          assert.deepEqual(
            path.split('.').reduce((at, step) => at[step], seen),
            value,
            path,
          );
        }
      });
    }
    test('D2 all day follows the zone by its days', async () => {
      const { id } = await makeEvent(s, {
        timezone: 'Europe/Berlin',
        all_day: true,
        start_date: '2031-07-01',
        end_date: '2031-07-01',
      });
      const moved = await must(s.patch(`/events/${id}`, { timezone: 'America/New_York' }, 'admin'), 200);
      assert.deepEqual(
        [moved.start_date, moved.end_date, moved.utc_start_date, moved.utc_end_date],
        ['2031-07-01 00:00:00', '2031-07-01 23:59:59', '2031-07-01 04:00:00', '2031-07-02 03:59:59'],
      );
    });
    test('D2 the second of a fold stays the second through other changes', async () => {
      const at = '2031-11-02T01:30:00-05:00';
      const { id } = await makeEvent(s, { timezone: 'America/New_York', start_date: at, end_date: at });
      for (const change of [{ title: 'Renamed' }, { all_day: false }, { end_date: '2031-11-02 04:00' }]) {
        const seen = await must(s.patch(`/events/${id}`, change, 'admin'), 200);
        assert.equal(seen.utc_start_date, '2031-11-02 06:30:00', JSON.stringify(change));
      }
    });
    test('D2 all day taken away keeps the times that it gave', async () => {
      const { id } = await makeEvent(s, { all_day: true });
      const seen = await must(s.patch(`/events/${id}`, { all_day: false }, 'admin'), 200);
      assert.deepEqual(
        [seen.all_day, seen.start_date, seen.end_date],
        [false, '2031-05-06 00:00:00', '2031-05-06 23:59:59'],
      );
    });
    test('D2 a new start of an all-day event is the beginning of its day', async () => {
      const { id } = await makeEvent(s, { all_day: true });
      const seen = await must(s.patch(`/events/${id}`, { start_date: '2031-05-01 15:00' }, 'admin'), 200);
      assert.deepEqual([seen.start_date, seen.end_date], ['2031-05-01 00:00:00', '2031-05-06 23:59:59']);
    });
  });
});
