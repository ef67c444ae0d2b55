import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Db } from './database.js';
import { groupCommit } from './group.js';

test('nothing stays behind of what was committed', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const db = undefined as unknown as Db;
  const group = groupCommit(
    async (fill) => {
      await fill({ db, exec: async () => undefined, settled: async () => undefined, survives: () => true });
      return { durable: Promise.resolve() };
    },
    (error) => error,
  );
  const held = async (commits: number): Promise<number> => {
    for (let n = 0; n < commits; n++) await group.write(async () => n);
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await held(5000);
  const grown = (await held(50_000)) - before;
  // Sixty bytes each would be three million.
  assert.ok(grown < 1_000_000, `${grown} bytes`);
  await group.close();
});
