import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LANGUAGES } from '../../src/i18n/languages.js';
import { makeEvent } from '../support/rows.js';
import { type Reply, startServer, type TestServer } from '../support/server.js';

/** What describes the interface is made once and kept. Only a kept answer tells since when it stands, after a minute. */

let server: TestServer;
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent', KALENDS_TIMEZONE: 'Asia/Tokyo' });
  // Noon in Tokyo. Only the clock on the wall: what runs by itself goes on.
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2031, 4, 6, 3) });
});
after(async () => {
  mock.timers.reset();
  await server.close();
});

const pass = (seconds: number) => mock.timers.tick(seconds * 1000);
const dateOf = (reply: Reply): string | null => reply.headers.get('last-modified');

/** When the kept answer is not sure enough, one of these looks at the database, and the next need not. */
async function fromMemory(at: string): Promise<Reply> {
  for (let n = 0; n < 20; n++) {
    const reply = await server.get(at);
    if (dateOf(reply) !== null) return reply;
    await pause(10);
  }
  throw new Error(`${at || 'the index'} is not kept`);
}

/** Asked for twice, so that it is worth keeping, and old enough to be dated. */
async function known(at: string): Promise<Reply> {
  const first = await server.get(at);
  assert.equal(dateOf(first), null);
  await server.get(at);
  pass(61);
  return first;
}

for (const at of ['', '/doc', '/openapi.json'])
  test(`${at || 'the index'}: the same from memory, whatever is written`, async () => {
    const first = await known(at);
    const kept = await fromMemory(at);
    assert.equal(kept.text, first.text);
    await makeEvent(server, { title: 'New' });
    assert.equal(dateOf(await fromMemory(at)), dateOf(kept), 'it was not made again');
  });

test('the document is small enough to be kept in every language', async () => {
  for (const language of LANGUAGES) {
    const at = `~/${language}/api/calendar/events/v1/openapi.json`;
    await known(at);
    assert.equal((await fromMemory(at)).headers.get('content-language'), language);
  }
});

test('default dates do not outlive their day; what has none stays', async () => {
  const startOf = ({ json }: Reply): string =>
    json.routes['/calendar/events/v1/events'].endpoints[0].args.start_date.default;
  await known('?x=day');
  await known('/openapi.json?x=day');
  const [index, document] = [await fromMemory('?x=day'), await fromMemory('/openapi.json?x=day')];
  assert.equal(startOf(index), '2031-05-06 00:00:00');
  mock.timers.setTime(Date.UTC(2031, 4, 6, 14, 59, 59));
  assert.equal(dateOf(await fromMemory('?x=day')), dateOf(index));
  pass(1);
  const next = await server.get('?x=day');
  assert.deepEqual([startOf(next), dateOf(next)], ['2031-05-07 00:00:00', null]);
  assert.equal(dateOf(await fromMemory('/openapi.json?x=day')), dateOf(document));
});
