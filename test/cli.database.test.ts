import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../src/db/database.js';
import { migrate, migrationsFor } from '../src/db/migrate.js';
import { openDatabase } from '../src/db/open.js';
import { execute, folder, fresh, hasOwnMounts, inside, kalends, onFullDisk, outside } from './support/cli.js';

const { run, json } = outside;

async function inDatabase<T>(data: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(path.join(data, 'kalends.db'));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

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
    await execute(data, 'DELETE FROM migration');
    assert.match((await inside.run(data, 1, 'user', 'list')).err, /older version.*kalends migrate/);
  });
});

/** Rows as the service would write them, and then a little wrong. */
const EVENT = (id: number, more: Record<string, string | number> = {}): string[] => {
  const columns = {
    ...{ id, uid: `e${id}`, revision: 0, change_seq: id, created_at: 0, author_id: 1, status: 'publish', date_utc: 0 },
    ...{ modified_utc: 0, slug: `e${id}`, title: 'Fest', description: '', excerpt: '', all_day: 0, cost: '[]' },
    ...{ timezone: 'Europe/Berlin', start_local: '2026-07-01 20:00:00', end_local: '2026-07-01 22:00:00' },
    ...{ start_utc: 1782928800, end_utc: 1782936000, show_map: 1, show_map_link: 1, hide_from_listings: 0, sticky: 0 },
    ...{ featured: 0, ticketed: 0, ...more },
  };
  const values = Object.values(columns).map((value) => (typeof value === 'string' ? `'${value}'` : value));
  return [
    `INSERT INTO record (id, kind) VALUES (${id}, 'event')`,
    `INSERT INTO event (${Object.keys(columns).join()}) VALUES (${values.join()})`,
    `INSERT INTO event_search (id, text) VALUES (${id}, 'fest')`,
    `INSERT INTO event_search_index (rowid, text) VALUES (${id}, 'fest')`,
  ];
};
const TERM = (id: number, count: number): string[] => [
  `INSERT INTO term (id, kind, uid, revision, change_seq, name, name_key, slug, description, count)
   VALUES (${id}, 'tag', 't${id}', 0, 0, 'T', 't', 't${id}', '', ${count})`,
  `INSERT INTO term_search (id, text) VALUES (${id}, 't')`,
  `INSERT INTO unindexed (search, id) VALUES ('term_search', ${id})`,
];

async function filled(...statements: string[]): Promise<string> {
  const data = fresh();
  mkdirSync(data);
  const user = "INSERT INTO user (username, username_key, role, created_at) VALUES ('ann', 'ann', 'administrator', 0)";
  await execute(data, user, ...statements);
  return data;
}

describe('check', () => {
  test('all is well', async () => {
    const data = await filled(...EVENT(1), ...TERM(1, 1), 'INSERT INTO event_term VALUES (1, 1)');
    assert.match(
      (await run(data, 0, 'check')).out,
      /in order: 1 event, 0 venues, 0 organizers, 1 category or tag, 1 user/,
    );
    const found = await json(data, 'check');
    assert.deepEqual([found.ok, found.problems, found.counts.events], [true, [], 1]);
  });

  const wrong: [name: string, statements: string[], says: RegExp][] = [
    ['term count', TERM(1, 3), /tag 1 \(t1\) says 3 published events, but 0 carry it/],
    ['missing search row', [...EVENT(1), 'DELETE FROM event_search'], /event 1 is missing in the search index/],
    ['unindexed row', [...EVENT(1), 'DELETE FROM event_search_index'], /event 1 is missing in the search index/],
    [
      'orphan search row',
      [
        "INSERT INTO venue_search (id, text) VALUES (7, 'x')",
        "INSERT INTO unindexed (search, id) VALUES ('venue_search', 7)",
      ],
      /has venue 7, which does not exist/,
    ],
    ['orphan place', ['INSERT INTO venue_place VALUES (7, 0, 0, 0, 0, 0, 0)'], /venue 7: coordinates/],
    [
      'start',
      EVENT(1, { start_utc: 1782928801 }),
      /event 1: its start is 2026-07-01 20:00:00 by the clock, but .*20:00:01 by UTC/,
    ],
    ['end', EVENT(1, { end_local: '2026-07-01 23:00:00' }), /event 1: its end is/],
    ['slug', ['DROP INDEX event_slug', ...EVENT(1), ...EVENT(2, { slug: 'e1' })], /slug e1 is that of 2 records/],
    [
      'migration',
      ["UPDATE migration SET checksum = 'x' WHERE name LIKE '0001-%'"],
      /Migration 0001-\S+ is not the one/,
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
    assert.match((await run(data, 0, 'check')).out, /^Advice: The rules of time zones changed since/);
  });

  test('a file that is no database', async () => {
    const data = await filled();
    writeFileSync(path.join(data, 'kalends.db'), 'hello');
    assert.match((await run(data, 3, 'check')).out, /not an SQLite database/);
    assert.match((await run(data, 1, 'user', 'list')).err, /is not a database/);
  });

  test('a file that is cut', async () => {
    const data = await filled();
    const file = path.join(data, 'kalends.db');
    writeFileSync(file, readFileSync(file).subarray(0, 40_960));
    const { out } = await run(data, 3, 'check');
    assert.match(out, /^The database is damaged\. .*put a backup in its place with "kalends restore FILE --force"\./);
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
      assert.match(err, /The disk (is full\. Make room|cannot be read or written\. .*"df")/);
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
    assert.ok(err.includes(`The disk of ${target}.restoring is full. Make room`), err);
  });
});

/** Without what SQLite leaves beside an open file. */
const filesIn = (data: string): string[] => readdirSync(data).filter((name) => !/-(wal|shm)$/.test(name));

/** What was made under a name, and what was left beside it. */
const besides = (name: string): string[] => readdirSync(folder).filter((other) => other.startsWith(name));

const manyEvents = (): string[] =>
  Array.from({ length: 300 }, (_, n) => EVENT(n + 1, { description: 'x'.repeat(500) })).flat();

const lines = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;

/** Overwrites pages in the middle, as a bad disk does. */
function tear(file: string): void {
  const bytes = readFileSync(file);
  const pages = bytes.length / 4096;
  for (let page = Math.floor(pages / 2); page < pages; page++) bytes.fill(0xa5, page * 4096, page * 4096 + 200);
  writeFileSync(file, bytes);
}

describe('backup and restore', () => {
  test('there and back', async () => {
    const data = await filled(...EVENT(1));
    const file = path.join(folder, 'there.db');
    assert.match((await run(data, 0, 'backup', file)).out, /1 event,.* 1 user/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match((await run(data, 1, 'backup', file)).err, /exists already.*--force/);
    assert.deepEqual((await json(data, 'backup', file, '--force')).counts.events, 1);
    assert.deepEqual(besides('there.db'), ['there.db']);

    await execute(data, ...EVENT(2));
    assert.match((await run(data, 1, 'restore', file)).err, /There is a database at .* --force/);
    const { kept, counts } = await json(data, 'restore', file, '--force');
    assert.equal(counts.events, 1);
    assert.match(kept, /kalends\.db\.before-restore-\d{8}T\d{6}$/);
    assert.equal((await json(data, 'check')).counts.events, 1);
    const old = JSON.parse((await kalends(['check', '--json', '--database-url', kept])).out);
    assert.equal(old.counts.events, 2);

    const other = fresh();
    await run(other, 0, 'restore', file);
    assert.equal((await json(other, 'check')).counts.events, 1);
    assert.deepEqual(filesIn(other), ['kalends.db']);
    assert.deepEqual(readFileSync(file).subarray(0, 15).toString(), 'SQLite format 3', 'the backup is still there');
  });

  test('places that cannot be', async () => {
    const data = await filled();
    await run(data, 2, 'backup', path.join(data, 'kalends.db'));
    await run(data, 2, 'backup', folder);
    await run(data, 1, 'backup', path.join(folder, 'no', 'folder.db'));
    await run(data, 1, 'restore', path.join(folder, 'missing.db'));
    await run(data, 1, 'restore', folder);
    await run(data, 2, 'restore', path.join(data, 'kalends.db'), '--force');
  });

  test('nothing is put in the place of the database or of its log, by whatever way', async () => {
    const data = await filled(...EVENT(1));
    const way = path.join(folder, 'way');
    symlinkSync(data, way);
    for (const name of ['kalends.db', 'kalends.db-wal', 'kalends.db-shm']) {
      for (const command of ['backup', 'export']) {
        const { err } = await run(data, 2, command, path.join(way, name), '--force');
        assert.match(err, /FILE is the database itself/);
      }
    }
    await run(data, 2, 'restore', path.join(way, 'kalends.db'), '--force');
    await run(data, 2, 'copy', '--from', path.join(data, 'kalends.db'), '--to', path.join(way, 'kalends.db-wal'));
    assert.equal((await json(data, 'check')).counts.events, 1);
  });

  test('what is no file is not replaced by one', async () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    assert.match((await run(await filled(), 2, 'backup', pipe, '--force')).err, /pipe is not a regular file/);
    assert.ok(statSync(pipe).isFIFO());
  });

  test('standard output is no place for a backup', async () => {
    assert.match((await run(await filled(), 2, 'backup', '-')).err, /cannot go to standard output/);
    assert.ok(!existsSync(path.join(folder, '-')));
  });

  test('backup while others write', async () => {
    const data = await filled(...manyEvents());
    const file = path.join(folder, 'busy.db');
    await inDatabase(data, async (database) => {
      let writing = true;
      let written = 0;
      const writer = (async () => {
        while (writing) {
          // Both or neither: a copy of one moment never has one without the other.
          await database.write(async (db) => {
            const id = 1000 + written;
            for (const statement of [...EVENT(id), ...TERM(id, 1)]) await db.run(sql.raw(statement));
            await db.run(sql.raw(`INSERT INTO event_term VALUES (${id}, ${id})`));
          });
          written++;
          // The database answers without waiting; other events of this process need their turn.
          await setImmediate();
        }
      })();
      await run(data, 0, 'backup', file);
      await run(data, 0, 'check');
      writing = false;
      await writer;
      assert.ok(written > 10, `${written} writes`);
    });
    const other = fresh();
    await run(other, 0, 'restore', file);
    const { counts } = await json(other, 'check');
    assert.equal(counts.events - 300, counts.terms);
  });

  for (const command of ['backup', 'export']) {
    test(`several of ${command} at once under one name`, async () => {
      const data = await filled(...manyEvents());
      const name = `at-once-${command}`;
      const file = path.join(folder, name);
      writeFileSync(`${file}.tmp`, 'of somebody else');
      const said = await Promise.all(Array.from({ length: 4 }, () => run(data, 0, command, file, '--force')));
      assert.equal(readFileSync(`${file}.tmp`, 'utf8'), 'of somebody else');
      assert.deepEqual(besides(name), [name, `${name}.tmp`]);
      if (command === 'backup') await run(fresh(), 0, 'restore', file);
      else assert.match(said[0]?.out ?? '', new RegExp(`: ${lines(file)} rows`));
    });
  }

  const refused: [name: string, says: RegExp, spoil: (file: string) => Promise<void>][] = [
    ['text', /is not a Kalends database/, async (file) => writeFileSync(file, 'not a database')],
    ['empty', /is not a Kalends database/, async (file) => writeFileSync(file, '')],
    ['half', /is damaged/, async (file) => writeFileSync(file, readFileSync(file).subarray(0, 40_960))],
    ['torn', /is damaged/, async (file) => tear(file)],
    [
      'foreign',
      /is not a Kalends database/,
      async (file) => {
        rmSync(file);
        const database = await openDatabase(file);
        await database.write((db) => db.run(sql`CREATE TABLE t (x)`));
        await database.close();
      },
    ],
    [
      'newer',
      /newer version of Kalends \(9999-later\)/,
      async (file) => {
        const database = await openDatabase(file);
        await database.write((db) => db.run(sql`INSERT INTO migration VALUES ('9999-later', 'x', 0)`));
        await database.close();
      },
    ],
    ['unclosed', /is in use, or was not closed/, async (file) => writeFileSync(`${file}-wal`, 'x')],
  ];
  for (const [name, says, spoil] of refused) {
    test(`${name} file is refused, and nothing changes`, async () => {
      const data = await filled(...manyEvents());
      const file = path.join(folder, `spoilt-${name}.db`);
      await run(data, 0, 'backup', file);
      await spoil(file);
      assert.match((await run(data, 1, 'restore', file, '--force')).err, says);
      assert.equal((await json(data, 'check')).counts.events, 300);
      assert.deepEqual(filesIn(data), ['kalends.db']);
    });
  }

  test('refused while another process has the database open', async () => {
    const data = await filled();
    const file = path.join(folder, 'open.db');
    await run(data, 0, 'backup', file);
    await inDatabase(data, async () => {
      assert.match((await run(data, 1, 'restore', file, '--force')).err, /is in use\. Stop the server/);
    });
  });

  test('a stale server.pid does not stand in the way', async () => {
    const data = await filled();
    const file = path.join(folder, 'stale.db');
    await run(data, 0, 'backup', file);
    writeFileSync(path.join(data, 'server.pid'), `${process.pid}\n`);
    await run(data, 0, 'restore', file, '--force');
  });

  test('a damaged database can be replaced, with its log; not while a server may use it', async () => {
    const data = await filled(...EVENT(1));
    const file = path.join(folder, 'rescue.db');
    await run(data, 0, 'backup', file);
    writeFileSync(path.join(data, 'kalends.db'), 'rubbish'.repeat(1000));
    writeFileSync(path.join(data, 'kalends.db-wal'), 'rubbish');
    writeFileSync(path.join(data, 'server.pid'), `${process.pid}\n`);
    assert.match((await run(data, 1, 'restore', file, '--force')).err, new RegExp(`process ${process.pid}`));
    rmSync(path.join(data, 'server.pid'));
    await run(data, 0, 'restore', file, '--force');
    assert.equal((await json(data, 'check')).counts.events, 1);
  });
});
