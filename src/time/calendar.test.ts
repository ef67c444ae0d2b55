import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY, dateFrom, daysFrom, daysInMonth, FIRST, LAST, localFrom, wallFrom, weekdayOf } from './calendar.js';

test('every day of the years 1–9999 comes after the day before it', () => {
  let year = 1;
  let month = 1;
  let day = 1;
  const leap = () => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = () => (month === 2 ? (leap() ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
  for (let days = FIRST / DAY; days <= Math.floor(LAST / DAY); days += 1) {
    const date = dateFrom(days);
    if (date.year !== year || date.month !== month || date.day !== day || daysFrom(year, month, day) !== days) {
      assert.deepEqual([date, daysFrom(year, month, day)], [{ year, month, day }, days]);
    }
    day += 1;
    if (day > length()) {
      assert.equal(daysInMonth(year, month), day - 1);
      day = 1;
      month = (month % 12) + 1;
      if (month === 1) year += 1;
    }
  }
  assert.equal(year, 10_000);
});

test('months and days overflow', () => {
  assert.deepEqual(dateFrom(daysFrom(2033, 14, 1)), { year: 2034, month: 2, day: 1 });
  assert.deepEqual(dateFrom(daysFrom(2033, 3, 0)), { year: 2033, month: 2, day: 28 });
  assert.deepEqual(dateFrom(daysFrom(2033, -1, 31)), { year: 2032, month: 12, day: 1 });
});

test('weekdays, on both sides of 1970', () => {
  assert.equal(weekdayOf(0), 4);
  assert.equal(weekdayOf(-4), 0);
  assert.equal(weekdayOf(daysFrom(2033, 6, 15)), 3);
});

test('wall clocks come back, and keep their shape beyond the ends', () => {
  for (const local of [FIRST, -1, 0, 951_825_599, LAST]) assert.equal(localFrom(wallFrom(local)), local);
  assert.equal(wallFrom(FIRST - 1), '0001-01-01 00:00:00');
  assert.equal(wallFrom(LAST + 1), '9999-12-31 23:59:59');
  for (const text of ['', '2033-06-20', '2033-06-20T18:05:00', '12033-06-20 18:05:00'])
    assert.throws(() => localFrom(text), RangeError);
});
