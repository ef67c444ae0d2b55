import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bytes } from '../records/rendered.js';
import { Repeats } from './repeats.js';
import type { Outgoing } from './send.js';

/**
 * A real server on real sockets. What begins with `/kept` is kept; `/late` is answered after a while; everything else
 * at once, and is not kept. The body says what was read: by the engine (`read`), or known by its bytes (`known`). What
 * begins with `/plain` is not kept, and made without the engine (`made`): `/plain/late` after a while, `/plain/wrong` not.
 */
describe('requests whose bytes were seen before', () => {
  let server: Server;
  let port: number;
  let isLeaving = false;
  let recalls = true;
  let repeats: Repeats;
  const noted: string[] = [];
  const heads = new Map<string, string[]>();

  const headOf = (body: string): string[] => {
    let head = heads.get(body);
    if (!head) {
      head = ['X-Kept', 'yes', 'Content-Length', String(Buffer.byteLength(body))];
      heads.set(body, head);
    }
    return head;
  };

  async function made(url: string): Promise<Outgoing> {
    if (/late|wrong/.test(url)) await sleep(url.includes('very') ? 600 : 40);
    if (url.includes('wrong')) throw new Error('wrong');
    const parts = ['made ', url].map((text) => Buffer.from(text));
    const body = new Bytes(parts);
    return { status: 200, headers: { 'Content-Length': String(body.length) }, body };
  }

  before(async () => {
    server = createServer();
    server.keepAliveTimeout = 9_000;
    repeats = new Repeats(server, {
      understood: ({ headers, rawHeaders }) => ({ headers, rawHeaders, beside: '' }),
      read: ({ url = '' }) =>
        url.startsWith('/plain') ? { answer: made(url), note: (status) => noted.push(`${status} ${url}`) } : undefined,
      recall: ({ url, headers }) => {
        if (!recalls || !url.startsWith('/kept')) return undefined;
        if (headers['if-none-match'] !== undefined) return { status: 304, head: headOf('none'), body: undefined };
        const body = url === '/kept/large' ? 'x'.repeat(LARGE) : `known ${url} ${headers['x-said'] ?? ''}`;
        return { status: 200, head: headOf(body), body: Buffer.from(body) };
      },
      isLeaving: () => isLeaving,
    });
    server.on('request', (request, response) => {
      if (isLeaving) response.shouldKeepAlive = false;
      const failed = repeats.came(request);
      const { method, url = '', headers } = request;
      let sent = failed ? ` after ${failed.error}` : '';
      request.on('data', (part) => {
        sent += part;
      });
      const end = (): void => {
        const body = `read ${method} ${url} ${headers['x-said'] ?? ''}${sent}`;
        response.writeHead(200, headOf(body)).end(body);
        if (url.startsWith('/plain')) repeats.answered(request, response);
      };
      if (url.startsWith('/late')) setTimeout(end, 100);
      else if (method === 'POST') request.on('end', end);
      else end();
      if (url.startsWith('/kept')) repeats.answered(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    isLeaving = false;
    recalls = true;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const LARGE = 1_000_000;
  const get = (path: string, ...more: string[]): string =>
    [`GET ${path} HTTP/1.1`, 'Host: here', ...more, '', ''].join('\r\n');
  const KEPT = get('/kept');

  /** Sends and waits until nothing more comes. */
  class Asker {
    private text = '';
    private constructor(readonly socket: Socket) {
      socket.setNoDelay(true).on('data', (part) => {
        this.text += part.toString('latin1');
      });
    }
    static async connect(): Promise<Asker> {
      const socket = net.connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return new Asker(socket);
    }
    /** In one piece each; what was answered to all of them. */
    async send(...pieces: string[]): Promise<string> {
      this.text = '';
      for (const piece of pieces) {
        this.socket.write(piece, 'latin1');
        await sleep(15);
      }
      for (let before = -1; before !== this.text.length; await sleep(60)) before = this.text.length;
      return this.text;
    }
    /** The bodies alone. */
    async bodies(...pieces: string[]): Promise<string[]> {
      const found: string[] = [];
      for (let rest = await this.send(...pieces); rest !== ''; ) {
        const from = rest.indexOf('\r\n\r\n') + 4;
        const length = /Content-Length: (\d+)/.exec(rest)?.[1];
        assert.ok(length !== undefined, rest);
        const to = from + Number(length);
        found.push(rest.slice(from, to).trim());
        rest = rest.slice(to);
      }
      return found;
    }
  }

  /** Connected, and known to repeat itself. */
  async function regular(...known: string[]): Promise<Asker> {
    const asker = await Asker.connect();
    for (const one of [KEPT, KEPT, KEPT, ...known]) await asker.bodies(one);
    assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
    return asker;
  }

  test('the third time they are not read any more, and the answer is just the same', async () => {
    const asker = await Asker.connect();
    assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
    const read = await asker.send(KEPT);
    const known = await asker.send(KEPT);
    const plain = (text: string): string => text.replace(/Date: .*/, '').replace(/(read GET|known) /, '');
    assert.match(known, /known \/kept/);
    assert.match(known, /Date: .* GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=9\r\n\r\n/);
    assert.equal(
      plain(known).replace(/Content-Length: \d+/, ''),
      plain(read).replace(/Content-Length: \d+/, ''),
      'what the engine says of the connection is said, too',
    );
  });

  test('what one connection taught counts on others, once they repeat themselves', async () => {
    await regular(get('/kept', 'X-Said: shared'));
    const other = await Asker.connect();
    assert.deepEqual(await other.bodies(get('/kept/x')), ['read GET /kept/x']);
    assert.deepEqual(await other.bodies(get('/kept/y')), ['read GET /kept/y']);
    assert.deepEqual(await other.bodies(KEPT), ['read GET /kept'], 'until something whole was read');
    assert.deepEqual(await other.bodies(get('/kept/z', 'X-Said: shared')), ['known /kept/z shared']);
  });

  test('a head counts for every address, unless there is something odd in it', async () => {
    const asker = await regular();
    for (const path of ['/kept/other', '/kept?a[]=%C3%A4&b=c+d', "/kept/~(it's)*;,@:=!$"]) {
      assert.deepEqual(await asker.bodies(get(path)), [`known ${path}`]);
    }
    for (const path of ['/kept#part', '/kept"', '/kept{}', '/kept\\', '/kept|', '/kept^`<>']) {
      assert.deepEqual(await asker.bodies(get(path)), [`read GET ${path}`]);
      assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
    }
    assert.deepEqual(await asker.bodies(get('http://here/kept')), ['read GET http://here/kept']);
    assert.match(await asker.send(get('/kept with blanks')), /^HTTP\/1\.1 400/);
  });

  test('every byte of the head counts', async () => {
    const asker = await regular(get('/kept', 'X-Said: one'), get('/kept', 'If-None-Match: "a"'));
    assert.deepEqual(await asker.bodies(get('/kept', 'X-Said: one')), ['known /kept one']);
    assert.deepEqual(await asker.bodies(get('/kept', 'X-Said: two')), ['read GET /kept two']);
    assert.deepEqual(await asker.bodies(get('/kept', 'x-said: one')), ['read GET /kept one']);
    assert.match(await asker.send(get('/kept', 'If-None-Match: "a"')), /^HTTP\/1.1 304 Not Modified\r\n.*\r\n\r\n$/s);
  });

  test('where there is no answer any more they are read', async () => {
    const asker = await regular();
    recalls = false;
    assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
    recalls = true;
    assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
  });

  test('several in one piece, and one in several pieces, are read in their order', async () => {
    const asker = await regular();
    assert.deepEqual(await asker.bodies(KEPT + KEPT), ['read GET /kept', 'read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
    assert.deepEqual(await asker.bodies(KEPT.slice(0, 10), KEPT.slice(10)), ['read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT.slice(0, -2), KEPT.slice(-2), KEPT), ['read GET /kept', 'read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT + get('/other'), KEPT), [
      'read GET /kept',
      'read GET /other',
      'read GET /kept',
    ]);
  });

  test('known bytes inside of something else are part of it', async () => {
    const asker = await regular();
    // In a header that was begun: one request, whose header holds the first line of what is known.
    assert.deepEqual(await asker.bodies('GET /kept HTTP/1.1\r\nX-Said: ', KEPT), ['read GET /kept GET /kept HTTP/1.1']);
    assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept'], 'and nothing was learnt of it');
    assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
    // In a body.
    const post = `POST /body HTTP/1.1\r\nHost: here\r\nContent-Length: ${KEPT.length}\r\n\r\n`;
    assert.deepEqual(await asker.bodies(post, KEPT), [`read POST /body ${KEPT}`.trim()]);
    // In one whose length nobody told beforehand.
    const chunked = 'POST /body HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n';
    const asks = await asker.send(chunked, `${KEPT.length.toString(16)}\r\n`, KEPT, '\r\n0\r\n\r\n');
    assert.equal(asks.match(/HTTP\/1\.1 200/g)?.length, 1);
    assert.match(asks, /read POST \/body GET \/kept/);
  });

  test('what was answered before all of it came is not done', async () => {
    const asker = await regular();
    const early = get('/kept', `Content-Length: ${KEPT.length}`);
    assert.deepEqual(await asker.bodies(early), ['read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT), [], 'its body');
    assert.deepEqual(await asker.bodies(early, KEPT), ['read GET /kept'], 'and nothing was learnt of it');
    assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
  });

  test('of very many headers nothing is learnt', async () => {
    const asker = await regular();
    const many = get('/kept', ...Array.from({ length: 120 }, (_, n) => `X-${n}: ${n}`));
    for (let n = 0; n < 3; n++) assert.deepEqual(await asker.bodies(many), ['read GET /kept']);
  });

  test('who never says the same twice is left to the engine for good', async () => {
    const asker = await regular();
    for (let n = 0; n < 30; n++)
      assert.deepEqual(await asker.bodies(get('/kept', `X-Said: ${n}`)), [`read GET /kept ${n}`]);
    for (let n = 0; n < 3; n++) assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
  });

  test('nobody is answered before those who asked earlier', async () => {
    const asker = await regular();
    const bodies = await asker.bodies(get('/late'), KEPT, KEPT, get('/late/again'), KEPT);
    assert.deepEqual(bodies, [
      'read GET /late',
      'read GET /kept',
      'read GET /kept',
      'read GET /late/again',
      'read GET /kept',
    ]);
  });

  test('the last answer before the server leaves says so', async () => {
    const asker = await regular();
    isLeaving = true;
    const ended = once(asker.socket, 'end');
    assert.match(await asker.send(KEPT), /Connection: close\r\n/i);
    await ended;
  });

  test('who wants to close, or speaks of the older version, is left to the engine', async () => {
    const [closing, older] = [get('/kept', 'Connection: close'), KEPT.replace('1.1', '1.0')];
    // What the first says is not known when the second says it.
    for (const one of [closing, closing, older, older]) {
      const asker = await regular();
      const ended = once(asker.socket, 'end');
      assert.deepEqual(await asker.bodies(one), ['read GET /kept']);
      await ended;
    }
  });

  test('who does not take what it asks for is made to wait', async () => {
    const asker = await regular();
    const [socket] = await new Promise<Socket[]>((resolve) => {
      server.once('connection', (one) => resolve([one]));
      void Asker.connect().then(async (other) => {
        for (let n = 0; n < 3; n++) await other.bodies(KEPT);
        other.socket.pause();
        for (let n = 0; n < 200; n++) {
          other.socket.write(get('/kept/large'));
          await sleep(1);
        }
      });
    });
    await sleep(1200);
    assert.ok((socket as Socket).writableLength < 4 * LARGE, `${socket?.writableLength} bytes wait to be taken`);
    assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
  });

  describe('what is not kept', () => {
    const [PLAIN, LATE, WRONG] = [get('/plain'), get('/plain/late'), get('/plain/wrong')];

    test('is made without the engine, once the head is known, and told of', async () => {
      const asker = await Asker.connect();
      for (let n = 0; n < 3; n++) assert.deepEqual(await asker.bodies(PLAIN), ['read GET /plain']);
      noted.length = 0;
      assert.deepEqual(await asker.bodies(PLAIN), ['made /plain']);
      assert.match(await asker.send(get('/plain/other?a=b')), /^HTTP\/1.1 200 OK\r\nContent-Length: 21\r\nDate: /);
      assert.deepEqual(noted, ['200 /plain', '200 /plain/other?a=b']);
      assert.deepEqual(await asker.bodies(get('/plain', 'X-Said: new')), ['read GET /plain new']);
      assert.deepEqual(await asker.bodies(PLAIN + PLAIN, PLAIN), Array(3).fill('read GET /plain'));
    });

    test('whoever asks meanwhile is answered after it', async () => {
      const asker = await regular();
      const [late, known] = ['made /plain/late', 'known /kept'];
      assert.deepEqual(await asker.bodies(LATE, KEPT, KEPT), [late, known, known]);
      assert.deepEqual(await asker.bodies(LATE, LATE, KEPT), [late, late, known]);
      assert.deepEqual(await asker.bodies(LATE, KEPT + LATE, KEPT), [
        late,
        'read GET /kept',
        'read GET /plain/late',
        'read GET /kept',
      ]);
      assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept'], 'until something whole was read');
      assert.deepEqual(await asker.bodies(LATE, KEPT.slice(0, 9), KEPT.slice(9), KEPT), [
        late,
        'read GET /kept',
        'read GET /kept',
      ]);
    });

    test('what fails is read by the engine, which is told why', async () => {
      const asker = await regular();
      assert.deepEqual(await asker.bodies(WRONG), ['read GET /plain/wrong  after Error: wrong']);
      assert.deepEqual(await asker.bodies(PLAIN), ['made /plain']);
      assert.deepEqual(await asker.bodies(WRONG, KEPT, PLAIN), [
        'read GET /plain/wrong  after Error: wrong',
        'known /kept',
        'made /plain',
      ]);
    });

    test('who leaves meanwhile harms nobody', async () => {
      for (const end of ['destroy', 'end'] as const) {
        for (const one of [LATE, WRONG]) {
          const asker = await regular();
          asker.socket.write(one + (end === 'end' ? '' : 'GET'));
          await sleep(30);
          asker.socket[end]();
          await sleep(150);
        }
      }
      assert.deepEqual(await (await regular()).bodies(PLAIN), ['made /plain']);
    });

    test('before the server ends all of it is answered, if it comes soon enough', async () => {
      const asker = await regular();
      for (const [path, patience] of [
        ['/plain/late', 5000],
        ['/plain/very/late', 100],
      ] as const) {
        asker.socket.write(get(path));
        await sleep(20);
        const began = performance.now();
        await repeats.settled(patience);
        assert.ok(performance.now() - began < 400, path);
        assert.equal(noted.at(-1), '200 /plain/late');
      }
      await sleep(700);
      isLeaving = true;
      assert.match(await asker.send(PLAIN), /Connection: close\r\n.*read GET \/plain/is);
    });
  });

  test('a proxy that sends on for many is not watched', async () => {
    const asker = await Asker.connect();
    for (let n = 0; n < 6; n++) {
      const one = get('/kept', `X-Forwarded-For: 10.0.0.${n % 2}`);
      assert.deepEqual(await asker.bodies(one), ['read GET /kept']);
    }
    assert.equal((await Asker.connect().then((other) => other.bodies(KEPT)))[0], 'read GET /kept');
  });

  test('bytes that are no request are refused as ever', async () => {
    const asker = await regular();
    assert.match(await asker.send('GET /kept OTHER/1.1\r\n\r\n'), /^HTTP\/1\.1 400/);
  });
});
