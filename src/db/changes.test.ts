import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { Changes, sweepChanges } from './changes.js';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { openDatabase } from './open.js';

describe('what memory is told of changes', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'kalends-changes-'));
  let database: Database;
  let changes: Changes;
  let told: string[];
  before(async () => {
    database = await openDatabase(path.join(dir, 'kalends.db'));
    await migrate(database);
  });
  beforeEach(async () => {
    await database.write((db) => db.run(sql`DELETE FROM change_log`));
    changes = new Changes();
    told = [];
    changes.add({
      forget: (some) => void told.push(some.map(({ id }) => id).join()),
      clear: () => void told.push('all'),
    });
    await look();
    told.length = 0;
  });
  after(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const look = () => database.read((db) => changes.current(db));
  const note = (from: number, to: number): Promise<unknown> =>
    database.write((db) =>
      db.run(sql`WITH RECURSIVE series (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM series WHERE n < ${to})
        INSERT INTO change_log (seq, kind, id) SELECT n, 'event', n FROM series`),
    );

  test('each of them, once, from the very first', async () => {
    await note(1, 2);
    await look();
    await look();
    await note(3, 3);
    await look();
    assert.deepEqual(told, ['1,2', '3']);
  });

  test('old ones are swept away, a few at a time, also where numbers are missing', async () => {
    await note(1, 3);
    await note(5000, 31_000);
    const removed: number[] = [];
    const write: Database['write'] = (work) =>
      database.write(async (db) => {
        const done = await work(db);
        removed.push(Number(done));
        return done;
      });
    await sweepChanges({ write });
    assert.equal(removed.at(-1), 0);
    assert.ok(Math.max(...removed) <= 1000, removed.join());
    const left = await database.read((db) =>
      db.first(sql<{ first: number; n: number }>`SELECT min(seq) AS first, count(*) AS n FROM change_log`),
    );
    assert.deepEqual({ ...left }, { first: 11_000, n: 20_001 });
  });

  test('that everything may have changed, when some were swept away before it looked', async () => {
    await note(1, 2);
    await look();
    await note(3, 6);
    await database.write((db) => db.run(sql`DELETE FROM change_log WHERE seq < 5`));
    await look();
    await note(7, 7);
    await look();
    assert.deepEqual(told, ['1,2', 'all', '7']);
  });

  test('that everything may have changed, when there are very many', async () => {
    await note(1, 1);
    await look();
    await note(2, 2001);
    await look();
    await note(2002, 5000);
    await look();
    await look();
    assert.deepEqual([told[1]?.split(',').length, told[2], told.length], [2000, 'all', 3]);
  });

  test('nothing by who sees an older state', async () => {
    await note(1, 3);
    assert.ok(await look());
    told.length = 0;
    await database.write((db) => db.run(sql`DELETE FROM change_log WHERE seq = 3`));
    assert.equal(await look(), undefined);
    assert.deepEqual(told, []);
  });

  test('that everything may have changed, when what it has seen is lost, as after a failover', async () => {
    await note(1, 5);
    await look();
    told.length = 0;
    await database.write((db) => db.run(sql`DELETE FROM change_log WHERE seq > 3`));
    assert.equal(await look(), undefined, 'who may see an older state does without');
    assert.deepEqual(told, []);
    const current = await database.read((db) => changes.current(db, { fresh: true }), { fresh: true });
    assert.ok(current?.holds());
    assert.deepEqual(told, ['all']);
    await note(4, 5);
    await look();
    assert.match(told.at(-1) ?? '', /4,5$/);
  });
});
