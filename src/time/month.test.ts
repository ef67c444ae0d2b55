import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayAfter, isMonth, monthLater, weeksOf } from './month.js';

test('weeks of a month begin as those of the language do', () => {
  const [first, ...rest] = weeksOf('2027-02', 'de');
  assert.deepEqual(
    first,
    ['01', '02', '03', '04', '05', '06', '07'].map((day) => `2027-02-${day}`),
  );
  assert.equal(rest.length, 3);
  const english = weeksOf('2027-02', 'en');
  assert.deepEqual([english.length, english[0]?.[0], english[0]?.[1]], [5, undefined, '2027-02-01']);
  assert.equal(weeksOf('2027-02', 'ar')[0]?.[2], '2027-02-01');
  assert.equal(weeksOf('2028-02', 'en').flat().filter(Boolean).at(-1), '2028-02-29');
});

test('months before the first and after the last cannot be written', () => {
  assert.deepEqual([monthLater('2026-12', 1), monthLater('2026-01', -1)], ['2027-01', '2025-12']);
  assert.deepEqual([monthLater('0001-01', -1), monthLater('9999-12', 1)], [undefined, undefined]);
  assert.deepEqual([dayAfter('2026-12-31', 1), dayAfter('9999-12-31', 1)], ['2027-01-01', '9999-12-31']);
  assert.deepEqual(['2026-12', '2026-13', '0000-01', '26-01'].map(isMonth), [true, false, false, false]);
});
