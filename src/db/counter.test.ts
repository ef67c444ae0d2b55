import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { lastChange, take, takeForNew } from './counter.js';
import { migrate } from './migrate.js';
import { openSqlite } from './sqlite.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-counter-'));
const database = await openSqlite({ file: path.join(folder, 'counter.db') });
await migrate(database);
after(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

test('writers who share a commit take numbers one after the other, and one who fails takes none', async () => {
  const before = await database.write((db) => take(db, 'record'));
  const ends = await Promise.allSettled([
    database.write((db) => take(db, 'record')),
    database.write(async (db) => {
      await take(db, 'record', 5);
      await take(db, 'term');
      throw new Error('refused');
    }),
    database.write((db) => take(db, 'record', 2)),
    database.write((db) => take(db, 'term')),
  ]);
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : 'refused')),
    [before + 1, 'refused', before + 3, await database.write((db) => take(db, 'term')).then((next) => next - 1)],
  );
  assert.equal(await database.write((db) => take(db, 'record')), before + 4);
});

test('numbers that are taken at the same time are different ones', async () => {
  const [a, b, c, d] = await database.write((db) =>
    Promise.all([take(db, 'record'), takeForNew(db), take(db, 'record'), takeForNew(db)]),
  );
  assert.equal(new Set([a, b?.id, c, d?.id]).size, 4);
  assert.equal(Math.abs((b?.change_seq ?? 0) - (d?.change_seq ?? 0)), 1);
  assert.equal(await database.read(lastChange), Math.max(b?.change_seq ?? 0, d?.change_seq ?? 0));
});

test('numbers are taken only within a transaction that writes', async () => {
  await assert.rejects(
    database.read((db) => take(db, 'record')),
    /only within a transaction/,
  );
});
