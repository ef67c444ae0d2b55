import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database, Db } from './database.js';
import { migrate, migrationsFor } from './migrate.js';
import { openSqlite } from './sqlite.js';

test('statistics that an earlier version made are gone, and none are made', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-sqlite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'calendar.db');
  const statistics = (database: Database) =>
    database.read((db) => db.all(sql<{ name: string }>`SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat%'`));

  const earlier = await openSqlite({ file });
  const all = migrationsFor('sqlite');
  const last = all.findIndex(({ name }) => name === '0011-statistics');
  await migrate(earlier, all.slice(0, last));
  await earlier.write((db) => db.run(sql`ANALYZE`));
  assert.notEqual((await statistics(earlier)).length, 0);
  await earlier.close();

  const now = await openSqlite({ file });
  await migrate(now);
  assert.deepEqual(await statistics(now), []);
  // What an engine that keeps statistics would make some of.
  await now.write(async (db) => {
    await db.run(sql`CREATE TABLE sorted (a INTEGER, b INTEGER)`);
    await db.run(sql`CREATE INDEX sorted_a ON sorted (a)`);
    await db.run(sql`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000)
      INSERT INTO sorted SELECT n, n FROM n`);
    await db.all(sql`SELECT b FROM sorted WHERE a = 5`);
  });
  await now.close();

  // A server of the earlier version ended while this one served.
  const serving = await openSqlite({ file });
  assert.deepEqual(await statistics(serving), []);
  serving.watch?.(async () => {});
  await serving.write((db) => db.run(sql`ANALYZE`));
  await serving.close();

  const again = await openSqlite({ file });
  assert.deepEqual(await statistics(again), []);
  await again.close();
});

test('a bulk write has more room for pages, and gives it back, also when it fails', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-sqlite-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const database = await openSqlite({ file: path.join(folder, 'calendar.db') });
  const room = (db: Db): Promise<number | undefined> =>
    db.first(sql<{ cache_size: number }>`PRAGMA cache_size`).then((row) => row?.cache_size);
  const usual = await database.write(room);
  let meanwhile: number | undefined;
  await database.write((db) =>
    db.dialect.inBulk(db, async () => {
      meanwhile = await room(db);
    }),
  );
  // Negative: in thousands of bytes.
  assert.ok((meanwhile ?? 0) < (usual ?? 0) * 10, `${usual}, then ${meanwhile}`);
  assert.equal(await database.write(room), usual);
  const failing = database.write((db) => db.dialect.inBulk(db, () => Promise.reject(new Error('not written'))));
  await assert.rejects(failing, /not written/);
  assert.equal(await database.write(room), usual);
  await database.close();
});
