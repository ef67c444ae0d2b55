import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Database, Db } from './database.js';
import { lazily } from './lazily.js';
import { migrate } from './migrate.js';
import { openDatabase } from './open.js';

describe('a view that begins when it is asked', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'kalends-lazily-'));
  let database: Database;
  let views: string[];
  let counting: Database;
  before(async () => {
    database = await openDatabase(path.join(dir, 'kalends.db'));
    await migrate(database);
  });
  beforeEach(() => {
    views = [];
    counting = {
      ...database,
      read: (work, reading) => {
        views.push('begun');
        return database.read(work, reading).finally(() => views.push('ended'));
      },
    };
  });
  after(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const counters = sql<{ value: number }>`SELECT value FROM counter WHERE name = 'change'`;
  const rise = () => database.write((db) => db.run(sql`UPDATE counter SET value = value + 1 WHERE name = 'change'`));
  const fine = async (): Promise<void> => {};
  const lazy = <T>(begun: (db: Db) => Promise<void>, work: (db: Db) => Promise<T>) => lazily(counting, {}, begun, work);

  test('none where nothing is asked', async () => {
    assert.equal(await lazy(fine, async () => 7), 7);
    assert.deepEqual(views, []);
  });

  test('one for all that is asked, whatever others write meanwhile; it has ended when the reader has', async () => {
    const seen: (number | undefined)[] = [];
    await lazy(fine, async (db) => {
      await rise();
      seen.push((await db.first(counters))?.value);
      await rise();
      seen.push((await db.all(counters))[0]?.value);
    });
    assert.equal(seen[0], seen[1]);
    assert.deepEqual(views, ['begun', 'ended']);
  });

  test('it is looked at before the reader sees anything, and where that fails, so does the reader', async () => {
    let answered = false;
    await assert.rejects(
      lazy(
        () => Promise.reject(new Error('moved on')),
        async (db) => {
          await db.all(counters);
          answered = true;
        },
      ),
      /moved on/,
    );
    assert.equal(answered, false);
    assert.deepEqual(views, ['begun', 'ended']);
  });

  test('a reader that fails ends it as well, also more often than there are connections', async () => {
    for (let n = 0; n < 20; n++)
      await assert.rejects(
        lazy(fine, async (db) => {
          await db.all(counters);
          throw new Error('no');
        }),
        /no/,
      );
    assert.equal(views.length, 40);
    await assert.rejects(
      lazy(fine, (db) => db.all(sql`SELECT value FROM nowhere`)),
      /nowhere/,
    );
  });
});
