import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { migrate, migrationState, migrationsFor } from '../src/db/migrate.js';
import { openDatabase, sqliteFile } from '../src/db/open.js';
import { Failure } from '../src/errors.js';
import { browserAt } from './support/browser.js';
import { formIn, TIMES } from './support/forms.js';
import { startServer, type TestServer } from './support/server.js';

/** Bad weather: what goes wrong around the server is said, and survived. */
const event = (title: string) => ({ title, start_date: 'tomorrow 10:00', end_date: 'tomorrow 11:00' });

test('the data is away: what is wrong with a request is told all the same, and the rest is 503', async () => {
  let isAway = false;
  const away = () => Promise.reject(new Failure('service-unavailable'));
  const server = await startServer({}, undefined, (database) => ({
    ...database,
    read: (work, reading) => (isAway ? away() : database.read(work, reading)),
  }));
  isAway = true;
  const broken = { headers: { 'content-type': 'application/json' }, body: '{' };
  const wrong = await server.ask('POST', '/events', broken);
  assert.deepEqual([wrong.status, wrong.json.code], [400, 'rest_invalid_json']);
  const odd = await server.get('/events?start_date=nonsense');
  assert.deepEqual([odd.status, odd.json.code], [400, 'rest_invalid_param']);
  const list = await server.get('/events?per_page=7');
  assert.deepEqual([list.status, list.json.code], [503, 'service-unavailable']);
  isAway = false;
  await server.close();
});

describe('another process holds the database', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  test('writes wait, then answer 503 with Retry-After; reads go on; it recovers by itself', async () => {
    const admin = browserAt(server);
    await admin.signIn('admin');
    const form = formIn((await admin.get('/events/new')).text);
    const other = await openDatabase(server.config.databaseUrl);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = other.write(() => held);
    const refused = server.post('/events', event('Refused'), 'admin');
    const kept = admin.post('/events/new', { ...form, title: 'Kept', ...TIMES });
    await sleep(50);
    assert.equal((await server.get('/events')).status, 200, 'reads go on');
    const answer = await refused;
    assert.equal(answer.status, 503);
    assert.equal(answer.json.code, 'service-unavailable');
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    const page = await kept;
    assert.equal(page.status, 503);
    assert.match(page.text, /id="problem"><p>The server cannot do this right now/);
    assert.equal(formIn(page.text).title, 'Kept', 'a form keeps what was entered');
    release();
    await holding;
    assert.equal((await admin.post('/events/new', formIn(page.text))).status, 303);
    assert.equal((await server.post('/events', event('Accepted'), 'admin')).status, 201);
    const { json } = await server.get('/events', { search: 'Refused' });
    assert.equal(json.total, 0, 'nothing of the refused write is there');
    await other.close();
  });

  test('a thousand idle connections cost little, and the server answers beside them', async () => {
    const { port } = new URL(server.home);
    const open: Socket[] = [];
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 1000; n++) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      open.push(socket);
    }
    await Promise.all(open.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    assert.equal((await server.get('/events')).status, 200);
    const grown = (process.memoryUsage().rss - before) / 1e6;
    for (const socket of open) socket.destroy();
    // Both ends live in this process.
    assert.ok(grown < 150, `${grown} MB for both ends of a thousand connections`);
  });
});

test('what the other thread cannot select is found without it', async () => {
  const server = await startServer();
  assert.equal((await server.post('/events', event('Harbour lights'), 'admin')).status, 201);
  const file = sqliteFile(server.config.databaseUrl);
  // This process goes on with the files it has open; the other thread looks for the name, and finds another file.
  for (const end of ['', '-wal', '-shm']) if (existsSync(file + end)) renameSync(file + end, `${file}${end}.away`);
  try {
    for (let n = 0; n < 3; n++) {
      const found = await server.get('/events', { search: 'harbour', page: 1, per_page: 5 + n });
      assert.equal(found.status, 200);
      assert.equal(found.json.total, 1);
    }
  } finally {
    for (const end of ['', '-wal', '-shm']) {
      rmSync(file + end, { force: true });
      if (existsSync(`${file}${end}.away`)) renameSync(`${file}${end}.away`, file + end);
    }
    await server.close();
  }
});

test('a migration that fails half-way leaves the database as it was', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-weather-'));
  const database = await openDatabase(`sqlite:${dir}/k.db`);
  const known = migrationsFor('sqlite');
  await migrate(database, known);
  const broken = {
    name: '9999-broken',
    sql: 'CREATE TABLE half (id INTEGER);\nINSERT INTO nowhere VALUES (1);\n',
    checksum: 'x',
  };
  await assert.rejects(migrate(database, [...known, broken]), /nowhere/);
  const tables = await database.read((db) => db.all(sql`SELECT 1 FROM sqlite_master WHERE name = 'half'`));
  assert.deepEqual(tables, []);
  const state = { done: known.map((m) => m.name), pending: [], altered: [], newer: [] };
  assert.deepEqual(await migrationState(database), state);
  await database.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Running {
  child: ChildProcess;
  home: string;
  said: () => string;
  dir: string;
}

/** A test that fails leaves its server behind. */
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** The real program, as a process of its own. */
async function run(): Promise<Running> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-weather-'));
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
  const env = { ...process.env, PORT: '0', KALENDS_DATA_DIR: dir };
  const child = spawn(process.execPath, [main, 'serve', '--demo'], { env });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      text += part;
    });
  while (!text.includes('"msg":"listening"')) {
    assert.equal(child.exitCode, null, text);
    await sleep(50);
  }
  return { child, dir, said: () => text, home: /Site\s+(http:\/\/\S+?)\/\s/.exec(text)?.[1] ?? '' };
}

async function end({ child, dir }: Running): Promise<number | null> {
  child.kill('SIGTERM');
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('exit', resolve)));
  rmSync(dir, { recursive: true, force: true });
  return code;
}

const prlimit = spawnSync('prlimit', ['--version']).status === 0;

test('out of file handles: it goes on when they come back', {
  skip: prlimit ? false : 'prlimit is not installed',
}, async () => {
  const running = await run();
  assert.equal(spawnSync('prlimit', ['--pid', String(running.child.pid), '--nofile=60']).status, 0);
  const { port } = new URL(running.home);
  const open = Array.from({ length: 200 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
  await sleep(500);
  for (const socket of open) socket.destroy();
  await sleep(300);
  const answer = await fetch(`${running.home}/api/calendar/events/v1/events`);
  assert.equal(answer.status, 200);
  assert.equal(running.child.exitCode, null);
  await answer.text();
  assert.equal(await end(running), 0);
});

test('the database file is cut off under the running server: it says so and does not fall over', async () => {
  const running = await run();
  truncateSync(path.join(running.dir, 'kalends.db'), 20_000);
  const statuses = new Set<number>();
  for (const at of ['events', 'venues', 'organizers', 'categories', 'tags', 'events?search=guitar']) {
    const answer = await fetch(`${running.home}/api/calendar/events/v1/${at}`);
    const body = (await answer.json()) as { code?: string };
    statuses.add(answer.status);
    assert.ok(answer.status === 200 || body.code === 'service-unavailable', `${at}: ${answer.status} ${body.code}`);
  }
  assert.ok(statuses.has(503) || statuses.has(200));
  assert.equal(running.child.exitCode, null, running.said());
  await end(running);
});

test('where the file is', () => {
  assert.equal(sqliteFile('sqlite:/var/lib/k.db'), '/var/lib/k.db');
  assert.equal(sqliteFile('file:data/k.db'), 'data/k.db');
});
