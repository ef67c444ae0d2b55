import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { addDays, addYears, details, endOfDay, nowSeconds, startOfDay, toIso } from './clock.js';
import { findZone, toWall, UTC } from './zone.js';

const anyInstant = fc.integer({
  min: Date.parse('0001-01-01T00:00:00Z') / 1000,
  max: Date.parse('9999-12-31T23:59:59Z') / 1000,
});

test('now is whole seconds', () => {
  assert.ok(Number.isInteger(nowSeconds()));
  assert.ok(Math.abs(nowSeconds() - Date.now() / 1000) < 2);
});

test('the day of a wall clock', () => {
  assert.equal(startOfDay('2033-06-20 18:30:15'), '2033-06-20 00:00:00');
  assert.equal(endOfDay('2033-06-20 18:30:15'), '2033-06-20 23:59:59');
});

test('details spell the wall clock', () => {
  assert.deepEqual(details('2033-06-20 18:30:15'), {
    year: '2033',
    month: '06',
    day: '20',
    hour: '18',
    minutes: '30',
    seconds: '15',
  });
});

test('ISO 8601 with the offset of that instant', () => {
  const at = (name: string, instant: number) => toIso(instant, findZone(name) ?? UTC);
  assert.equal(at('America/New_York', 1483644216), '2017-01-05T14:23:36-05:00');
  assert.equal(at('America/New_York', 1499282616), '2017-07-05T15:23:36-04:00');
  assert.equal(at('UTC', 0), '1970-01-01T00:00:00+00:00');
  assert.equal(at('UTC+5.75', 0), '1970-01-01T05:45:00+05:45');
  assert.equal(at('UTC-3.5', 0), '1969-12-31T20:30:00-03:30');
});

test('years', () => {
  assert.equal(addYears('2032-02-29 10:00:00', 2), '2034-03-01 10:00:00');
  assert.equal(addYears('2032-02-29 10:00:00', 4), '2036-02-29 10:00:00');
  assert.equal(addYears('2032-12-31 23:59:59', 1), '2033-12-31 23:59:59');
  assert.equal(addYears('2032-02-29 10:00:00', -1), '2031-03-01 10:00:00');
  assert.equal(addYears('9998-06-01 00:00:00', 2), '9999-12-31 23:59:59');
});

test('days, against Temporal', () => {
  assert.equal(addDays('2032-02-28 10:00:00', 2), '2032-03-01 10:00:00');
  fc.assert(
    fc.property(anyInstant, fc.integer({ min: -1000, max: 1000 }), (instant, days) => {
      const wall = toWall(instant, UTC);
      const theirs = Temporal.PlainDateTime.from(wall.replace(' ', 'T')).add({ days });
      if (theirs.year < 1 || theirs.year > 9999) return;
      assert.equal(addDays(wall, days), theirs.toString({ smallestUnit: 'second' }).replace('T', ' '));
    }),
  );
});

test('a text of another shape is a mistake of ours', () => {
  assert.throws(() => addDays('2033-06-20', 1), RangeError);
});
