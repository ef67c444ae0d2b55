import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behaviour, makeEvent, newEvent, rows } from '../support/rows.js';

/** Wall clock in the zone, and the instant that must come of it. */
const CLOCKS: [zone: string, given: string, local: string, utc: string, abbr: string, why: string][] = [
  ['America/New_York', '2031-03-09 02:30:00', '2031-03-09 03:30:00', '2031-03-09 07:30:00', 'EDT', 'gap'],
  ['America/New_York', '2031-03-09 01:59:59', '2031-03-09 01:59:59', '2031-03-09 06:59:59', 'EST', 'before the gap'],
  ['America/New_York', '2031-03-09 03:00:00', '2031-03-09 03:00:00', '2031-03-09 07:00:00', 'EDT', 'after the gap'],
  ['America/New_York', '2031-11-02 01:30:00', '2031-11-02 01:30:00', '2031-11-02 05:30:00', 'EDT', 'fold: the first'],
  [
    'America/New_York',
    '2031-11-02T01:30:00-05:00',
    '2031-11-02 01:30:00',
    '2031-11-02 06:30:00',
    'EST',
    'fold: the second, by offset',
  ],
  ['Europe/Berlin', '2031-03-30 02:30:00', '2031-03-30 03:30:00', '2031-03-30 01:30:00', 'CEST', 'gap'],
  ['Europe/Berlin', '2031-10-26 02:30:00', '2031-10-26 02:30:00', '2031-10-26 00:30:00', 'CEST', 'fold: the first'],
  ['Europe/Berlin', '2031-10-26 03:00:00', '2031-10-26 03:00:00', '2031-10-26 02:00:00', 'CET', 'after the fold'],
  ['Pacific/Auckland', '2031-09-28 02:30:00', '2031-09-28 03:30:00', '2031-09-27 14:30:00', 'NZDT', 'southern gap'],
  ['Australia/Lord_Howe', '2031-10-05 02:15:00', '2031-10-05 02:45:00', '2031-10-04 15:45:00', '+11', 'half-hour gap'],
  ['Australia/Lord_Howe', '2031-04-06 01:45:00', '2031-04-06 01:45:00', '2031-04-05 14:45:00', '+11', 'half-hour fold'],
  ['Pacific/Apia', '2011-12-30 12:00:00', '2011-12-31 12:00:00', '2011-12-30 22:00:00', '+14', 'a day that never was'],
  ['America/Santiago', '2031-09-07 00:00:00', '2031-09-07 01:00:00', '2031-09-07 04:00:00', '-03', 'no midnight'],
  ['Asia/Kathmandu', '2031-01-01 00:00:00', '2031-01-01 00:00:00', '2030-12-31 18:15:00', '+0545', 'quarter hours'],
  ['Asia/Kolkata', '2031-01-01 00:00:00', '2031-01-01 00:00:00', '2030-12-31 18:30:00', 'IST', 'half hours'],
  ['Europe/Istanbul', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 09:00:00', '+03', 'no letters'],
  ['UTC+5.75', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 06:15:00', 'UTC+5.75', 'fixed'],
  ['UTC-5', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 17:00:00', 'UTC-5', 'fixed, no daylight saving'],
  ['UTC+14', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-06-30 22:00:00', 'UTC+14', 'fixed, the furthest'],
  ['+05:30', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 06:30:00', '+0530', 'an offset as a zone'],
  ['-09:30', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 21:30:00', '-0930', 'an offset as a zone'],
  ['UTC', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 12:00:00', 'UTC', ''],
  ['Z', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 12:00:00', 'Z', ''],
  ['eUROPE/pARIS', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 10:00:00', 'CEST', 'letter case as given'],
  ['US/Pacific', '2031-07-01 12:00:00', '2031-07-01 12:00:00', '2031-07-01 19:00:00', 'PDT', 'an alias, kept'],
  ['America/New_York', '2031-07-01T12:00:00Z', '2031-07-01 08:00:00', '2031-07-01 12:00:00', 'EDT', 'instant'],
  ['Asia/Tokyo', '2031-07-01T12:00:00+02:00', '2031-07-01 19:00:00', '2031-07-01 10:00:00', 'JST', 'instant'],
  ['Asia/Tokyo', '1930000000', '2031-02-28 08:06:40', '2031-02-27 23:06:40', 'JST', 'timestamp as text'],
];

/** Texts, and the wall clock each names. */
const FORMATS: [string, string][] = [
  ['2031-03-09 19:30:00', '2031-03-09 19:30:00'],
  ['2031-03-09 19:30', '2031-03-09 19:30:00'],
  ['2031-03-09T19:30:00', '2031-03-09 19:30:00'],
  ['2031-03-09t19:30', '2031-03-09 19:30:00'],
  ['2031-03-09T19:30:00.987Z', '2031-03-09 19:30:00'],
  ['2031-03-09T19:30:00z', '2031-03-09 19:30:00'],
  ['2031-03-09T21:30:00+0200', '2031-03-09 19:30:00'],
  ['2031-03-09T14:00-05:30', '2031-03-09 19:30:00'],
  ['20310309T193000', '2031-03-09 19:30:00'],
  ['20310309T193000Z', '2031-03-09 19:30:00'],
  ['20310309', '2031-03-09 00:00:00'],
  ['2031-03-09', '2031-03-09 00:00:00'],
  ['2031/03/09 7:30pm', '2031-03-09 19:30:00'],
  ['03/09/2031 7:30 PM', '2031-03-09 19:30:00'],
  ['March 9, 2031 19:30', '2031-03-09 19:30:00'],
  ['9 Mar 2031 7:30 p.m.', '2031-03-09 19:30:00'],
  ['Sun, 09 Mar 2031 19:30:00 GMT', '2031-03-09 19:30:00'],
  ['2031-W10-7', '2031-03-09 00:00:00'],
  ['2031-03-09 24:00:00', '2031-03-10 00:00:00'],
  ['2032-02-29 12:00', '2032-02-29 12:00:00'],
  ['@1930000000', '2031-02-27 23:06:40'],
];
const NO_DATES = [
  'gibberish',
  '2031-02-29',
  '2031-02-30 10:00',
  '2031-13-01',
  '2031-00-10',
  '2031-03-09 25:00:00',
  '2031-03-09 10:61',
  '0000-00-00 00:00:00',
  '99999999999999999999',
  '2031-03-09 10:00 and then some',
];

behaviour('how dates are read', async (s) => {
  describe('wall clock, zone and instant (D4, D6)', () => {
    rows(
      s,
      CLOCKS.map(([timezone, given, local, utc, abbr, why]) => ({
        name: `D4 ${given} in ${timezone} ${why}`,
        ask: 'POST /events',
        as: 'admin' as const,
        json: newEvent({ timezone, start_date: given, end_date: given }),
        status: 201,
        shows: {
          start_date: local,
          end_date: local,
          utc_start_date: utc,
          utc_end_date: utc,
          timezone,
          timezone_abbr: abbr,
        },
      })),
    );
  });

  describe('spellings (D5)', () => {
    rows(s, [
      ...FORMATS.map(([text, shown]) => ({
        name: `D5 "${text}"`,
        ask: 'POST /events',
        as: 'admin' as const,
        json: newEvent({ start_date: text, end_date: text }),
        status: 201,
        shows: { start_date: shown, utc_end_date: shown },
      })),
      ...NO_DATES.map((text) => ({
        name: `D5 "${text}" is no date`,
        ask: 'POST /events',
        as: 'admin' as const,
        json: newEvent({ start_date: text, end_date: text }),
        status: 400,
        code: 'rest_invalid_param',
        params: ['start_date', 'end_date'],
      })),
    ]);
    const day = (add: number): string => new Date(Date.now() + add * 86_400_000).toISOString().slice(0, 10);
    for (const [text, days, clock] of [
      ['tomorrow 9am', 1, '09:00:00'],
      ['today 23:59', 0, '23:59:00'],
      ['+2 weeks', 14, undefined],
      ['+3 days noon', 3, '12:00:00'],
      ['yesterday', -1, '00:00:00'],
    ] as const) {
      test(`D5 "${text}" counts from now`, async () => {
        const before = day(days);
        const event = await makeEvent(s, { start_date: text, end_date: '+5 weeks' });
        assert.ok([before, day(days)].includes(event.start_date.slice(0, 10)), event.start_date);
        if (clock) assert.equal(event.start_date.slice(11), clock);
      });
    }
    test('D5 "next monday" is a Monday of the next seven days', async () => {
      const event = await makeEvent(s, { start_date: 'next monday', end_date: 'next monday 8pm' });
      const at = new Date(`${event.start_date.replace(' ', 'T')}Z`);
      assert.equal(at.getUTCDay(), 1);
      const ahead = (at.getTime() - Date.now()) / 86_400_000;
      assert.ok(ahead > -0.01 && ahead <= 7, event.start_date);
      assert.equal(event.end_date, event.start_date.replace('00:00:00', '20:00:00'));
    });
  });
});
