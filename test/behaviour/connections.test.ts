import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SOON } from '../support/browser.js';
import { makeEvent, unique } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';
import { bytesOf } from '../tools/wire.js';

/** What becomes of a connection, whoever reads its requests: Node, or what knows their bytes (http/repeats.ts). */
describe('a connection', () => {
  let s: TestServer;
  const SMALL = '/venues?per_page=1';
  const LARGE = '/events?per_page=50';
  /** Half a megabyte: some of them are more than the system holds for a client that reads nothing. */
  const LONG = '音'.repeat(190_000);
  before(async () => {
    s = await startServer();
    for (let n = 0; n < 12; n++) await makeEvent(s, { ...SOON, description: 'x'.repeat(3000) });
  });
  after(() => s.close());

  const get = (path: string, ...headers: [string, string][]): Buffer =>
    bytesOf({ method: 'GET', target: new URL(s.api + path).pathname + new URL(s.api + path).search, headers });
  const opened = async (to = s) => {
    const socket = net.connect({ port: Number(new URL(to.home).port), host: '127.0.0.1', allowHalfOpen: true });
    let all = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      all += part;
    });
    socket.on('error', () => {});
    await once(socket, 'connect');
    const answers = (): number => all.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;
    return {
      socket,
      all: () => all,
      answers,
      /** Sends, and waits until so many answers have begun and everything has come. */
      async ask(many: number, ...requests: Buffer[]): Promise<void> {
        socket.write(Buffer.concat(requests));
        const end = performance.now() + 8000;
        while (answers() !== many || !isWhole(all)) {
          assert.ok(performance.now() < end, `${answers()} of ${many} answers`);
          await sleep(2);
        }
      },
    };
  };
  /** Whether the last answer has all that it announces. */
  const isWhole = (all: string): boolean => {
    const last = all.slice(all.lastIndexOf('HTTP/1.1 '));
    const length = /\r\ncontent-length: (\d+)/i.exec(last)?.[1];
    return length !== undefined && last.length === last.indexOf('\r\n\r\n') + 4 + Number(length);
  };
  /** Its requests are known by their bytes. */
  const regular = async (to = s) => {
    const line = await opened(to);
    for (let n = 1; n <= 5; n++) await line.ask(n, get(SMALL));
    return line;
  };

  test('is read further after several requests at once, however large the answers were', async () => {
    for (const first of [SMALL, LARGE]) {
      for (let n = 0; n < 3; n++) await s.get(first);
      assert.equal((await s.get(first)).text.length > 30_000, first === LARGE);
      const line = await opened();
      await line.ask(2, get(first), get(SMALL));
      await line.ask(3, get(SMALL));
      await line.ask(5, get(first), get(SMALL));
      await line.ask(6, get(first));
      line.socket.destroy();
    }
  });

  test('brings the answer also to those who have closed their side meanwhile', async () => {
    const search = () => `/events?search=${unique('nothing')}`;
    for (const open of [opened, regular]) {
      for (const path of [SMALL, search(), search(), '/events?search=xx&per_page=oops']) {
        const line = await open();
        const before = line.answers();
        line.socket.end(get(path));
        await once(line.socket, 'end');
        assert.equal(line.answers(), before + 1, path);
        assert.ok(isWhole(line.all()), path);
        line.socket.destroy();
      }
    }
  });

  test('ends after a request to speak of something else: what comes behind it is not read as a request', async () => {
    const { pathname } = new URL(s.api);
    const upgrade: [string, string][] = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'h2c'],
    ];
    const body = get('/tags');
    const post = bytesOf({
      method: 'POST',
      target: `${pathname}/tags`,
      headers: [
        ['Content-Type', 'application/json'],
        ['Content-Length', String(body.length)],
      ],
    });
    const line = await opened();
    const ended = once(line.socket, 'end');
    line.socket.write(Buffer.concat([get(SMALL, ...upgrade), post]));
    await sleep(100);
    line.socket.write(body);
    await ended;
    assert.match(line.all(), /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
    assert.equal(line.answers(), 1);
    line.socket.destroy();
  });

  test('is closed by a server that leaves once the client has got everything, and at once if it has', async () => {
    const own = await startServer();
    for (let n = 0; n < 20; n++) await makeEvent(own, { ...SOON, description: LONG });
    const [idle, fresh, known] = [await regular(own), await opened(own), await regular(own)];
    const gone = once(idle.socket, 'end');
    for (const { socket } of [fresh, known]) {
      socket.write(get(LARGE));
      await once(socket, 'data');
      socket.pause();
    }
    const closed = own.close();
    await gone;
    await sleep(500);
    for (const line of [fresh, known]) {
      const ended = once(line.socket, 'end');
      line.socket.resume();
      await ended;
      assert.ok(line.all().length > 10_000_000 && isWhole(line.all()), `${line.all().length} bytes`);
      line.socket.destroy();
    }
    idle.socket.destroy();
    await closed;
  });
});
