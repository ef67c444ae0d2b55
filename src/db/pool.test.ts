import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolOf } from './pool.js';

test('who stands in line is let in when a connection breaks, and when another could not be opened', async () => {
  let opened = 0;
  const open = async (): Promise<number> => {
    if (++opened === 2) throw new Error('away');
    return opened;
  };
  const pool = poolOf<number>({ open, shut: () => {}, most: 1, patience: 1000 });
  const first = await pool.take();
  const refused = assert.rejects(pool.take(), /away/);
  const third = pool.take();
  pool.give(first, true);
  await refused;
  assert.equal(await third, 3);
  pool.give(3);
  await pool.close();
});
