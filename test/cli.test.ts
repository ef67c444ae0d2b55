import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { ended, folder, fresh, inProcess, inside, kalends, started } from './support/cli.js';

const { run, json } = inside;

describe('usage', () => {
  const rows: [args: string[], code: number, says: RegExp][] = [
    [['--version'], 0, /^\d+\.\d+\.\d+/],
    [['--help'], 0, /USAGE kalends[\s\S]*COMMANDS[\s\S]*restore[\s\S]*EXIT CODES/],
    [['help', 'user', 'add'], 0, /kalends user add .*<NAME>/],
    [[], 2, /USAGE/],
    [['user'], 2, /set-role/],
    [['srve'], 2, /Did you mean "kalends serve"\?/],
    [['zzz'], 2, /The commands are serve, user/],
    [['user', 'lst'], 2, /Did you mean "kalends user list"\?/],
    [['user', 'list', '--jsn'], 2, /Unknown flag --jsn\. Did you mean --json\?/],
    [['user', 'list', '--constructor'], 2, /Unknown flag --constructor/],
    [['user', 'list', '-j'], 2, /Unknown flag -j/],
    [['user', 'list', '--no-json'], 2, /Unknown flag --no-json/],
    [['user', 'list', '--json=yes'], 2, /--json takes no value/],
    [['user', 'list', 'extra'], 2, /Unexpected argument "extra"/],
    [['user', 'add', 'bob'], 2, /--role is missing/],
    [['user', 'add', '--role', 'editor'], 2, /NAME is missing/],
    [['user', 'add', 'bob', '--role'], 2, /--role needs a value/],
    [['user', 'add', 'bob', '--role', '--json'], 2, /--role needs a value/],
    [['user', 'add', 'bob', '--role', 'edtor'], 2, /Did you mean editor\?/],
    [['user', 'add', 'a:b', '--role', 'editor'], 2, /must not contain a colon/],
    [['user', 'add', 'a\uff1ab', '--role', 'editor'], 2, /must not contain a colon/],
    [['user', 'add', '', '--role', 'editor'], 2, /must not be empty/],
    [['user', 'add', 'x'.repeat(61), '--role', 'editor'], 2, /at most 60/],
    [['user', 'add', 'a\u0007b', '--role', 'editor'], 2, /control characters/],
    [['token', 'revoke', 'abc'], 2, /must be a number/],
    [['--port', '1', 'serve'], 2, /must come after a command/],
    [['serve', '--port', 'x'], 2, /--port \(x\) must be a whole number/],
  ];
  for (const [args, code, says] of rows) {
    test(`kalends ${args.join(' ').slice(0, 60)}`, async () => {
      const result = await inProcess(args, { KALENDS_DATA_DIR: path.join(folder, 'never') });
      assert.equal(result.code, code, result.out + result.err);
      assert.match(code === 0 ? result.out : result.err, says);
      assert.equal(code === 0 ? result.err : result.out, '');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
      assert.doesNotMatch(result.out + result.err, /\u001b/);
    });
  }

  for (const words of ['serve', 'user', 'user add', 'user list', 'user set-role', 'user remove', 'password create']
    .concat(['password list', 'password revoke', 'token create', 'token list', 'token revoke'])
    .concat(['migrate', 'config', 'backup', 'restore', 'copy', 'export', 'check'])) {
    test(`kalends ${words} --help`, async () => {
      const { code, out } = await inProcess([...words.split(' '), '--help']);
      assert.equal(code, 0);
      assert.ok(out.includes(`USAGE kalends ${words}`) && out.includes('EXIT CODES'), out);
      assert.doesNotMatch(out, /undefined/);
    });
  }

  test('nothing was made by wrong usage', () => assert.ok(!existsSync(path.join(folder, 'never'))));
});

describe('configuration', () => {
  test('every problem at once, and no password', async () => {
    const env = { PORT: 'x', KALENDS_TIMEZON: 'UTC', DATABASE_URL: 'postgres://u:geheim@h', KALENDS_PER_PAGE: '99' };
    const { code, out, err } = await inProcess(['config'], env);
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
      (await inProcess([...args, '--json'], env)).out,
    );
    assert.deepEqual(PORT, { value: 81, source: 'flag' });
    assert.deepEqual(KALENDS_SITE_NAME, { value: 'Ours', source: 'environment' });
    assert.deepEqual(HOST, { value: '127.0.0.1', source: 'default' });
    assert.deepEqual(KALENDS_PUBLIC_URL, { value: null, source: 'default' });
    assert.match((await inProcess(args, env)).out, /^KALENDS_TIMEZONE +Europe\/Paris +flag$/m);
  });

  test('as a process', async () => {
    assert.match((await kalends(['--version'])).out, /^\d+\.\d+\.\d+\n$/);
    const { code, out, err } = await kalends(['user', 'lst']);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^There is no command "kalends user lst"\. Did you mean "kalends user list"\?\n$/);
    assert.equal((await kalends(['config'], { KALENDS_TIMEZON: 'UTC' })).code, 2);
  });

  test('what to write instead is shown whole', async () => {
    for (const url of ['mysql://x', 'postgres://u:geheim@h']) {
      const { code, err } = await inProcess(['migrate', '--database-url', url]);
      assert.equal(code, 2);
      assert.match(err, /postgres:\/\/user:password@host:5432\/database\.$/);
      assert.doesNotMatch(err, /geheim/);
    }
  });

  test('a data folder that is a file, or below one', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    for (const [data, says] of [
      [file, `${file} already exists and is not a folder. Choose another location.`],
      [path.join(file, 'x'), `Part of ${file}/x is a file, not a folder. Check the path.`],
    ] as const)
      assert.equal((await run(data, 1, 'migrate')).err, says);
  });

  test('a data folder where the system takes none', { skip: !existsSync('/proc/self') && 'no /proc' }, async () => {
    const child = started(['migrate', '--data-dir', '/proc/kalends/data'], {});
    const patience = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const { code, err } = await ended(child);
    clearTimeout(patience);
    assert.deepEqual([code, err], [1, 'No folder can be created at /proc/kalends. Choose another location.\n']);
  });

  test('a data folder several steps away', async () => {
    const data = path.join(fresh(), 'far', 'away');
    await run(data, 0, 'migrate');
    for (const made of [data, path.dirname(data)]) assert.equal(statSync(made).mode & 0o777, 0o700);
  });

  test('stack traces only for those who ask', async () => {
    const wrong = { DATABASE_URL: path.join(folder, 'no', 'such', 'folder', 'k.db') };
    const plain = await inProcess(['migrate'], wrong);
    assert.deepEqual([plain.code, plain.err.trim().split('\n').length], [1, 1], plain.err);
    assert.match(plain.err, /There is no file or folder .*such\/folder\. Check the name/);
    assert.match((await inProcess(['migrate'], { ...wrong, KALENDS_LOG_LEVEL: 'debug' })).err, /\n {4}at /);
  });
});

describe('accounts', () => {
  test('users', async () => {
    const data = fresh();
    const ann = await json(data, 'user', 'add', 'Ann', '--role', 'administrator');
    assert.deepEqual(Object.keys(ann), ['id', 'username', 'role', 'application_password']);
    assert.deepEqual([ann.id, ann.username, ann.role], [1, 'Ann', 'administrator']);
    assert.match(ann.application_password, /^\w{24}$/);

    for (const name of ['aNN', '\uff21nn'])
      assert.match((await run(data, 1, 'user', 'add', name, '--role', 'editor')).err, /"Ann" is taken/);
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
    assert.deepEqual(await json(data, 'user', 'set-role', 'ülo öö', 'administrator'), {
      id: 2,
      username: 'Ülo Öö',
      role: 'administrator',
    });
    await run(data, 0, 'user', 'set-role', 'Ann', 'subscriber');
    assert.deepEqual(await json(data, 'user', 'remove', 'ANN'), { id: 1, username: 'Ann', removed: true });
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
      for (const name of ['x'.repeat(101), 'two\nlines']) await run(data, 2, kind, 'create', 'bob', '--name', name);

      const all = await json(data, kind, 'list');
      assert.equal(all.length, kind === 'password' ? 4 : 2);
      const [mine] = (await json(data, kind, 'list', 'ann')).slice(-1);
      assert.deepEqual(Object.keys(mine), ['id', 'username', 'name', 'created_at', 'last_used_at']);
      assert.deepEqual([mine.id, mine.name, mine.last_used_at], [made.id, 'no-name', null]);
      await run(data, 1, kind, 'list', 'nobody');

      const other = kind === 'password' ? 'token' : 'password';
      assert.match((await run(data, 1, other, 'revoke', String(made.id))).err, /There is no/);
      assert.deepEqual(await json(data, kind, 'revoke', String(made.id)), { id: made.id, revoked: true });
      assert.match((await run(data, 1, kind, 'revoke', String(made.id))).err, /There is no/);
      assert.equal((await json(data, kind, 'list')).length, all.length - 1);
    });
  }
});
