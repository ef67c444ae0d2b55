import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { CONTENTS, PASSING } from '../src/db/contents.js';
import { isEmpty } from '../src/db/copy.js';
import type { Database } from '../src/db/database.js';
import { announce, retire } from '../src/db/instances.js';
import { migrate } from '../src/db/migrate.js';
import { openDatabase } from '../src/db/open.js';
import { addSampleCalendar } from '../src/demo/sample.js';
import { nowSeconds } from '../src/time/clock.js';
import { ended, folder, fresh, inProcess, kalends, type Result, started } from './support/cli.js';
import { freshPostgres, onServer, postgresServer } from './support/engine.js';
import { newEvent } from './support/rows.js';
import { startServer } from './support/server.js';

/** Moving a calendar from engine to engine, whole or not at all. */

let server: Awaited<ReturnType<typeof postgresServer>>;
const dropped: (() => Promise<void>)[] = [];
let files = 0;
const sqlite = (): string => path.join(folder, `calendar${++files}.db`);
async function postgres(): Promise<string> {
  const { url, drop } = await freshPostgres(server.url);
  dropped.push(drop);
  return url;
}
async function inside<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function run(code: number, args: string[], env: Record<string, string> = {}): Promise<Result> {
  const result = await inProcess(args, { KALENDS_DATA_DIR: fresh(), ...env });
  assert.equal(result.code, code, `kalends ${args.join(' ')}: ${result.out}${result.err}`);
  return result;
}
const copy = (from: string, to: string, code = 0, ...more: string[]): Promise<Result> =>
  run(code, ['copy', '--from', from, '--to', to, ...more]);
const exported = async (url: string): Promise<string> => (await run(0, ['export', '-'], { DATABASE_URL: url })).out;
const check = (url: string, data = fresh()): Promise<Result> =>
  run(0, ['check'], { DATABASE_URL: url, KALENDS_DATA_DIR: data });

/** One of everything, also of what is not seen from outside. */
interface Filled {
  url: string;
  password: string;
  /** Holds the pictures. */
  data: string;
}
async function filled(url: string): Promise<Filled> {
  const data = fresh();
  mkdirSync(data);
  const s = await startServer({ DATABASE_URL: url, KALENDS_DATA_DIR: data, KALENDS_LOG_LEVEL: 'silent' });
  const make = async (at: string, body: unknown): Promise<number> => {
    const { status, json } = await s.post(at, body, 'admin');
    assert.equal(status, 201, JSON.stringify(json));
    return json.id;
  };
  await addSampleCalendar({ config: s.config, database: s.database, adminId: s.users.admin.id });
  const child = await make('/events', newEvent({ title: "Naïve “quotes” \\ 100 % _ ' 日本語 🎉", password: 'word' }));
  const parent = await make('/events', newEvent({ title: 'A parent that came later', status: 'draft' }));
  assert.equal((await s.patch(`/events/${child}`, { post_parent: parent }, 'admin')).status, 200);
  const below = await make('/categories', { name: 'Below' });
  const above = await make('/categories', { name: 'Ábove' });
  assert.equal((await s.patch(`/categories/${below}`, { parent: above }, 'admin')).status, 200);
  await make('/venues', { venue: 'North pole', geo_lat: 90, geo_lng: -0.123456789012345 });
  const headers = { 'idempotency-key': 'once' };
  assert.equal((await s.ask('POST', '/tags', { as: 'admin', json: { name: 'Once' }, headers })).status, 201);
  const gone = await make('/organizers', { organizer: 'Gone' });
  assert.equal((await s.del(`/organizers/${gone}`, 'admin', { force: true })).status, 200);
  const trashed = await make('/venues', { venue: 'Trashed' });
  assert.equal((await s.del(`/venues/${trashed}`, 'admin')).status, 200);
  const dot =
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQImWOo0pOt0pNlgFAAFw4DFQPTcrAAAAAASUVORK5CYII=';
  const body = Buffer.from(dot, 'base64');
  assert.equal(
    (await s.ask('POST', '/media', { as: 'admin', body, headers: { 'content-type': 'image/png' } })).status,
    201,
  );
  await s.database.write((db) =>
    db.run(db.q.insertInto('loose_file').values({ file: 'f'.repeat(32), names: '[]', noted_at: nowSeconds() })),
  );
  await s.close();
  return { url, password: s.users.editor.password, data };
}

let origin: Filled;
before(async () => {
  server = await postgresServer();
  origin = await filled(sqlite());
});
after(async () => {
  for (const drop of dropped) await drop();
  await server.stop();
});

describe('contents', () => {
  test('every table of a calendar is known, and every one has rows here', async () => {
    const url = await postgres();
    const tables = await inside(url, async (database) => {
      await migrate(database);
      return database.read((db) =>
        db.all(
          sql<{ name: string }>`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
        ),
      );
    });
    const known = [...CONTENTS.map(({ table }) => table), ...PASSING, 'migration'];
    assert.deepEqual(tables.map(({ name }) => name).sort(), known.sort());
    const { tables: sums } = JSON.parse((await copy(origin.url, url, 0, '--json')).out);
    assert.equal(sums.length, CONTENTS.length);
    const advice = await inside(url, (database) => database.advice());
    assert.deepEqual(advice, [], 'the search index is there again');
    for (const { table, rows, checksum } of sums) {
      assert.ok(rows > 0, `${table} has no rows: nothing was tested`);
      assert.match(checksum, /^[0-9a-f]{64}$/);
    }
  });

  test('the export is one JSON object a row, in order', async () => {
    const file = path.join(folder, 'export.jsonl');
    const env = { DATABASE_URL: origin.url };
    assert.match((await run(0, ['export', file], env)).out, /^Wrote .*export\.jsonl: \d+ rows\.$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match((await run(1, ['export', file], env)).err, /exists already/);
    await run(0, ['export', file, '--force'], env);
    const text = readFileSync(file, 'utf8');
    assert.equal(text, `${await exported(origin.url)}\n`);
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const events = rows.filter(({ table }) => table === 'event').map(({ id }) => id);
    assert.deepEqual(
      events,
      [...events].sort((a, b) => a - b),
    );
    assert.deepEqual(Object.keys(rows[0]), ['table', 'name', 'value']);
  });
});

describe('copy', () => {
  test('there and back gives a byte-equal export, from either engine to either', async () => {
    const wanted = await exported(origin.url);
    let from = origin.url;
    for (const to of [await postgres(), await postgres(), sqlite(), sqlite()]) {
      assert.match((await copy(from, to)).out, /^Copied .*, and compared: \d+ rows in \d+ tables\.$/);
      assert.ok((await exported(to)) === wanted, `the export of ${to} differs`);
      await check(to, origin.data);
      from = to;
    }
    assert.equal(statSync(from).mode & 0o777, 0o600);
  });

  for (const engine of ['postgres', 'sqlite'] as const) {
    test(`a copy in ${engine} goes on where the origin was`, async () => {
      const between = await postgres();
      await copy(origin.url, between);
      const to = engine === 'postgres' ? between : sqlite();
      if (to !== between) await copy(between, to);
      const child = started(['serve'], { DATABASE_URL: to, KALENDS_DATA_DIR: fresh(), PORT: '0' });
      const end = ended(child);
      const address = await new Promise<string>((resolve) => {
        child.stdout?.on('data', (chunk) => {
          const found = /"address":"([^"]+)"/.exec(String(chunk))?.[1];
          if (found) resolve(found);
        });
      });
      try {
        const authorization = `Basic ${Buffer.from(`editor:${origin.password}`).toString('base64')}`;
        const headers = { authorization, 'content-type': 'application/json' };
        const ask = async (at: string, body?: unknown) =>
          (
            await fetch(`${address}/api/calendar/events/v1${at}`, {
              headers,
              ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
            })
          ).json() as Promise<Record<string, unknown>>;
        assert.equal((await ask('/users/me')).username, 'editor');
        assert.equal((await ask('/venues?search=north')).total, 1);
        assert.ok(Number((await ask('/events?geoloc_lat=38.71&geoloc_lng=-9.14&geoloc_distance=50')).total) > 0);
        const { last } = await inside(to, (database) =>
          database.read(async (db) => ({
            last: (await db.first(sql<{ n: number }>`SELECT max(id) AS n FROM record`))?.n ?? 0,
          })),
        );
        assert.equal((await ask('/events', newEvent())).id, last + 1);
        const refused = await copy(origin.url, to, 1, '--force');
        assert.match(refused.err, /1 server of the calendar .* may be running\. Stop them/);
      } finally {
        child.kill('SIGTERM');
        await end;
      }
    });
  }

  test('a calendar that is there is replaced only by force, and then wholly', async () => {
    const wanted = await exported(origin.url);
    const small = sqlite();
    await run(0, ['user', 'add', 'ann', '--role', 'editor'], { DATABASE_URL: small });
    for (const to of [await postgres(), sqlite()]) {
      await copy(origin.url, to);
      assert.match((await copy(small, to, 1)).err, /There is a calendar in .* already\. Say --force/);
      assert.ok((await exported(to)) === wanted);
      await copy(small, to, 0, '--force');
      assert.equal(await exported(to), await exported(small));
      await check(to);
      await copy(origin.url, to, 0, '--force');
      assert.ok((await exported(to)) === wanted);
      await check(to, origin.data);
    }
  });

  test('places that cannot be', async () => {
    const to = sqlite();
    assert.match((await copy(sqlite(), to, 1)).err, /There is no database at .* Check --from/);
    assert.match((await copy(await postgres(), to, 1)).err, /There is no calendar in postgres:/);
    assert.match((await copy(origin.url, origin.url, 2)).err, /the same database/);
    assert.match((await copy(origin.url, 'postgres://nobody', 2)).err, /--to must name a database/);
    assert.match((await copy(origin.url, path.join(folder, 'no', 'file.db'), 1)).err, /There is no folder/);
    const secret = 'postgres://postgres:wrong-secret@127.0.0.1:9/calendar';
    assert.doesNotMatch((await copy(origin.url, secret, 1)).err, /wrong-secret/);
    assert.match((await run(2, ['copy', '--from', 'x'])).err, /--to is missing/);
  });

  test('what does not arrive as it was sent is not kept', async () => {
    const to = await postgres();
    await inside(to, async (database) => {
      await migrate(database);
      await database.write(async (db) => {
        await db.run(
          sql`CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.name := upper(NEW.name); RETURN NEW; END'`,
        );
        await db.run(sql`CREATE TRIGGER shout BEFORE INSERT ON venue FOR EACH ROW EXECUTE FUNCTION shout()`);
      });
    });
    assert.match((await copy(origin.url, to, 1)).err, /What arrived in the table venue is not what was sent/);
    await inside(to, async (database) => {
      assert.ok(await database.read(isEmpty));
      await database.write((db) => db.run(sql`DROP TRIGGER shout ON venue`));
    });
    await copy(origin.url, to);
    assert.ok((await exported(to)) === (await exported(origin.url)));
  });

  test('what was written on PostgreSQL arrives in SQLite to the last digit', async () => {
    const { url, data } = await filled(await postgres());
    const to = sqlite();
    await copy(url, to);
    assert.ok((await exported(to)) === (await exported(url)));
    await check(to, data);
  });

  test('databases of different versions are not mixed', async () => {
    const to = await postgres();
    await inside(to, async (database) => {
      await migrate(database);
      await database.write(async (db) => {
        await db.run(sql`INSERT INTO migration (name, checksum, applied_at) VALUES ('9999-later', 'x', 0)`);
        await db.run(sql`INSERT INTO setting (name, value) VALUES ('needs.9999-later', '1')`);
      });
    });
    assert.match((await copy(origin.url, to, 1)).err, /made by different versions/);
  });
});

describe('a large calendar', () => {
  const MANY = 8000;
  let large: string;
  before(async () => {
    large = sqlite();
    await copy(origin.url, large);
    await inside(large, (database) =>
      database.write(async (db) => {
        const series = `WITH RECURSIVE series (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM series WHERE n < ${MANY + 999})`;
        await db.run(sql.raw(`INSERT INTO record (id, kind) ${series} SELECT n, 'organizer' FROM series`));
        const columns = await db.all(sql<{ name: string }>`SELECT name FROM pragma_table_info('organizer')`);
        const own: Record<string, string> = { id: 'n', uid: "'large-' || n", slug: "'large-' || n" };
        const names = columns.map(({ name }) => name);
        await db.run(
          sql.raw(`INSERT INTO organizer (${names}) ${series} SELECT ${names.map((name) => own[name] ?? name)}
            FROM series, (SELECT * FROM organizer LIMIT 1) AS one`),
        );
        await db.run(
          sql.raw(`INSERT INTO organizer_search (id, text) ${series} SELECT n, 'large choir ' || n FROM series`),
        );
        await db.run(sql`UPDATE counter SET value = 1000000 WHERE name = 'record'`);
      }),
    );
  });

  test('killed in the middle, nothing is there; run again, everything is', async () => {
    const to = await postgres();
    const child = started(['copy', '--from', large, '--to', to], {});
    const end = ended(child);
    await inside(to, async (database) => {
      const writing = sql<{ n: number }>`SELECT count(*) AS n FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'INSERT INTO "organizer%'`;
      for (;;) {
        assert.equal(child.exitCode, null, 'it ended before it could be killed');
        if ((await database.read((db) => db.first(writing)))?.n === 1) break;
        await sleep(5);
      }
      child.kill('SIGKILL');
      assert.equal((await end).code, null);
      assert.ok(await database.read(isEmpty));
    });
    await copy(large, to);
    assert.ok((await exported(to)) === (await exported(large)));
  });

  test('progress is told on a terminal, and only there', async () => {
    const said: string[] = [];
    const io = { env: {}, version: '0', out: () => {}, err: (text: string) => said.push(text) };
    const { run: command } = await import('../src/cli/run.js');
    const args = (to: string): string[] => ['copy', '--from', large, '--to', to];
    await command(args(sqlite()), { ...io, terminal: false });
    assert.deepEqual(said, []);
    await command(args(await postgres()), { ...io, terminal: true });
    assert.match(said.join('\n'), /^\w+: \d+ of \d+$/m);
  });

  test('what is written meanwhile is in the copy wholly or not at all', async () => {
    const from = await postgres();
    await copy(large, from);
    const file = sqlite();
    await inside(from, async (database) => {
      let written = 0;
      const end = ended(started(['backup', file], { DATABASE_URL: from }));
      let running = true;
      void end.then(() => {
        running = false;
      });
      while (running) {
        await database.write(async (db) => {
          const id = 2_000_000 + written++;
          await db.run(db.q.insertInto('record').values({ id, kind: 'event' }));
          await db.run(
            db.q.insertInto('tombstone').values({ kind: 'event', id, uid: `t${id}`, change_seq: 0, removed_at: 0 }),
          );
        });
      }
      assert.equal((await end).code, 0);
      assert.ok(written > 10, `${written} writes`);
    });
    await inside(file, (database) =>
      database.read(async (db) => {
        const found = await db.first(sql<{ records: number; tombstones: number }>`SELECT
          (SELECT count(*) FROM record WHERE id >= 2000000) AS records,
          (SELECT count(*) FROM tombstone WHERE id >= 2000000) AS tombstones`);
        assert.equal(found?.records, found?.tombstones);
      }),
    );
  });
});

describe('a database server that lets nobody in', () => {
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(server.url);
    change(url);
    return url.href;
  };
  const rows: [what: string, url: () => string | Promise<string>, says: RegExp][] = [
    [
      'not there',
      () => 'postgres://u:geheim@127.0.0.1:9/calendar',
      /^The server at 127\.0\.0\.1, port 9 cannot be reached \(ECONNREFUSED\)\. Start it, or correct/,
    ],
    [
      'not there, by a name',
      () => 'postgres://u:geheim@localhost:9/calendar',
      /^The server at \S+, port 9 cannot be reached \(ECONNREFUSED\)\. Start it/,
    ],
    [
      'not there, by a socket',
      () => 'postgres://u:geheim@%2Fnowhere/calendar',
      /^The server at \/nowhere\/\S+ cannot be reached \(ENOENT\)\. Start it/,
    ],
    [
      'of a host nobody knows',
      () => 'postgres://u:geheim@no-such-host.invalid/calendar',
      /^The server at no-such-host\.invalid cannot be reached \(E\w+\)\. Start it/,
    ],
    [
      'user',
      () =>
        changed((url) => {
          url.username = 'nobody_knows';
        }),
      /^PostgreSQL says: .*"nobody_knows".*\. Correct the user/,
    ],
    [
      'password',
      () =>
        changed((url) => {
          url.password = 'geheim';
        }),
      /^PostgreSQL says: password authentication failed for user "postgres"\. Correct the user and the password/,
    ],
    [
      'no password',
      () =>
        changed((url) => {
          url.password = '';
        }),
      /^The database server asks for a password\. Put it into the address/,
    ],
    [
      'database',
      () =>
        changed((url) => {
          url.pathname = '/nodb';
        }),
      /^PostgreSQL says: database "nodb" does not exist\. Make that database \(createdb\)/,
    ],
    [
      'rights',
      async () => {
        const own = new URL(await postgres());
        await onServer(server.url, 'CREATE ROLE kalends_test_powerless LOGIN');
        dropped.push(() => onServer(server.url, 'DROP ROLE kalends_test_powerless'));
        own.username = 'kalends_test_powerless';
        return own.href;
      },
      /^PostgreSQL says: permission denied .*\. Let the user own the database/,
    ],
  ];
  for (const [what, url, says] of rows) {
    test(what, async () => {
      const { err } = await run(1, ['migrate'], { DATABASE_URL: await url() });
      assert.match(err, says);
      assert.doesNotMatch(err, /geheim/);
    });
  }

  test('that does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { err } = await run(1, ['migrate'], { DATABASE_URL: `postgres://u:geheim@127.0.0.1:${port}/calendar` });
    silent.close();
    assert.match(err, /^The database server does not answer\. Look at it/);
  });
});

describe('backup and restore of PostgreSQL', () => {
  test('there and back', async () => {
    const url = await postgres();
    await copy(origin.url, url);
    const file = sqlite();
    const env = { DATABASE_URL: url, KALENDS_DATA_DIR: fresh() };
    assert.match((await run(0, ['backup', file], env)).out, /Wrote .* 5 users/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match((await run(1, ['backup', file], env)).err, /exists already/);
    const wanted = await exported(url);
    assert.equal(await exported(file), wanted);

    await run(0, ['user', 'remove', 'editor'], env);
    const changed = await exported(url);
    assert.match((await run(1, ['restore', file], env)).err, /There is a calendar in .*--force/);
    const { kept, counts } = JSON.parse((await run(0, ['restore', file, '--force', '--json'], env)).out);
    assert.equal(counts.users, 5);
    assert.ok((await exported(url)) === wanted);
    assert.ok((await exported(kept)) === changed, 'what was there is kept');

    const other = await postgres();
    await run(0, ['restore', file], { ...env, DATABASE_URL: other });
    assert.ok((await exported(other)) === wanted);
    const embedded = { KALENDS_DATA_DIR: fresh() };
    await run(0, ['restore', file], embedded);
    assert.ok((await run(0, ['export', '-'], embedded)).out === wanted, 'also without a server');
  });

  test('refused while a server runs, and for what is no backup', async () => {
    const url = await postgres();
    await copy(origin.url, url);
    const before = await exported(url);
    const env = { DATABASE_URL: url };
    const me = { id: 'one', version: '1', host: 'example', knows: 99 };
    await inside(url, (database) => database.write((db) => announce(db, me)));
    assert.match((await run(1, ['restore', origin.url, '--force'], env)).err, /1 server .*on example.* Stop them/);
    await inside(url, (database) => database.write((db) => retire(db, me.id)));
    const file = path.join(folder, 'rubbish.db');
    writeFileSync(file, 'rubbish');
    assert.match((await run(1, ['restore', file, '--force'], env)).err, /not a Kalends database/);
    assert.ok((await exported(url)) === before);
  });

  test('one of an older version: advice that can be followed', async () => {
    const url = await postgres();
    await inside(url, async (database) => {
      await migrate(database);
      await database.write((db) => db.run(sql`DELETE FROM migration WHERE name = (SELECT max(name) FROM migration)`));
    });
    for (const args of [
      ['backup', sqlite()],
      ['user', 'list'],
    ]) {
      const { err } = await run(1, args, { DATABASE_URL: url });
      assert.match(err, /older version\. Make a backup with the version .* or with pg_dump, .*"kalends migrate"/);
      assert.doesNotMatch(err, /kalends backup/, 'this program cannot make one');
    }
  });

  test('in a process of its own', async () => {
    const url = await postgres();
    const { code, err } = await kalends(['copy', '--from', origin.url, '--to', url]);
    assert.equal(code, 0, err);
  });
});
