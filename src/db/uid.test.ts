import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUid } from './uid.js';

test('names of records are UUIDs of version 7, no two alike, in the order of their time', () => {
  const made = Array.from({ length: 2000 }, (_, n) => newUid(1_794_700_800_000 + n));
  for (const uid of made) assert.match(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([...made].sort(), made);
  const together = Array.from({ length: 2000 }, () => newUid(0));
  assert.equal(new Set(together).size, 2000);
  assert.ok(together.every((uid) => uid.startsWith('00000000-0000-7')));
  assert.equal(Number.parseInt(newUid().replaceAll('-', '').slice(0, 12), 16) > 1_767_225_600_000, true);
});
