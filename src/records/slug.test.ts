import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeSlug } from './slug.js';

const free = async (taken: (n: number) => boolean): Promise<{ slug: string; waits: number }> => {
  let waits = 0;
  let asked = false;
  const slug = await freeSlug('talk', async (one) => {
    // Questions asked at the same time count as one wait.
    if (!asked) waits++;
    asked = true;
    await new Promise(setImmediate);
    asked = false;
    return taken(Number(/-(\d+)$/.exec(one)?.[1] ?? 1));
  });
  return { slug, waits };
};

test('D16 the first free one, however many there are, and few waits for it', async () => {
  assert.deepEqual(await free(() => false), { slug: 'talk', waits: 1 });
  for (const many of [1, 2, 3, 4, 5, 12, 13, 14, 39, 40, 41, 79, 80, 81, 500, 5000]) {
    const { slug, waits } = await free((n) => n <= many);
    assert.equal(slug, `talk-${many + 1}`);
    assert.ok(waits <= (many < 40 ? 4 : 4 + 2 * Math.log2(many)), `${waits} for ${many}`);
  }
});

test('D16 what became free in between is taken again', async () => {
  for (const gap of [2, 3, 5, 13, 14, 40]) assert.equal((await free((n) => n !== gap)).slug, `talk-${gap}`);
});
