import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { indexer, repeatedly, seldom } from './app.chores.js';
import type { Database } from './db/database.js';
import { migrate } from './db/migrate.js';
import { openDatabase } from './db/open.js';

describe('the index of searchable texts', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'kalends-search-'));
  let database: Database;
  before(async () => {
    database = await openDatabase(path.join(dir, 'kalends.db'));
    await migrate(database);
  });
  after(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const segments = async (): Promise<number> =>
    (
      await database.read((db) =>
        db.first(sql<{ n: number }>`SELECT count(DISTINCT segid) AS n FROM event_search_index_idx`),
      )
    )?.n ?? Number.NaN;
  const write = (id: number, text: string) =>
    database.write((db) => db.dialect.setSearchText(db, 'event_search', id, text));
  const found = async (word: string): Promise<number[]> =>
    (
      await database.read((db) =>
        db.all(sql<{ id: number }>`SELECT id FROM event_search
          WHERE ${db.dialect.matches('event_search', sql.ref('event_search.id'), { include: [word], exclude: [] })} ORDER BY id`),
      )
    ).map(({ id }) => id);

  test('every batch adds a segment, and they are merged before there are many', async () => {
    const index = indexer(database);
    let most = 0;
    for (let id = 1; id <= 70; id++) {
      await write(id, `text number ${id} about ${id % 2 === 0 ? 'even' : 'odd'} things`);
      await index();
      most = Math.max(most, await segments());
    }
    assert.ok(most >= 14, `${most}: each batch is a segment of its own at first`);
    assert.ok(most <= 20, `${most} segments`);
    assert.equal((await found('even')).length, 35);
  });

  test('what changes or goes is found as it is, before and after it was indexed and merged', async () => {
    const index = indexer(database);
    for (let round = 0; round < 20; round++) {
      await write(2, `another text ${round} of odd things`);
      await write(4, round % 2 === 0 ? '' : 'back again with even things');
      const right = async (): Promise<void> => {
        assert.equal((await found('even')).includes(2), false);
        assert.equal((await found('odd')).includes(2), true);
        assert.equal((await found('even')).includes(4), round % 2 === 1);
      };
      await right();
      await index();
      await right();
    }
  });

  test('who has little to do leaves the data alone', async () => {
    const index = indexer(database);
    await index();
    let writes = 0;
    const counting: Database = {
      ...database,
      write: (work) => {
        writes++;
        return database.write(work);
      },
    };
    const another = indexer(counting);
    await another();
    assert.ok(writes >= 1, 'looked once');
    writes = 0;
    await another();
    assert.equal(writes, 0);
  });
});

test('a chore that fails keeps none from its turn; stopping waits for the one that runs, and none follows', async () => {
  const seen: string[] = [];
  let finish = (): void => {};
  const long = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const failing = async (): Promise<void> => {
    throw new Error('refused');
  };
  const lasting = async (): Promise<void> => {
    seen.push('begun');
    await long;
    seen.push('done');
  };
  const chores = repeatedly(1, [failing, lasting], () => seen.push('failed'));
  chores.start();
  while (!seen.includes('begun')) await sleep(1);
  const stopped = chores.stop().then(() => seen.push('stopped'));
  await sleep(5);
  finish();
  await stopped;
  await sleep(20);
  assert.deepEqual(seen, ['failed', 'begun', 'done', 'stopped']);
});

test('what is due seldom is done once however often it is asked for, and again at once where it failed', async () => {
  let asked = 0;
  const work = seldom(60, async () => {
    if (++asked === 1) throw new Error('refused');
  });
  await assert.rejects(work());
  for (let n = 0; n < 3; n++) await work();
  assert.equal(asked, 2);
});
