import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createUser, issue } from '../../src/accounts/accounts.js';
import type { Database } from '../../src/db/database.js';
import { Failure } from '../../src/errors.js';
import { limitOf } from '../../src/http/limits.js';
import { sharedLimitOf } from '../../src/http/shared-limits.js';
import { raw } from '../support/raw.js';
import { behaviour, eventually, makeEvent, must } from '../support/rows.js';
import { type Ask, type Reply, startServer, type TestServer } from '../support/server.js';
import { basic } from './support.js';

/** Row "rate limit evasion": guessing is slow from one address, and a header does not make it another. */

const wrong = { authorization: basic('admin', 'wrong') };

/** How many of the requests were let through before the first 429. */
async function letThrough(ask: (i: number) => Promise<Reply>, most = 12): Promise<number> {
  for (let i = 0; i < most; i++) {
    const reply = await ask(i);
    if (reply.status !== 429) continue;
    assert.equal(reply.json.code, 'too-many-requests');
    assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    return i;
  }
  return most;
}

/** Each case on a server of its own: a limit that is used up stays so for long. */
function limited(name: string, env: Record<string, string>, run: (s: TestServer) => Promise<void>): void {
  behaviour(
    `rate limits: ${name}`,
    (s) => {
      test(name, () => run(s));
    },
    { KALENDS_LOG_LEVEL: 'silent', ...env },
  );
}

const FIVE = { KALENDS_SIGN_IN_LIMIT: '5' };
const NAMES = ['admin', 'ADMIN', ' admin ', 'ａｄｍｉｎ'];
const withBlank = (at: number): string => `${wrong.authorization.slice(0, at)} ${wrong.authorization.slice(at)}`;
const GUESSES: [string, string, (i: number) => Ask][] = [
  ['wrong passwords', '/events', () => ({ headers: wrong })],
  ['wrong tokens', '/users/me', (i) => ({ headers: { authorization: `Bearer kal_${i}` } })],
  ['a name written in another way', '/events', (i) => ({ headers: { authorization: basic(NAMES[i % 4] ?? '', 'x') } })],
  // Decoders pass over a blank; whoever counts must do so too.
  ['a blank somewhere in it', '/events', (i) => ({ headers: { authorization: withBlank(7 + (i % 8)) } })],
  ['on a path that is not there', '/nothing', () => ({ headers: wrong })],
  ['at the root above', '~/api', () => ({ headers: wrong })],
  ['by another address of the interface', '~/de/wp-json/tribe/events/v1/events', () => ({ headers: wrong })],
  ['at the pictures', '~/media/x.png', () => ({ headers: wrong })],
  ['with X-Forwarded-For', '/events', (i) => ({ headers: { ...wrong, 'x-forwarded-for': `9.9.9.${i}` } })],
  ['with a chain of them', '/events', (i) => ({ headers: { ...wrong, 'x-forwarded-for': `9.9.9.${i}, 8.8.8.${i}` } })],
  [
    'with other such headers',
    '/events',
    (i) => ({
      headers: {
        ...wrong,
        'x-real-ip': `9.9.9.${i}`,
        'client-ip': `9.9.9.${i}`,
        'true-client-ip': `9.9.9.${i}`,
        'cf-connecting-ip': `9.9.9.${i}`,
        forwarded: `for=9.9.9.${i}`,
        'x-client-ip': `9.9.9.${i}`,
      },
    }),
  ],
];
for (const [name, at, ask] of GUESSES) {
  limited(`five guesses and no more: ${name}`, FIVE, async (s) => {
    const url = at.startsWith('~') ? s.home + at.slice(1) : s.api + at;
    assert.equal(await letThrough((i) => raw(url, { headers: ask(i).headers ?? {} })), 5);
  });
}

const WORDS: [string, (id: number, slug: string, i: number) => [string, string, Ask]][] = [
  ['by id', (id, _slug, i) => ['GET', `/events/${id}`, { query: { password: `w${i}` } }]],
  ['by slug', (_id, slug, i) => ['GET', `/events/by-slug/${slug}`, { query: { password: `w${i}` } }]],
  ['in the list', (id, _slug, i) => ['GET', '/events', { query: { include: id, password: `w${i}` } }]],
  ['in a narrowed list', (_id, _slug, i) => ['GET', '/events', { query: { featured: false, password: `w${i}` } }]],
  ['with a search', (_id, _slug, i) => ['GET', '/events', { query: { search: 'event', password: `w${i}` } }]],
  ['with an envelope', (id, _slug, i) => ['GET', `/events/${id}`, { query: { password: `w${i}`, _fields: 'code' } }]],
  ['as a subscriber', (id, _slug, i) => ['GET', `/events/${id}`, { query: { password: `w${i}` }, as: 'subscriber' }]],
];
for (const [name, ask] of WORDS) {
  limited(`guessing the word of an event: ${name}`, FIVE, async (s) => {
    const event = await makeEvent(s, { password: 'secret word' });
    assert.equal(await letThrough((i) => s.ask(...ask(event.id, event.slug, i))), 5);
  });
}

limited('asking without a word, or with the right one, is no guess', FIVE, async (s) => {
  const event = await makeEvent(s, { password: 'word' });
  assert.equal(await letThrough(() => s.get(`/events/${event.id}`)), 12);
  assert.equal(await letThrough(() => s.get(`/events/${event.id}`, { password: 'word' })), 12);
  assert.equal(await letThrough(() => s.get('/events', { password: 'word' })), 12);
  // All of them in the list.
  const soon = { start_date: '+1 day', end_date: '+2 days' };
  for (const other of ['word', 'another', 'a third', 'a fourth']) await makeEvent(s, { ...soon, password: other });
  assert.equal(await letThrough(() => s.get('/events', { password: 'word' })), 12, 'though others stay closed');
  const narrowed = { featured: true, password: 'word' };
  assert.equal(await letThrough(() => s.get('/events', narrowed)), 12, 'though it opens nothing there');
  assert.equal(await letThrough(() => s.get('/events', undefined, 'admin')), 12);
});

limited('of many guesses at once no more are tried, and then not even the right one', FIVE, async (s) => {
  const { id } = await makeEvent(s, { password: 'right' });
  const guess = (password: string) => s.get(`/events/${id}`, { password });
  const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => guess(`wrong ${n}`)));
  const tried = replies.filter(({ status }) => status === 403).length;
  assert.ok(tried >= 5 && tried <= 8, `${tried} were tried`);
  assert.equal((await guess('right')).status, 429);
});

limited('who guesses one name holds up neither other names nor those who sign in as nobody', FIVE, async (s) => {
  assert.equal(await letThrough(() => s.ask('GET', '/events', { headers: wrong })), 5);
  assert.equal((await s.get('/users/me', undefined, 'editor')).status, 200);
  assert.equal((await s.get('/events')).status, 200);
  assert.equal((await s.get('/users/me', undefined, 'admin')).status, 429, 'not even with the right one, from here');
});

limited('wrong tokens hold up no valid one, and wrong words of events no user', FIVE, async (s) => {
  const [token, word] = await s.database.write(async (db) => {
    const { user, secret } = await createUser(db, 'word', 'subscriber', 'test');
    return [(await issue(db, user, 'token', 'test')).secret, secret];
  });
  const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
  assert.equal(await letThrough((n) => s.ask('GET', '/users/me', bearer(`kal_${n}`))), 5);
  assert.equal((await s.ask('GET', '/users/me', bearer(token))).status, 200);
  const event = await makeEvent(s, { password: 'secret word' });
  assert.equal(await letThrough((n) => s.get(`/events/${event.id}`, { password: `w${n}` })), 5);
  assert.equal((await s.ask('GET', '/users/me', { headers: { authorization: basic('word', word) } })).status, 200);
});

limited('a good credential does not wipe the slate', FIVE, async (s) => {
  let n = 0;
  await letThrough(async () => {
    await s.get('/users/me', undefined, 'editor');
    const reply = await s.ask('GET', '/events', { headers: wrong });
    if (reply.status !== 429) n++;
    return reply;
  });
  assert.ok(n <= 5, `${n} guesses`);
});

limited(
  'behind a trusted proxy each client has its own account, and cannot add to the chain',
  { ...FIVE, KALENDS_TRUSTED_PROXIES: '127.0.0.1' },
  async (s) => {
    const from = (chain: string) =>
      letThrough(() => s.ask('GET', '/events', { headers: { ...wrong, 'x-forwarded-for': chain } }));
    assert.equal(await from('9.9.9.1'), 5);
    assert.equal(await from('9.9.9.2'), 5);
    assert.equal(await from('9.9.9.1'), 0);
    // What the client itself wrote stands before what the proxy added.
    assert.equal(
      await letThrough((i) =>
        s.ask('GET', '/events', { headers: { ...wrong, 'x-forwarded-for': `7.7.7.${i}, 9.9.9.3` } }),
      ),
      5,
    );
  },
);

const LOGGED = { KALENDS_LOG_LEVEL: 'info' };
const distrusted = (s: TestServer): number =>
  s.logs.filter((line) => line.includes('X-Forwarded-For is ignored')).length;
for (const as of [undefined, 'editor'] as const) {
  // Another question each time: what comes out of memory is not logged.
  const ask = (s: TestServer, of: string) =>
    s.ask('GET', '/tags', { as, query: { search: of }, headers: { 'x-forwarded-for': of } });
  limited(`a proxy that is not named is told of once (${as ?? 'anybody'})`, LOGGED, async (s) => {
    await s.get('/tags', undefined, as);
    assert.equal(distrusted(s), 0);
    for (const of of ['9.9.9.1', '9.9.9.2']) await ask(s, of);
    await eventually(async () => (distrusted(s) > 0 ? true : undefined));
    await ask(s, '9.9.9.3');
    assert.equal(distrusted(s), 1);
  });

  limited(
    `one that is named is not (${as ?? 'anybody'})`,
    { ...LOGGED, KALENDS_TRUSTED_PROXIES: '127.0.0.1' },
    async (s) => {
      for (const of of ['9.9.9.1', '127.0.0.1']) await ask(s, of);
      await eventually(async () => (s.logs.filter((line) => line.includes('/tags')).length === 2 ? true : undefined));
      assert.equal(distrusted(s), 0);
    },
  );
}

const write = (s: TestServer, as: Ask['as'], more: Ask = {}) => s.ask('POST', '/categories', { as, json: {}, ...more });
limited(
  'writes: counted by caller, whatever the headers and whatever comes of them',
  { KALENDS_WRITE_LIMIT: '5' },
  async (s) => {
    assert.equal(await letThrough((i) => write(s, 'editor', { headers: { 'x-forwarded-for': `9.9.9.${i}` } })), 5);
    for (const [method, at] of [
      ['PATCH', '/events/1'],
      ['DELETE', '/venues/1'],
      ['PUT', '/tags/1'],
      ['POST', '/media'],
    ] as const) {
      assert.equal((await s.ask(method, at, { as: 'editor', json: {} })).status, 429, `${method} ${at}`);
    }
    assert.equal(
      (await s.ask('POST', '/events/1', { as: 'editor', query: '_method=DELETE' })).status,
      429,
      'by an override',
    );
    assert.equal((await s.get('/events', undefined, 'editor')).status, 200, 'reading goes on');
    assert.equal(await letThrough(() => write(s, 'author')), 5, 'others are not held up');
    assert.equal(
      await letThrough((i) => write(s, undefined, { headers: { 'x-forwarded-for': `9.9.9.${i}` } })),
      5,
      'nobody in particular',
    );
  },
);

limited('zero is no limit', { KALENDS_SIGN_IN_LIMIT: '0', KALENDS_WRITE_LIMIT: '0' }, async (s) => {
  assert.equal(await letThrough(() => s.ask('GET', '/events', { headers: wrong }), 300), 300);
  await must(s.post('/categories', { name: 'Free' }, 'admin'));
});

/** Two instances on one database count together. */
function shared(name: string, env: Record<string, string>, run: (a: TestServer, b: TestServer) => Promise<void>): void {
  limited(name, env, async (a) => {
    const b = await startServer(env, a);
    try {
      await run(a, b);
    } finally {
      await b.close();
    }
  });
}

shared('wrong sign-ins spread over two instances: refused on both', FIVE, async (a, b) => {
  const guess = (i: number) => (i % 2 ? a : b).ask('GET', '/events', { headers: wrong });
  assert.equal(await letThrough(guess), 5);
  for (const s of [a, b]) {
    assert.equal((await s.ask('GET', '/events', { headers: wrong })).status, 429);
    assert.equal((await s.get('/users/me', undefined, 'admin')).status, 429, 'not even with the right one');
    assert.equal((await s.get('/users/me', undefined, 'editor')).status, 200);
    assert.equal((await s.get('/events')).status, 200);
  }
  const later = await startServer(FIVE, a);
  assert.equal((await later.get('/users/me', undefined, 'admin')).status, 429, 'nor on one that starts now');
  await later.close();
});

shared('many guesses at once, on two instances', FIVE, async (a, b) => {
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) => (i % 2 ? a : b).ask('GET', '/events', { headers: wrong })),
  );
  const told = replies.filter(({ status }) => status === 401).length;
  // Those who are counted together are refused together, so that it may be fewer.
  assert.ok(told >= 1 && told <= 5, `${told} guesses`);
  assert.equal(replies.filter(({ status }) => status === 429).length, 40 - told);
});

shared('words of events, guessed on two instances', FIVE, async (a, b) => {
  const { id } = await makeEvent(a, { password: 'secret word' });
  const guess = (i: number) => (i % 2 ? a : b).get(`/events/${id}`, { password: `w${i}` });
  assert.equal(await letThrough(guess), 5);
  for (const s of [a, b]) assert.equal((await s.get(`/events/${id}`, { password: 'secret word' })).status, 429);
  for (const s of [a, b]) assert.equal((await s.get(`/events/${id}`)).status, 403);
});

shared('writes are told to the others within a second or so', { KALENDS_WRITE_LIMIT: '5' }, async (a, b) => {
  assert.equal(await letThrough(() => write(a, 'editor')), 5);
  await sleep(1500);
  const more = await letThrough(() => write(b, 'editor'));
  // What an instance has not heard of yet it learns when it tells what it counted itself.
  assert.ok(more <= 5, `${more} more`);
  await eventually(async () => ((await write(b, 'editor')).status === 429 ? true : undefined));
  assert.equal((await write(b, 'author')).status, 400, 'others are not held up');
});

shared('writes of two instances are one account', { KALENDS_WRITE_LIMIT: '20' }, async (a, b) => {
  for (let i = 0; i < 8; i++) for (const s of [a, b]) assert.equal((await write(s, 'editor')).status, 400);
  await sleep(2500);
  for (const s of [a, b]) assert.ok((await letThrough(() => write(s, 'editor'))) <= 12, '16 were counted, not 8');
});

limited('no request pays for guesses that it did not make', FIVE, async (s) => {
  const tallies = async (ask: () => Promise<Reply>) => {
    s.sqlSeen();
    await ask();
    return s.sqlSeen().filter((sql) => /tally/.test(sql));
  };
  await sleep(300);
  assert.deepEqual(await tallies(() => s.get('/events')), []);
  const seen = await tallies(() => s.get('/users/me', undefined, 'editor'));
  assert.ok(seen.length <= 1 && seen.every((sql) => /^select/i.test(sql)), seen.join());
  await s.ask('GET', '/events', { headers: { authorization: basic('hunter2', 'x') } });
  const rows = await s.database.read((db) => db.all(db.q.selectFrom('tally').selectAll()));
  assert.equal(rows.length, 1);
  assert.match(rows[0]?.who ?? '', /^[0-9a-f]{64}$/, 'neither names nor addresses are kept');
});

limited('the account goes on when the database takes no writes, and is told later', FIVE, async (s) => {
  let broken = true;
  const refuse = () => Promise.reject(new Failure('service-unavailable'));
  const database: Database = { ...s.database, write: (work) => (broken ? refuse() : s.database.write(work)) };
  const make = (on: Database) => sharedLimitOf({ database: on, secretKey: 'k', name: 'x', most: 3, seconds: 60 });
  const [here, there] = [make(database), make(s.database)];
  for (let i = 0; i < 3; i++) await here.countForAll('a');
  await assert.rejects(here.countForAll('a'), { code: 'too-many-requests' });
  await assert.rejects(here.exchange(), { code: 'service-unavailable' });
  await s.database.read((db) => there.look(db, 'a'));
  broken = false;
  await Promise.all([here.exchange(), there.exchange()]);
  await assert.rejects(
    s.database.read((db) => there.look(db, 'a')),
    { code: 'too-many-requests' },
  );
});

limited('a clock that is set back does not lock anybody out for long', FIVE, async (s) => {
  assert.equal(await letThrough(() => s.ask('GET', '/events', { headers: wrong })), 5);
  await s.database.write((db) =>
    db.run(db.q.updateTable('tally').set((eb) => ({ expires_at: eb('expires_at', '+', 86_400) }))),
  );
  const later = await startServer(FIVE, s);
  assert.equal((await later.get('/users/me', undefined, 'admin')).status, 200);
  assert.equal(await letThrough(() => later.ask('GET', '/events', { headers: wrong })), 5, 'and begins anew');
  await later.close();
});

describe('rate limits: the account itself', () => {
  test('is forgotten when its time is over, and not before', () => {
    let now = 0;
    const limit = limitOf(2, 60, () => now);
    limit.count('a');
    limit.count('a');
    for (const at of [0, 30, 59.9]) {
      now = at;
      assert.throws(() => limit.count('a'));
      assert.throws(() => limit.check('a'));
    }
    now = 60;
    limit.check('a');
    limit.count('a');
  });

  test('a flood of addresses costs bounded memory, and little time each', () => {
    const limit = limitOf(2, 60, () => 0);
    const [before, from] = [process.memoryUsage().heapUsed, performance.now()];
    for (let i = 0; i < 55_000; i++) limit.count(`2001:db8::${i}`);
    assert.ok(process.memoryUsage().heapUsed - before < 60_000_000);
    const ms = performance.now() - from;
    assert.ok(ms < 2000, `the last five thousand took most of ${Math.round(ms)} ms`);
  });
});
