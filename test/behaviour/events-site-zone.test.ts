import assert from 'node:assert/strict';
import { test } from 'node:test';
import { behaviour, idsIn, makeEvent, must, newEvent, rows } from '../support/rows.js';

behaviour(
  'dates of an event, site in New York',
  async (s) => {
    rows(
      s,
      [
        {
          name: "D4 no zone given: the site's",
          json: {},
          shows: { timezone: 'America/New_York', utc_start_date: '2031-05-06 23:30:00' },
        },
        {
          name: 'D6 "" is the site\'s',
          json: { timezone: '' },
          shows: { timezone: 'America/New_York', utc_start_date: '2031-05-06 23:30:00' },
        },
        {
          name: "D4 an instant is shown in the site's zone",
          json: { start_date: '2031-05-06T12:00:00Z' },
          shows: { start_date: '2031-05-06 08:00:00' },
        },
        {
          name: 'D10 date is site time',
          json: { date: '2026-01-02 03:04:05' },
          shows: { date: '2026-01-02 03:04:05', date_utc: '2026-01-02 08:04:05' },
        },
        {
          name: 'D10 date_utc is UTC',
          json: { date_utc: '2026-07-02 03:04:05' },
          shows: { date: '2026-07-01 23:04:05', date_utc: '2026-07-02 03:04:05' },
        },
        {
          name: "D10 date ignores the event's zone",
          json: { date: '2026-01-02 03:04:05', timezone: 'Asia/Tokyo' },
          shows: { date: '2026-01-02 03:04:05', date_utc: '2026-01-02 08:04:05' },
        },
        {
          name: 'D10 date with an offset is that instant',
          json: { date: '2026-01-02T03:04:05+01:00' },
          shows: { date: '2026-01-01 21:04:05', date_utc: '2026-01-02 02:04:05' },
        },
      ].map((row) => ({ ...row, ask: 'POST /events', as: 'admin' as const, json: newEvent(row.json), status: 201 })),
    );
    test('D10 date and date_utc given together, and not meaning the same, still agree', async () => {
      const seen = await makeEvent(s, { date: '2026-01-02 03:04:05', date_utc: '2026-06-06 06:06:06' });
      const gap = Date.parse(`${seen.date_utc}Z`.replace(' ', 'T')) - Date.parse(`${seen.date}Z`.replace(' ', 'T'));
      assert.ok(gap === 5 * 3_600_000 || gap === 4 * 3_600_000, `${seen.date} ${seen.date_utc}`);
    });

    const elsewhen = { start_date: '2031-09-09', end_date: '2031-09-09' };
    for (const [kind, word, status] of [
      ['events', 'now', 'publish'],
      ['events', '-1 hour', 'publish'],
      ['events', '+1 hour', 'future'],
      ['venues', '+1 hour', 'future'],
      ['organizers', '-1 hour', 'publish'],
    ] as const) {
      test(`D5 D10 ${kind}: "${word}" as date_utc counts from now in UTC`, async () => {
        const name = { events: newEvent(elsewhen), venues: { venue: word }, organizers: { organizer: word } }[kind];
        const made = await must(s.post(`/${kind}`, { ...name, date_utc: word }, 'admin'));
        assert.equal(made.status, status);
        const off = Date.parse(`${made.date_utc.replace(' ', 'T')}Z`) - Date.now();
        const wanted = { now: 0, '-1 hour': -3_600_000, '+1 hour': 3_600_000 }[word];
        assert.ok(Math.abs(off - wanted) < 60_000, made.date_utc);
      });
    }
    test('D12 "now" as the beginning of a sale is now in UTC', async () => {
      const { tickets } = await makeEvent(s, { ...elsewhen, tickets: [{ name: 'Seat', sale_starts: 'now' }] });
      const off = Date.parse(`${tickets[0].sale_starts.replace(' ', 'T')}Z`) - Date.now();
      assert.ok(Math.abs(off) < 60_000, tickets[0].sale_starts);
    });

    const late = await makeEvent(s, { start_date: '2031-05-06 23:30', end_date: '2031-05-06 23:45' });
    const tokyo = await makeEvent(s, {
      timezone: 'Asia/Tokyo',
      start_date: '2031-05-07 08:00',
      end_date: '2031-05-07 09:00',
    });
    const EPOCH = Date.UTC(2031, 4, 7, 3, 30) / 1000;
    const days: [string, Record<string, unknown>, number[]][] = [
      ["B5 a day is the site's day", { start_date: '2031-05-06', end_date: '2031-05-06' }, [tokyo.id, late.id]],
      ['B5 not the day of UTC or of the event', { start_date: '2031-05-07', end_date: '2031-05-07' }, []],
      [
        'B5 strict without offset is site time',
        { start_date: '2031-05-06 23:30', end_date: '2031-05-06 23:45', strict_dates: true },
        [late.id],
      ],
      [
        'B5 strict with an offset is that instant',
        { start_date: '2031-05-07T03:30:00Z', end_date: '2031-05-07T12:45:00+09:00', strict_dates: true },
        [late.id],
      ],
      [
        "B5 an instant names the site's day",
        { start_date: '2031-05-07T03:00:00Z', end_date: '2031-05-07T03:00:00Z' },
        [tokyo.id, late.id],
      ],
      ['B5 a timestamp too', { starts_after: EPOCH - 1, starts_before: EPOCH + 1, strict_dates: true }, [late.id]],
    ];
    for (const [name, query, ids] of days) {
      test(name, async () => {
        assert.deepEqual(
          idsIn(await s.get('/events', query), 'events').filter((id) => [late.id, tokyo.id].includes(id)),
          ids,
        );
      });
    }
    test('B4 the default window is whole days of the site', async () => {
      const shown = new URL((await must(s.get('/events'), 200)).rest_url).searchParams;
      const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(new Date());
      assert.equal(shown.get('start_date'), `${today} 00:00:00`);
      assert.match(shown.get('end_date') ?? '', new RegExp(`^${Number(today.slice(0, 4)) + 2}-.* 23:59:59$`));
    });
  },
  { KALENDS_TIMEZONE: 'America/New_York' },
);
