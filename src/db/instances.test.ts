import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { nowSeconds } from '../time/clock.js';
import { announce, runningInstances } from './instances.js';
import { migrate } from './migrate.js';
import { openSqlite } from './sqlite.js';

test('a server is there once however often it says so, and not any more a minute after its last word', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-instances-'));
  const database = await openSqlite({ file: path.join(folder, 'instances.db') });
  try {
    await migrate(database);
    const running = async () => (await database.read(runningInstances)).map(({ id }) => id);
    const say = () => database.write((db) => announce(db, { id: 'me', version: '1', host: 'here', knows: 1 }));
    const silentFor = (seconds: number) =>
      database.write((db) => db.run(db.q.updateTable('instance').set({ seen_at: nowSeconds() - seconds })));
    await say();
    await silentFor(50);
    assert.deepEqual(await running(), ['me']);
    await say();
    assert.deepEqual(await running(), ['me']);
    await silentFor(70);
    assert.deepEqual(await running(), []);
    // It was killed while its clock was ahead.
    await silentFor(-365 * 24 * 3600);
    assert.deepEqual(await running(), []);
    await database.write((db) => announce(db, { id: 'other', version: '1', host: 'here', knows: 1 }));
    const all = await database.read((db) => db.all(db.q.selectFrom('instance').select('id')));
    assert.deepEqual(
      all.map(({ id }) => id),
      ['other'],
    );
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
});
