import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  assert.notEqual(log.durable(), second, 'and a later one for a later turn');
  log.requireSound();
  await log.close();
});

test('what cannot be brought to the disk is refused, and so is everything after it', async () => {
  const file = path.join(folder, 'lost.db');
  const database = await openSqlite({ file });
  await database.read((db) => db.all(sql`SELECT 1`));
  // The engine goes on with the files it has open; whoever looks for the log by its name finds none.
  renameSync(file, `${file}.elsewhere`);
  const create = database.write((db) => db.run(sql`CREATE TABLE one (id INTEGER)`));
  await assert.rejects(create, (error: Error) => error.message !== '');
  await assert.rejects(database.write((db) => db.run(sql`CREATE TABLE two (id INTEGER)`)));
  await database.read((db) => db.all(sql`SELECT 1`));
  await database.close();
});
