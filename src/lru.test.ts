import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lru } from './lru.js';

const filled = (bytes: number, entries: number, keys: string[]): Lru<string, string> => {
  const held = new Lru<string, string>(bytes, entries);
  for (const key of keys) held.set(key, key.toUpperCase(), 10);
  return held;
};
const those = (held: Lru<string, string>): string =>
  held
    .entries()
    .flat()
    .filter((text) => /[a-z]/.test(text))
    .sort()
    .join('');

test('what was not used goes first', () => {
  const held = filled(1000, 3, ['a', 'b', 'c']);
  held.get('a');
  held.set('d', 'D', 10);
  assert.equal(those(held), 'acd');
});

test('something new comes in even where everything else is in use', () => {
  const held = filled(1000, 3, ['a', 'b', 'c']);
  for (const key of ['a', 'b', 'c']) held.get(key);
  held.set('d', 'D', 10);
  assert.equal(held.get('d'), 'D');
  assert.equal(held.size, 3);
});

test('bytes are bounded, counted once for each key, and given back', () => {
  const held = filled(50, 100, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  assert.equal(held.bytes, 50);
  held.set('g', 'other', 20);
  assert.equal(held.bytes, 50);
  held.set('large', 'x', 38);
  assert.equal(held.get('large'), undefined, 'what alone takes most of the room is not held');
  for (const [key] of held.entries()) held.delete(key);
  assert.equal(held.bytes, 0);
});

test('making room goes on where it ended, and finds what came, went or was used meanwhile', () => {
  const held = filled(1000, 3, ['a', 'b', 'c']);
  held.set('d', 'D', 10);
  held.delete('b');
  held.set('e', 'E', 10);
  assert.equal(those(held), 'cde');
  held.get('c');
  held.set('f', 'F', 10);
  assert.equal(those(held), 'cef', 'd was the next that nobody used');
  held.clear();
  for (const key of ['g', 'h', 'i', 'j']) held.set(key, key.toUpperCase(), 10);
  assert.equal(those(held), 'hij');
  for (let n = 0; n < 1000; n++) held.set(`k${n}`, 'K', 10);
  assert.equal(held.size, 3);
  assert.equal(held.bytes, 30);
});
