import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { banner } from '../src/cli/banner.js';
import { readConfig } from '../src/config.js';
import { ended, folder, fresh, kalends, outside, type Result, started } from './support/cli.js';
import { filled, TERM } from './support/cli.rows.js';

const { run, json } = outside;

interface Running {
  child: ChildProcess;
  address: string;
  end: Promise<Result>;
}

/** Starts a server, and waits until its log says that it listens. */
async function serve(data: string, ...args: string[]): Promise<Running> {
  const child = started(['serve', ...args], { KALENDS_DATA_DIR: data, PORT: '0' });
  const end = ended(child);
  let log = '';
  const address = new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk) => {
      log += chunk;
      const line = log.split('\n').find((text) => text.includes('"msg":"listening"'));
      if (line) resolve(JSON.parse(line).address);
    });
  });
  const gone = end.then(({ code, err }) => assert.fail(`serve ended with ${code}: ${err}`));
  return { child, end, address: await Promise.race([address, gone]) };
}

async function stopped({ child, end }: Running): Promise<Result> {
  child.kill('SIGTERM');
  return end;
}

const API = '/api/calendar/events/v1';

describe('serve', () => {
  test('first start, second start', async () => {
    const data = fresh();
    const first = await serve(data);
    assert.ok(existsSync(path.join(data, 'server.pid')));
    const { code, out, err } = await stopped(first);
    assert.equal(code, 0, err);
    assert.ok(!existsSync(path.join(data, 'server.pid')));
    for (const line of out.trim().split('\n')) assert.ok(JSON.parse(line).msg, 'the log is JSON');
    assert.equal(out.match(/listening/gi)?.length, 1, 'the address is told once');
    const password = /application password +(\w{24})/.exec(err)?.[1] ?? '';
    assert.match(err, /user name +admin/);
    assert.ok(err.includes(`curl -u 'admin:${password}' ${first.address}${API}/users/me`), err);
    assert.ok(err.includes(`${first.address}/wp-json/tribe/events/v1/`));
    assert.ok(!out.includes(password), 'no secret in the log');

    const second = await serve(data);
    const headers = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
    const me = (await (await fetch(`${second.address}${API}/users/me`, { headers })).json()) as { username: string };
    assert.equal(me.username, 'admin');
    const again = (await stopped(second)).err;
    assert.doesNotMatch(again, /application password/);
    assert.match(again, new RegExp(`kalends password create admin --database-url ${data}/kalends.db`));
    assert.doesNotMatch((await stopped(await serve(data))).err, /password/, 'somebody has come in');
    assert.equal((await json(data, 'check')).counts.events, 0);
  });

  test('the hint names the database only where another command would not find it', () => {
    const hintFor = (env: Record<string, string>): string => {
      const reading = readConfig(env);
      assert.ok('config' in reading);
      const awaited = { administrator: 'admin' };
      return banner({
        config: reading.config,
        version: '',
        address: '',
        admin: undefined,
        awaited,
        program: 'kalends',
      });
    };
    assert.match(hintFor({}), /kalends password create admin$/m);
    assert.match(
      hintFor({ KALENDS_DATA_DIR: './elsewhere' }),
      new RegExp(`create admin --database-url ${process.cwd()}/elsewhere/kalends.db$`, 'm'),
    );
  });

  test('where nobody can let others in, it says how', async () => {
    const data = fresh();
    await run(data, 0, 'user', 'add', 'ed', '--role', 'editor');
    const { err } = await stopped(await serve(data));
    assert.match(
      err,
      new RegExp(`no administrator.*kalends user add NAME --role administrator --database-url ${data}/`, 's'),
    );
  });

  test('a user made before the first start is enough', async () => {
    const data = fresh();
    await run(data, 0, 'user', 'add', 'ann', '--role', 'administrator');
    assert.doesNotMatch((await stopped(await serve(data))).err, /password/);
    assert.equal((await json(data, 'user', 'list')).length, 1);
  });

  test('--demo fills an empty database, once', async () => {
    const data = fresh();
    const running = await serve(data, '--demo');
    const list = (await (await fetch(`${running.address}/api/calendar/events/v1/events`)).json()) as {
      events: { image: false | { url: string; alt_text: string } }[];
    };
    const pictures = list.events.flatMap(({ image }) => image || []);
    assert.equal(pictures.length, 4);
    for (const { url, alt_text } of pictures) assert.ok(alt_text !== '' && (await fetch(url)).ok, url);
    await stopped(running);
    const { counts } = await json(data, 'check');
    assert.ok(counts.events > 5 && counts.venues > 1 && counts.terms > 3, JSON.stringify(counts));
    await stopped(await serve(data, '--demo'));
    assert.deepEqual((await json(data, 'check')).counts, counts);
    const own = await filled(...TERM(1, 0));
    await stopped(await serve(own, '--demo'));
    assert.equal((await json(own, 'check')).counts.events, 0, 'nor one with a word of somebody’s own');
  });

  test('--demo: of two that start at once, one fills the database', async () => {
    const data = fresh();
    const both = await Promise.all([serve(data, '--demo'), serve(data, '--demo')]);
    for (const one of both) assert.equal((await stopped(one)).code, 0);
    const alone = fresh();
    await stopped(await serve(alone, '--demo'));
    const [{ counts, strays }, wanted] = [await json(data, 'check'), await json(alone, 'check')];
    assert.deepEqual([counts, strays], [wanted.counts, 0]);
  });

  test('--demo: where pictures cannot be stored, the calendar has none, and it is said', async () => {
    const [data, file] = [fresh(), path.join(folder, 'no-folder')];
    writeFileSync(file, '');
    const { out, err } = await stopped(await serve(data, '--demo', '--media-url', file));
    assert.match(out + err, /the pictures of the sample calendar could not be stored/);
    assert.ok((await json(data, 'check')).counts.events > 5);
  });

  test('backup and check work beside it, restore does not', async () => {
    const data = fresh();
    const running = await serve(data, '--demo');
    const file = path.join(folder, 'beside.db');
    await run(data, 0, 'backup', file);
    await run(data, 0, 'check');
    await run(data, 0, 'user', 'add', 'bob', '--role', 'editor');
    const refusal = await run(data, 1, 'restore', file, '--force');
    assert.match(refusal.err, new RegExp(`is in use\\. Stop the server \\(process ${running.child.pid}\\)`));
    await stopped(running);
    await run(data, 0, 'restore', file, '--force');
    assert.equal((await json(data, 'user', 'list')).length, 1);
  });

  test('a database that is removed under it takes no more writes, and is restored only once it has stopped', async () => {
    const data = fresh();
    const running = await serve(data);
    const file = path.join(folder, 'removed.db');
    await run(data, 0, 'backup', file);
    for (const name of readdirSync(data).filter((one) => one.startsWith('kalends.db'))) rmSync(path.join(data, name));
    const ready = async () => (await fetch(`${running.address}/readyz`)).status;
    assert.equal(await ready(), 503);
    const refusal = await run(data, 1, 'restore', file);
    assert.match(refusal.err, new RegExp(`^Process ${running.child.pid} may still serve .*\\. Stop it and try again`));
    await stopped(running);
    await run(data, 0, 'restore', file);
    await run(data, 0, 'check');
  });

  test('killed, it leaves a whole database that can be restored over', async () => {
    const data = fresh();
    const running = await serve(data, '--demo');
    const file = path.join(folder, 'killed.db');
    running.child.kill('SIGKILL');
    await running.end;
    await run(data, 0, 'check');
    await run(data, 0, 'backup', file);
    await run(data, 0, 'restore', file, '--force');
  });

  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const data = fresh();
    const { code, err } = await kalends(['serve', '--port', String(port)], { KALENDS_DATA_DIR: data });
    other.close();
    assert.equal(code, 1);
    assert.match(err, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use\\. .*--port`));
    assert.match(err, /application password +\w{24}/, 'made, so it must be shown');
    assert.ok(!existsSync(path.join(data, 'server.pid')));
    const next = await stopped(await serve(data));
    const [, remedy = ''] = /If the password is lost, create another:\n\n +kalends (.+)\n/.exec(next.err) ?? [];
    assert.match((await run(data, 0, ...remedy.split(' '))).out, /Application password: \w{24}/);
  });

  test('a second server that cannot begin leaves the first one noted', async () => {
    const data = fresh();
    const first = await serve(data);
    const { port } = new URL(first.address);
    const { code, err } = await kalends(['serve', '--port', port], { KALENDS_DATA_DIR: data });
    assert.equal(code, 1, err);
    assert.equal(Number(readFileSync(path.join(data, 'server.pid'), 'utf8')), first.child.pid);
    await stopped(first);
    assert.ok(!existsSync(path.join(data, 'server.pid')));
  });

  /** A request of which the last byte is still to come. */
  async function unfinished({ address }: Running): Promise<Socket> {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST ${API}/venues HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
    );
    await sleep(200);
    return socket;
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    test(`${signal}: what runs is finished`, async () => {
      const running = await serve(fresh());
      const socket = await unfinished(running);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      running.child.kill(signal);
      await sleep(1500);
      assert.equal(running.child.exitCode, null, 'it waits');
      await assert.rejects(fetch(`${running.address}${API}/venues`), 'nothing new is accepted');
      socket.write('}');
      // The connection is kept alive by the client; that must not keep the server.
      const late = sleep(10_000, undefined, { ref: false }).then(() => running.child.kill('SIGKILL'));
      assert.equal((await Promise.race([running.end, late.then(() => running.end)])).code, 0);
      assert.match(answer, /^HTTP\/1\.1 4\d\d /);
    });
  }

  test('a request that is never finished keeps nobody for ever', async () => {
    const running = await serve(fresh(), '--request-timeout', '2');
    const socket = await unfinished(running);
    running.child.kill('SIGTERM');
    const late = sleep(15_000, undefined, { ref: false }).then(() => running.child.kill('SIGKILL'));
    assert.equal((await Promise.race([running.end, late.then(() => running.end)])).code, 0);
    socket.destroy();
  });

  test('who asks without a pause is told which answer is the last, and never left without one', async () => {
    const running = await serve(fresh());
    const { hostname, port } = new URL(running.address);
    /** Asks on one connection until it is told to stop; how the connection ended. */
    const client = (path: string): Promise<'told' | 'cut'> =>
      new Promise((resolve) => {
        const socket = connect(Number(port), hostname);
        const ask = (): unknown => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        let text = '';
        let told = false;
        socket.on('data', (chunk) => {
          text += chunk;
          const [head = '', body] = text.split(/\r\n\r\n(.*)/s, 2);
          if (body === undefined || Buffer.byteLength(body) < Number(/content-length: (\d+)/i.exec(head)?.[1])) return;
          text = '';
          told ||= /\r\nconnection: close/i.test(head);
          if (!told) ask();
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(told && text === '' ? 'told' : 'cut'));
        ask();
      });
    const clients = [`${API}/events`, `${API}/events?per_page=3`, `${API}/openapi.json`, '/', '/readyz'].map(client);
    await sleep(500);
    running.child.kill('SIGTERM');
    assert.deepEqual(await Promise.all(clients), ['told', 'told', 'told', 'told', 'told']);
    assert.equal((await running.end).code, 0);
  });

  test('an answer that takes until it leaves says that it is the last', async () => {
    const running = await serve(fresh());
    const { hostname, port } = new URL(running.address);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${API}/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
    );
    await sleep(300);
    running.child.kill('SIGTERM');
    await sleep(100);
    socket.write('}');
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 400 .*\r\nconnection: close\r\n/is);
    assert.equal((await running.end).code, 0);
  });

  test('whoever came in and says nothing is not waited for', async () => {
    const running = await serve(fresh());
    const { hostname, port } = new URL(running.address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    const began = performance.now();
    assert.equal((await stopped(running)).code, 0);
    await closed;
    assert.ok(performance.now() - began < 15_000, 'it would be waited for 30 s');
  });

  for (const workers of ['1', '3']) {
    test(`whoever has knocked when it leaves is let in (workers: ${workers})`, async () => {
      const running = await serve(fresh(), '--workers', workers);
      const { hostname, port } = new URL(running.address);
      /** Asks until it is told to leave, or that it is too late. */
      const ask = (): Promise<string> =>
        new Promise((resolve) => {
          const socket = connect(Number(port), hostname);
          const question = (): unknown => socket.write(`GET ${API}/tags HTTP/1.1\r\nHost: x\r\n\r\n`);
          let text = '';
          let told = 'cut off';
          socket.on('connect', question);
          socket.on('data', (chunk) => {
            text += chunk;
            if (!text.endsWith('}')) return;
            if (/connection: close/i.test(text)) told = 'told';
            else question();
            text = '';
          });
          socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
          socket.on('close', () => resolve(told));
        });
      const ends: string[] = [];
      /** Comes back at once. */
      const client = async (): Promise<void> => {
        do ends.push(await ask());
        while (ends.at(-1) !== 'ECONNREFUSED');
      };
      const clients = Array.from({ length: 30 }, client);
      await sleep(300);
      running.child.kill('SIGTERM');
      await Promise.all(clients);
      assert.equal((await running.end).code, 0);
      const many = (end: string): number => ends.filter((one) => one === end).length;
      // Some may come in the very moment in which the door is closed; half of them were cut off before.
      assert.ok(ends.length - many('told') - many('ECONNREFUSED') <= 5, JSON.stringify(ends));
      assert.ok(many('told') >= 25, JSON.stringify(ends));
    });
  }

  test('a second signal does not wait', async () => {
    const running = await serve(fresh());
    const socket = await unfinished(running);
    running.child.kill('SIGINT');
    await sleep(700);
    running.child.kill('SIGINT');
    assert.equal((await running.end).code, 1);
    socket.destroy();
  });
});
