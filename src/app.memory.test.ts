import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { noting } from './app.memory.js';
import { Changes } from './db/changes.js';
import type { Database, Db } from './db/database.js';
import { migrate } from './db/migrate.js';
import { openDatabase } from './db/open.js';

describe('memory', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'kalends-memory-'));
  let database: Database;
  let changes: Changes;
  let told: number[];
  const look = async (db: Db): Promise<void> => void (await changes.current(db));
  const noteOne = (on: Database) =>
    on.write(async (db) => {
      await db.run(sql`INSERT INTO change_log (kind, id) VALUES ('event', 7)`);
      assert.deepEqual(told, []);
    });

  beforeEach(async () => {
    database = await openDatabase(path.join(dir, `${randomUUID()}.db`));
    await migrate(database);
    // Patient: what is held up here is late only where a test says so, however busy the machine is.
    changes = new Changes(false, 30_000);
    told = [];
    await database.read(look);
    changes.add({ forget: (some) => void told.push(...some.map(({ id }) => id)), clear: () => assert.fail() });
    assert.equal(changes.isSure(), true);
  });
  afterEach(() => database.close());
  after(() => rmSync(dir, { recursive: true, force: true }));

  test('is not sure of anything from a write on until it has looked', async () => {
    // Reading the log takes until `go` is called.
    let go = (): void => undefined;
    const mayLook = new Promise<void>((resolve) => {
      go = resolve;
    });
    const later = {
      ...database,
      read: async <T>(work: (db: Db) => Promise<T>) => mayLook.then(() => database.read(work)),
    };
    const slow = noting({ ...later, watch: undefined as never }, changes, look);
    await noteOne(slow);
    assert.equal(changes.isSure(), false);
    assert.deepEqual(told, []);
    go();
    for (let n = 0; n < 100 && !changes.isSure(); n++) await sleep(10);
    assert.equal(changes.isSure(), true);
    assert.deepEqual(told, [7]);
  });

  describe('for those who wait', () => {
    let ends: (() => void)[];
    /** Ends one reading of the log, the oldest that is held up. */
    const readOn = async (): Promise<void> => {
      for (let n = 0; n < 100 && ends.length === 0; n++) await sleep(1);
      ends.shift()?.();
    };
    const slowly = (): Database => {
      ends = [];
      const read: Database['read'] = async (work, freshness) => {
        const read = await database.read(work, freshness);
        await new Promise<void>((resolve) => ends.push(resolve));
        return read;
      };
      return noting({ ...database, read, watch: undefined as never }, changes, look);
    };
    const isPending = async (soon: Promise<unknown> | undefined): Promise<boolean> =>
      (await Promise.race([soon, sleep(20, 'pending')])) === 'pending';

    test('nobody reads the log: they must do it themselves', () => {
      assert.equal(changes.knownSoon(), undefined);
      changes.expire();
      assert.equal(changes.knownSoon(), undefined);
    });

    test('the log is read once for all who wait, and memory is up to date for them', async () => {
      const slow = slowly();
      await noteOne(slow);
      const waiting = [changes.knownSoon(), changes.knownSoon()];
      assert.equal(await isPending(waiting[0]), true);
      await readOn();
      const [one, other] = await Promise.all(waiting);
      assert.ok(one && one === other && one.holds());
      assert.deepEqual(told, [7]);
      assert.equal(changes.knownSoon(), undefined);
    });

    test('what is written while the log is read is read before those who came after it are answered', async () => {
      const slow = slowly();
      await noteOne(slow);
      const early = changes.knownSoon();
      for (let n = 0; n < 100 && ends.length === 0; n++) await sleep(1);
      told = [];
      await noteOne(slow);
      const late = changes.knownSoon();
      await readOn();
      assert.ok(await early);
      assert.equal(await isPending(late), true);
      await readOn();
      assert.ok(await late);
      assert.deepEqual(told, [7]);
    });

    test('what is committed in the same turn is read at once', async () => {
      const slow = slowly();
      let readings = 0;
      const counting = {
        ...slow,
        read: (...of: Parameters<Database['read']>) => slow.read(...of).finally(() => readings++),
      };
      for (let n = 0; n < 3; n++) changes.catchUp(counting as Database, look);
      const all = [changes.knownSoon(), changes.knownAgain(counting as Database, look)];
      await readOn();
      for (const one of await Promise.all(all)) assert.ok(one?.holds());
      assert.equal(readings, 1);
    });

    test('they do not wait long for a database that does not answer, and those after them not at all', async () => {
      changes = new Changes();
      await database.read(look);
      const never = { ...database, read: () => new Promise<never>(() => {}), watch: undefined as never };
      const noted = noting(never, changes, look);
      await noteOne(noted);
      const began = performance.now();
      assert.equal(await changes.knownSoon(), undefined);
      const waited = performance.now() - began;
      assert.ok(waited > 40 && waited < 1000, `${waited} ms`);
      for (let n = 0; n < 5; n++) {
        assert.equal(changes.knownSoon(), undefined);
        assert.equal(changes.knownAgain(noted, look), undefined);
        told = [];
        await noteOne(noted);
      }
    });

    test('after a while they are trusted again who were late, although nothing was written', async () => {
      changes = new Changes();
      await database.read(look);
      const late = {
        read: (work: (db: Db) => Promise<void>) => sleep(100).then(() => database.read(work)),
      } as Database;
      assert.ok(await changes.knownAgain(late, look), 'memory is right, if nothing was written');
      assert.equal(changes.knownAgain(database, look), undefined);
      await sleep(2100);
      const began = performance.now();
      assert.ok(await changes.knownAgain(database, look));
      assert.ok(performance.now() - began < 1000);
      assert.ok(await changes.knownAgain(database, look));
    });

    test('where the log could not be read, they must do it themselves, until that succeeds', async () => {
      const fails = { ...database, read: () => Promise.reject(new Error('no')), watch: undefined as never };
      await noteOne(noting(fails, changes, look));
      assert.equal(await changes.knownSoon(), undefined);
      assert.equal(changes.isSure(), false);
      const slow = slowly();
      await noteOne(slow);
      assert.equal(changes.knownSoon(), undefined);
      await readOn();
      for (let n = 0; n < 100 && !changes.isSure(); n++) await sleep(1);
      told = [];
      await noteOne(slow);
      const soon = changes.knownSoon();
      await readOn();
      assert.ok(await soon);
    });

    test('nobody waits where replicas answer, and what a replica shows does not make memory sure', async () => {
      changes = new Changes(true);
      await database.read((db) => changes.current(db, { fresh: true }));
      assert.equal(changes.isSure(), true);
      const slow = slowly();
      await noteOne(slow);
      assert.equal(changes.knownSoon(), undefined);
      assert.equal(changes.knownAgain(slow, look), undefined);
      await database.read(look);
      assert.equal(changes.isSure(), false);
      await readOn();
      await database.read((db) => changes.current(db, { fresh: true }));
      assert.equal(changes.isSure(), true);
    });
  });

  test('knows what was written when the writer is answered, where it can watch', async () => {
    await noteOne(noting(database, changes, look));
    assert.equal(changes.isSure(), true);
    assert.deepEqual(told, [7]);
  });

  test('is not told of what was not kept', async () => {
    const noted = noting(database, changes, look);
    await assert.rejects(
      noted.write(async (db) => {
        await db.run(sql`INSERT INTO change_log (kind, id) VALUES ('event', 8)`);
        throw new Error('no');
      }),
      /no/,
    );
    assert.deepEqual(told, []);
  });

  test('is not sure after a write that it could not look at', async () => {
    const noted = noting(database, changes, () => Promise.reject(new Error('no')));
    await noteOne(noted);
    assert.equal(changes.isSure(), false);
    await database.read(look);
    assert.equal(changes.isSure(), true);
    assert.deepEqual(told, [7]);
  });
});
