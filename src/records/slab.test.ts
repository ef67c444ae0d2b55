import assert from 'node:assert/strict';
import { test } from 'node:test';
import { briefly, ownBytes } from './slab.js';

test('buffers from one slab do not overlap, and a copy of one keeps only itself', () => {
  const all = Array.from({ length: 500 }, (_, n) => briefly(1 + ((n * 997) % 10_000)).fill(n % 256));
  for (const [n, one] of all.entries()) assert.ok(one.every((byte) => byte === n % 256));
  assert.ok(new Set(all.map(({ buffer }) => buffer)).size < 60, 'few slabs');
  const [first] = all as [Buffer];
  const own = ownBytes(first);
  assert.deepEqual(own, first);
  assert.equal(own.buffer.byteLength, own.length);
  assert.equal(ownBytes(own), own);
  assert.equal(briefly(1_000_000).buffer.byteLength, 1_000_000);
});
