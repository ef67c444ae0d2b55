import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remembered } from './cache.js';

function counted(entries: number, characters: number) {
  const worked: string[] = [];
  const show = remembered(
    (text) => `plain ${text}`,
    (text) => {
      worked.push(text);
      return text.toUpperCase();
    },
    entries,
    characters,
  );
  return { worked, show };
}

test('text without markup is never kept', () => {
  const { worked, show } = counted(2, 1000);
  assert.equal(show('a'), 'plain a');
  assert.deepEqual(worked, []);
});

test('the same text is worked on once, until others push it out', () => {
  const { worked, show } = counted(2, 1000);
  for (const text of ['<a', '<b', '<a', '<c', '<a', '<b']) assert.equal(show(text), text.toUpperCase());
  // '<c' pushes out '<b', which was used longest ago.
  assert.deepEqual(worked, ['<a', '<b', '<c', '<b']);
});

test('characters are bounded too, and a very large text is not kept', () => {
  const { worked, show } = counted(100, 160);
  const large = `<${'x'.repeat(20)}`;
  show(large);
  show(large);
  assert.equal(worked.length, 2);
  const texts = Array.from({ length: 20 }, (_, i) => `<${String(i).padStart(8, '0')}`);
  for (const text of texts) show(text);
  const before = worked.length;
  show(texts.at(-1) ?? '');
  assert.equal(worked.length, before);
  show(texts[0] ?? '');
  assert.equal(worked.length, before + 1);
});
