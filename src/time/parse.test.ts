import assert from 'node:assert/strict';
import test from 'node:test';
import { parseMoment } from './parse.js';
import { findZone, toInstant, toWall, UTC } from './zone.js';

/** Wednesday. In UTC it is already Thursday the 16th, 01:45:30. */
const newYork = findZone('America/New_York') ?? UTC;
const now = { instant: toInstant('2033-06-15 21:45:30', newYork), zone: newYork };

/** The wall-clock time that was read; instants in UTC, with ' UTC' appended. */
function read(value: string | number): string | undefined {
  const moment = parseMoment(value, now);
  if (!moment) return undefined;
  return 'wall' in moment ? moment.wall : `${toWall(moment.instant, UTC)} UTC`;
}

const same = '2033-06-20 18:05:00';
const day = '2033-06-20 00:00:00';
const rows: [value: string | number, expected: string][] = [
  // The examples of the specification, and similar spellings.
  ['2033-06-20 18:05:00', same],
  ['  2033-06-20 18:05:00\n', same],
  ['2033-06-20\u00a018:05', same],
  ['2033-06-20 18:05', same],
  ['2033-06-20', day],
  ['2033-6-20', day],
  ['2033-6-2 9:05', '2033-06-02 09:05:00'],
  ['2033-6-2 9:5', '2033-06-02 09:05:00'],
  ['2033-6-2 9:5:7', '2033-06-02 09:05:07'],
  ['2033-06', '2033-06-01 00:00:00'],
  ['0001-01-01 00:00:00', '0001-01-01 00:00:00'],
  ['9999-12-31 23:59:59', '9999-12-31 23:59:59'],
  ['2032-02-29', '2032-02-29 00:00:00'],
  // ISO 8601 and RFC 3339.
  ['+2033-06-20T18:05', same],
  ['2033-06-20T20:05:00+02:00:00', `${same} UTC`],
  ['2033-W25-0', '2033-06-19 00:00:00'],
  ['2033-06-20T18:05', same],
  ['2033-06-20t18:05:00', same],
  ['2033-06-20T18:05:00.999', same],
  ['2033-06-20T18:05:00,5', same],
  ['2033-06-20T18', '2033-06-20 18:00:00'],
  ['2033-06-20T1805', same],
  ['20330620T180500', same],
  ['20330620T1805', same],
  ['20330620T18:05:00', same],
  ['20330620 180500', same],
  ['20330620 1805', same],
  ['2033-06-20T18:05:00Z', `${same} UTC`],
  ['2033-06-20T18:05:00z', `${same} UTC`],
  ['2033-06-20T18:05:00.123Z', `${same} UTC`],
  ['20330620T180500Z', `${same} UTC`],
  ['2033-06-20T20:05:00+02:00', `${same} UTC`],
  ['2033-06-20T20:05:00+0200', `${same} UTC`],
  ['2033-06-20T20:05:00+02', `${same} UTC`],
  ['2033-06-20T13:05-05:00', `${same} UTC`],
  ['2033-06-20T13:05:00\u221205:00', `${same} UTC`],
  ['2033-06-20 23:50:00+05:45', `${same} UTC`],
  ['2033-06-20T18:05:00-00:00', `${same} UTC`],
  ['2033-06-20+02:00', '2033-06-19 22:00:00 UTC'],
  ['2033-06-20T20:05:00+02:00[Europe/Paris]', `${same} UTC`],
  ['2033-06-20T20:05:00[Europe/Paris]', `${same} UTC`],
  ['2033-W25-1', day],
  ['2033W251', day],
  ['2033-W25', day],
  ['2033-w25-1T18:05', same],
  ['2026-W53-7', '2027-01-03 00:00:00'],
  ['2033-171', day],
  ['2033.171', day],
  ['2032-366', '2032-12-31 00:00:00'],
  ['2033-06-20 24:00:00', '2033-06-21 00:00:00'],
  ['2033-12-31T24:00', '2034-01-01 00:00:00'],
  ['2033-06-20 23:59:60', '2033-06-21 00:00:00'],
  // Zones in the text.
  ['2033-06-20 18:05:00 UTC', `${same} UTC`],
  ['2033-06-20 18:05 GMT', `${same} UTC`],
  ['2033-06-20 20:05 GMT+2', `${same} UTC`],
  ['2033-06-20 20:05 utc+0200', `${same} UTC`],
  ['2033-06-20 14:05:00 America/New_York', `${same} UTC`],
  ['2033-06-20 14:05:00 america/new_york', `${same} UTC`],
  ['2033-06-20 14:05 EDT', `${same} UTC`],
  ['2033-06-20 13:05 EST', `${same} UTC`],
  ['2033-06-20 20:05 CEST', `${same} UTC`],
  ['2033-06-20 20:05 (CEST)', `${same} UTC`],
  ['2033-06-20 20:05 Europe/Paris', `${same} UTC`],
  ['Mon Jun 20 2033 20:05:00 GMT+0200 (Central European Summer Time)', `${same} UTC`],
  ['2033-06-20 +2 weeks UTC', '2033-07-04 00:00:00 UTC'],
  ['2033-03-13 02:30 America/New_York', '2033-03-13 07:30:00 UTC'],
  ['2033-10-30 02:30 Europe/Paris', '2033-10-30 00:30:00 UTC'],
  // Timestamps.
  [2002903500, `${same} UTC`],
  [2002903500.9, `${same} UTC`],
  [0, '1970-01-01 00:00:00 UTC'],
  [-1, '1969-12-31 23:59:59 UTC'],
  ['2002903500', `${same} UTC`],
  ['+2002903500', `${same} UTC`],
  ['@2002903500', `${same} UTC`],
  ['@2002903500.75', `${same} UTC`],
  ['2002903500.75', `${same} UTC`],
  ['-86400', '1969-12-31 00:00:00 UTC'],
  ['0', '1970-01-01 00:00:00 UTC'],
  ['2033', '1970-01-01 00:33:53 UTC'],
  // Digits that are a date.
  ['20330620', day],
  ['20330620180500', same],
  // Slashes, dots and dashes.
  ['06/20/2033', day],
  ['6/20/2033 18:05', same],
  ['6/20/33', day],
  ['10/04/2033', '2033-10-04 00:00:00'],
  ['6/20', day],
  ['2033/06/20', day],
  ['2033/6/20 6:05pm', same],
  ['2033.06.20', day],
  ['20.06.2033', day],
  ['20.6.2033 18:05', same],
  ['20-06-2033', day],
  ['4-10-2033', '2033-10-04 00:00:00'],
  ['20.06.78', '1978-06-20 00:00:00'],
  ['33-06-20', day],
  ['2033:06:20 18:05:00', same],
  ['20/Jun/2033:20:05:00 +0200', `${same} UTC`],
  // Names of months.
  ['20 June 2033', day],
  ['20 June 2033 18:05', same],
  ['20 jun 2033', day],
  ['20. June 2033', day],
  ['20th of June 2033', day],
  ['20th June 2033, 6:05 pm', same],
  ['20-Jun-2033', day],
  ['20jun2033', day],
  ['20 Jun 33', day],
  ['June 20, 2033', day],
  ['June 20 2033', day],
  ['June 20th, 2033 6:05 PM', same],
  ['Jun. 20, 2033', day],
  ['Jun-20-2033', day],
  ['2033-Jun-20', day],
  ['2033 June 20', day],
  ['June 2033', '2033-06-01 00:00:00'],
  ['2033 June', '2033-06-01 00:00:00'],
  ['Sept 5, 2033', '2033-09-05 00:00:00'],
  ['1st January 2034', '2034-01-01 00:00:00'],
  ['June 20', day],
  ['20 June', day],
  ['20 June 18:05', same],
  ['20 June 6:05pm', same],
  ['June 20 6pm', '2033-06-20 18:00:00'],
  ['December', '2033-12-15 00:00:00'],
  // Mail, web servers, C.
  ['Mon, 20 Jun 2033 18:05:00 GMT', `${same} UTC`],
  ['Mon, 20 Jun 2033 20:05:00 +0200', `${same} UTC`],
  ['Mon, 20 Jun 33 18:05:00 +0000', `${same} UTC`],
  ['Monday, 20-Jun-33 18:05:00 GMT', `${same} UTC`],
  ['Mon Jun 20 18:05:00 2033', same],
  ['Mon Jun 20 18:05:00 UTC 2033', `${same} UTC`],
  ['Monday, June 20, 2033 at 6:05 PM', same],
  // A weekday that does not match the date moves it forward to that weekday, as in the reference.
  ['Tue, 20 Jun 2033', '2033-06-21 00:00:00'],
  // Clock times.
  ['2033-06-20 6pm', '2033-06-20 18:00:00'],
  ['2033-06-20 6 p.m.', '2033-06-20 18:00:00'],
  ['2033-06-20 12am', day],
  ['2033-06-20 12pm', '2033-06-20 12:00:00'],
  ['2033-06-20 12:30 a.m.', '2033-06-20 00:30:00'],
  ['2033-06-20 06:05:07 PM', '2033-06-20 18:05:07'],
  ['2033-06-20 18.05', same],
  ['6:05pm 2033-06-20', same],
  ['18:05', '2033-06-15 18:05:00'],
  ['9am', '2033-06-15 09:00:00'],
  ['T18:05', '2033-06-15 18:05:00'],
  ['18:05 UTC', '2033-06-16 18:05:00 UTC'],
  // Relative words.
  ['now', '2033-06-15 21:45:30'],
  ['NOW', '2033-06-15 21:45:30'],
  ['now UTC', '2033-06-16 01:45:30 UTC'],
  ['12.5', '2033-06-15 12:05:00'],
  ['today', '2033-06-15 00:00:00'],
  ['midnight', '2033-06-15 00:00:00'],
  ['noon', '2033-06-15 12:00:00'],
  ['tomorrow', '2033-06-16 00:00:00'],
  ['tomorrow 9am', '2033-06-16 09:00:00'],
  ['tomorrow at 9am', '2033-06-16 09:00:00'],
  ['9am tomorrow', '2033-06-16 09:00:00'],
  ['tomorrow 9am Asia/Tokyo', '2033-06-17 00:00:00 UTC'],
  ['tomorrow noon', '2033-06-16 12:00:00'],
  ['yesterday noon', '2033-06-14 12:00:00'],
  ['noon yesterday', '2033-06-14 12:00:00'],
  ['yesterday', '2033-06-14 00:00:00'],
  ['wednesday', '2033-06-15 00:00:00'],
  ['thursday', '2033-06-16 00:00:00'],
  ['tuesday 8:15', '2033-06-21 08:15:00'],
  ['this wednesday', '2033-06-15 00:00:00'],
  // Words and times without a blank between, and times without a colon.
  ['today18:05', '2033-06-15 18:05:00'],
  ['tuesdayT22', '2033-06-21 22:00:00'],
  ['20 juneT18:05', same],
  ['tomorrow 1805', '2033-06-16 18:05:00'],
  ['tomorrow 180500', '2033-06-16 18:05:00'],
  ['6/20 1805', same],
  ['6/20 2035', '2035-06-20 00:00:00'],
  ['7/14 1789', '1789-07-14 00:00:00'],
  ['20 VI 2033', day],
  ['20.vi.2033 18:05', same],
  ['next monday', '2033-06-20 00:00:00'],
  ['3 friday', '2033-07-01 00:00:00'],
  ['2 fridays ago', '2033-06-03 00:00:00'],
  ['1 wednesday ago', '2033-06-08 00:00:00'],
  ['next weekday', '2033-06-16 00:00:00'],
  ['sixth friday of june 2033', '2033-07-08 00:00:00'],
  ['next wednesday', '2033-06-22 00:00:00'],
  ['next wednesday 4pm', '2033-06-22 16:00:00'],
  ['next wed at 16:00', '2033-06-22 16:00:00'],
  ['last wednesday', '2033-06-08 00:00:00'],
  ['last thursday', '2033-06-09 00:00:00'],
  ['last tuesday', '2033-06-14 00:00:00'],
  ['previous fri', '2033-06-10 00:00:00'],
  ['second friday', '2033-06-24 00:00:00'],
  ['+2 monday', '2033-06-27 00:00:00'],
  ['monday next week', '2033-06-20 00:00:00'],
  ['friday next week', '2033-06-24 00:00:00'],
  ['sunday this week', '2033-06-19 00:00:00'],
  ['monday this week', '2033-06-13 00:00:00'],
  ['sunday last week', '2033-06-12 00:00:00'],
  ['next week', '2033-06-22 21:45:30'],
  ['last month', '2033-05-15 21:45:30'],
  ['next year', '2034-06-15 21:45:30'],
  ['this week', '2033-06-15 21:45:30'],
  ['next month 10:00', '2033-07-15 10:00:00'],
  ['+2 weeks', '2033-06-29 21:45:30'],
  ['2 weeks', '2033-06-29 21:45:30'],
  ['+1 week 2 days', '2033-06-24 21:45:30'],
  ['-1 day', '2033-06-14 21:45:30'],
  ['3 days ago', '2033-06-12 21:45:30'],
  ['2 weeks ago noon', '2033-06-01 12:00:00'],
  ['1 fortnight ago', '2033-06-01 21:45:30'],
  ['+1 hour 20 minutes', '2033-06-15 23:05:30'],
  ['-90 sec', '2033-06-15 21:44:00'],
  ['+4 hours UTC', '2033-06-16 05:45:30 UTC'],
  ['+3 weekdays', '2033-06-20 21:45:30'],
  ['5 weekdays ago', '2033-06-08 21:45:30'],
  ['today +1 month', '2033-07-15 00:00:00'],
  ['2033-01-31 +1 month', '2033-03-03 00:00:00'],
  ['2033-06-20 18:05 -1 week', '2033-06-13 18:05:00'],
  ['2033-03-12 22:00 +6 hours', '2033-03-13 05:00:00'],
  ['first monday of january 2034', '2034-01-02 00:00:00'],
  ['last friday of november 2033', '2033-11-25 00:00:00'],
  ['third tuesday of next month', '2033-07-19 00:00:00'],
  ['last friday of november 2033 6pm', '2033-11-25 18:00:00'],
  ['first day of next month', '2033-07-01 21:45:30'],
  ['last day of february 2032', '2032-02-29 00:00:00'],
  ['first day of january 2034 9:00', '2034-01-01 09:00:00'],
];
for (const [value, expected] of rows)
  test(`${JSON.stringify(value)} is ${expected} (D5)`, () => assert.equal(read(value), expected));

const unreadable: (string | number)[] = [
  ...['', 'garbage', 'true', 'null', 'NaN', 'Infinity', '[]', '-', '+', '@', '@x', '#', '٢٠٣٣'],
  // Impossible dates and times (D4).
  ...['2033-02-30', '2033-02-29', '2033-04-31', '2033-13-01', '2033-00-10', '2033-06-00', '2033-06-32', '20330230'],
  ...['0000-00-00', '0000-00-00 00:00:00', '0000-01-01', '10000-01-01', '-2033-06-20', '20331301', '99999999'],
  ...['13/20/2033', '20/06/2033', '31.04.2033', '31 April 2033', 'Feb 30, 2033', '29 February 2033', 'June 0, 2033'],
  ...['2033-06-20 25:00', '2033-06-20 24:01', '2033-06-20 10:60', '2033-06-20 10:61', '2033-06-20 10:00:61'],
  ...[
    '2033-06-20 13pm',
    '2033-06-20 0am',
    '2033-W54',
    '2033-W00-1',
    '2033-W53-1',
    '2033-W25-8',
    '2033-366',
    '2033-000',
  ],
  // The same thing twice, or something left over.
  ...['2033-06-20 2033-06-21', '10:00 11:00', '2033-06-20T18:05:00Z UTC', 'monday tuesday', 'noon 9am'],
  ...['2033-06-20 18:05 Mars/Phobos', '2033-06-20 18:05 foo', '2033-06-20x', '2033-06-20 18:05:00+25:00', '18:05Zulu2'],
  ...[' ', '\t\n', ',', 'at', ', on ', 'UTC', '+02:00', 'Europe/Paris'],
  ...['2033-06-20 10', '12.65', '1e9', '0x10', 'nexte monday', 'next', 'first of'],
  // Out of the years 1–9999.
  ...[
    '+9000 years',
    '-3000 years',
    '999999999 days',
    '253402300800',
    '-62135596801',
    '1700000000000',
    '+99999 weekdays',
  ],
  ...['9999-12-31 24:00:00', '0001-01-01T00:00:00+05:00', '9999-12-31 23:59:59 -05:00', `2033-06-20${' x'.repeat(99)}`],
  ...[Number.NaN, Number.POSITIVE_INFINITY, 253402300800, -62135596801, 1.7e12, 1.5, -0.5],
];
for (const value of unreadable)
  test(`${JSON.stringify(value)} (${value}) is not readable (D4, D5)`, () => assert.equal(read(value), undefined));

test('values that are neither text nor number are not readable', () => {
  for (const value of [null, undefined, true, [], {}]) assert.equal(read(value as unknown as string), undefined);
});

test('hours are elapsed time, in the second of a fold too', () => {
  const second = { instant: toInstant('2033-11-06 06:30:00', UTC), zone: newYork };
  assert.deepEqual(parseMoment('+1 hour', second), { wall: '2033-11-06 02:30:00' });
  assert.deepEqual(parseMoment('-1 hour', second), { wall: '2033-11-06 01:30:00' });
  // Whose wall clock is that of the first.
  assert.deepEqual(parseMoment('now', second), { instant: second.instant });
  assert.deepEqual(parseMoment('+10 minutes', second), { instant: second.instant + 600 });
  assert.deepEqual(parseMoment('now', { ...second, instant: second.instant - 3600 }), { wall: '2033-11-06 01:30:00' });
});

test('on the 31st', () => {
  const late = { instant: toInstant('2033-01-31 12:00:00', UTC), zone: UTC };
  assert.deepEqual(parseMoment('last day of next month', late), { wall: '2033-02-28 12:00:00' });
  assert.deepEqual(parseMoment('first monday of next month', late), { wall: '2033-02-07 00:00:00' });
});

test('a plain date and time, read the short way, is what it is with a blank behind it', () => {
  const now = { instant: 0, zone: UTC };
  for (const text of [
    '2026-11-15 06:30:59',
    '0001-01-01 00:00:00',
    '9999-12-28 23:59:59',
    '0000-01-01 00:00:00',
    '2026-13-01 00:00:00',
    '2026-00-01 00:00:00',
    '2026-02-28 24:00:00',
    '2026-02-00 12:00:00',
    '2026-02-28 12:60:00',
    '2026-02-28 12:00:60',
  ])
    assert.deepEqual(parseMoment(text, now), parseMoment(`${text} `, now), text);
});
