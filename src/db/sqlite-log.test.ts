import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { openSqlite } from './sqlite.js';
import { logOf } from './sqlite-log.js';

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-log-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('who comes while the log is brought to the disk waits for the next turn, together', async () => {
  const file = path.join(folder, 'turns.db');
  for (const end of ['', '-wal']) writeFileSync(file + end, 'x');
  const log = logOf(file);
  const first = log.durable();
  appendFileSync(`${file}-wal`, 'written after the first turn began');
  const [second, third] = [log.durable(), log.durable()];
  assert.notEqual(second, first);
  assert.equal(third, second);
  await Promise.all([first, second, third]);
  const [fourth, fifth] = [log.durable(), log.durable()];
  assert.ok(![fourth, fifth].includes(second), 'and a later one for a later turn');
  await Promise.all([fourth, fifth]);
  log.requireSound();
  await log.close();
});

test('what cannot be brought to the disk is refused, and so is everything after it', async () => {
  const file = path.join(folder, 'lost.db');
  const database = await openSqlite({ file });
  await database.read((db) => db.all(sql`SELECT count(*) FROM sqlite_master`));
  const isTrouble = (error: { code?: string; extra?: { cause?: { code?: string } } }) =>
    error.code === 'service-unavailable' && error.extra?.cause?.code === 'ENOENT';
  const make = (name: string, then = () => {}) =>
    database.write(async (db) => {
      await db.run(sql`CREATE TABLE ${sql.table(name)} (id INTEGER)`);
      then();
    });
  // SQLite goes on with the files it has open; whoever opens the log by its name finds none.
  const losing = make('one', () => rmSync(`${file}-wal`));
  await assert.rejects(losing, isTrouble);
  await assert.rejects(make('two'), isTrouble);
  await assert.rejects(database.ping(), isTrouble, 'and whoever asks whether it is ready is told');
  await database.read((db) => db.all(sql`SELECT 1`));
  await database.close();
});
