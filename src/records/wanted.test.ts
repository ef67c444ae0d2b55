import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from './fingerprint.js';
import { Wanted } from './wanted.js';

const addresses = (many: number, prefix = '/events?page='): string[] =>
  Array.from({ length: many }, (_, n) => `${prefix}${n}`);

test('what was requested before is wanted, until very many others were requested', () => {
  const wanted = new Wanted(4096);
  assert.deepEqual(
    [wanted.isWanted('/events'), wanted.isWanted('/events'), wanted.isWanted('/events')],
    [false, true, true],
  );
  const some = addresses(500);
  for (const one of some) assert.ok(!wanted.isWanted(one));
  const again = some.filter((one) => wanted.isWanted(one)).length;
  assert.ok(again > 480, `${again} of 500 are remembered`);
  for (const one of addresses(100_000, '/venues?page=')) wanted.isWanted(one);
  const left = some.filter((one) => wanted.isWanted(one)).length;
  assert.ok(left < 50, `${left} of 500 are left`);
});

test('what was too large is not wanted any more, and may be asked about', () => {
  const wanted = new Wanted(64);
  wanted.isWanted('all');
  wanted.giveUp('all');
  assert.deepEqual([wanted.isWanted('all'), wanted.isGivenUp('all'), wanted.isGivenUp('few')], [false, true, false]);
});

test('fingerprints of like keys differ, of texts and of numbers', () => {
  const texts = addresses(20_000);
  const numbers = texts.map((_, n) => (n % 10) * 2 ** 32 + n);
  for (const keys of [texts, numbers]) {
    const prints = keys.map(fingerprint);
    assert.ok(new Set(prints).size > keys.length - 3);
    // Their last bits choose the place in a table: none is chosen much more often than the others.
    const places = new Map<number, number>();
    for (const print of prints) places.set(print % 16, (places.get(print % 16) ?? 0) + 1);
    for (const many of places.values()) assert.ok(many > 1000 && many < 1500, `${many} of 20,000 in one of 16 places`);
    assert.ok(prints.every((print) => print > 0 && print < 2 ** 32 && Number.isInteger(print)));
  }
});
