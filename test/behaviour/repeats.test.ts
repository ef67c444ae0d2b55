import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeEvent, must } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';

/** One connection that sends the same bytes again and again; what they mean is not read anew each time. */
describe('the same bytes on the same connection', () => {
  let s: TestServer;
  let id: number;
  before(async () => {
    s = await startServer({
      KALENDS_LOG_LEVEL: 'debug',
      KALENDS_REQUEST_TIMEOUT: '1',
      KALENDS_TRUSTED_PROXIES: '127.0.0.1',
    });
    id = (await makeEvent(s, { title: 'One', description: `Straße ${'und weiter '.repeat(200)}` })).id;
  });
  after(() => s.close());

  const connect = async (): Promise<Socket> => {
    const socket = net.connect(Number(new URL(s.home).port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const bytesFor = (path: string, ...headers: string[]): string =>
    [`GET ${new URL(s.api + path).pathname} HTTP/1.1`, 'Host: here', ...headers, '', ''].join('\r\n');

  /** One answer, all of it. */
  const ask = (socket: Socket, request: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let all = Buffer.alloc(0);
      const read = (part: Buffer): void => {
        all = Buffer.concat([all, part]);
        const head = all.indexOf('\r\n\r\n') + 4;
        const length = Number(/Content-Length: (\d+)/i.exec(all.toString('latin1', 0, head))?.[1] ?? 0);
        if (head < 4 || all.length < head + length) return;
        socket.off('data', read).off('close', fail);
        resolve(all.toString('latin1').replace(/Date: .*\r\n/, ''));
      };
      const fail = (): void => reject(new Error('closed'));
      socket.on('data', read).once('close', fail);
      socket.write(request);
    });

  const titleIn = (answer: string): string => /"title":"([^"]*)"/.exec(answer)?.[1] ?? '';

  test('are answered with the same bytes each time', async () => {
    for (const headers of [[], ['Accept-Encoding: br'], ['Accept-Language: de', 'Origin: https://other.example']]) {
      const [socket, request] = [await connect(), bytesFor(`/events/${id}`, ...headers)];
      await ask(socket, request);
      // The first one is made, and not kept: who asks only once takes no room.
      const kept = await ask(socket, request);
      for (let n = 0; n < 5; n++) assert.equal(await ask(socket, request), kept);
      const tag = /ETag: (.*)\r\n/i.exec(kept)?.[1];
      const conditional = bytesFor(`/events/${id}`, ...headers, `If-None-Match: ${tag}`);
      const unchanged = await ask(socket, conditional);
      assert.match(unchanged, /^HTTP\/1\.1 304 Not Modified\r\n/);
      for (let n = 0; n < 3; n++) assert.equal(await ask(socket, conditional), unchanged);
      socket.destroy();
    }
  });

  test('get another answer at once after a write', async () => {
    const [socket, request] = [await connect(), bytesFor(`/events/${id}`)];
    for (const title of ['Two', 'Three', 'Four']) {
      for (let n = 0; n < 5; n++) await ask(socket, request);
      await must(s.patch(`/events/${id}`, { title }, 'admin'), 200);
      assert.equal(titleIn(await ask(socket, request)), title);
    }
    await must(s.patch(`/events/${id}`, { new_password: 'secret' }, 'admin'), 200);
    assert.doesNotMatch(await ask(socket, request), /und weiter/);
    await must(s.patch(`/events/${id}`, { new_password: '' }, 'admin'), 200);
    await must(s.del(`/events/${id}`, 'admin'), 200);
    assert.doesNotMatch(await ask(socket, request), /^HTTP\/1\.1 200/);
    await must(s.patch(`/events/${id}`, { status: 'publish' }, 'admin'), 200);
    assert.equal(titleIn(await ask(socket, request)), 'Four');
    socket.destroy();
  });

  test('are counted and logged like any other request', async () => {
    const counted = async (): Promise<number> =>
      Number(
        /kalends_http_requests_total\{method="GET",route="[^"]*\/events\/:id[^"]*",status="200"\} (\d+)/.exec(
          (await s.get('~/metrics')).text,
        )?.[1],
      );
    const [socket, request] = [await connect(), bytesFor(`/events/${id}`, 'X-Forwarded-For: 203.0.113.9')];
    await ask(socket, request);
    const before = await counted();
    assert.ok(before > 0);
    s.logs.length = 0;
    for (let n = 0; n < 6; n++) await ask(socket, request);
    assert.equal(await counted(), before + 6);
    const lines = s.logs.map((line) => JSON.parse(line)).filter(({ url }) => url?.endsWith(`/events/${id}`));
    assert.equal(lines.length, 6);
    for (const { ip, method, status } of lines) {
      assert.deepEqual({ ip, method, status }, { ip: '203.0.113.9', method: 'GET', status: 200 });
    }
    socket.destroy();
  });

  test('may come for longer than a single request may take', async () => {
    const [socket, request] = [await connect(), bytesFor(`/events/${id}`)];
    for (let n = 0; n < 12; n++) {
      assert.match(await ask(socket, request), /^HTTP\/1\.1 200/);
      await sleep(300);
    }
    socket.destroy();
  });
});
