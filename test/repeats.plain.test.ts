import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, KEPT, type Repeating, startRepeating } from './support/repeating.js';

const [PLAIN, LATE, WRONG] = [get('/plain'), get('/plain/late'), get('/plain/wrong')];

describe('requests whose bytes were seen before, for what is not kept', () => {
  let r: Repeating;
  before(async () => {
    r = await startRepeating();
  });
  beforeEach(() => Object.assign(r.is, { leaving: false, recalling: true }));
  after(() => r.close());

  test('is made without the engine, once the head is known, and told of', async () => {
    const asker = await r.connect();
    for (let n = 0; n < 3; n++) assert.deepEqual(await asker.bodies(PLAIN), ['read GET /plain']);
    r.noted.length = 0;
    assert.deepEqual(await asker.bodies(PLAIN), ['made /plain']);
    assert.match(await asker.send(get('/plain/other?a=b')), /^HTTP\/1.1 200 OK\r\nContent-Length: 21\r\nDate: /);
    assert.deepEqual(r.noted, ['200 /plain', '200 /plain/other?a=b']);
    assert.deepEqual(await asker.bodies(get('/plain', 'X-Said: new')), ['read GET /plain new']);
    assert.deepEqual(await asker.bodies(PLAIN + PLAIN, PLAIN), Array(3).fill('read GET /plain'));
  });

  test('whoever asks meanwhile is answered after it', async () => {
    const asker = await r.regular();
    const [late, known] = ['made /plain/late', 'known /kept'];
    assert.deepEqual(await asker.bodies(LATE, KEPT, KEPT), [late, known, known]);
    assert.deepEqual(await asker.bodies(LATE, LATE, KEPT), [late, late, known]);
    assert.deepEqual(await asker.bodies(LATE, KEPT + LATE, KEPT), [
      late,
      'read GET /kept',
      'read GET /plain/late',
      'read GET /kept',
    ]);
    await asker.bodies(KEPT);
    assert.deepEqual(await asker.bodies(LATE, KEPT.slice(0, 9), KEPT.slice(9), KEPT), [
      late,
      'read GET /kept',
      'read GET /kept',
    ]);
  });

  test('what fails is read by the engine, which is told why', async () => {
    const asker = await r.regular();
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
        const asker = await r.regular();
        asker.socket.write(one + (end === 'end' ? '' : 'GET'));
        await sleep(30);
        asker.socket[end]();
        await sleep(150);
      }
    }
    assert.deepEqual(await (await r.regular()).bodies(PLAIN), ['made /plain']);
  });

  test('before the server ends all of it is answered, if it comes soon enough', async () => {
    const asker = await r.regular();
    for (const [path, patience] of [
      ['/plain/late', 5000],
      ['/plain/very/late', 100],
    ] as const) {
      asker.socket.write(get(path));
      await sleep(20);
      const began = performance.now();
      await r.repeats.settled(patience);
      assert.ok(performance.now() - began < 400, path);
      assert.equal(r.noted.at(-1), '200 /plain/late');
    }
    await sleep(700);
    r.is.leaving = true;
    assert.match(await asker.send(PLAIN), /Connection: close\r\n.*read GET \/plain/is);
  });
});
