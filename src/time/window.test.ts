import assert from 'node:assert/strict';
import test from 'node:test';
import { type DateFilters, listWindow } from './window.js';
import { findZone, toInstant, toWall, UTC, type Zone } from './zone.js';

const newYork = findZone('America/New_York') ?? UTC;
const now = toInstant('2033-06-20 23:30:00', newYork);

/** The window as wall-clock times of the site, which are easier to read than seconds. */
function read(filters: Partial<DateFilters>, site: Zone = newYork, at = now) {
  const { shown, ...bounds } = listWindow({ strict: false, ...filters }, site, at);
  return { ...Object.fromEntries(Object.entries(bounds).map(([key, value]) => [key, toWall(value, site)])), shown };
}

test('B4: today and two years, in the zone of the site', () => {
  const shown = { start_date: '2033-06-20 00:00:00', end_date: '2035-06-20 23:59:59' };
  assert.deepEqual(read({}), { startFrom: shown.start_date, endUntil: shown.end_date, shown });
  assert.equal(read({}, UTC).shown.start_date, '2033-06-21 00:00:00');
  assert.equal(read({}, findZone('Pacific/Kiritimati')).shown.start_date, '2033-06-21 00:00:00');
});

test('B4: strict has the same default', () => {
  assert.deepEqual(read({ strict: true }), read({}));
});

test('B4: from a leap day it ends on 1 March', () => {
  const at = toInstant('2032-02-29 12:00:00', UTC);
  assert.equal(read({}, UTC, at).shown.end_date, '2034-03-01 23:59:59');
});

test('B4, B7: a missing one of the pair takes its default', () => {
  assert.deepEqual(read({ start_date: { wall: '2040-01-05 10:00:00' } }), {
    startFrom: '2040-01-05 00:00:00',
    endUntil: '2035-06-20 23:59:59',
    shown: { start_date: '2040-01-05 00:00:00', end_date: '2035-06-20 23:59:59' },
  });
  assert.equal(read({ end_date: { wall: '2034-01-05 10:00:00' } }).shown.start_date, '2033-06-20 00:00:00');
});

const day = { wall: '2033-08-10 15:00:00' };
const end = '2033-08-10 23:59:59';
const loose: [filter: keyof DateFilters, bound: string, value: string, shown: string][] = [
  ['start_date', 'startFrom', '2033-08-10 00:00:00', '2033-08-10 00:00:00'],
  ['starts_before', 'startUntil', end, end],
  ['starts_after', 'startFrom', '2033-08-11 00:00:00', end],
  ['ends_before', 'endUntil', end, end],
  ['ends_after', 'endFrom', '2033-08-11 00:00:00', end],
];
for (const [filter, bound, value, shown] of loose) {
  test(`B6: ${filter} is a whole day when not strict`, () => {
    const window = read({ [filter]: day, ...(filter === 'start_date' && { ends_after: undefined, end_date: day }) });
    assert.equal((window as Record<string, unknown>)[bound], value);
    assert.equal(window.shown[filter as 'start_date'], shown);
  });
}

const strict: [filter: keyof DateFilters, bound: string, value: string][] = [
  ['start_date', 'startFrom', '2033-08-10 15:00:00'],
  ['end_date', 'endUntil', '2033-08-10 15:00:00'],
  ['starts_before', 'startUntil', '2033-08-10 14:59:59'],
  ['starts_after', 'startFrom', '2033-08-10 15:00:01'],
  ['ends_before', 'endUntil', '2033-08-10 14:59:59'],
  ['ends_after', 'endFrom', '2033-08-10 15:00:01'],
];
for (const [filter, bound, value] of strict) {
  test(`B6: ${filter} is to the second when strict`, () => {
    const window = read({ [filter]: day, strict: true });
    assert.equal((window as Record<string, unknown>)[bound], value);
    assert.equal(window.shown[filter as 'start_date'], day.wall);
  });
}

test('B7: a relative filter drops the default window, nothing else', () => {
  assert.deepEqual(read({ starts_before: day }), { startUntil: end, shown: { starts_before: end } });
  assert.deepEqual(read({ ends_after: day, end_date: { wall: '2033-09-01 00:00:00' } }), {
    endFrom: '2033-08-11 00:00:00',
    endUntil: '2033-09-01 23:59:59',
    shown: { ends_after: end, end_date: '2033-09-01 23:59:59' },
  });
});

test('B7: filters on the same bound are ANDed, and both are shown', () => {
  const later = { wall: '2033-08-20 00:00:00' };
  for (const filters of [
    { start_date: later, starts_after: day },
    { start_date: day, starts_after: { wall: '2033-08-19 00:00:00' } },
  ]) {
    const window = listWindow({ ...filters, strict: false }, newYork, now);
    assert.equal(toWall(window.startFrom ?? 0, newYork), '2033-08-20 00:00:00');
    assert.deepEqual(Object.keys(window.shown), ['start_date', 'starts_after']);
  }
  const window = listWindow({ end_date: day, ends_before: later, strict: false }, newYork, now);
  assert.equal(toWall(window.endUntil ?? 0, newYork), end);
});

test('B5: an instant is seen in the zone of the site, then its day is taken', () => {
  const instant = toInstant('2033-08-11 02:00:00', UTC);
  assert.equal(read({ starts_before: { instant } }).shown.starts_before, end);
  assert.equal(read({ starts_before: { instant } }, UTC).shown.starts_before, '2033-08-11 23:59:59');
  const exact = listWindow({ start_date: { instant }, strict: true }, newYork, now);
  assert.equal(exact.startFrom, instant);
  assert.equal(exact.shown.start_date, '2033-08-10 22:00:00');
});

test('B5: a strict instant in a fold stays that instant', () => {
  const second = toInstant('2033-11-06 06:30:00', UTC);
  assert.equal(listWindow({ end_date: { instant: second }, strict: true }, newYork, now).endUntil, second);
});

test('B6: an all-day event of that very day ends before it is over', () => {
  const window = listWindow({ ends_before: day, strict: false }, newYork, now);
  assert.ok(toInstant(end, newYork) <= (window.endUntil ?? 0));
});

test('B6: a day whose midnight is skipped or repeated is whole', () => {
  const cuba = findZone('America/Havana') ?? UTC;
  const length = (wall: string) => {
    const { startFrom = 0, endUntil = 0 } = listWindow(
      { start_date: { wall }, end_date: { wall }, strict: false },
      cuba,
      now,
    );
    return (endUntil + 1 - startFrom) / 3600;
  };
  assert.equal(length('2033-03-13 12:00:00'), 23);
  assert.equal(length('2033-11-06 12:00:00'), 25);
  assert.equal(length('9999-12-31 12:00:00'), 24);
});
