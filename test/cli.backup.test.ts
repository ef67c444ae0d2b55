import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
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
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../src/db/database.js';
import { openDatabase } from '../src/db/open.js';
import { ended, execute, folder, fresh, kalends, outside, started } from './support/cli.js';
import { besides, EVENT, filled, manyEvents, TERM, tear } from './support/cli.rows.js';

/** Backups of the embedded database, and the way back. */

const { run, json } = outside;

async function inDatabase<T>(data: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(path.join(data, 'kalends.db'));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Without what SQLite leaves beside an open file. */
const filesIn = (data: string): string[] => readdirSync(data).filter((name) => !/-(wal|shm)$/.test(name));

const lines = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;

describe('backup and restore', () => {
  test('there and back', async () => {
    const data = await filled(...EVENT(1));
    const file = path.join(folder, 'there.db');
    assert.match((await run(data, 0, 'backup', file)).out, /1 event,.* 1 user/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match((await run(data, 1, 'backup', file)).err, /already exists.*--force/);
    assert.deepEqual((await json(data, 'backup', file, '--force')).counts.events, 1);
    assert.deepEqual(besides('there.db'), ['there.db']);

    await execute(data, ...EVENT(2));
    assert.match((await run(data, 1, 'restore', file)).err, /There is already a database at .* --force/);
    const { kept, counts } = await json(data, 'restore', file, '--force');
    assert.equal(counts.events, 1);
    assert.match(kept, /kalends\.db\.before-restore-\d{8}T\d{6}$/);
    assert.equal((await json(data, 'check')).counts.events, 1);
    const old = JSON.parse((await kalends(['check', '--json', '--database-url', kept])).out);
    assert.equal(old.counts.events, 2);

    const other = fresh();
    // As it may come from another machine.
    chmodSync(file, 0o644);
    await run(other, 0, 'restore', file);
    assert.equal(statSync(path.join(other, 'kalends.db')).mode & 0o777, 0o600);
    assert.equal((await json(other, 'check')).counts.events, 1);
    assert.deepEqual(filesIn(other), ['kalends.db']);
    assert.deepEqual(readFileSync(file).subarray(0, 15).toString(), 'SQLite format 3', 'the backup is still there');
  });

  test('two at once do not get in each other’s way, nor does what an interrupted one left', async () => {
    const files = ['north.db', 'south.db'].map((name) => path.join(folder, name)) as [string, string];
    await run(await filled(...EVENT(1)), 0, 'backup', files[0]);
    await run(await filled(...manyEvents()), 0, 'backup', files[1]);
    const data = await filled();
    const target = path.join(data, 'kalends.db');
    for (const left of ['', '-wal', '-shm']) writeFileSync(`${target}.restoring${left}`, 'left behind');
    const done = await Promise.all(
      files.map((file) => kalends(['restore', file, '--force', '--json'], { KALENDS_DATA_DIR: data })),
    );
    for (const { code, err } of done) assert.ok(code === 0 || /is in use/.test(err), err);
    assert.ok(done.some(({ code }) => code === 0));
    const now = (await json(data, 'check')).counts.events;
    const told = done.filter(({ code }) => code === 0).map(({ out }) => JSON.parse(out).counts.events);
    assert.ok(told.includes(now), `${now} of ${told}`);
    assert.ok(!filesIn(data).some((name) => /\.[0-9a-f]{12}\.restoring/.test(name)));
  });

  test('a command that is stopped leaves nothing half done behind, and ends like any other', async () => {
    const many = `WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO term (id, kind, uid, revision, change_seq, name, name_key, slug, description, count)
      SELECT i, 'tag', 't' || i, 0, 0, 'T', 't', 't' || i, '', 0 FROM n`;
    const data = await filled(many);
    const child = started(['export', path.join(folder, 'stopped.jsonl')], { KALENDS_DATA_DIR: data });
    const result = ended(child);
    while (child.exitCode === null && besides('stopped.jsonl').length === 0) await sleep(1);
    child.kill('SIGINT');
    assert.deepEqual(
      { ...(await result), signal: child.signalCode },
      { code: null, out: '', err: '', signal: 'SIGINT' },
    );
    assert.deepEqual(besides('stopped.jsonl'), []);

    const file = path.join(folder, 'stopped.db');
    await run(data, 0, 'backup', file);
    const other = fresh();
    const restoring = started(['restore', file], { KALENDS_DATA_DIR: other });
    const stopped = ended(restoring);
    const isThere = () => existsSync(other) && filesIn(other).some((name) => name.endsWith('.restoring'));
    while (restoring.exitCode === null && !isThere()) await sleep(1);
    restoring.kill('SIGTERM');
    assert.deepEqual(
      { ...(await stopped), signal: restoring.signalCode },
      { code: null, out: '', err: '', signal: 'SIGTERM' },
    );
    assert.deepEqual(filesIn(other), []);
  });

  test('what a backup notes about files to be removed is not carried out where it is restored', async () => {
    const data = await filled(
      "INSERT INTO loose_file (file, names, noted_at) VALUES ('a', '[]', 0)",
      "INSERT INTO instance (id, version, host, knows, seen_at) VALUES ('x', '1', 'there', 1, 4000000000)",
    );
    const file = path.join(folder, 'noted.db');
    await run(data, 0, 'backup', file);
    const other = fresh();
    await run(other, 0, 'restore', file);
    await inDatabase(other, async (database) => {
      const left = await database.read((db) => db.all(sql`SELECT 1 FROM loose_file UNION ALL SELECT 1 FROM instance`));
      assert.deepEqual(left, []);
    });
  });

  test('behind a symbolic link, the database itself is replaced', async () => {
    const [data, linked] = [await filled(...EVENT(1)), fresh()];
    const file = path.join(folder, 'behind.db');
    await run(data, 0, 'backup', file);
    await execute(data, ...EVENT(2));
    mkdirSync(linked, { recursive: true });
    symlinkSync(path.join(data, 'kalends.db'), path.join(linked, 'kalends.db'));
    await run(linked, 0, 'restore', file, '--force');
    assert.ok(lstatSync(path.join(linked, 'kalends.db')).isSymbolicLink());
    assert.equal((await json(data, 'check')).counts.events, 1);
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
    ...[2, 3, 5, 9].map((page): (typeof refused)[number] => [
      `noise in page ${page}`,
      /is damaged/,
      async (file) => writeFileSync(file, readFileSync(file).fill(0xa5, page * 4096, (page + 1) * 4096)),
    ]),
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

  test('of a damaged database no backup is made, and the one before stays', async () => {
    const data = await filled('PRAGMA ignore_check_constraints = 1', ...EVENT(1, { status: 'none' }));
    const file = path.join(folder, 'before.db');
    writeFileSync(file, 'the one before');
    assert.match((await run(data, 1, 'backup', file, '--force')).err, /^No backup was written: the copy is damaged/);
    assert.equal(readFileSync(file, 'utf8'), 'the one before');
    assert.deepEqual(besides('before.db'), ['before.db']);
  });

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
