import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import type { Db } from './database.js';
import { groupCommit, type Writer } from './group.js';
import { openSqlite } from './sqlite.js';

const writer: Writer = {
  db: {} as Db,
  exec: async () => undefined,
  settled: async () => undefined,
  survives: () => true,
};

test('of those who write together one that fails leaves nothing behind, and the others all', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-group-'));
  const database = await openSqlite({ file: path.join(folder, 'group.db') });
  try {
    await database.write((db) => db.run(sql`CREATE TABLE one (id INTEGER)`));
    const add = (id: number, then = (): void => {}): Promise<void> =>
      database.write(async (db) => {
        await db.run(sql`INSERT INTO one VALUES (${id})`);
        then();
      });
    const refuse = (): never => {
      throw new Error('refused');
    };
    const ends = await Promise.allSettled([add(1), add(2, refuse), add(3)]);
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const kept = await database.read((db) => db.all(sql<{ id: number }>`SELECT id FROM one ORDER BY id`));
    assert.deepEqual(
      kept.map(({ id }) => id),
      [1, 3],
    );
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
});

test('what failed unseen is found before the commit, and those who share it run again, each for itself', async () => {
  let attempts = 0;
  const settled = async (): Promise<void> => {
    if (attempts === 1) throw new Error('late');
  };
  const group = groupCommit(
    async (fill) => {
      attempts++;
      await fill({ ...writer, settled });
      return {};
    },
    (error) => error,
  );
  assert.deepEqual(await Promise.all([group.write(async () => 1), group.write(async () => 2)]), [1, 2]);
  assert.equal(attempts, 2);
  await group.close();
});

test('what fails again behind savepoints is what the writers are told', async () => {
  const settled = async (): Promise<void> => {
    throw new Error('late');
  };
  const group = groupCommit(
    async (fill) => {
      await fill({ ...writer, settled });
      return {};
    },
    (error) => error,
  );
  const told = await Promise.allSettled([group.write(async () => 1), group.write(async () => 2)]);
  for (const one of told) assert.match(String(one.status === 'rejected' && one.reason), /Error: late/);
  await group.close();
});

test('closing waits until what was committed is on the disk', async () => {
  let onDisk = (): void => {};
  const durable = new Promise<void>((resolve) => {
    onDisk = resolve;
  });
  const group = groupCommit(
    async (fill) => {
      await fill(writer);
      return { durable };
    },
    (error) => error,
  );
  const told: string[] = [];
  const written = group.write(async () => 1).then(() => told.push('written'));
  const closed = group.close().then(() => told.push('closed'));
  await sleep(20);
  assert.deepEqual(told, []);
  onDisk();
  await Promise.all([written, closed]);
  assert.deepEqual(told, ['written', 'closed']);
});

test('nothing stays behind of what was committed', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const group = groupCommit(
    async (fill) => {
      await fill(writer);
      return { durable: Promise.resolve() };
    },
    (error) => error,
  );
  const held = async (commits: number): Promise<number> => {
    for (let n = 0; n < commits; n++) await group.write(async () => n);
    // What concurrent work of the engine still holds is free a turn later.
    collect();
    await new Promise(setImmediate);
    collect();
    return process.memoryUsage().heapUsed;
  };
  await held(20_000);
  // What the engine learns about the code comes once, what is left behind each time.
  const grown = [];
  for (let before = await held(5000); grown.length < 3; ) {
    const after = await held(50_000);
    grown.push(after - before);
    before = after;
  }
  // Sixty bytes each would be three million.
  assert.ok(Math.min(...grown) < 1_000_000, `${grown} bytes`);
  await group.close();
});
