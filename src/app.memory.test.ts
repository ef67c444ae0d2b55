import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { noting } from './app.memory.js';
import { Changes } from './db/changes.js';
import { migrate } from './db/migrate.js';
import { openDatabase } from './db/open.js';

test('from a write on memory is not sure of anything until it has looked', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'kalends-memory-'));
  const database = await openDatabase(path.join(dir, 'kalends.db'));
  await migrate(database);
  const changes = new Changes();
  await database.read((db) => changes.current(db));
  assert.equal(changes.isSure(), true);
  // Looking takes its time.
  let look = (): void => undefined;
  const mayLook = new Promise<void>((resolve) => {
    look = resolve;
  });
  const slow = noting({ ...database, read: async (work) => mayLook.then(() => database.read(work)) }, changes);
  await slow.write(async () => undefined);
  assert.equal(changes.isSure(), false);
  look();
  for (let n = 0; n < 100 && !changes.isSure(); n++) await sleep(10);
  assert.equal(changes.isSure(), true);
  await database.close();
  rmSync(dir, { recursive: true, force: true });
});
