import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Failure } from '../errors.js';
import { openSqlite } from './sqlite.js';
import { asideOf } from './sqlite-aside.js';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-aside-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const numbersTo = (most: number) => `WITH RECURSIVE counted (n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${most}) SELECT n FROM counted`;
/** Takes seconds. */
const LONG = `SELECT count(*) AS n FROM (${numbersTo(20_000_000)})`;
const isUnavailable = (error: unknown): boolean => error instanceof Failure && error.code === 'service-unavailable';

test('others are answered while something takes long', async () => {
  const database = await openSqlite({ file: path.join(folder, 'long.db') });
  const done: string[] = [];
  const long = database.aside?.each(sql.raw(LONG), () => void done.push('long'));
  await database.write((db) => db.run(sql`CREATE TABLE one (id INTEGER)`));
  await database.read((db) => db.all(sql`SELECT * FROM one`));
  done.push('short');
  await long;
  assert.deepEqual(done, ['short', 'long']);
  await database.close();
});

test('others have their turn between two parts of an answer', async () => {
  const database = await openSqlite({ file: path.join(folder, 'turns.db') });
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  // Long texts, each sent separately, that are produced more quickly than they are taken.
  await database.aside?.each(sql.raw(`SELECT printf('%.*c', 100000, 'x') AS text FROM (${numbersTo(30)})`), () => {
    turns.push(turn);
    for (const until = performance.now() + 5; performance.now() < until; );
  });
  isOver = true;
  // The last batch is empty.
  assert.equal(turns.length, 31);
  assert.equal(new Set(turns.slice(0, -1)).size, 30, turns.join());
  await database.close();
});

test('many rows come a few at a time, all of them and in order', async () => {
  const database = await openSqlite({ file: path.join(folder, 'many.db') });
  const seen: number[] = [];
  let times = 0;
  await database.aside?.each(sql.raw<{ n: number }>(numbersTo(50_000)), (rows) => {
    times++;
    for (const { n } of rows) seen.push(n);
  });
  assert.equal(seen.length, 50_000);
  assert.ok(seen.every((n, at) => n === at + 1));
  assert.ok(times > 1);
  await database.aside?.each(sql.raw<{ n: number }>('SELECT 1 AS n WHERE false'), (rows) => assert.deepEqual(rows, []));
  await database.close();
});

test('a question begins with what was written before it', async () => {
  const database = await openSqlite({ file: path.join(folder, 'fresh.db') });
  await database.write((db) => db.run(sql`CREATE TABLE one (id INTEGER)`));
  for (let n = 1; n <= 20; n++) {
    await database.write((db) => db.run(sql`INSERT INTO one VALUES (${n})`));
    const seen: number[] = [];
    await database.aside?.each(sql<{ n: number }>`SELECT count(*) AS n FROM one`, ([row]) => seen.push(row?.n ?? 0));
    assert.deepEqual(seen, [n]);
  }
  await database.close();
});

test('a question that cannot be asked fails alone', async () => {
  const aside = asideOf(path.join(folder, 'wrong.db'));
  const rows: unknown[] = [];
  const [wrong, right] = await Promise.allSettled([
    aside.ask('SELECT * FROM missing', [], () => assert.fail('there is no answer')),
    aside.ask('SELECT ? AS n', [7], (some) => rows.push(...some.map((row) => ({ ...(row as object) })))),
  ]);
  assert.match(String((wrong as PromiseRejectedResult).reason), /no such table/);
  assert.equal(right.status, 'fulfilled');
  assert.deepEqual(rows, [{ n: 7 }]);
  await aside.close();
});

test('what the taker cannot take is told to the one who asked', async () => {
  const aside = asideOf(path.join(folder, 'taken.db'));
  let times = 0;
  const taken = aside.ask(numbersTo(50_000), [], () => {
    times++;
    throw new Error('cannot take it');
  });
  const next: unknown[] = [];
  const asked = aside.ask('SELECT 1 AS n', [], (rows) => next.push(...rows));
  await assert.rejects(taken, /cannot take it/);
  await asked;
  assert.equal(times, 1);
  assert.equal(next.length, 1, 'and the rest of it is nobody else’s');
  await aside.close();
});

test('closing does not wait for what takes long, and nothing is answered after it', async () => {
  const aside = asideOf(path.join(folder, 'closed.db'));
  const long = aside.ask(numbersTo(50_000_000), [], () => {});
  const inLine = aside.ask('SELECT 1', [], () => {});
  const refused = [assert.rejects(long, isUnavailable), assert.rejects(inLine, isUnavailable)];
  await sleep(50);
  await aside.close();
  await Promise.all(refused);
  await assert.rejects(
    aside.ask('SELECT 1', [], () => {}),
    isUnavailable,
  );
});

test('a process that ends in haste ends as it was told to', () => {
  const script = `import { asideOf } from ${JSON.stringify(new URL('./sqlite-aside.js', import.meta.url))};
    asideOf(${JSON.stringify(path.join(folder, 'haste.db'))}).ask(${JSON.stringify(numbersTo(50_000_000))}, [], () => {});
    setTimeout(() => process.exit(7), 300);`;
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.deepEqual([ended.status, ended.signal, ended.stderr], [7, null, '']);
});

test('a thread that cannot begin is told of, and the next question begins another', async () => {
  const missing = path.join(folder, 'nowhere', 'kalends.db');
  const aside = asideOf(missing);
  for (let n = 0; n < 2; n++) {
    await assert.rejects(
      aside.ask('SELECT 1', [], () => {}),
      isUnavailable,
    );
  }
  await aside.close();
});

test('the log of a server stays short however much is written', async () => {
  const file = path.join(folder, 'log.db');
  const database = await openSqlite({ file });
  database.watch?.(async () => {});
  await database.write((db) => db.run(sql`CREATE TABLE one (id INTEGER PRIMARY KEY, text BLOB)`));
  let most = 0;
  for (let n = 0; n < 400; n++) {
    await database.write((db) => db.run(sql`INSERT INTO one VALUES (${n}, zeroblob(300000))`));
    if (n % 10 === 0) most = Math.max(most, statSync(`${file}-wal`).size);
    if (n % 20 === 0) await sleep(25);
  }
  // 120 MB were written; without checkpoints, all of it would be in the log.
  assert.ok(most < 80_000_000, `the log grew to ${most}`);
  const [row] = await database.read((db) => db.all(sql<{ n: number }>`SELECT count(*) AS n FROM one`));
  assert.equal(row?.n, 400);
  assert.deepEqual(await database.integrity(), []);
  await database.close();
});
