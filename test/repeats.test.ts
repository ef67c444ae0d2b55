import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, KEPT, LARGE, type Repeating, startRepeating } from './support/repeating.js';

describe('requests whose bytes were seen before', () => {
  let r: Repeating;
  before(async () => {
    r = await startRepeating();
  });
  beforeEach(() => Object.assign(r.is, { leaving: false, recalling: true }));
  after(() => r.close());

  test('the third time they are not read any more, and the answer is just the same', async () => {
    const asker = await r.connect();
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
    await r.regular(get('/kept', 'X-Said: shared'));
    const other = await r.connect();
    assert.deepEqual(await other.bodies(get('/kept/x')), ['read GET /kept/x']);
    assert.deepEqual(await other.bodies(get('/kept/y')), ['read GET /kept/y']);
    assert.deepEqual(await other.bodies(KEPT), ['read GET /kept'], 'until something whole was read');
    assert.deepEqual(await other.bodies(get('/kept/z', 'X-Said: shared')), ['known /kept/z shared']);
  });

  test('a head counts for every address, unless there is something odd in it', async () => {
    const asker = await r.regular();
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
    const asker = await r.regular(get('/kept', 'X-Said: one'), get('/kept', 'If-None-Match: "a"'));
    assert.deepEqual(await asker.bodies(get('/kept', 'X-Said: one')), ['known /kept one']);
    assert.deepEqual(await asker.bodies(get('/kept', 'X-Said: two')), ['read GET /kept two']);
    assert.deepEqual(await asker.bodies(get('/kept', 'x-said: one')), ['read GET /kept one']);
    assert.match(await asker.send(get('/kept', 'If-None-Match: "a"')), /^HTTP\/1.1 304 Not Modified\r\n.*\r\n\r\n$/s);
  });

  test('where there is no answer any more they are read', async () => {
    const asker = await r.regular();
    r.is.recalling = false;
    assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
    r.is.recalling = true;
    assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
  });

  test('several in one piece, and one in several pieces, are read in their order', async () => {
    const asker = await r.regular();
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
    const asker = await r.regular();
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
    const asker = await r.regular();
    const early = get('/kept', `Content-Length: ${KEPT.length}`);
    assert.deepEqual(await asker.bodies(early), ['read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT), [], 'its body');
    assert.deepEqual(await asker.bodies(early, KEPT), ['read GET /kept'], 'and nothing was learnt of it');
    assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
    assert.deepEqual(await asker.bodies(KEPT), ['known /kept']);
  });

  test('of very many headers nothing is learnt', async () => {
    const asker = await r.regular();
    const many = get('/kept', ...Array.from({ length: 120 }, (_, n) => `X-${n}: ${n}`));
    for (let n = 0; n < 3; n++) assert.deepEqual(await asker.bodies(many), ['read GET /kept']);
  });

  test('who never says the same twice is left to the engine for good', async () => {
    const asker = await r.regular();
    for (let n = 0; n < 30; n++)
      assert.deepEqual(await asker.bodies(get('/kept', `X-Said: ${n}`)), [`read GET /kept ${n}`]);
    for (let n = 0; n < 3; n++) assert.deepEqual(await asker.bodies(KEPT), ['read GET /kept']);
  });

  test('nobody is answered before those who asked earlier', async () => {
    const asker = await r.regular();
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
    const asker = await r.regular();
    r.is.leaving = true;
    const ended = once(asker.socket, 'end');
    assert.match(await asker.send(KEPT), /Connection: close\r\n/i);
    await ended;
  });

  test('who wants to close, or speaks of the older version, is left to the engine', async () => {
    const [closing, older] = [get('/kept', 'Connection: close'), KEPT.replace('1.1', '1.0')];
    // What the first says is not known when the second says it.
    for (const one of [closing, closing, older, older]) {
      const asker = await r.regular();
      const ended = once(asker.socket, 'end');
      assert.deepEqual(await asker.bodies(one), ['read GET /kept']);
      await ended;
    }
  });

  test('who does not take what it asks for is made to wait', async () => {
    const asker = await r.regular();
    const [socket] = await new Promise<Socket[]>((resolve) => {
      r.server.once('connection', (one) => resolve([one]));
      void r.connect().then(async (other) => {
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

  test('a proxy that sends on for many is not watched', async () => {
    const asker = await r.connect();
    for (let n = 0; n < 6; n++) {
      const one = get('/kept', `X-Forwarded-For: 10.0.0.${n % 2}`);
      assert.deepEqual(await asker.bodies(one), ['read GET /kept']);
    }
    assert.equal((await r.connect().then((other) => other.bodies(KEPT)))[0], 'read GET /kept');
  });

  test('bytes that are no request are refused as ever', async () => {
    const asker = await r.regular();
    assert.match(await asker.send('GET /kept OTHER/1.1\r\n\r\n'), /^HTTP\/1\.1 400/);
  });
});
