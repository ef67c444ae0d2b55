import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { nextChange } from '../src/db/counter.js';
import type { Db } from '../src/db/database.js';
import { announce } from '../src/db/instances.js';
import { lastKnown, type Migration, migrate, migrationsFor } from '../src/db/migrate.js';
import { openPostgres } from '../src/db/postgres.js';
import { addTerm } from '../src/records/term.js';
import { erase } from '../src/records/term.store.js';
import { fresh, inProcess } from './support/cli.js';
import { changeOf } from './support/engine.js';
import { PostgresServer } from './support/postgres.js';
import { type Reply, startServer } from './support/server.js';

/** What is PostgreSQL's own: several hosts, poolers, extensions, rights, servers of two versions at one database. */

describe('a PostgreSQL server in its own way', { timeout: 120_000 }, () => {
  let server: PostgresServer;
  let made = 0;
  before(async () => {
    server = await (await PostgresServer.make()).start();
  });
  after(() => server.remove());
  const newDatabase = async (): Promise<string> => {
    const name = `calendar${++made}`;
    await server.sql(`CREATE DATABASE ${name}`);
    return name;
  };

  test('over HTTP: 503 with Retry-After while it is away, and all is well afterwards', async (t) => {
    const url = server.urlOf(await newDatabase());
    const calendar = await startServer({ DATABASE_URL: url });
    // Also when something below is not as it should be: else this file would never end.
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => (closed ??= calendar.close());
    t.after(close);
    const event = { title: 'Kept', start_date: 'tomorrow 10:00', end_date: 'tomorrow 11:00' };
    assert.equal((await calendar.post('/events', event, 'admin')).status, 201);
    const remembered = (): Promise<Reply> => calendar.get('/venues');
    for (let n = 0; n < 5; n++) assert.equal((await remembered()).status, 200);
    await server.stop('SIGQUIT');
    const asked = performance.now();
    const [read, written, ready, alive] = await Promise.all([
      calendar.get('/events'),
      calendar.post('/events', { ...event, title: 'Refused' }, 'admin'),
      calendar.get('~/readyz'),
      calendar.get('~/livez'),
    ]);
    const took = performance.now() - asked;
    const later = await remembered();
    const page = await calendar.ask('GET', '~/de/events/', { headers: { accept: 'text/html' } });
    await server.start();
    // Others may have written what nobody here can see: what is remembered counts for a moment only.
    assert.equal(later.status, 503);
    // People are told so by a page.
    assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '2']);
    assert.match(page.text, /^<!doctype html>\n<html lang="de"/);
    assert.match(page.headers.get('cache-control') ?? '', /no-store/);
    assert.deepEqual([read.status, written.status, ready.status, alive.status], [503, 503, 503, 200]);
    for (const { headers } of [read, written]) assert.ok(Number(headers.get('retry-after')) > 0);
    assert.ok(took > 2000 && took < 7000, `${took} ms`);
    assert.equal((await calendar.get('~/readyz')).status, 200);
    assert.equal((await calendar.post('/events', { ...event, title: 'Kept, too' }, 'admin')).status, 201);
    assert.deepEqual((await calendar.get('/events', { search: 'Refused' })).json.total, 0);
    await close();
    assert.equal(await server.connections(), 0);
  });

  test('it is away: the server ends well nevertheless', async () => {
    const calendar = await startServer({ DATABASE_URL: server.urlOf(await newDatabase()) });
    await calendar.get('/users/me', undefined, 'admin');
    await server.stop('SIGQUIT');
    await calendar.close();
    await server.start();
    assert.ok(calendar.logs.some((line) => line.includes('could not save state at shutdown')));
  });

  test('of several hosts the one that answers is taken, and asked first from then on', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const name = await newDatabase();
    const url = server.urlOf(name).replace('@', `@127.0.0.1:${port},`);
    const database = await openPostgres({ url, patience: 1500 });
    const timed = async (work: Promise<unknown>): Promise<number> => {
      const start = performance.now();
      await work;
      return performance.now() - start;
    };
    const first = await timed(migrate(database));
    assert.ok(first > 700, `${first} ms`);
    const many = await timed(Promise.all(Array.from({ length: 8 }, () => database.read(changeOf))));
    assert.ok(many < 700, `${many} ms`);
    await database.close();
    silent.close();
  });

  test('what is selected aside may take longer than a request, one after the other, and fails alone', async () => {
    const database = await openPostgres({ url: server.url, statementTime: 300 });
    const slowly = sql<{ n: number }>`SELECT 1 AS n FROM pg_sleep(0.6)`;
    const running = sql<{ many: number }>`SELECT count(*)::int AS many FROM pg_stat_activity
      WHERE query LIKE '%pg_sleep(0.6)%' AND state = 'active' AND pid <> pg_backend_pid()`;
    try {
      const taken: number[] = [];
      const take = (rows: { n: number }[]): void => void taken.push(...rows.map(({ n }) => n));
      await assert.rejects(database.read((db) => db.all(slowly)));
      const [one, wrong, two] = [
        database.aside.each(slowly, take),
        assert.rejects(database.aside.each(sql<{ n: number }>`SELECT 1 / 0 AS n`, take)),
        database.aside.each(slowly, take),
      ];
      await sleep(200);
      assert.deepEqual(await database.read((db) => db.all(running)), [{ many: 1 }], 'one at a time');
      await Promise.all([one, wrong, two]);
      assert.deepEqual(taken, [1, 1]);
    } finally {
      await database.close();
    }
  });

  test('what many events follow may take longer than other writes, and nothing else may', async () => {
    const url = server.urlOf(await newDatabase());
    const patient = await openPostgres({ url });
    await migrate(patient);
    const [one, other] = await patient.write(async (db) => {
      await db.run(sql`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN PERFORM pg_sleep(0.6); RETURN OLD; END $$`);
      await db.run(sql`CREATE TRIGGER slow BEFORE DELETE ON term FOR EACH ROW EXECUTE FUNCTION slowly()`);
      return [
        await addTerm(db, 'category', { name: 'Music' }),
        await addTerm(db, 'category', { name: 'Dance' }),
      ] as const;
    });
    const database = await openPostgres({ url, statementTime: 300 });
    try {
      const limit = await database.write(async (db) => {
        await erase(db, one, 0);
        return db.first(sql`SHOW statement_timeout`);
      });
      assert.deepEqual(limit, { statement_timeout: '300ms' });
      await assert.rejects(database.write((db) => db.run(sql`DELETE FROM term WHERE id = ${other.id}`)));
      const left = await database.read((db) => db.all(sql<{ name: string }>`SELECT name FROM term`));
      assert.deepEqual(left, [{ name: 'Dance' }]);
    } finally {
      await Promise.all([database.close(), patient.close()]);
    }
  });

  // At once: before there is a connection; a moment later: while it is selected.
  for (const later of [0, 500])
    test(`what is being selected aside keeps nobody from ending, ${later} ms later`, async () => {
      const database = await openPostgres({ url: server.url });
      const ignore = (): void => {};
      const all = [1, 2].map(() => assert.rejects(database.aside.each(sql`SELECT pg_sleep(20)`, ignore)));
      await sleep(later);
      const began = performance.now();
      await database.close();
      await Promise.all(all);
      assert.ok(performance.now() - began < 5000, 'it does not wait for what nobody waits for');
    });

  test('a pooler that forgets statements: ?prepare=false', async () => {
    const name = await newDatabase();
    const database = await openPostgres({ url: `${server.urlOf(name)}?prepare=false`, connections: 2 });
    await migrate(database);
    for (let n = 0; n < 5; n++) {
      await database.write(nextChange);
      // As another connection of a pooler would be: it knows no statement.
      const known = await database.read((db) => db.all(sql`SELECT name FROM pg_prepared_statements`));
      assert.deepEqual(known, []);
    }
    await database.close();
  });

  test('without the right to make extensions all works, and it is said what to ask for', async () => {
    const name = await newDatabase();
    await server.sql(`CREATE ROLE humble LOGIN; REVOKE CREATE ON DATABASE ${name} FROM public`);
    await server.sql('GRANT CREATE ON SCHEMA public TO humble', name);
    const url = server.urlOf(name, 'humble');
    const calendar = await startServer({ DATABASE_URL: url });
    const event = { title: 'Straßenfest', start_date: 'tomorrow 10:00', end_date: 'tomorrow 11:00' };
    assert.equal((await calendar.post('/events', event, 'admin')).status, 201);
    assert.equal((await calendar.get('/events', { search: 'strassen' })).json.total, 1);
    await calendar.close();
    const env = { DATABASE_URL: url, KALENDS_DATA_DIR: fresh() };
    const checked = await inProcess(['check'], env);
    assert.equal(checked.code, 0, checked.err);
    assert.match(checked.out, /^Advice: .*administrator.*CREATE EXTENSION pg_trgm/);
    const json = JSON.parse((await inProcess(['check', '--json'], env)).out);
    assert.deepEqual([json.ok, json.advice.length], [true, 1]);
    // The administrator follows it, and "kalends migrate" does the rest.
    await server.sql('CREATE EXTENSION pg_trgm', name);
    assert.match((await inProcess(['check'], env)).out, /^Advice: The search index is missing/);
    assert.equal((await inProcess(['migrate'], env)).code, 0);
    assert.deepEqual(JSON.parse((await inProcess(['check', '--json'], env)).out).advice, []);
  });

  test('many instances that start at once migrate once', async () => {
    const url = server.urlOf(await newDatabase());
    const all = await Promise.all(Array.from({ length: 6 }, () => openPostgres({ url, connections: 2 })));
    const applied = await Promise.all(all.map((database) => migrate(database)));
    assert.deepEqual(
      applied.map((names) => names.length).sort((a, b) => a - b),
      [0, 0, 0, 0, 0, migrationsFor('postgres').length],
    );
    await Promise.all(all.map((database) => database.close()));
  });

  const known = migrationsFor('postgres');
  const later = (text: string): Migration[] => [...known, { name: '9998-later', sql: text, checksum: 'x' }];

  test('a change that an older server would not survive waits until it is gone; one that only adds does not', async () => {
    const database = await openPostgres({ url: server.urlOf(await newDatabase()) });
    await migrate(database);
    const old = { id: 'old', version: '1.0.0', host: 'somewhere', knows: lastKnown('postgres') };
    await database.write((db) => announce(db, old));
    await assert.rejects(migrate(database, later('ALTER TABLE event DROP COLUMN cost;\n')), /1\.0\.0 on somewhere/);
    const adding = `-- side by side with: ${String(lastKnown('postgres')).padStart(4, '0')}\nALTER TABLE event ADD COLUMN later TEXT;\n`;
    assert.deepEqual(await migrate(database, later(adding)), ['9998-later']);
    // The older one may even start again.
    assert.deepEqual(await migrate(database), []);
    await database.close();
  });

  test('statements that an older server has prepared go on when a column is added', async () => {
    const url = server.urlOf(await newDatabase());
    const database = await openPostgres({ url });
    await migrate(database);
    const everything = (db: Db): Promise<unknown[]> => db.all(sql`SELECT * FROM counter ORDER BY name`);
    for (let n = 0; n < 3; n++) await database.read(everything);
    await server.sql('ALTER TABLE counter ADD COLUMN later TEXT', new URL(url).pathname.slice(1));
    assert.equal((await database.read(everything)).length, 5);
    await server.sql('ALTER TABLE counter ADD COLUMN later_still TEXT', new URL(url).pathname.slice(1));
    await database.write(async (db) => {
      await nextChange(db);
      await everything(db);
    });
    assert.equal(await database.read(changeOf), 1, 'done once');
    await database.close();
  });
});
