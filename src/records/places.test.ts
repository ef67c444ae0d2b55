import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Places } from './places.js';

const placeOf = (at: number) => ({ at, headLength: 30, length: 5000 + (at % 7), rightAt: at });

test('places are found, confirmed and removed', () => {
  const places = new Places();
  places.set(7, placeOf(1));
  places.set(2 ** 34 + 7, placeOf(2));
  assert.deepEqual([places.get(7), places.get(2 ** 34 + 7), places.get(8)], [placeOf(1), placeOf(2), undefined]);
  places.confirm(7, 9);
  assert.deepEqual(places.get(7), { ...placeOf(1), rightAt: 9 });
  places.set(7, placeOf(3));
  assert.deepEqual(places.get(7), placeOf(3));
  places.delete(7);
  assert.deepEqual([places.get(7), places.get(2 ** 34 + 7)], [undefined, placeOf(2)]);
  places.clear();
  assert.equal(places.get(2 ** 34 + 7), undefined);
});

test('of half as many as there are slots, none is lost', () => {
  const places = new Places();
  for (let n = 1; n <= 32_000; n++) places.set(n * 7919, placeOf(n));
  let lost = 0;
  for (let n = 1; n <= 32_000; n++) if (!places.get(n * 7919)) lost++;
  assert.ok(lost < 300, `${lost} of 32,000`);
});

test('where there are too many, those that were written first make room', () => {
  const places = new Places();
  const many = 200_000;
  for (let n = 1; n <= many; n++) places.set(n, placeOf(n));
  let [old, late] = [0, 0];
  for (let n = 1; n <= many; n++) {
    const found = places.get(n);
    if (found) assert.deepEqual(found, placeOf(n));
    if (found && n <= many / 2) old++;
    if (found && n > many - 10_000) late++;
  }
  assert.ok(late > 9500, `${late} of the latest 10,000`);
  assert.ok(old < 10_000, `${old} of the first 100,000`);
});
