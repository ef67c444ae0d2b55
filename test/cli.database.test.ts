import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { migrate, migrationsFor } from '../src/db/migrate.js';
import { openDatabase } from '../src/db/open.js';
import { ended, execute, folder, fresh, hasOwnMounts, inside, onFullDisk, outside, started } from './support/cli.js';
import { besides, EVENT, filled, manyEvents, TERM, tear } from './support/cli.rows.js';
import { NOBODY } from './support/postgres.js';

const { run, json } = outside;

/** Nothing is denied to root. */
const asNobody = (env: Record<string, string>, ...args: string[]) => ended(started(args, env, 'pipe', NOBODY));
const mayRun = async (): Promise<boolean> => (await asNobody({}, '--version')).code === 0;

describe('database', () => {
  for (const args of [
    ['user', 'list'],
    ['password', 'list'],
    ['check'],
    ['backup', 'none.db'],
    ['user', 'remove', 'x'],
  ]) {
    test(`${args.join(' ')} does not make one`, async () => {
      const data = fresh();
      assert.match((await inside.run(data, 1, ...args)).err, /There is no database at .* yet/);
      assert.ok(!existsSync(data));
    });
  }

  test('migrate', async () => {
    const data = fresh();
    const all = migrationsFor('sqlite').map(({ name }) => name);
    assert.deepEqual(await inside.json(data, 'migrate'), { applied: all });
    assert.deepEqual(await inside.json(data, 'migrate'), { applied: [] });
    assert.match((await inside.run(data, 0, 'migrate')).out, /Nothing to do/);
    assert.equal(statSync(data).mode & 0o777, 0o700);
  });

  test('is for its owner alone, also at a place of its own, and so is its log', async () => {
    const elsewhere = fresh();
    mkdirSync(elsewhere, { mode: 0o755 });
    const file = path.join(elsewhere, 'own.db');
    const database = await openDatabase(file);
    await migrate(database, migrationsFor('sqlite'));
    const modes = ['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777);
    await database.close();
    assert.deepEqual(modes, [0o600, 0o600, 0o600]);
  });

  test('one of another program is left alone', async () => {
    const data = fresh();
    mkdirSync(data);
    const database = await openDatabase(path.join(data, 'kalends.db'));
    await database.write((db) => db.run(sql`CREATE TABLE notes (text TEXT)`));
    const { err } = await inside.run(data, 1, 'migrate');
    assert.match(err, /kalends\.db belongs to another program: it has a table "notes"/);
    assert.match((await inside.run(data, 1, 'check')).err, /There is no calendar in .*kalends\.db yet/);
    const tables = await database.read((db) => db.all(sql<{ name: string }>`SELECT name FROM sqlite_master`));
    assert.deepEqual(
      tables.map(({ name }) => name),
      ['notes'],
    );
    await database.close();
  });

  test('a folder of somebody else is named, and whom it is denied', async (t) => {
    const data = fresh();
    mkdirSync(data, { mode: 0o555 });
    chmodSync(folder, 0o755);
    try {
      if (!(await mayRun())) return t.skip('nobody else may read this checkout');
      const { code, err } = await asNobody({ KALENDS_DATA_DIR: data }, 'migrate');
      assert.equal(code, 1);
      assert.match(err, new RegExp(`^Access to ${data} is denied\\. Give the user \\S+ permission`));
    } finally {
      chmodSync(folder, 0o700);
    }
  });

  test('what may only be read is checked, exported and copied from a temporary copy', async (t) => {
    const data = await filled(...EVENT(1));
    const shelf = path.join(folder, 'shelf');
    mkdirSync(shelf);
    await inside.run(data, 0, 'backup', path.join(shelf, 'kept.db'));
    chmodSync(path.join(shelf, 'kept.db'), 0o444);
    chmodSync(shelf, 0o555);
    const away = mkdtempSync(path.join(os.tmpdir(), 'kalends-away-'));
    chmodSync(away, 0o777);
    chmodSync(folder, 0o755);
    try {
      if (!(await mayRun())) return t.skip('nobody else may read this checkout');
      const run = (...args: string[]) => asNobody({ KALENDS_DATA_DIR: shelf, TMPDIR: away }, ...args);
      const from = path.join(shelf, 'kept.db');
      const url = ['--database-url', from];
      const checked = await run('check', '--json', '--media-url', away, ...url);
      assert.deepEqual([checked.code, JSON.parse(checked.out).counts.events], [0, 1], checked.err);
      for (const [file, ...command] of [
        ['out.jsonl', 'export', path.join(away, 'out.jsonl'), ...url],
        ['again.db', 'backup', path.join(away, 'again.db'), ...url],
        ['copy.db', 'copy', '--from', from, '--to', path.join(away, 'copy.db')],
      ] as [string, ...string[]][]) {
        const { code, err } = await run(...command);
        assert.equal(code, 0, err);
        assert.ok(existsSync(path.join(away, file)), file);
      }
      assert.deepEqual(
        readdirSync(away).filter((name) => name.endsWith('.copy')),
        [],
      );
      assert.deepEqual(readdirSync(shelf), ['kept.db']);
    } finally {
      chmodSync(folder, 0o700);
      chmodSync(shelf, 0o755);
      rmSync(away, { recursive: true, force: true });
    }
  });

  test('one of a newer version is left alone', async () => {
    const data = fresh();
    await inside.run(data, 0, 'migrate');
    await execute(data, "INSERT INTO migration (name, checksum, applied_at) VALUES ('9999-later', 'x', 0)");
    for (const args of [['migrate'], ['user', 'list'], ['check'], ['user', 'add', 'x', '--role', 'editor']]) {
      assert.match((await inside.run(data, 1, ...args)).err, /newer version of Kalends \(9999-later\)/);
    }
  });

  test('one of an older version is changed by migrate alone', async () => {
    const data = fresh();
    await inside.run(data, 0, 'migrate');
    await execute(data, "DELETE FROM migration WHERE name > '0008'");
    assert.match((await inside.run(data, 1, 'user', 'list')).err, /older version.*kalends migrate/);
  });
});

describe('check', () => {
  test('all is well', async () => {
    // A name of nothing but an accent has no text to be found by.
    const accent = "UPDATE term SET name = '\u0301', slug = '%cc%81' WHERE id = 2";
    const unsearched = TERM(2, 0).filter((one) => /INTO term \(|counter/.test(one));
    const data = await filled(
      ...EVENT(1),
      ...TERM(1, 1),
      'INSERT INTO event_term VALUES (1, 1)',
      ...unsearched,
      accent,
    );
    assert.match(
      (await run(data, 0, 'check')).out,
      /No problems found in .*: 1 event, 0 venues, 0 organizers, 2 categories and tags, 1 user/,
    );
    const found = await json(data, 'check');
    assert.deepEqual([found.ok, found.problems, found.counts.events], [true, [], 1]);
  });

  const wrong: [name: string, statements: string[], says: RegExp][] = [
    ['term count', TERM(1, 3), /tag 1 \(t1\) has a stored count of 3 published events, but 0 use it/],
    [
      'count of a draft',
      [...EVENT(1, { status: 'draft' }), ...TERM(1, 1), 'INSERT INTO event_term VALUES (1, 1)'],
      /tag 1 \(t1\) has a stored count of 1 published events?, but 0 use it/,
    ],
    ['missing search row', [...EVENT(1), 'DELETE FROM event_search'], /event 1 is missing from the search index/],
    ['unindexed row', [...EVENT(1), 'DELETE FROM event_search_index'], /event 1 is missing from the search index/],
    [
      'orphan search row',
      [
        "INSERT INTO venue_search (id, text) VALUES (7, 'x')",
        "INSERT INTO unindexed (search, id) VALUES ('venue_search', 7)",
      ],
      /contains venue 7, which does not exist/,
    ],
    ['orphan place', ['INSERT INTO venue_place VALUES (7, 0, 0, 0, 0, 0, 0)'], /venue 7: its coordinates/],
    [
      'start',
      EVENT(1, { start_utc: 1782928801 }),
      /event 1: its start is 2026-07-01 20:00:00 in local time, but .*20:00:01 according to UTC/,
    ],
    ['end', EVENT(1, { end_local: '2026-07-01 23:00:00' }), /event 1: its end is/],
    [
      'end before start',
      EVENT(1, { end_local: '2026-07-01 19:00:00', end_utc: 1782925200 }),
      /event 1 ends before it starts/,
    ],
    ['cost', EVENT(1, { cost: '[5' }), /event 1: its cost cannot be read/],
    ['tickets', EVENT(1, { tickets: '12' }), /event 1: its tickets cannot be read/],
    ['time', EVENT(1, { end_local: 'yesterday' }), /event 1: "yesterday" is not a time/],
    [
      'counter',
      [...EVENT(5), "UPDATE counter SET value = 4 WHERE name = 'record'"],
      /the counter "record" is at 4, but 5 is in use/,
    ],
    [
      'missing counter',
      [...TERM(1, 0), "DELETE FROM counter WHERE name = 'term'"],
      /the counter "term" is at 0, but 1/,
    ],
    ['parents', [...TERM(1, 0), 'UPDATE term SET parent_id = 1'], /tag 1 \(t1\) lies below itself/],
    ['slug', ['DROP INDEX event_slug', ...EVENT(1), ...EVENT(2, { slug: 'e1' })], /slug e1 is used by 2 records/],
    [
      'migration',
      ["UPDATE migration SET checksum = 'x' WHERE name LIKE '0001-%'"],
      /Migration 0001-\S+ differs from the one/,
    ],
  ];
  for (const [name, statements, says] of wrong) {
    test(name, async () => {
      const data = await filled(...statements);
      const { out, err } = await inside.run(data, 3, 'check');
      assert.match(out, says);
      assert.match(err, /Found 1 problem in/);
      const found = JSON.parse((await inside.run(data, 3, 'check', '--json')).out);
      assert.equal(found.ok, false);
      assert.match(found.problems.join('\n'), says);
    });
  }

  test('an event in a zone nobody knows, and one without letters, are no damage', async () => {
    const nameless = [...EVENT(2, { title: '' }), 'DELETE FROM event_search WHERE id = 2'];
    await run(await filled(...EVENT(1, { timezone: 'Mars/Base', start_utc: 5 }), ...nameless), 0, 'check');
  });

  test('events that are told by older rules of time zones are no damage, and what becomes of them is told', async () => {
    const data = await filled(
      ...EVENT(1, { start_utc: 1782928800 - 3600, end_utc: 1782936000 - 3600 }),
      "UPDATE setting SET value = '2001a' WHERE name = 'zone.rules'",
    );
    // Where a newer Node has served it, this one cannot tell.
    const newer = await filled(
      ...EVENT(1, { start_utc: 1782928800 - 3600, end_utc: 1782936000 - 3600 }),
      "UPDATE setting SET value = '2999z' WHERE name = 'zone.rules'",
    );
    assert.match((await run(newer, 0, 'check')).out, /^Advice: /);
    assert.match((await run(data, 0, 'check')).out, /^Advice: The times of some events follow other time zone rules/);
  });

  test('a file that is no database', async () => {
    const data = await filled();
    writeFileSync(path.join(data, 'kalends.db'), 'hello');
    assert.match((await run(data, 3, 'check')).out, /not an SQLite database/);
    assert.match((await run(data, 1, 'user', 'list')).err, /is not an SQLite database/);
  });

  test('a file that is cut', async () => {
    const data = await filled();
    const file = path.join(data, 'kalends.db');
    writeFileSync(file, readFileSync(file).subarray(0, 40_960));
    const { out } = await run(data, 3, 'check');
    assert.match(out, /^The database is damaged\. .*restore a backup with "kalends restore FILE --force"\./);
    assert.doesNotMatch(out, /kalends check/, 'that is what was just run');
  });

  test('a torn file', async () => {
    const data = await filled(...manyEvents());
    tear(path.join(data, 'kalends.db'));
    await run(data, 3, 'check');
    assert.match((await run(data, 1, 'backup', path.join(folder, 'torn.db'))).err, /\w/);
    assert.deepEqual(besides('torn.db'), []);
  });
});

describe('a full disk', { skip: hasOwnMounts ? false : 'unshare is missing or may not mount' }, () => {
  const disk = path.join(folder, 'disk');
  mkdirSync(disk);

  for (const args of [['user', 'list'], ['check']]) {
    test(`${args.join(' ')} does not call the database damaged`, async () => {
      const whole = path.join(await filled(), 'kalends.db');
      const { code, out, err } = await onFullDisk(disk, whole, args, { KALENDS_DATA_DIR: disk });
      assert.equal(code, 1, out + err);
      assert.match(err, /The disk (is full\. Free some space|cannot be read or written\. .*"df")/);
      assert.doesNotMatch(out + err, /damaged|restore/);
    });
  }

  test('restore names the place that has no room', async () => {
    const data = await filled();
    const file = path.join(folder, 'roomless.db');
    await run(data, 0, 'backup', file);
    const target = path.join(disk, 'new.db');
    const { code, err } = await onFullDisk(disk, file, ['restore', file], {
      KALENDS_DATA_DIR: data,
      DATABASE_URL: target,
    });
    assert.equal(code, 1, err);
    assert.match(err, /The disk with \S+new\.db\.\w+\.restoring is full\. Free some space/);
  });
});
