import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended, fresh, started } from './support/cli.js';
import { PostgresServer, send } from './support/postgres.js';

/** `kalends serve --workers N` as real processes, on both engines. */
const API = '/api/calendar/events/v1';

interface Running {
  child: ChildProcess;
  address: string;
  authorization: string;
  lines: { msg?: string; pid?: number; worker?: number; url?: string }[];
  end: ReturnType<typeof ended>;
}

async function serve(env: Record<string, string>, ...args: string[]): Promise<Running> {
  const child = started(['serve', '--workers', '3', ...args], { PORT: '0', ...env });
  const end = ended(child);
  let [out, err] = ['', ''];
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  const lines = () =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  while (!/"msg":"listening"/.test(out) || !/application password/.test(err)) {
    assert.equal(child.exitCode, null, out + err);
    await sleep(20);
  }
  const password = /application password +(\S+)/.exec(err)?.[1] ?? '';
  return {
    child,
    address: lines().find(({ msg }) => msg === 'listening').address,
    authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    get lines() {
      return lines();
    },
    end,
  };
}

const post = (running: Running, title: string): Promise<Response> =>
  fetch(`${running.address}${API}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: running.authorization, connection: 'close' },
    body: JSON.stringify({ title, start_date: 'tomorrow 10:00', end_date: 'tomorrow 11:00', status: 'publish' }),
  });
const get = (running: Running, at: string): Promise<Response> =>
  fetch(running.address + at, { headers: { connection: 'close' }, signal: AbortSignal.timeout(10_000) });
/** The processes that answered requests. */
const serving = (running: Running): number[] => [
  ...new Set(running.lines.filter(({ msg }) => msg === 'request').map(({ pid }) => pid ?? 0)),
];

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`workers on ${engine}`, { timeout: 90_000 }, () => {
    let server: PostgresServer | undefined;
    let running: Running;
    const data = fresh();
    before(async () => {
      if (engine === 'postgres') server = await (await PostgresServer.make()).start();
      running = await serve({ KALENDS_DATA_DIR: data, ...(server ? { DATABASE_URL: server.url } : {}) });
    });
    after(async () => {
      running.child.kill('SIGKILL');
      await server?.remove();
    });

    test('all of them write and read the same calendar', async () => {
      const titles = Array.from({ length: 60 }, (_, n) => `Event ${n}`);
      const statuses = await Promise.all(titles.map(async (title) => (await post(running, title)).status));
      assert.deepEqual(new Set(statuses), new Set([201]));
      const seen = await Promise.all(
        Array.from(
          { length: 9 },
          async () => ((await (await get(running, `${API}/events`)).json()) as { total: number }).total,
        ),
      );
      assert.deepEqual(new Set(seen), new Set([60]));
      assert.equal(serving(running).length, 3);
      assert.equal(Number(readFileSync(path.join(data, 'server.pid'), 'utf8')), running.child.pid);
    });

    const counted = async (): Promise<number> => {
      const told = await (await get(running, '/metrics')).text();
      return Number(/requests_total\{method="POST".*status="201"\} (\d+)/.exec(told)?.[1]);
    };
    test('/metrics tells of all of them, whoever is asked', async () => {
      assert.deepEqual([await counted(), await counted(), await counted(), await counted()], [60, 60, 60, 60]);
    });

    test('one that is killed is replaced, and nobody is refused for long', async () => {
      const [victim] = serving(running);
      assert.ok(victim);
      process.kill(victim, 'SIGKILL');
      for (let n = 0; n < 20; n++) {
        await get(running, `${API}/events`).catch(() => undefined);
        await sleep(20);
      }
      assert.equal(running.lines.find(({ msg }) => msg === 'a worker ended')?.worker, victim);
      const before = new Set(serving(running));
      for (let n = 0; serving(running).filter((pid) => !before.has(pid)).length === 0; n++) {
        assert.ok(n < 200, 'no new process answers');
        assert.equal((await get(running, `${API}/events`)).status, 200);
        await sleep(20);
      }
      assert.equal(await counted(), 60, 'what it has counted stays in the sums');
    });

    test('SIGTERM: what runs is finished by whoever has it, and all end well', async () => {
      const { hostname, port } = new URL(running.address);
      const sockets = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const socket = connect(Number(port), hostname);
          socket.write(`POST ${API}/venues HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{`);
          await once(socket, 'connect');
          return socket;
        }),
      );
      await sleep(300);
      running.child.kill('SIGTERM');
      await sleep(300);
      const answers = sockets.map(async (socket) => {
        socket.write('}');
        return String((await once(socket, 'data'))[0]);
      });
      for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 4\d\d /);
      for (const socket of sockets) socket.destroy();
      const { code, err } = await running.end;
      assert.equal(code, 0, err);
      assert.doesNotMatch(err, /\n {4}at |warning/i);
      if (server) assert.equal(await server.connections(), 0, 'no connection is left behind');
    });
  });
}

test('a port that is in use is said once, and ends all', { timeout: 30_000 }, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const end = await ended(started(['serve', '--workers', '2'], { PORT: String(port), KALENDS_DATA_DIR: fresh() }));
  other.close();
  assert.equal(end.code, 1);
  assert.equal(end.err.split(`Port ${port} on 127.0.0.1 is in use`).length, 2, end.err);
});

test('workers that end again and again are given up', { timeout: 60_000 }, async () => {
  const running = await serve({ KALENDS_DATA_DIR: fresh() });
  while (running.child.exitCode === null) {
    const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(running.child.pid)], { encoding: 'utf8' });
    for (const pid of stdout.split('\n').map(Number)) if (pid > 0) send(pid, 'SIGKILL');
    await sleep(50);
  }
  const { code, err } = await running.end;
  assert.equal(code, 1);
  assert.match(err, /Workers exit as soon as they start, 5 in a row/);
});
