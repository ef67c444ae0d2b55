import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, mock, test } from 'node:test';
import { eventually, idsIn, makeEvent, must } from '../support/rows.js';
import { type Reply, startServer, type TestServer } from '../support/server.js';

/** `Last-Modified` and `If-Modified-Since`: a date never makes an old answer look valid. */
describe('dates of answers', () => {
  let s: TestServer;
  let other: TestServer;
  let id: number;
  before(async () => {
    s = await startServer();
    other = await startServer({}, s);
    // Only the clock on the wall: what runs by itself goes on.
    mock.timers.enable({ apis: ['Date'], now: Date.UTC(2031, 4, 6, 12) });
    ({ id } = await makeEvent(s, { title: 'One' }));
  });
  after(async () => {
    mock.timers.reset();
    await other.close();
    await s.close();
  });
  const pass = (seconds: number) => mock.timers.tick(seconds * 1000);
  /** A busy server may have to look at the database first: the second time it has. */
  async function since(date: string, path: string, more: Record<string, string> = {}, at = s): Promise<Reply> {
    const ask = () => at.ask('GET', path, { headers: { 'if-modified-since': date, ...more } });
    const first = await ask();
    return first.status === 304 ? first : ask();
  }
  const dateOf = (reply: Reply): string => reply.headers.get('last-modified') ?? '';
  const now = (): string => new Date().toUTCString();
  const LIST = '/events?start_date=2031-01-01&end_date=2032-01-01';

  // Each begins long after the one before, with nothing kept.
  beforeEach(async () => {
    pass(1000);
    await must(s.patch(`/events/${id}`, { description: now() }, 'admin'), 200);
  });

  /** An answer that has stood long enough. */
  async function settled(path: string, at = s, headers: Record<string, string> = {}): Promise<Reply> {
    await must(at.ask('GET', path, { headers }), 200);
    pass(61);
    // When the kept answer was not sure enough, the first of these asks the database, and the second does not.
    for (let n = 0; n < 3; n++) {
      const reply = await at.ask('GET', path, { headers });
      if (dateOf(reply) !== '') return reply;
    }
    throw new Error(`${path} has no date`);
  }

  for (const path of [LIST, '/events', '/venues', '/tags', '/events/ID']) {
    test(`${path}: dated once it has stood for a minute, and then not sent again`, async () => {
      const at = path.replace('ID', String(id));
      const first = await s.get(at);
      assert.deepEqual([dateOf(first), dateOf(await s.get(at)), dateOf(await s.get(at))], ['', '', '']);
      const later = await settled(at);
      assert.equal(later.text, first.text);
      assert.ok(Date.parse(dateOf(later)) <= Date.now());
      pass(120);
      const again = await since(dateOf(later), at);
      assert.deepEqual([again.status, again.text, dateOf(again)], [304, '', dateOf(later)]);
      assert.equal(again.headers.get('etag'), later.headers.get('etag'));
      assert.equal((await s.ask('HEAD', at, { headers: { 'if-modified-since': dateOf(later) } })).status, 304);
    });
  }

  test('compressed answers are dated, too', async () => {
    const [plain, packed] = [await settled(LIST), await settled(LIST, s, { 'accept-encoding': 'br' })];
    assert.equal(packed.headers.get('content-encoding'), 'br');
    assert.equal(dateOf(packed), dateOf(plain));
    assert.equal(packed.text, plain.text);
  });

  test('what is written elsewhere than in the calendar does not make it younger', async () => {
    const first = await settled(LIST);
    pass(120);
    // Takes its key and gives it back: memory may be behind, until somebody has looked.
    await must(s.ask('POST', '/events', { as: 'admin', json: {}, headers: { 'Idempotency-Key': 'k' } }), 400);
    await s.get(LIST);
    assert.equal(dateOf(await settled(LIST)), dateOf(first));
  });

  test('a tag says more than a date (RFC 9110, 13.1.3)', async () => {
    const reply = await settled(LIST);
    pass(120);
    const tag = reply.headers.get('etag') ?? '';
    assert.equal((await since(dateOf(reply), LIST, { 'if-none-match': '"other"' })).status, 200);
    assert.equal((await since('Thu, 01 Jan 1970 00:00:00 GMT', LIST, { 'if-none-match': tag })).status, 304);
  });

  test('a date from before a change does not count, though all was in one second', async () => {
    await s.get(`/events/${id}`);
    const before = now();
    await must(s.patch(`/events/${id}`, { title: 'In the same second' }, 'admin'), 200);
    await settled(`/events/${id}`);
    pass(600);
    assert.equal((await since(before, `/events/${id}`)).status, 200);
  });

  test('every date that an older answer had, or that it was got at, is too old', async () => {
    const had = [dateOf(await settled(LIST)), now()];
    await must(s.del(`/events/${(await makeEvent(s)).id}`, 'admin', { force: true }), 200);
    had.push(now());
    await settled(LIST);
    pass(600);
    for (const date of had) assert.equal((await since(date, LIST)).status, 200, date);
  });

  test('a list from today on changes at midnight without a write', async () => {
    const reply = await settled('/events');
    pass(24 * 3600);
    assert.equal((await since(dateOf(reply), '/events')).status, 200);
    await settled('/events');
    pass(600);
    assert.equal((await since(dateOf(reply), '/events')).status, 200);
  });

  test('a list of what runs now is another one a moment later, without a write', async () => {
    const start = Math.floor(Date.now() / 1000);
    const running = await makeEvent(s, { start_date: start, end_date: start + 30 });
    const isShown = async (): Promise<boolean> =>
      idsIn(await s.get('/events?starts_before=tomorrow&ends_after=now&strict_dates=true'), 'events').includes(
        running.id,
      );
    // Often enough to be kept, if it were an answer to keep.
    for (let n = 0; n < 4; n++) assert.equal(await isShown(), true);
    pass(60);
    assert.equal(await isShown(), false);
  });

  test('what one instance dated another takes only if it has it itself', async () => {
    const here = await settled(LIST);
    assert.equal((await since(dateOf(here), LIST, {}, other)).status, 200, 'not known there');
    const there = await settled(LIST, other);
    pass(120);
    assert.equal((await since(dateOf(here), LIST, {}, other)).status, 200, 'from before it was known there');
    assert.equal((await since(dateOf(there), LIST)).status, 304, 'both had it then');
    await must(other.patch(`/events/${id}`, { title: 'Changed elsewhere' }, 'admin'), 200);
    await eventually(async () => ((await since(dateOf(there), LIST)).status === 200 ? true : undefined), 2500);
    for (const at of [s, other]) {
      await settled(LIST, at);
      pass(600);
      assert.equal((await since(dateOf(there), LIST, {}, at)).status, 200);
    }
  });

  test('dates that are none, lie ahead, or are too near, do not count', async () => {
    const reply = await settled(LIST);
    const near = now();
    for (const date of ['0', 'yesterday', '2031-05-06', new Date(Date.now() + 1e6).toUTCString(), near])
      assert.equal((await since(date, LIST)).status, 200, date);
    pass(120);
    assert.equal((await since(near, LIST)).status, 304, 'in the middle, whoever told it');
    assert.equal((await since(dateOf(reply).replace('GMT', '+0000'), LIST)).status, 200);
  });

  test('whoever signs in or gives a word is told no date, and must show a tag', async () => {
    const reply = await settled(LIST);
    pass(120);
    for (const [path, as] of [
      [LIST, 'admin'],
      [`${LIST}&password=x`, undefined],
    ] as const) {
      const own = await s.ask('GET', path, { as, headers: { 'if-modified-since': dateOf(reply) } });
      assert.deepEqual([own.status, dateOf(own)], [200, '']);
    }
  });
});
