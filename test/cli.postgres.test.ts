import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { announce, retire } from '../src/db/instances.js';
import { migrate } from '../src/db/migrate.js';
import { copy, dropped, exported, inside, origin, postgres, run, server, sqlite } from './support/calendars.js';
import { folder, fresh, kalends } from './support/cli.js';
import { onServer } from './support/engine.js';

/** The commands at a calendar on PostgreSQL: what is said where it lets nobody in; backups. */

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
      /^The database server requires a password\. Put it in the database URL/,
    ],
    [
      'database',
      () =>
        changed((url) => {
          url.pathname = '/nodb';
        }),
      /^PostgreSQL says: database "nodb" does not exist\. Create that database \(createdb\)/,
    ],
    [
      'connections',
      async () => {
        const own = new URL(await postgres());
        await onServer(server.url, 'CREATE ROLE kalends_test_crowded LOGIN CONNECTION LIMIT 0');
        dropped.push(() => onServer(server.url, 'DROP ROLE kalends_test_crowded'));
        own.username = 'kalends_test_crowded';
        return own.href;
      },
      /^PostgreSQL says: too many connections .*\. All connections .* in use\. Raise its limit \(max_connections/,
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
      /^PostgreSQL says: permission denied .*\. Make the user the owner of the database/,
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
    assert.match(err, /^The database server does not respond\. Check the server/);
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
    assert.match((await run(1, ['backup', file], env)).err, /already exists/);
    const wanted = await exported(url);
    assert.equal(await exported(file), wanted);

    await run(0, ['user', 'remove', 'editor'], env);
    const changed = await exported(url);
    assert.match((await run(1, ['restore', file], env)).err, /There is already a calendar in .*--force/);
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
      assert.match(err, /older version\. Back it up with that version .* or with pg_dump, .*"kalends migrate"/);
      assert.doesNotMatch(err, /kalends backup/, 'this program cannot make one');
    }
  });

  test('in a process of its own', async () => {
    const url = await postgres();
    const { code, err } = await kalends(['copy', '--from', origin.url, '--to', url]);
    assert.equal(code, 0, err);
  });
});
