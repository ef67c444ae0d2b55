import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../src/db/database.js';
import { migrate, migrationState, migrationsFor } from '../src/db/migrate.js';
import { openDatabase } from '../src/db/open.js';
import { declaredTables, problemsIn } from './support/schema.js';
import { startServer, type TestServer } from './support/server.js';

/** The migrations make what src/db/tables.ts declares, and the indexes carry the questions that are asked. */

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}
const all = <Row>(database: Database, text: string): Promise<Row[]> =>
  database.read((db) => db.all(sql.raw<Row>(text)));

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-schema-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));
const fresh = (name: string): Promise<Database> => openDatabase(path.join(folder, name));

test('the migrations make the tables and columns that are declared, no more and no less', async () => {
  const declared = declaredTables();
  assert.ok(Object.keys(declared).length > 10);
  const database = await fresh('declared.db');
  await migrate(database);
  const list = await all<{ name: string }>(
    database,
    "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%\\_search' ESCAPE '\\' AND name NOT IN ('migration', 'unindexed')",
  );
  assert.deepEqual(list.map(({ name }) => name).sort(), Object.keys(declared).sort());
  const problems: string[] = [];
  let looked = 0;
  for (const [table, members] of Object.entries(declared)) {
    const columns = await all<Column>(database, `SELECT * FROM pragma_table_info('${table}')`);
    const names = columns.map(({ name }) => name);
    for (const name of names) if (!(name in members)) problems.push(`${table}.${name} is not declared`);
    for (const [name, type] of Object.entries(members)) {
      looked++;
      const column = columns.find((one) => one.name === name);
      if (!column) {
        problems.push(`${table}.${name} is declared and not there`);
        continue;
      }
      const mayBeNull = column.notnull === 0 && column.pk === 0;
      if (mayBeNull !== /\bnull\b/.test(type)) problems.push(`${table}.${name}: ${type}, but nullable is ${mayBeNull}`);
      const text = /string|'/.test(type);
      if (text !== (column.type === 'TEXT')) problems.push(`${table}.${name}: ${type}, but ${column.type}`);
      if (!text && !['INTEGER', 'REAL'].includes(column.type)) problems.push(`${table}.${name} is ${column.type}`);
    }
  }
  await database.close();
  assert.ok(looked > 100, `looked at ${looked} columns`);
  assert.deepEqual(problems, []);
});

test('tables are strict, references have an index, and the file is in the mode that keeps what was answered', async () => {
  const database = await fresh('strict.db');
  await migrate(database);
  const loose = await all<{ name: string }>(
    database,
    "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite%' AND name <> 'migration'",
  );
  assert.deepEqual(loose, []);
  // Removing a row looks for those that point to it: without an index that is a scan of the other table.
  const references = await all<{ child: string; column: string }>(
    database,
    `SELECT t.name AS child, f."from" AS column FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f`,
  );
  assert.ok(references.length > 5);
  const bare: string[] = [];
  for (const { child, column } of references) {
    const first = await all<{ name: string }>(
      database,
      `SELECT x.name FROM pragma_index_list('${child}') AS i, pragma_index_info(i.name) AS x WHERE x.seqno = 0
       UNION SELECT name FROM pragma_table_info('${child}') WHERE pk = 1`,
    );
    if (!first.some(({ name }) => name === column)) bare.push(`${child}.${column}`);
  }
  assert.deepEqual(bare, []);
  const pragma = async (name: string) => Object.values((await all<object>(database, `PRAGMA ${name}`))[0] ?? {})[0];
  assert.equal(await pragma('journal_mode'), 'wal');
  // The log is brought to the disk by ourselves (see sqlite-log.test.ts), before it is moved into the file by the engine.
  assert.equal(await pragma('synchronous'), 1);
  assert.equal(await pragma('foreign_keys'), 1);
  await database.close();
});

const schemaOf = (database: Database): Promise<object[]> =>
  all(database, 'SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name');

test('migrations can be repeated, by several at once, and change nothing the second time', async () => {
  const [one, two] = [await fresh('repeat.db'), await fresh('repeat.db')];
  const applied = await Promise.all([migrate(one), migrate(two)]);
  assert.deepEqual(
    applied.flat(),
    migrationsFor('sqlite').map(({ name }) => name),
    'each is applied by one of them',
  );
  const before = await schemaOf(one);
  assert.ok(before.length > 20);
  assert.deepEqual(await migrate(two), []);
  assert.deepEqual(await schemaOf(one), before);
  const state = await migrationState(one);
  assert.deepEqual(state, {
    done: migrationsFor('sqlite').map(({ name }) => name),
    pending: [],
    altered: [],
    newer: [],
  });
  await two.close();
  await one.close();
});

test('a migration that fails leaves nothing behind, and the next start tries again', async () => {
  const database = await fresh('half.db');
  const broken = { name: '9999-broken', sql: 'CREATE TABLE half (id INTEGER);\nCREATE TABEL;\n', checksum: 'x' };
  await assert.rejects(migrate(database, [...migrationsFor('sqlite'), broken]), /syntax error/);
  assert.deepEqual(await schemaOf(database), []);
  assert.equal((await migrate(database)).length, migrationsFor('sqlite').length);
  await assert.rejects(migrate(database, [...migrationsFor('sqlite'), broken]), /syntax error/);
  assert.equal((await schemaOf(database)).filter((one) => 'name' in one && one.name === 'half').length, 0);
  await database.close();
});

test('a database of a newer version is refused and not touched', async () => {
  const database = await fresh('newer.db');
  const newer = { name: '9999-later', sql: 'CREATE TABLE later (id INTEGER);\n', checksum: 'x' };
  await migrate(database, [...migrationsFor('sqlite'), newer]);
  const before = await schemaOf(database);
  await assert.rejects(migrate(database), /newer version of Kalends \(9999-later\)/);
  assert.deepEqual(await schemaOf(database), before);
  assert.deepEqual((await migrationState(database)).newer, ['9999-later']);
  await database.close();
});

test('migrations come in pairs that older servers survive alike', () => {
  const [here, there] = (['sqlite', 'postgres'] as const).map((engine) =>
    migrationsFor(engine).map(({ name, sql }) => [name, /^-- side by side with: .*/.exec(sql)?.[0]]),
  );
  const names = (of: typeof here) => of?.map(([name]) => name);
  assert.deepEqual(names(there), names(here));
  // An engine may need less than the other: what one says, the other says too, or it has nothing to fear.
  for (const [at, [name, survives]] of (here ?? []).entries())
    if (survives) assert.equal(there?.[at]?.[1], survives, name);
});

test('migrations are numbered one after the other', () => {
  const numbers = migrationsFor('sqlite').map(({ name }) => Number(/^(\d{4})-[a-z0-9-]+$/.exec(name)?.[1]));
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => at + 1),
  );
});

/** Enough rows that a plan matters, put in by SQL. */
async function fill(server: TestServer): Promise<void> {
  const category = (await server.post('/categories', { name: 'Music' }, 'admin')).json.id;
  const tag = (await server.post('/tags', { name: 'free' }, 'admin')).json.id;
  const body = { venue: 'Hall', geo_lat: 10, geo_lng: 20, date_utc: '2020-01-01' };
  const venue = (await server.post('/venues', body, 'admin')).json.id;
  const organizer = (await server.post('/organizers', { organizer: 'Band', date_utc: '2020-01-01' }, 'admin')).json.id;
  const start = Math.floor(Date.now() / 1000) + 86_400;
  const event = (await server.post('/events', { title: 'Concert', start_date: start, end_date: start }, 'admin')).json
    .id;
  const columnsOf = async (table: string): Promise<string[]> =>
    (await all<Column>(server.database, `SELECT * FROM pragma_table_info('${table}')`)).map(({ name }) => name);
  const copies: [string, number, number, Record<string, string>][] = [
    ['venue', venue, 1000, { name_key: "'hall ' || n", date_utc: 'date_utc - n', geo_lat: 'n % 90' }],
    ['organizer', organizer, 1000, { name_key: "'band ' || n", date_utc: 'date_utc - n' }],
    ['event', event, 4000, { start_utc: 'start_utc + n * 3600', end_utc: 'end_utc + n * 3600' }],
  ];
  for (const [table, id, many, own] of copies) {
    const first = (await all<{ n: number }>(server.database, 'SELECT max(id) AS n FROM record'))[0]?.n ?? 0;
    const set: Record<string, string> = {
      ...own,
      id: `${first} + n`,
      uid: 'lower(hex(randomblob(16)))',
      slug: `'${table}-' || n`,
      status: "CASE WHEN n % 10 = 0 THEN 'draft' ELSE 'publish' END",
      author_id: '1 + n % 5',
    };
    const columns = await columnsOf(table);
    const series = `WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${many})`;
    await server.database.write(async (db) => {
      await db.run(sql.raw(`INSERT INTO record (id, kind) ${series} SELECT ${first} + n, '${table}' FROM series`));
      await db.run(
        sql.raw(`INSERT INTO ${table} (${columns}) ${series}
          SELECT ${columns.map((name) => set[name] ?? name)} FROM series, ${table} WHERE ${table}.id = ${id}`),
      );
      await db.run(
        sql.raw(`INSERT INTO ${table}_search (id, text) ${series}
          SELECT ${first} + n, '${table} evening number ' || n FROM series`),
      );
      if (table === 'venue') {
        await db.run(
          sql.raw(`INSERT INTO venue_place ${series} SELECT ${first} + n, n % 90 / 100.0, n % 90 / 100.0,
          0.1, 0.1, 0.1, 0.1 FROM series`),
        );
      }
    });
  }
  await server.database.write(async (db) => {
    await db.run(sql`INSERT INTO event_term SELECT id, ${category} FROM event WHERE id % 20 = 0`);
    await db.run(sql`INSERT INTO event_term SELECT id, ${tag} FROM event WHERE id % 20 = 1`);
    await db.run(sql`INSERT OR IGNORE INTO event_venue SELECT id, ${venue} + id % 500, 0 FROM event
      WHERE ${venue} + id % 500 IN (SELECT id FROM venue)`);
    await db.run(sql`INSERT OR IGNORE INTO event_organizer SELECT id, ${organizer} + id % 500, 0 FROM event
      WHERE ${organizer} + id % 500 IN (SELECT id FROM organizer)`);
  });
}

describe('no main question reads a whole table', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
    await fill(server);
  });
  after(() => server.close());

  /**
   * Lines of a plan that read one of the big tables from end to end: a scan, or a search for nothing but a status that
   * nearly every row has. In a plain list of the kind that is what was asked: the count needs every row, and a walk
   * along the order of the list ends when the page is full.
   */
  async function scansOf(statement: string, listed?: string): Promise<string[]> {
    const plan = await all<{ detail: string }>(server.database, `EXPLAIN QUERY PLAN ${statement}`);
    assert.ok(plan.length > 0);
    return plan
      .map(({ detail }) => detail)
      .filter((detail) => {
        const [, table] = /^(?:SCAN|SEARCH) (event|venue|organizer)\b/.exec(detail) ?? [];
        if (table === undefined) return false;
        const everyStatus = /_listed \(status=\?( AND hide_from_listings=\?)?\)$/.test(detail);
        if (`${table}s` !== listed) return detail.startsWith('SCAN') || everyStatus;
        return detail.startsWith('SCAN') && !/ USING INDEX (venue_newest|organizer_newest|event_start)$/.test(detail);
      });
  }

  for (const analyzed of [false, true]) {
    test(`${analyzed ? 'with' : 'without'} statistics of the data`, async () => {
      if (analyzed) await server.database.write((db) => db.run(sql`ANALYZE`));
      // One that remembers nothing: what is answered from memory asks no question.
      const another = await startServer({ KALENDS_LOG_LEVEL: 'silent' }, server);
      const { looked, told } = await problemsIn(another, scansOf).finally(() => another.close());
      console.log(`# schema: ${looked} query plans`);
      assert.equal(told.length, 0, `${told.length} scans:\n${told.join('\n')}`);
    });
  }

  test('the check itself sees a scan', async () => {
    assert.notDeepEqual(await scansOf("SELECT * FROM event WHERE description = 'x'"), []);
    assert.deepEqual(await scansOf('SELECT * FROM event WHERE id = 1'), []);
  });
});
