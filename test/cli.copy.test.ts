import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { CONTENTS, PASSING } from '../src/db/contents.js';
import { isEmpty } from '../src/db/copy.js';
import { migrate } from '../src/db/migrate.js';
import { check, copy, exported, filled, inside, origin, postgres, run, sqlite } from './support/calendars.js';
import { ended, folder, fresh, started } from './support/cli.js';
import { newEvent } from './support/rows.js';

/** Moving a calendar from engine to engine, whole or not at all. */

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
    assert.match((await run(1, ['export', file], env)).err, /already exists/);
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
      assert.match((await copy(from, to)).out, /^Copied .* and compared them: \d+ rows in \d+ tables\.$/);
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
      assert.match((await copy(small, to, 1)).err, /There is already a calendar in .*\. Use --force/);
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
    const misspelt = (await copy(origin.url, 'postgress://ada:hunter2@db/kalends', 2)).err;
    assert.match(misspelt, /^--to names a database that is not supported/);
    assert.doesNotMatch(misspelt, /hunter2/);
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
    assert.match((await copy(origin.url, to, 1)).err, /The copy of the table venue differs from the original/);
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
