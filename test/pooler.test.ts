import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate, migrationsFor } from '../src/db/migrate.js';
import { openPostgres } from '../src/db/postgres.js';
import { type FreshDatabase, freshPostgres, postgresServer } from './support/engine.js';
import { keyed } from './support/idempotency.js';
import { PgBouncer, versionOfPgBouncer } from './support/pgbouncer.js';
import { startServer, type TestServer } from './support/server.js';
import { API, damageOf, newSite, serve, stopServer, temporaryFolder } from './tools/site.js';

/** PgBouncer in transaction mode between Kalends and the database, as docs/operating.md describes it. */

/** Far fewer than the two instances open to it (10 each): connections must be shared. */
const CONNECTIONS = 4;
const NO_LIMIT = { KALENDS_WRITE_LIMIT: '0' };
const version = versionOfPgBouncer();
const missing = version === undefined && 'PgBouncer is not installed. On Debian: apt-get install pgbouncer';
const WAYS = [
  { how: '?prepare=false', named: false, skip: missing },
  {
    how: 'max_prepared_statements',
    named: true,
    skip: missing || (Number(version) < 1.021 && 'PgBouncer before 1.21 keeps no track of statements'),
  },
];
const event = (title: string) => ({
  title,
  start_date: 'tomorrow 10:00',
  end_date: 'tomorrow 11:00',
  venue: { venue: `Venue of ${title}` },
  tags: ['pooled'],
  status: 'publish',
});

for (const { how, named, skip } of WAYS) {
  const title = `behind PgBouncer in transaction mode, ${how}`;
  // As a test, so that it is counted.
  if (skip) {
    test(title, { skip });
    continue;
  }
  describe(title, { timeout: 120_000 }, () => {
    let server: Awaited<ReturnType<typeof postgresServer>>;
    let pooler: PgBouncer;
    let own: FreshDatabase;
    let url: string;
    let [one, two]: (TestServer | undefined)[] = [];
    const instances = (): [TestServer, TestServer] => [one as TestServer, two as TestServer];
    /** Asked directly, past the pooler. */
    const direct = async (sql: string): Promise<Record<string, unknown>[]> => {
      const client = new pg.Client(own.url);
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const titles = async (): Promise<string[]> =>
      (await direct('SELECT title FROM event ORDER BY title')).map(({ title }) => String(title));

    before(async () => {
      server = await postgresServer();
      own = await freshPostgres(server.url);
      pooler = await (await PgBouncer.before(server.url, CONNECTIONS, named)).start();
      url = pooler.urlOf(new URL(own.url).pathname.slice(1));
    });
    after(async () => {
      await two?.close();
      await one?.close();
      await pooler?.remove();
      await own?.drop();
      await server?.stop();
    });

    test('several that start at once migrate once', async () => {
      const all = await Promise.all(Array.from({ length: 3 }, () => openPostgres({ url })));
      const applied = await Promise.all(all.map((database) => migrate(database)));
      assert.deepEqual(
        applied.map((names) => names.length).sort((a, b) => a - b),
        [0, 0, migrationsFor('postgres').length],
      );
      await Promise.all(all.map((database) => database.close()));
    });

    test('two instances write and read at once: nothing is lost or mixed up, and few connections suffice', async () => {
      one = await startServer({ DATABASE_URL: url, ...NO_LIMIT });
      two = await startServer({ DATABASE_URL: url, ...NO_LIMIT }, one);
      const both = instances();
      let most = 0;
      let writing = true;
      const watching = (async () => {
        for (; writing; await sleep(50)) {
          const [row] = await direct(
            "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kalends'",
          );
          most = Math.max(most, Number(row?.n));
        }
      })();
      // All with one name: whose slug is which is decided under the writers' lock.
      const made = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const at = both[n % 2] as TestServer;
          const [written] = await Promise.all([
            at.post('/events', event(n % 3 === 0 ? 'Same' : `Event ${n}`), 'editor'),
            at.get('/events', { search: `Event ${n - 5}`, page: 1 }),
            at.get('/venues', { per_page: n + 1 }, 'editor'),
          ]);
          return written;
        }),
      );
      writing = false;
      await watching;
      assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(made.map(({ json }) => json.id)).size, 60);
      assert.equal(new Set(made.map(({ json }) => json.slug)).size, 60);
      assert.ok(most > 1 && most <= CONNECTIONS, `${most} connections`);
      for (const { home } of both) {
        const { json } = await one.ask('GET', home + new URL(one.api).pathname.concat('/tags'), { as: 'admin' });
        assert.equal(json.tags[0].count, 60);
      }
      assert.deepEqual(await damageOf({ env: { DATABASE_URL: url } }), []);
    });

    test('what one writes the other shows: at once to the signed in, within two seconds to everybody', async () => {
      const [here, there] = instances();
      const { json } = await here.post('/events', event('Before'), 'editor');
      assert.equal((await there.get(`/events/${json.id}`)).json.title, 'Before');
      for (let n = 0; n < 5; n++) {
        await here.patch(`/events/${json.id}`, { title: `After ${n}` }, 'editor');
        const written = performance.now();
        assert.equal((await there.get(`/events/${json.id}`, {}, 'editor')).json.title, `After ${n}`);
        while ((await there.get(`/events/${json.id}`)).json.title !== `After ${n}`) {
          assert.ok(performance.now() - written < 2000, 'stale after two seconds');
          await sleep(20);
        }
      }
    });

    test('a failed write leaves no transaction behind for whoever gets its connection', async () => {
      const [here] = instances();
      const refused = await Promise.all(
        Array.from({ length: 12 }, () => here.post('/events', { ...event('Refused'), venue: [999_999] }, 'editor')),
      );
      assert.ok(refused.every(({ status }) => status === 400));
      assert.equal((await here.post('/events', event('Fine'), 'editor')).status, 201);
      // What runs every second may be seen in passing; what stays was left behind.
      const left = `SELECT state, query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'
      AND state_change < now() - interval '300 ms'`;
      for (let n = 0; n < 5; n++) {
        assert.deepEqual(await direct(left), []);
        await sleep(100);
      }
    });

    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      test(`the pooler ends (${signal}) and comes back: service goes on, no answered write is lost or done twice`, async () => {
        const both = instances();
        const answered: string[] = [];
        const unanswered: string[] = [];
        let running = true;
        const writers = Array.from({ length: 6 }, async (_, w) => {
          const at = both[w % 2] as TestServer;
          for (let n = 0; running; n++) {
            const title = `${signal}-${w}-${n}`;
            // Asked again with the same key until it is answered.
            for (;;) {
              const { status } = await keyed(at, title, '/events', event(title));
              if (status === 201) break;
              assert.ok(status === 503 || status === 409, `${status}`);
              unanswered.push(title);
              await sleep(100);
            }
            answered.push(title);
          }
        });
        await sleep(500);
        await pooler.stop(signal);
        await sleep(300);
        await pooler.start();
        const before = answered.length;
        const back = performance.now();
        while (answered.length < before + 12) {
          assert.ok(performance.now() - back < 20_000, 'nothing is written any more');
          await sleep(20);
        }
        running = false;
        await Promise.all(writers);
        const found = (await titles()).filter((title) => title.startsWith(signal));
        assert.deepEqual(found, [...answered].sort(), `${unanswered.length} were asked again`);
        for (const at of both) assert.equal((await at.get('~/readyz')).status, 200);
      });
    }

    test('workers serve through it, and end well', async () => {
      const name = 'kalends_pooled_workers';
      await direct(`CREATE DATABASE ${name}`);
      const by = pooler.urlOf(name);
      const site = await newSite(temporaryFolder('pooled'), { KALENDS_WORKERS: '3', ...NO_LIMIT }, by);
      const running = await serve(site);
      after(() => running.child.kill('SIGKILL'));
      const home = `http://127.0.0.1:${running.port}${API}/events`;
      const headers = { authorization: site.users.editor, 'content-type': 'application/json', connection: 'close' };
      const statuses = await Promise.all(
        Array.from({ length: 30 }, async (_, n) => {
          const body = JSON.stringify(event(`Event ${n}`));
          return (await fetch(home, { method: 'POST', headers, body })).status;
        }),
      );
      assert.deepEqual(new Set(statuses), new Set([201]));
      for (let n = 0; n < 6; n++) {
        const { total } = (await (await fetch(home, { headers })).json()) as { total: number };
        assert.equal(total, 30);
      }
      assert.equal(await stopServer(running), undefined);
      assert.deepEqual(running.complaints, []);
      assert.deepEqual(await damageOf(site), []);
      await direct(`DROP DATABASE ${name} WITH (FORCE)`);
    });
  });
}
