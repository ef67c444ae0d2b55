import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import type { Database } from '../src/db/database.js';
import { migrations, openDatabase } from '../src/db/open.js';

/** The command line as people use it: a process, its output, its exit code. */
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'kalends-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let folders = 0;
/** A data folder of one's own. */
const fresh = (): string => path.join(folder, `data${++folders}`);

interface Result {
  code: number | null;
  out: string;
  err: string;
}

const kalends = (args: string[], env: Record<string, string> = {}): Promise<Result> => spawned([MAIN, ...args], env);

function spawned(argv: string[], env: Record<string, string> = {}): Promise<Result> {
  const { PATH = '', TZ = 'UTC' } = process.env;
  const child = spawn(process.execPath, argv, { cwd: folder, env: { PATH, TZ, ...env } });
  const result: Result = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    result.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    result.err += chunk;
  });
  child.stdin.end();
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...result, code })));
}

/** Runs it in a data folder, and expects an exit code. */
async function run(data: string, code: number, ...args: string[]): Promise<Result> {
  const result = await kalends(args, { KALENDS_DATA_DIR: data });
  assert.equal(result.code, code, `kalends ${args.join(' ')}: ${result.out}${result.err}`);
  assert.doesNotMatch(result.err, /\n {4}at /, 'no stack trace');
  return result;
}

const json = async (data: string, ...args: string[]) => JSON.parse((await run(data, 0, ...args, '--json')).out);

async function inDatabase<T>(data: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(path.join(data, 'kalends.db'));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** In a process of its own: the package that stands in for node:sqlite keeps a closed file open until memory is tidied. */
async function execute(data: string, ...statements: string[]): Promise<void> {
  const script = `
    import { sql } from 'kysely';
    import { openDatabase } from ${JSON.stringify(new URL('../src/db/open.js', import.meta.url).href)};
    const database = await openDatabase(${JSON.stringify(path.join(data, 'kalends.db'))});
    await database.write(async (db) => {
      for (const statement of ${JSON.stringify(statements)}) await db.run(sql.raw(statement));
    });
    await database.close();`;
  const file = path.join(path.dirname(MAIN), `cli-${process.pid}-${++folders}.mjs`);
  writeFileSync(file, script);
  try {
    const { code, err } = await spawned([file]);
    assert.equal(code, 0, err);
  } finally {
    rmSync(file);
  }
}

describe('usage', () => {
  const rows: [args: string[], code: number, says: RegExp][] = [
    [['--version'], 0, /^\d+\.\d+\.\d+/],
    [['--help'], 0, /USAGE kalends[\s\S]*COMMANDS[\s\S]*restore[\s\S]*EXIT CODES/],
    [['help', 'user', 'add'], 0, /kalends user add .*<NAME>/],
    [[], 2, /USAGE/],
    [['user'], 2, /set-role/],
    [['srve'], 2, /Did you mean "kalends serve"\?/],
    [['zzz'], 2, /There is serve, user/],
    [['user', 'lst'], 2, /Did you mean "kalends user list"\?/],
    [['user', 'list', '--jsn'], 2, /There is no option --jsn\. Did you mean --json\?/],
    [['user', 'list', '--constructor'], 2, /There is no option --constructor/],
    [['user', 'list', '-j'], 2, /There is no option -j/],
    [['user', 'list', '--no-json'], 2, /There is no option --no-json/],
    [['user', 'list', '--json=yes'], 2, /--json takes no value/],
    [['user', 'list', 'extra'], 2, /nothing to do with "extra"/],
    [['user', 'add', 'bob'], 2, /--role is missing/],
    [['user', 'add', '--role', 'editor'], 2, /NAME is missing/],
    [['user', 'add', 'bob', '--role'], 2, /--role needs a value/],
    [['user', 'add', 'bob', '--role', '--json'], 2, /--role needs a value/],
    [['user', 'add', 'bob', '--role', 'edtor'], 2, /Did you mean editor\?/],
    [['user', 'add', 'a:b', '--role', 'editor'], 2, /must not contain a colon/],
    [['user', 'add', '', '--role', 'editor'], 2, /must not be empty/],
    [['user', 'add', 'x'.repeat(61), '--role', 'editor'], 2, /at most 60/],
    [['user', 'add', 'a\u0007b', '--role', 'editor'], 2, /control characters/],
    [['token', 'revoke', 'abc'], 2, /must be a number/],
    [['--port', '1', 'serve'], 2, /must come after a command/],
    [['serve', '--port', 'x'], 2, /--port \(x\) must be a whole number/],
  ];
  for (const [args, code, says] of rows) {
    test(`kalends ${args.join(' ').slice(0, 60)}`, async () => {
      const result = await kalends(args, { KALENDS_DATA_DIR: path.join(folder, 'never') });
      assert.equal(result.code, code, result.out + result.err);
      assert.match(code === 0 ? result.out : result.err, says);
      assert.equal(code === 0 ? result.err : result.out, '');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
      assert.doesNotMatch(result.out + result.err, /\u001b/);
    });
  }

  for (const words of ['serve', 'user', 'user add', 'user list', 'user set-role', 'user remove', 'password create']
    .concat(['password list', 'password revoke', 'token create', 'token list', 'token revoke'])
    .concat(['migrate', 'config', 'backup', 'restore', 'check'])) {
    test(`kalends ${words} --help`, async () => {
      const { code, out } = await kalends([...words.split(' '), '--help']);
      assert.equal(code, 0);
      assert.ok(out.includes(`USAGE kalends ${words}`) && out.includes('EXIT CODES'), out);
      assert.doesNotMatch(out, /undefined/);
    });
  }

  test('nothing was made by wrong usage', () => assert.ok(!existsSync(path.join(folder, 'never'))));
});

describe('configuration', () => {
  test('every problem at once, and no password', async () => {
    const env = { PORT: 'x', KALENDS_TIMEZON: 'UTC', DATABASE_URL: 'postgres://u:geheim@h/d', KALENDS_PER_PAGE: '99' };
    const { code, out, err } = await kalends(['config'], env);
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.equal(err.trim().split('\n').length, 4, err);
    assert.match(err, /KALENDS_TIMEZON is not known\. Did you mean KALENDS_TIMEZONE\?/);
    assert.doesNotMatch(err, /geheim/);
  });

  test('where each value comes from', async () => {
    const args = ['config', '--port', '81', '--timezone=Europe/Paris'];
    const env = { KALENDS_SITE_NAME: 'Ours', PORT: '80' };
    const { PORT, KALENDS_SITE_NAME, HOST, KALENDS_PUBLIC_URL } = JSON.parse(
      (await kalends([...args, '--json'], env)).out,
    );
    assert.deepEqual(PORT, { value: 81, source: 'flag' });
    assert.deepEqual(KALENDS_SITE_NAME, { value: 'Ours', source: 'environment' });
    assert.deepEqual(HOST, { value: '127.0.0.1', source: 'default' });
    assert.deepEqual(KALENDS_PUBLIC_URL, { value: null, source: 'default' });
    assert.match((await kalends(args, env)).out, /^KALENDS_TIMEZONE +Europe\/Paris +flag$/m);
  });

  test('stack traces only for those who ask', async () => {
    const wrong = { DATABASE_URL: path.join(folder, 'no', 'such', 'folder', 'k.db') };
    const plain = await kalends(['migrate'], wrong);
    assert.deepEqual([plain.code, plain.err.trim().split('\n').length], [1, 1], plain.err);
    assert.match(plain.err, /Check that its folder exists/);
    assert.match((await kalends(['migrate'], { ...wrong, KALENDS_LOG_LEVEL: 'debug' })).err, /\n {4}at /);
  });
});

describe('accounts', () => {
  test('users', async () => {
    const data = fresh();
    const ann = await json(data, 'user', 'add', 'Ann', '--role', 'administrator');
    assert.deepEqual(Object.keys(ann), ['id', 'username', 'role', 'application_password']);
    assert.deepEqual([ann.id, ann.username, ann.role], [1, 'Ann', 'administrator']);
    assert.match(ann.application_password, /^\w{24}$/);

    assert.match((await run(data, 1, 'user', 'add', 'aNN', '--role', 'editor')).err, /"Ann" is taken/);
    assert.match((await run(data, 0, 'user', 'add', 'Ülo Öö', '--role', 'author')).out, /Application password: \w{24}/);
    const users = await json(data, 'user', 'list');
    assert.deepEqual(
      users.map((user: { username: string; role: string }) => [user.username, user.role]),
      [
        ['Ann', 'administrator'],
        ['Ülo Öö', 'author'],
      ],
    );
    assert.match(users[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    assert.match((await run(data, 0, 'user', 'list')).out, /^2 +Ülo Öö +author/m);

    assert.match((await run(data, 1, 'user', 'remove', 'ann')).err, /last administrator/);
    assert.match((await run(data, 1, 'user', 'set-role', 'ann', 'editor')).err, /last administrator/);
    await run(data, 0, 'user', 'set-role', 'ann', 'administrator');
    await run(data, 2, 'user', 'set-role', 'ann', 'boss');
    await run(data, 0, 'user', 'set-role', 'ülo öö', 'administrator');
    await run(data, 0, 'user', 'set-role', 'Ann', 'subscriber');
    await run(data, 0, 'user', 'remove', 'ANN');
    assert.match((await run(data, 1, 'user', 'remove', 'Ann')).err, /There is no user "Ann"/);
    assert.equal((await json(data, 'user', 'add', 'Ann', '--role', 'editor')).id, 3);
    await run(data, 0, 'user', 'remove', 'Ülo Öö', '--force');
  });

  for (const [kind, member, shape] of [
    ['password', 'application_password', /^\w{24}$/],
    ['token', 'token', /^kal_\w{40}$/],
  ] as const) {
    test(`${kind}s`, async () => {
      const data = fresh();
      await run(data, 0, 'user', 'add', 'ann', '--role', 'author');
      await run(data, 0, 'user', 'add', 'bob', '--role', 'author');
      const made = await json(data, kind, 'create', 'Ann', '--name', '--no-name'.slice(2));
      assert.deepEqual(Object.keys(made), ['id', 'username', 'name', member]);
      assert.equal(made.username, 'ann');
      assert.match(made[member], shape);
      assert.match((await run(data, 0, kind, 'create', 'bob', '--name=--no-name')).out, /\(--no-name\) for bob/);
      await run(data, 1, kind, 'create', 'nobody');
      await run(data, 2, kind, 'create', 'bob', '--name', 'x'.repeat(101));

      const all = await json(data, kind, 'list');
      assert.equal(all.length, kind === 'password' ? 4 : 2);
      const [mine] = (await json(data, kind, 'list', 'ann')).slice(-1);
      assert.deepEqual(Object.keys(mine), ['id', 'username', 'name', 'created_at', 'last_used_at']);
      assert.deepEqual([mine.id, mine.name, mine.last_used_at], [made.id, 'no-name', null]);
      await run(data, 1, kind, 'list', 'nobody');

      await run(data, 0, kind, 'revoke', String(made.id));
      assert.match((await run(data, 1, kind, 'revoke', String(made.id))).err, /There is no/);
      assert.equal((await json(data, kind, 'list')).length, all.length - 1);
    });
  }
});

describe('database', () => {
  for (const args of [
    ['user', 'list'],
    ['password', 'list'],
    ['check'],
    ['backup', 'none.db'],
    ['user', 'remove', 'x'],
  ]) {
    test(`${args.join(' ')} does not make one`, async () => {
      const data = fresh();
      assert.match((await run(data, 1, ...args)).err, /There is no database at .* yet/);
      assert.ok(!existsSync(data));
    });
  }

  test('migrate', async () => {
    const data = fresh();
    const all = migrations().map(({ name }) => name);
    assert.deepEqual(await json(data, 'migrate'), { applied: all });
    assert.deepEqual(await json(data, 'migrate'), { applied: [] });
    assert.match((await run(data, 0, 'migrate')).out, /Nothing to do/);
    assert.equal(statSync(data).mode & 0o777, 0o700);
  });

  test('one of a newer version is left alone', async () => {
    const data = fresh();
    await run(data, 0, 'migrate');
    await execute(data, "INSERT INTO migration (name, checksum, applied_at) VALUES ('9999-later', 'x', 0)");
    for (const args of [['migrate'], ['user', 'list'], ['check'], ['user', 'add', 'x', '--role', 'editor']]) {
      assert.match((await run(data, 1, ...args)).err, /newer version of Kalends \(9999-later\)/);
    }
  });

  test('one of an older version is changed by migrate alone', async () => {
    const data = fresh();
    await run(data, 0, 'migrate');
    await execute(data, 'DELETE FROM migration');
    assert.match((await run(data, 1, 'user', 'list')).err, /older version.*kalends migrate/);
  });
});

/** Rows as the service would write them, and then a little wrong. */
const EVENT = (id: number, more: Record<string, string | number> = {}): string[] => {
  const columns = {
    ...{ id, uid: `e${id}`, revision: 0, change_seq: id, created_at: 0, author_id: 1, status: 'publish', date_utc: 0 },
    ...{ modified_utc: 0, slug: `e${id}`, title: 'Fest', description: '', excerpt: '', all_day: 0, cost: '[]' },
    ...{ timezone: 'Europe/Berlin', start_local: '2026-07-01 20:00:00', end_local: '2026-07-01 22:00:00' },
    ...{ start_utc: 1782928800, end_utc: 1782936000, show_map: 1, show_map_link: 1, hide_from_listings: 0, sticky: 0 },
    ...{ featured: 0, ticketed: 0, ...more },
  };
  const values = Object.values(columns).map((value) => (typeof value === 'string' ? `'${value}'` : value));
  return [
    `INSERT INTO record (id, kind) VALUES (${id}, 'event')`,
    `INSERT INTO event (${Object.keys(columns).join()}) VALUES (${values.join()})`,
    `INSERT INTO event_search (rowid, text) VALUES (${id}, 'fest')`,
  ];
};
const TERM = (id: number, count: number): string[] => [
  `INSERT INTO term (id, kind, uid, revision, change_seq, name, name_key, slug, description, count)
   VALUES (${id}, 'tag', 't${id}', 0, 0, 'T', 't', 't${id}', '', ${count})`,
  `INSERT INTO term_search (rowid, text) VALUES (${id}, 't')`,
];

async function filled(...statements: string[]): Promise<string> {
  const data = fresh();
  await run(data, 0, 'user', 'add', 'ann', '--role', 'administrator');
  await execute(data, ...statements);
  return data;
}

describe('check', () => {
  test('all is well', async () => {
    const data = await filled(...EVENT(1), ...TERM(1, 1), 'INSERT INTO event_term VALUES (1, 1)');
    assert.match(
      (await run(data, 0, 'check')).out,
      /in order: 1 event, 0 venues, 0 organizers, 1 category or tag, 1 user/,
    );
    const found = await json(data, 'check');
    assert.deepEqual([found.ok, found.problems, found.counts.events], [true, [], 1]);
  });

  const wrong: [name: string, statements: string[], says: RegExp][] = [
    ['term count', TERM(1, 3), /tag 1 \(t1\) says 3 published events, but 0 carry it/],
    ['missing search row', [...EVENT(1), 'DELETE FROM event_search'], /event 1 is missing in the search index/],
    [
      'orphan search row',
      ["INSERT INTO venue_search (rowid, text) VALUES (7, 'x')"],
      /has venue 7, which does not exist/,
    ],
    ['orphan place', ['INSERT INTO venue_place VALUES (7, 0, 0, 0, 0, 0, 0)'], /venue 7: coordinates/],
    [
      'start',
      EVENT(1, { start_utc: 1782928801 }),
      /event 1: its start is 2026-07-01 20:00:00 by the clock, but .*20:00:01 by UTC/,
    ],
    ['end', EVENT(1, { end_local: '2026-07-01 23:00:00' }), /event 1: its end is/],
    ['slug', ['DROP INDEX event_slug', ...EVENT(1), ...EVENT(2, { slug: 'e1' })], /slug e1 is that of 2 records/],
    ['migration', ["UPDATE migration SET checksum = 'x'"], /Migration 0001-\S+ is not the one/],
  ];
  for (const [name, statements, says] of wrong) {
    test(name, async () => {
      const data = await filled(...statements);
      const { out, err } = await run(data, 3, 'check');
      assert.match(out, says);
      assert.match(err, /Found 1 problem in/);
      const found = JSON.parse((await run(data, 3, 'check', '--json')).out);
      assert.equal(found.ok, false);
      assert.match(found.problems.join('\n'), says);
    });
  }

  test('an event in a zone nobody knows, and one without letters, are no damage', async () => {
    const nameless = [...EVENT(2, { title: '' }), 'DELETE FROM event_search WHERE rowid = 2'];
    await run(await filled(...EVENT(1, { timezone: 'Mars/Base', start_utc: 5 }), ...nameless), 0, 'check');
  });

  test('a file that is no database', async () => {
    const data = await filled();
    writeFileSync(path.join(data, 'kalends.db'), 'hello');
    assert.match((await run(data, 3, 'check')).out, /not an SQLite database/);
    assert.match((await run(data, 1, 'user', 'list')).err, /is not a database/);
  });

  test('a torn file', async () => {
    const data = await filled(...manyEvents());
    tear(path.join(data, 'kalends.db'));
    await run(data, 3, 'check');
    assert.match((await run(data, 1, 'backup', path.join(folder, 'torn.db'))).err, /\w/);
    assert.ok(!existsSync(path.join(folder, 'torn.db')) && !existsSync(path.join(folder, 'torn.db.tmp')));
  });
});

/** Without what SQLite leaves beside an open file. */
const filesIn = (data: string): string[] => readdirSync(data).filter((name) => !/-(wal|shm)$/.test(name));

const manyEvents = (): string[] =>
  Array.from({ length: 300 }, (_, n) => EVENT(n + 1, { description: 'x'.repeat(500) })).flat();

/** Overwrites pages in the middle, as a bad disk does. */
function tear(file: string): void {
  const bytes = readFileSync(file);
  const pages = bytes.length / 4096;
  for (let page = Math.floor(pages / 2); page < pages; page++) bytes.fill(0xa5, page * 4096, page * 4096 + 200);
  writeFileSync(file, bytes);
}

describe('backup and restore', () => {
  test('there and back', async () => {
    const data = await filled(...EVENT(1));
    const file = path.join(folder, 'there.db');
    assert.match((await run(data, 0, 'backup', file)).out, /1 event,.* 1 user/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match((await run(data, 1, 'backup', file)).err, /exists already.*--force/);
    assert.deepEqual((await json(data, 'backup', file, '--force')).counts.events, 1);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('there.db')),
      ['there.db'],
    );

    await execute(data, ...EVENT(2));
    assert.match((await run(data, 1, 'restore', file)).err, /There is a database at .* --force/);
    const { kept, counts } = await json(data, 'restore', file, '--force');
    assert.equal(counts.events, 1);
    assert.match(kept, /kalends\.db\.before-restore-\d{8}T\d{6}$/);
    assert.equal((await json(data, 'check')).counts.events, 1);
    const old = JSON.parse((await kalends(['check', '--json', '--database-url', kept])).out);
    assert.equal(old.counts.events, 2);

    const other = fresh();
    await run(other, 0, 'restore', file);
    assert.equal((await json(other, 'check')).counts.events, 1);
    assert.deepEqual(filesIn(other), ['kalends.db']);
    assert.deepEqual(readFileSync(file).subarray(0, 15).toString(), 'SQLite format 3', 'the backup is still there');
  });

  test('places that cannot be', async () => {
    const data = await filled();
    await run(data, 2, 'backup', path.join(data, 'kalends.db'));
    await run(data, 2, 'backup', folder);
    await run(data, 1, 'backup', path.join(folder, 'no', 'folder.db'));
    await run(data, 1, 'restore', path.join(folder, 'missing.db'));
    await run(data, 1, 'restore', folder);
    await run(data, 2, 'restore', path.join(data, 'kalends.db'), '--force');
  });

  test('backup while others write', async () => {
    const data = await filled(...manyEvents());
    const file = path.join(folder, 'busy.db');
    await inDatabase(data, async (database) => {
      let writing = true;
      let written = 0;
      const writer = (async () => {
        while (writing) {
          // Both or neither: a copy of one moment never has one without the other.
          await database.write(async (db) => {
            const id = 1000 + written;
            for (const statement of [...EVENT(id), ...TERM(id, 1)]) await db.run(sql.raw(statement));
            await db.run(sql.raw(`INSERT INTO event_term VALUES (${id}, ${id})`));
          });
          written++;
          // The database answers without waiting; other events of this process need their turn.
          await setImmediate();
        }
      })();
      await run(data, 0, 'backup', file);
      await run(data, 0, 'check');
      writing = false;
      await writer;
      assert.ok(written > 10, `${written} writes`);
    });
    const other = fresh();
    await run(other, 0, 'restore', file);
    const { counts } = await json(other, 'check');
    assert.equal(counts.events - 300, counts.terms);
  });

  const refused: [name: string, says: RegExp, spoil: (file: string) => Promise<void>][] = [
    ['text', /is not a Kalends database/, async (file) => writeFileSync(file, 'not a database')],
    ['empty', /is not a Kalends database/, async (file) => writeFileSync(file, '')],
    ['half', /is damaged/, async (file) => writeFileSync(file, readFileSync(file).subarray(0, 40_960))],
    ['torn', /is damaged/, async (file) => tear(file)],
    [
      'foreign',
      /is not a Kalends database/,
      async (file) => {
        rmSync(file);
        const database = await openDatabase(file);
        await database.write((db) => db.run(sql`CREATE TABLE t (x)`));
        await database.close();
      },
    ],
    [
      'newer',
      /newer version of Kalends \(9999-later\)/,
      async (file) => {
        const database = await openDatabase(file);
        await database.write((db) => db.run(sql`INSERT INTO migration VALUES ('9999-later', 'x', 0)`));
        await database.close();
      },
    ],
    ['unclosed', /is in use, or was not closed/, async (file) => writeFileSync(`${file}-wal`, 'x')],
  ];
  for (const [name, says, spoil] of refused) {
    test(`${name} file is refused, and nothing changes`, async () => {
      const data = await filled(...manyEvents());
      const file = path.join(folder, `spoilt-${name}.db`);
      await run(data, 0, 'backup', file);
      await spoil(file);
      assert.match((await run(data, 1, 'restore', file, '--force')).err, says);
      assert.equal((await json(data, 'check')).counts.events, 300);
      assert.deepEqual(filesIn(data), ['kalends.db']);
    });
  }

  test('refused while another process has the database open', async () => {
    const data = await filled();
    const file = path.join(folder, 'open.db');
    await run(data, 0, 'backup', file);
    await inDatabase(data, async () => {
      assert.match((await run(data, 1, 'restore', file, '--force')).err, /is in use\. Stop the server/);
    });
  });

  test('a stale server.pid does not stand in the way', async () => {
    const data = await filled();
    const file = path.join(folder, 'stale.db');
    await run(data, 0, 'backup', file);
    writeFileSync(path.join(data, 'server.pid'), `${process.pid}\n`);
    await run(data, 0, 'restore', file, '--force');
  });

  test('a damaged database can be replaced, with its log; not while a server may use it', async () => {
    const data = await filled(...EVENT(1));
    const file = path.join(folder, 'rescue.db');
    await run(data, 0, 'backup', file);
    writeFileSync(path.join(data, 'kalends.db'), 'rubbish'.repeat(1000));
    writeFileSync(path.join(data, 'kalends.db-wal'), 'rubbish');
    writeFileSync(path.join(data, 'server.pid'), `${process.pid}\n`);
    assert.match((await run(data, 1, 'restore', file, '--force')).err, new RegExp(`process ${process.pid}`));
    rmSync(path.join(data, 'server.pid'));
    await run(data, 0, 'restore', file, '--force');
    assert.equal((await json(data, 'check')).counts.events, 1);
  });
});
