import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { nextChange } from '../src/db/counter.js';
import type { Database, Db } from '../src/db/database.js';
import { migrate } from '../src/db/migrate.js';
import { openPostgres } from '../src/db/postgres.js';
import { changeOf } from './support/engine.js';
import { PostgresServer } from './support/postgres.js';
import { eventually } from './support/rows.js';

/** What a database server can do to those who use it, done to a real one. */

const unhandled: unknown[] = [];
process.on('unhandledRejection', (error) => unhandled.push(error));

/** Readers and writers that go on whatever happens; what was refused, and how long nothing was answered. */
function traffic(database: Database) {
  const told = { writes: 0, reads: 0, refused: [] as string[], longest: 0, pause: 0 };
  let running = true;
  const loop = async (work: () => Promise<void>): Promise<void> => {
    let last = performance.now();
    while (running) {
      const asked = performance.now();
      try {
        await work();
        told.pause = Math.max(told.pause, performance.now() - last);
        last = performance.now();
      } catch (error) {
        told.refused.push(String((error as { code?: string }).code ?? error));
      }
      told.longest = Math.max(told.longest, performance.now() - asked);
      await sleep(2);
    }
  };
  const loops = [
    ...Array.from({ length: 4 }, () => loop(() => database.write(nextChange).then(() => void told.writes++))),
    ...Array.from({ length: 12 }, () => loop(() => database.read(changeOf).then(() => void told.reads++))),
  ];
  return {
    told,
    async end() {
      running = false;
      await Promise.all(loops);
      return told;
    },
  };
}

describe('a PostgreSQL server in bad weather', { timeout: 120_000 }, () => {
  let server: PostgresServer;
  let database: Database;
  before(async () => {
    server = await (await PostgresServer.make({ max_connections: '40', statement_timeout: '0' })).start();
    database = await openPostgres({ url: server.url, patience: 2000, statementTime: 3000 });
    await migrate(database);
  });
  after(async () => {
    await database.close();
    // The server learns a moment later that the other side of a connection is gone.
    const areGone = async () => ((await server.connections()) === 0 ? true : undefined);
    await eventually(areGone).catch(() => assert.fail('connections are left behind'));
    await server.remove();
    assert.deepEqual(unhandled, []);
  });

  /** All that was answered is there, the service works, and no more connections are open than are kept. */
  const wellAfter = async (told: { writes: number; refused: string[] }, before: number): Promise<void> => {
    const now = await database.read(changeOf);
    // A write whose answer was lost on its way may have been kept.
    assert.ok(now >= before + told.writes, `${now} after ${before} and ${told.writes} answered`);
    assert.ok(now <= before + told.writes + told.refused.length, `${now} after ${before} and ${told.writes} answered`);
    assert.deepEqual(new Set(told.refused), told.refused.length > 0 ? new Set(['service-unavailable']) : new Set());
    assert.ok((await server.connections()) <= 10);
  };

  test('it is restarted as after a crash: those who ask wait', async () => {
    const before = await database.read(changeOf);
    const { told, end } = traffic(database);
    await sleep(300);
    await server.stop('SIGQUIT');
    await server.start();
    await sleep(500);
    await end();
    await wellAfter(told, before);
    assert.ok(told.pause < 5000, `${told.pause} ms`);
    // Only commits under way are in doubt; each of the writers can have been in one.
    assert.ok(told.refused.length <= 4, `${told.refused.length} refused`);
  });

  test('it is away for long: 503 after the time to wait, and again as soon as it is back', async () => {
    const before = await database.read(changeOf);
    const { told, end } = traffic(database);
    await sleep(100);
    await server.stop('SIGINT');
    await sleep(4000);
    assert.ok(told.refused.length > 0);
    const writes = told.writes;
    const back = performance.now();
    await server.start();
    while (told.writes === writes) {
      assert.ok(performance.now() - back < 5000);
      await sleep(20);
    }
    await end();
    await wellAfter(told, before);
    assert.ok(told.longest < 4000, `${told.longest} ms`);
  });

  test('it hangs: nobody waits for ever, and it goes on where it was', async () => {
    const before = await database.read(changeOf);
    const { told, end } = traffic(database);
    await sleep(100);
    server.signal('SIGSTOP');
    await sleep(5000);
    assert.ok(told.refused.length > 0, 'refused while it hangs');
    server.signal('SIGCONT');
    const { writes, reads } = { ...told };
    const back = performance.now();
    while (told.writes === writes || told.reads === reads) {
      assert.ok(performance.now() - back < 5000);
      await sleep(20);
    }
    await end();
    await wellAfter(told, before);
    assert.ok(told.longest < 6000, `${told.longest} ms`);
  });

  test('connections are ended in the middle of work', async () => {
    const before = await database.read(changeOf);
    const { told, end } = traffic(database);
    for (let n = 0; n < 10; n++) {
      await sleep(50);
      await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kalends'");
    }
    await end();
    await wellAfter(told, before);
    assert.ok(told.writes > 0 && told.reads > 0);
  });

  test('what was begun and is lost before the end is done again, once', async () => {
    const before = await database.read(changeOf);
    let attempts = 0;
    await database.write(async (db) => {
      attempts++;
      await nextChange(db);
      if (attempts > 1) return;
      const row = await db.first(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`);
      await server.sql(`SELECT pg_terminate_backend(${row?.pid})`);
      await nextChange(db);
    });
    assert.equal(attempts, 2);
    assert.equal(await database.read(changeOf), before + 1);
  });

  test('what made way for another is done again, alone or in a group', async () => {
    const before = await database.read(changeOf);
    let attempts = 0;
    const makesWay = async (db: Db): Promise<void> => {
      attempts++;
      await nextChange(db);
      if (attempts === 1) await db.run(sql`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$`);
    };
    await database.write(makesWay);
    assert.equal(attempts, 2);
    attempts = 0;
    await Promise.all([database.write(nextChange), database.write(makesWay), database.write(nextChange)]);
    assert.equal(await database.read(changeOf), before + 4);
  });

  test('others have taken all its connections', async () => {
    const others: pg.Client[] = [];
    await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kalends'");
    for (;;) {
      const client = new pg.Client(server.url);
      client.on('error', () => {});
      try {
        await client.connect();
        others.push(client);
      } catch (error) {
        assert.match(String(error), /too many clients|remaining connection slots/);
        break;
      }
    }
    const asked = performance.now();
    await assert.rejects(database.write(nextChange), { code: 'service-unavailable' });
    assert.ok(performance.now() - asked < 4000);
    await Promise.all(others.slice(0, 12).map((client) => client.end()));
    await database.write(nextChange);
    await Promise.all(others.slice(12).map((client) => client.end()));
  });

  test('somebody else holds what a write needs', async () => {
    const other = new pg.Client(server.url);
    await other.connect();
    await other.query("BEGIN; UPDATE counter SET value = value WHERE name = 'change'");
    const asked = performance.now();
    await assert.rejects(database.write(nextChange), { code: 'service-unavailable' });
    assert.ok(performance.now() - asked < 4500, `${performance.now() - asked} ms`);
    assert.ok((await database.read(changeOf)) > 0, 'reads go on');
    await other.query('ROLLBACK');
    await database.write(nextChange);
    await other.end();
  });

  test('a write that is cut off by its own client leaves nothing, and holds nobody up', async () => {
    const before = await database.read(changeOf);
    const refused = assert.rejects(
      database.write(async (db) => {
        await nextChange(db);
        throw new Error('changed its mind');
      }),
      /changed its mind/,
    );
    await database.write(nextChange);
    await refused;
    assert.equal(await database.read(changeOf), before + 1);
  });

  test('a commit whose answer is lost on its way is not done again', async () => {
    let isArmed = false;
    const line = net.createServer((asking) => {
      const answering = net.connect(server.port, '127.0.0.1').on('data', (bytes) => asking.write(bytes));
      asking.on('data', (bytes) => {
        if (isArmed && bytes.includes('COMMIT\0')) {
          isArmed = false;
          answering.removeAllListeners('data').once('data', () => asking.destroy());
        }
        answering.write(bytes);
      });
      asking.on('error', () => {}).on('close', () => answering.destroy());
      answering.on('error', () => {}).on('close', () => asking.destroy());
    });
    await once(line.listen(0, '127.0.0.1'), 'listening');
    const port = (line.address() as AddressInfo).port;
    const far = await openPostgres({ url: server.url.replace(`:${server.port}/`, `:${port}/`) });
    const before = await database.read(changeOf);
    isArmed = true;
    await assert.rejects(far.write(nextChange), { code: 'service-unavailable' });
    assert.equal(await database.read(changeOf), before + 1, 'it was kept, once');
    await far.close();
    line.close();
  });
});
