import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { browserAt } from '../support/browser.js';
import { raw } from '../support/raw.js';
import { behaviour, eventually, makeEvent, must, newEvent, unique } from '../support/rows.js';

/** Row "exhaustion": what one request may cost does not grow with the square of what it sends. */

const MARKS = '\u0301\u0323';
/** Each of these took seconds, in which nobody else was answered; now milliseconds. Slow machines get their time. */
const MOST_MS = 1500;

behaviour('exhaustion', async (s) => {
  const quickly = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const done = await work();
    const took = performance.now() - began;
    assert.ok(took < MOST_MS, `${Math.round(took)} ms`);
    return done;
  };

  /** Without what the server does by itself meanwhile. */
  const termsAsked = (): string[] => s.sqlSeen().filter((text) => /\bterm\b/i.test(text));
  test('a parent of very many names asks nothing of the database for them', async () => {
    s.sqlSeen();
    const reply = await quickly(() => s.post('/categories', { name: 'x', parent: 'a,'.repeat(50_000) }));
    assert.equal(reply.status, 400);
    assert.deepEqual(termsAsked(), []);
    await must(s.post('/categories', { name: 'Above' }, 'admin'));
    s.sqlSeen();
    for (const times of [5, 500]) {
      assert.equal((await s.post('/categories', { name: 'x', parent: Array(times).fill('Above') })).status, 400);
      // One of the name, and what the new category brings along.
      assert.ok(termsAsked().length <= 3, 'the same again is not looked for, nor so many');
    }
    await s.post('/categories', { name: 'x', parent: 'a' });
    assert.notDeepEqual(termsAsked(), [], 'where it is one name, it is looked for');
  });

  test('names with commas between are looked for so often, and not more', async () => {
    await must(s.post('/venues', { venue: 'Known hall' }, 'admin'));
    const venue = Array.from({ length: 300 }, (_, n) => `${'Known hall,'.repeat(100)}unknown ${n}`);
    s.sqlSeen();
    const reply = await quickly(() => s.post('/events', newEvent({ venue }), 'contributor'));
    assert.equal(reply.status, 400, 'none of them is a name so long');
    const asked = () => s.sqlSeen().filter((text) => /\bname_key\b/.test(text)).length;
    assert.equal(asked(), 100);
    assert.equal((await s.post('/events', newEvent({ venue }))).status, 400);
    assert.equal(asked(), 0, 'for a stranger not once');
    await quickly(() => s.post('/events', newEvent({ venue: 'a,'.repeat(100_000) }), 'contributor'));
  });

  test('a calendar reads its texts once, whatever they are made of', async () => {
    for (const part of ['&#32;', '&#10;', '&nbsp;', '<br>', '<li>a', '\u2028 ', '<p> </p>']) {
      const description = part.repeat(Math.floor(190_000 / part.length));
      const event = await makeEvent(s, { description });
      const reply = await quickly(() => s.get(event.url.replace(s.home, '~'), { ical: 1 }));
      assert.match(reply.text, /^END:VEVENT/m, part);
    }
  });

  test('addresses are not longer than addresses are', async () => {
    const website = `http://a${MARKS.repeat(50_000)}`;
    const reply = await quickly(() => s.post('/venues', { venue: 'x', website }));
    assert.deepEqual(Object.keys(reply.json.data.params), ['website']);
    const image = `http://a.example/${'x'.repeat(3000)}.png`;
    assert.equal((await s.post('/events', newEvent({ image }), 'admin')).status, 400);
    assert.equal((await s.post('/events', newEvent({ image: 'http://x/\u0000' }), 'admin')).status, 400);
  });

  test('marks upon marks', async () => {
    const many = MARKS.repeat(40_000);
    for (const field of ['description', 'title', 'slug'])
      await quickly(() => s.post('/events', newEvent({ [field]: `e${many}` }), 'contributor'));
    const headers = { 'idempotency-key': unique('key') };
    const json = newEvent({ password: many });
    const reply = await quickly(() => s.ask('POST', '/events', { as: 'admin', headers, json }));
    assert.equal(reply.status, 400);
    const browser = browserAt(s);
    const form = {
      token: await browser.tokenAt('/sign-in'),
      username: `a${many}`,
      password: s.users.subscriber.password,
    };
    assert.equal((await quickly(() => browser.post('/sign-in', form))).status, 403);
  });

  test('a name that stands alone is not longer than one in an object', async () => {
    for (const [name, letters] of [
      ['venue', 'a'],
      ['organizer', '字'],
    ] as const) {
      const long = letters.repeat(3000);
      assert.equal((await s.post('/events', newEvent({ [name]: long }), 'admin')).status, 400);
      const most = await s.post(
        '/events',
        newEvent({ [name]: Array.from(unique(letters.repeat(900))).join('') }),
        'admin',
      );
      assert.equal(most.status, 201, most.text.slice(0, 200));
    }
  });

  test('slashes and blanks', async () => {
    const headers = ['Basic', 'Bearer'].map((scheme) => ({ authorization: `${scheme} a${' '.repeat(15_000)}b` }));
    const asked = [
      () => raw(`${s.home}/?rest_route=/${'/'.repeat(15_000)}x`),
      () => raw(`${s.home}${'/'.repeat(15_000)}x`),
      ...headers.map((one) => () => raw(`${s.api}/events`, { headers: one })),
    ];
    for (const ask of asked)
      await quickly(async () => {
        for (let n = 0; n < 8; n++) assert.ok([200, 404].includes((await ask()).status));
      });
  });

  test('guessing the word of an event holds up nobody else', async () => {
    const { id } = await makeEvent(s, { password: 'mellon' });
    let over = false;
    const guesses = Promise.all(
      Array.from({ length: 60 }, (_, n) => s.get(`/events/${id}?password=guess${n}`)),
    ).finally(() => {
      over = true;
    });
    const beside: number[] = [];
    while (!over) {
      const began = performance.now();
      assert.equal((await s.get(`/venues?search=${unique('v')}`)).status, 200);
      await must(s.post('/tags', { name: unique('T') }, 'admin'));
      beside.push(performance.now() - began);
    }
    assert.ok((await guesses).every(({ status }) => status === 403));
    assert.ok(beside.length > 3, 'others were answered meanwhile');
    assert.equal((await s.get(`/events/${id}?password=mellon`)).status, 200);
    assert.equal(
      (await s.get(`/events/${id}?password=mellon`)).json.title,
      (await s.get(`/events/${id}?context=edit`, {}, 'admin')).json.title,
    );
  });

  test('of strangers’ pictures nothing is kept in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const held = (): number => {
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const [many, chunk] = [8, Buffer.alloc(8_000_000, 1)];
    const before = held();
    const sockets = Array.from({ length: many }, () => connect(Number(new URL(s.home).port), '127.0.0.1'));
    const head = `POST ${new URL(s.api).pathname}/media HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 9000000\r\n\r\n`;
    for (const socket of sockets) socket.write(head);
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(chunk, resolve))));
    await eventually(async () => (held() - before < 20_000_000 ? true : undefined), 3000);
    for (const socket of sockets) socket.destroy();
    const body = 'x'.repeat(4_000_000);
    const reply = await raw(`${s.api}/media`, { method: 'POST', headers: { 'content-type': 'image/png' }, body });
    assert.deepEqual([reply.status, reply.json.code], [401, 'rest_forbidden']);
  });

  test('what is no picture is not given to those who read pictures', async () => {
    const level = (n: number): string => `<g id="a${n}">${`<use href="#a${n - 1}"/>`.repeat(10)}</g>`;
    const nested = Array.from({ length: 6 }, (_, n) => level(n + 1)).join('');
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><g id="a0"><rect width="9" height="9"/></g>${nested}</svg>`;
    const headers = { 'content-type': 'image/png' };
    const reply = await quickly(() => s.ask('POST', '/media', { as: 'admin', headers, body: svg }));
    assert.equal(reply.status, 415);
  });

  test('the whole address in a request leads to the same, and to the same credentials', async () => {
    const ask = async (headers: string): Promise<string> => {
      const socket = connect(Number(new URL(s.home).port), '127.0.0.1');
      socket.write(`GET http://evil.example/api/calendar/events/v1/users/me HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
      return textOf(socket);
    };
    const wrong = Buffer.from('admin:wrong').toString('base64');
    assert.match(await ask(`Authorization: Basic ${wrong}\r\nConnection: close\r\n`), /incorrect_password/);
    const right = Buffer.from(`admin:${s.users.admin.password}`).toString('base64');
    assert.match(await ask(`Authorization: Basic ${right}\r\nConnection: close\r\n`), /"username":"admin"/);
    assert.equal(
      (await s.ask('GET', `${s.home}/MEDIA/x.png`, { headers: { authorization: `Basic ${wrong}` } })).status,
      401,
    );
  });

  test('a word inside of rest_route opens nothing, and is not in the log', async () => {
    const { id } = await makeEvent(s, { password: 'hunter2' });
    const reply = await s.get(`${s.home}/?rest_route=/tribe/events/v1/events/${id}%3Fpassword%3Dhunter2`);
    assert.equal(reply.status, 403);
    assert.ok(!s.logs.join('').includes('hunter2'));
  });

  test('what a browser asks first changes no answer to others', async () => {
    const url = '/events?start_date=2028-01-01';
    const origin = 'https://page.example';
    for (let n = 0; n < 3; n++)
      await s.ask('GET', url, { headers: { origin, 'access-control-request-headers': 'authorization' } });
    assert.equal((await s.ask('GET', url, { headers: { origin } })).headers.get('access-control-allow-origin'), '*');
  });
});
