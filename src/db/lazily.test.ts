import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Db } from './database.js';
import { lazily, SharedViews, viewOf } from './lazily.js';
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
  const lazy = <T>(look: (db: Db) => Promise<void>, work: (db: Db) => Promise<T>) =>
    lazily(database.builds, () => viewOf(counting, {}, look), work);

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

  describe('shared', () => {
    const sharing = (shared: SharedViews, of: object, work: (db: Db) => Promise<unknown>, look = fine) =>
      lazily(database.builds, () => shared.take(of, () => viewOf(counting, {}, look)), work);
    const value = async (db: Db): Promise<number | undefined> => (await db.first(counters))?.value;
    const allEnded = async (many: number): Promise<void> => {
      while (views.filter((one) => one === 'ended').length < many) await sleep(5);
    };

    test('by all who know the same, at once and one after the other, and ended by itself', async () => {
      // Long enough, even on a busy machine.
      const [shared, of] = [new SharedViews(500), {}];
      const [one, other] = await Promise.all([sharing(shared, of, value), sharing(shared, of, value)]);
      await rise();
      assert.equal(await sharing(shared, of, value), one);
      assert.equal(other, one);
      assert.deepEqual(views, ['begun']);
      await allEnded(1);
      assert.equal(await sharing(shared, of, value), Number(one) + 1);
      await allEnded(2);
      assert.deepEqual(views, ['begun', 'ended', 'begun', 'ended']);
    });

    test('not with those who know something newer; who is still at it goes on', async () => {
      const shared = new SharedViews();
      await sharing(shared, {}, async (db) => {
        const before = await value(db);
        await rise();
        assert.equal(await sharing(shared, {}, value), Number(before) + 1);
        await sleep(150);
        assert.equal(await value(db), before);
        assert.ok(views.includes('ended'), 'the newer one is over');
        assert.equal(views.filter((one) => one === 'ended').length, 1);
      });
      await allEnded(2);
    });

    test('where it fails, all who wait for it fail, and the next begins anew', async () => {
      const [shared, of] = [new SharedViews(), {}];
      const failing = () => Promise.reject(new Error('moved on'));
      const both = [sharing(shared, of, value, failing), sharing(shared, of, value, failing)];
      for (const one of both) await assert.rejects(one, /moved on/);
      assert.equal(typeof (await sharing(shared, of, value)), 'number');
      await allEnded(2);
      assert.equal(views.filter((one) => one === 'begun').length, 2);
    });

    test('it does not keep a database from closing', async () => {
      const file = path.join(dir, 'closing.db');
      const closing = await openDatabase(file);
      await migrate(closing);
      const shared = new SharedViews();
      await lazily(closing.builds, () => shared.take({}, () => viewOf(closing, {}, fine)), value);
      await closing.close();
      // Some engines remove the log then.
      const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
      assert.equal(log?.size ?? 0, 0, 'all of the log was moved');
    });
  });
});
