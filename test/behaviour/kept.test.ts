import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { raw } from '../support/raw.js';
import { eventually, idsIn, makeEvent, must } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';

/** What is sent back for exactly these bytes. */
const bytesOf = (port: string, sent: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(sent));
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part)).on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts)));
  });

/** Answers that are kept: the same as those that are made, never old, and nobody else's. */
describe('kept answers and conditional requests', () => {
  let s: TestServer;
  let id: number;
  before(async () => {
    s = await startServer({ KALENDS_ALLOWED_ORIGINS: 'https://friend.example' });
    id = (await makeEvent(s, { title: 'One', venue: { venue: 'Hall' }, categories: ['Music'] })).id;
    for (let n = 0; n < 5; n++) await makeEvent(s, { title: `More ${n}`, description: 'x'.repeat(500) });
  });
  after(() => s.close());

  const LIST = '/events?start_date=2000-01-01&end_date=2100-01-01';

  test('the second answer is the first one, byte by byte, with the same headers', async () => {
    for (const path of [LIST, `/events/${id}`, '/venues', '/categories', `${LIST}&_fields=total,events.id`]) {
      const [first, second, third] = [await s.get(path), await s.get(path), await s.get(path)];
      assert.equal(second.text, first.text, path);
      assert.equal(third.text, first.text, path);
      const telling = ({ headers }: typeof first) =>
        [...headers].filter(([name]) => !['date', 'connection', 'keep-alive', 'transfer-encoding'].includes(name));
      assert.deepEqual(telling(second), telling(first), path);
    }
  });

  test('a number that is added so that no cache answers makes no other question', async () => {
    // What comes out of memory is told at the level debug only.
    const isMade = (path: string): boolean => s.logs.some((line) => line.includes(`${path}"`));
    for (const [plain, added] of [
      [`/events/${id}`, `/events/${id}?_=1794886935408`],
      [`${LIST}&page=1`, `${LIST}&page=1&_=1`],
      [`${LIST}&page=1`, `${LIST.replace('?', '?_=77&')}&page=1`],
    ] as const) {
      const first = await s.get(plain);
      await s.get(plain);
      const told = await s.get(added);
      assert.ok(isMade(plain) && !isMade(added), added);
      assert.equal(told.text, first.text);
      assert.equal(told.headers.get('etag'), first.headers.get('etag'));
    }
    for (const other of ['_=x', '_=', 'per_page=1', '__=1&per_page=1', '_=1&_=2&per_page=1']) {
      const path = `${LIST}&${other}`;
      const [first, second, third] = [await s.get(path), await s.get(path), await s.get(path)];
      assert.equal(second.text, first.text);
      assert.equal(third.text, first.text);
      assert.ok(isMade(path), path);
      assert.equal(first.json.events.length, other.includes('per_page') ? 1 : 6, other);
    }
    // Within a value it is a part of it, and its answer nobody else's.
    for (const within of ['?_=5', '?_=5&', '%3F_=5']) {
      for (let n = 0; n < 4; n++) assert.deepEqual((await s.get(`/events?_fields=total${within}`)).json, []);
      assert.deepEqual(Object.keys((await s.get('/events?_fields=total')).json), ['total']);
    }
  });

  test('a write is seen by the very next reader, whatever was kept', async () => {
    const shown = async (): Promise<string[]> => {
      const [list, single] = [await s.get(LIST), await s.get(`/events/${id}`)];
      return [list.json.events.find((one: { id: number }) => one.id === id)?.title, single.json.title];
    };
    for (const title of ['Two', 'Three', 'Four']) {
      await shown();
      await must(s.patch(`/events/${id}`, { title }, 'admin'), 200);
      assert.deepEqual(await shown(), [title, title]);
    }
    const venue = (await s.get(`/events/${id}`)).json.venue.id;
    await s.get(LIST);
    await must(s.patch(`/venues/${venue}`, { venue: 'Barn' }, 'admin'), 200);
    const found = (await s.get(LIST)).json.events.find((one: { id: number }) => one.id === id);
    assert.equal(found.venue.venue, 'Barn');
    await must(s.del(`/events/${id}`, 'admin'), 200);
    assert.notEqual((await s.get(`/events/${id}`)).status, 200);
    assert.equal((await s.get(LIST)).json.total, 5);
    await must(s.patch(`/events/${id}`, { status: 'publish' }, 'admin'), 200);
    assert.equal((await s.get(LIST)).json.total, 6);
  });

  test('a question that means another moment each time is not answered with what it meant before', async () => {
    const soon = new Date(Date.now() + 3000).toISOString().slice(0, 19).replace('T', ' ');
    const { id: ending } = await makeEvent(s, {
      title: 'Nearly over',
      start_date: '2020-01-01 10:00:00',
      end_date: soon,
      timezone: 'UTC',
    });
    const running = '/events?strict_dates=true&starts_before=now&ends_after=now&per_page=50';
    const isListed = async (): Promise<boolean> => idsIn(await s.get(running), 'events').includes(ending);
    for (let n = 0; n < 4; n++) assert.ok(await isListed());
    await eventually(async () => ((await isListed()) ? undefined : true));
    await must(s.del(`/events/${ending}?force=true`, 'admin'), 200);
  });

  test('a list of which only the number of others changed is told anew, as if it had been made', async () => {
    const page = `${LIST}&per_page=2&page=2`;
    const ask = (at: string, encoding = 'identity') => s.ask('GET', at, { headers: { 'accept-encoding': encoding } });
    for (let n = 0; n < 3; n++) await ask(page);
    const before = await ask(page);
    const later: number[] = [];
    let asked = 0;
    const same = async (total: number, next: boolean): Promise<void> => {
      s.sqlSeen();
      const kept = await ask(page);
      assert.deepEqual(
        s.sqlSeen().filter((one) => /event_venue/.test(one)),
        [],
        'no event was rendered again',
      );
      for (const encoding of ['identity', 'gzip', 'br']) {
        // A parameter that means nothing makes it another address: its answer is made.
        const made = await ask(`${page}&x=${asked++}`, encoding);
        const known = await ask(page, encoding);
        assert.equal(known.text, made.text);
        for (const name of ['etag', 'link', 'x-tec-total', 'x-tec-totalpages', 'cache-control', 'content-encoding'])
          assert.equal(known.headers.get(name), made.headers.get(name), `${encoding} ${name}`);
      }
      assert.equal(kept.json.total, total);
      assert.deepEqual(kept.json.events, before.json.events);
      assert.equal(kept.json.next_rest_url !== undefined, next);
      assert.notEqual(kept.headers.get('etag'), before.headers.get('etag'));
      const tag = { 'if-none-match': kept.headers.get('etag') ?? '' };
      assert.equal((await s.ask('GET', page, { headers: tag })).status, 304);
    };
    const { total } = before.json;
    for (let n = 1; n <= 3; n++) {
      later.push((await makeEvent(s, { title: 'Later', start_date: '2090-01-01', end_date: '2090-01-01' })).id);
      await same(total + n, true);
    }
    const others = (await s.get(`${LIST}&per_page=50`)).json.events.slice(4).map((one: { id: number }) => one.id);
    for (const other of others) await must(s.del(`/events/${other}`, 'admin'), 200);
    await same(4, false);
    for (const other of others.filter((one: number) => !later.includes(one)))
      await must(s.patch(`/events/${other}`, { status: 'publish' }, 'admin'), 200);
  });

  test('counts of terms in a kept list follow the events', async () => {
    const count = async (): Promise<number> => {
      const { events } = (await s.get(LIST)).json;
      return events.find((one: { id: number }) => one.id === id).categories[0].count;
    };
    await count();
    const before = await count();
    await makeEvent(s, { title: 'With music', categories: ['Music'] });
    assert.equal(await count(), before + 1);
  });

  test('links follow the address, the language and nobody else’s', async () => {
    for (let n = 0; n < 3; n++) {
      // The plain one last: nobody has asked for it before the others were kept.
      for (const prefix of ['/de/api', '/fr/api', '/api']) {
        const { json } = await s.ask('GET', `~${prefix}/calendar/events/v1${LIST}&x=links`);
        const base = `${s.home}${prefix}/calendar/events/v1/events`;
        assert.ok(json.rest_url.startsWith(`${base}/?`), `${prefix}: ${json.rest_url}`);
        for (const { rest_url } of json.events) assert.ok(rest_url.startsWith(`${base}/`), `${prefix}: ${rest_url}`);
      }
    }
  });

  test('origins get their own headers', async () => {
    for (let n = 0; n < 2; n++) {
      const of = async (origin?: string) =>
        (await s.ask('GET', LIST, origin ? { headers: { origin } } : {})).headers.get('access-control-allow-origin');
      assert.equal(await of(), null);
      assert.equal(await of('https://friend.example'), 'https://friend.example');
      assert.equal(await of('https://stranger.example'), '*');
    }
  });

  test('whoever sends a cookie gets an answer made for it, which nobody else gets', async () => {
    const stranger = { origin: 'https://stranger.example' };
    const allowed = async (path: string, headers: Record<string, string>) =>
      (await s.ask('GET', path, { headers })).headers.get('access-control-allow-origin');
    for (const first of [{}, { cookie: 'a=b' }] as Record<string, string>[]) {
      const path = `${LIST}&x=cookie-${Object.keys(first)}`;
      for (let n = 0; n < 3; n++) await allowed(path, { ...stranger, ...first });
      assert.equal(await allowed(path, { ...stranger, cookie: 'a=b' }), null);
      assert.equal(await allowed(path, stranger), '*');
    }
  });

  test('a request that names no host, or two, is refused, also when the answer is known', async () => {
    const { port, pathname, search } = new URL(`${s.api}${LIST}&x=host`);
    const ask = async (host: string): Promise<string> =>
      (await bytesOf(port, `GET ${pathname}${search} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)).toString();
    // But for the host, what is asked is the same: the first answer is made and kept, the second was kept.
    for (let n = 0; n < 2; n++) assert.match(await ask('Host: x\r\n'), /^HTTP\/1\.1 200 /);
    assert.match(await ask(''), /^HTTP\/1\.1 400 .*it names no host/s);
    assert.match(await ask('Host: x\r\nhOsT: y\r\n'), /^HTTP\/1\.1 400 .*it names several hosts/s);
    // All of the sentence is in the caller's language.
    assert.match(await ask('Accept-Language: de\r\n'), /^HTTP\/1\.1 400 .*Sie nennt keinen Host/s);
    assert.match(await ask('Host: x\r\nAccept: a\r\nHost: x\r\n'), /^HTTP\/1\.1 400 /);
  });

  describe('compression', () => {
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const encoding of ['br', 'gzip'] as const) {
      test(`${encoding}: the same text, another tag, also when kept`, async () => {
        // What changes in between is asked for by nobody: a parameter of its own makes the first answer a new one.
        const url = `${s.api}${LIST}&x=${encoding}`;
        const plain = await raw(url);
        for (let n = 0; n < 3; n++) {
          const answer = await fetch(url, { headers: { 'accept-encoding': encoding } });
          assert.equal(answer.headers.get('content-encoding'), encoding);
          assert.match(answer.headers.get('vary') ?? '', /accept-encoding/i);
          assert.equal(await answer.text(), plain.text);
          const tag = answer.headers.get('etag') ?? '';
          assert.notEqual(tag, plain.headers.get('etag'));
          const again = await fetch(url, { headers: { 'accept-encoding': encoding, 'if-none-match': tag } });
          assert.equal(again.status, 304);
        }
      });
      test(`${encoding}: the bytes are what they say`, async () => {
        const { port, pathname, search } = new URL(`${s.api}${LIST}`);
        const bytes = await bytesOf(
          port,
          `GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`,
        );
        const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
        assert.ok(JSON.parse(unpack[encoding](body).toString()).total > 0);
      });
    }
    test('who refuses both, or wants little, gets text', async () => {
      for (const [wish, path] of [
        ['br;q=0, gzip;q=0', LIST],
        ['identity', LIST],
        ['br', `${LIST}&_fields=total`],
      ] as const) {
        const answer = await fetch(s.api + path, { headers: { 'accept-encoding': wish } });
        assert.equal(answer.headers.get('content-encoding'), null, wish);
      }
    });
    test('a wish that nobody understands is none', async () => {
      const answer = await fetch(s.api + LIST, { headers: { 'accept-encoding': 'gzip;q=x, br' } });
      assert.equal(answer.headers.get('content-encoding'), 'br');
    });
  });

  describe('If-Match', () => {
    const change = (tag: string, json: object, method = 'PATCH') =>
      s.ask(method, `/events/${id}`, { json, as: 'admin', headers: { 'if-match': tag } });
    const tagNow = async (): Promise<string> =>
      (await s.ask('GET', `/events/${id}`, { as: 'admin' })).headers.get('etag') ?? '';

    test('the tag that was read lets a write through, once', async () => {
      const tag = await tagNow();
      assert.equal((await change(tag, { title: 'Matched' })).status, 200);
      const refused = await change(tag, { title: 'Too late' });
      assert.equal(refused.status, 412);
      assert.equal(refused.json.code, 'precondition-failed');
      assert.equal((await s.get(`/events/${id}`)).json.title, 'Matched');
    });
    test('anybody’s tag does as well, compressed or not; * means that there is one', async () => {
      const tag = (await fetch(`${s.api}/events/${id}`, { headers: { 'accept-encoding': 'br' } })).headers.get('etag');
      assert.equal((await change(tag ?? '', { title: 'By a stranger’s tag' })).status, 200);
      assert.equal((await change('*', { title: 'There is one' })).status, 200);
    });
    test('a protected event, as those see it who edit', async () => {
      const event = await makeEvent(s, { password: 'lantern' });
      const at = `/events/${event.id}?context=edit`;
      const tag = (await s.ask('GET', at, { as: 'admin' })).headers.get('etag') ?? '';
      for (const [path, wanted] of [
        [at, tag],
        [`/events/${event.id}`, '*'],
      ] as const) {
        const headers = { 'if-match': wanted };
        const reply = await s.ask('PATCH', path, { json: { title: `By ${wanted}` }, as: 'admin', headers });
        assert.equal(reply.status, 200, `${path} ${wanted}`);
      }
      const headers = { 'if-match': tag };
      assert.equal((await s.ask('PATCH', at, { json: { title: 'x' }, as: 'admin', headers })).status, 412);
    });
    test('what is not there does not match, and a removal waits, too', async () => {
      const gone = await s.ask('PATCH', '/events/999999', { json: {}, as: 'admin', headers: { 'if-match': '*' } });
      assert.equal(gone.status, 404);
      assert.equal((await change('"old"', {}, 'DELETE')).status, 412);
      assert.equal((await s.get(`/events/${id}`)).status, 200);
    });
  });
});
