import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import sharp from 'sharp';
import { assertReplayed, keyed, older, titled } from '../support/idempotency.js';
import { behaviour, eventually, must, newEvent, rows, unique } from '../support/rows.js';
import { type Ask, startServer } from '../support/server.js';

/** `Idempotency-Key` on POST (ours): one request, however often it is sent. */

const DAY = 86_400;

behaviour('idempotency: one server', (s) => {
  const MADE: Record<string, () => Record<string, unknown>> = {
    events: () => newEvent({ venue: { venue: unique('Venue') }, tags: [unique('tag')], colour: 'red' }),
    venues: () => ({ venue: unique('Venue') }),
    organizers: () => ({ organizer: unique('Organizer') }),
    categories: () => ({ name: unique('Category') }),
    tags: () => ({ name: unique('Tag') }),
  };
  for (const [plural, make] of Object.entries(MADE)) {
    test(`${plural}: the same key gives the same answer, and makes nothing`, async () => {
      const [key, body] = [unique('k').replaceAll(' ', '-'), make()];
      const first = await keyed(s, key, `/${plural}`, body);
      assert.equal(first.status, 201);
      const count = async () => (await s.get(`/${plural}`, { status: 'any', hide_empty: 0 }, 'admin')).json.total;
      const total = await count();
      assertReplayed(first, await keyed(s, key, `/${plural}`, body));
      assertReplayed(first, await keyed(s, key, `/${plural}`, body));
      assert.equal(await count(), total);
    });
  }

  test('what happened to the record meanwhile does not matter', async () => {
    const body = newEvent();
    const first = await keyed(s, 'changed', '/events', body);
    await must(s.patch(`/events/${first.json.id}`, { title: 'Other' }, 'admin'), 200);
    assert.equal((await keyed(s, 'changed', '/events', body)).text, first.text);
    await must(s.del(`/events/${first.json.id}`, 'admin', { force: true }), 200);
    assertReplayed(first, await keyed(s, 'changed', '/events', body, { headers: { 'accept-language': 'en' } }));
  });

  test('in which order members are written does not matter, at any depth; what they are does', async () => {
    const body = newEvent({ venue: { venue: 'Hall', city: 'Faro' } });
    const first = await keyed(s, 'order', '/events', body);
    const turned = { ...Object.fromEntries(Object.entries(body).reverse()), venue: { city: 'Faro', venue: 'Hall' } };
    assertReplayed(first, await keyed(s, 'order', '/events', turned));
    const other = { ...turned, venue: { city: 'Hall', venue: 'Faro' } };
    assert.equal((await keyed(s, 'order', '/events', other)).status, 422);
  });

  test('an update by POST is done once, too', async () => {
    const event = await must(s.post('/events', newEvent(), 'admin'));
    const first = await keyed(s, 'update', `/events/${event.id}`, { title: 'Mine' });
    await must(s.patch(`/events/${event.id}`, { title: 'Later' }, 'admin'), 200);
    assertReplayed(first, await keyed(s, 'update', `/events/${event.id}`, { title: 'Mine' }));
    assert.equal((await s.get(`/events/${event.id}`)).json.title, 'Later');
  });

  test('the picture of a form is part of the request; the boundary of the form is not', async () => {
    const picture = (red: number) =>
      sharp({ create: { width: 3, height: 3, channels: 3, background: { r: red, g: 9, b: 9 } } })
        .png()
        .toBuffer();
    const send = async (red: number) => {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(await picture(red))], { type: 'image/png' }), 'a.png');
      return s.ask('POST', '/media', { as: 'admin', body, headers: { 'Idempotency-Key': 'picture' } });
    };
    const first = await send(1);
    assert.equal(first.status, 201);
    assertReplayed(first, await send(1));
    assert.equal((await send(2)).status, 422);
    assert.equal((await s.get('/media', undefined, 'admin')).json.total, 1);
  });

  test('_fields and _envelope are answered as the first time', async () => {
    const body = newEvent();
    const ask = () => keyed(s, 'form', '/events', body, { query: { _fields: 'id,title', _envelope: 1 } });
    const [first, again] = [await ask(), await ask()];
    assert.deepEqual(again.json.body, first.json.body);
    assert.deepEqual([again.status, again.json.status], [200, 201]);
    assert.deepEqual(Object.keys(again.json.body), ['id', 'title']);
    assert.equal(again.json.headers['Idempotency-Replayed'], 'true');
  });

  test('by another address of the interface it is the same request, and the same answer', async () => {
    const body = newEvent();
    const first = await keyed(s, 'alias', '/events', body);
    assertReplayed(first, await keyed(s, 'alias', '~/wp-json/tribe/events/v1/events/', body));
  });

  describe('another request with the same key', () => {
    const body = newEvent();
    const mismatch = { status: 422, code: 'idempotency-mismatch', as: 'admin' } as const;
    const key = { 'Idempotency-Key': 'mine' };
    before(() => must(keyed(s, 'mine', '/events', body)));
    rows(s, [
      { ...mismatch, name: 'another body', ask: 'POST /events', json: { ...body, title: 'Other' }, headers: key },
      { ...mismatch, name: 'one member more', ask: 'POST /events', json: { ...body, colour: 'red' }, headers: key },
      { ...mismatch, name: 'another query', ask: 'POST /events?_fields=id', json: body, headers: key },
      { ...mismatch, name: 'another path', ask: 'POST /venues', json: body, headers: key },
      { ...mismatch, name: 'a word for it', ask: 'POST /events', json: { ...body, password: 'a' }, headers: key },
      { name: 'but PATCH has no keys', ask: 'PATCH /events/999999', json: {}, headers: key, as: 'admin', status: 404 },
      { name: 'nor has DELETE', ask: 'POST /events/999999?_method=DELETE', headers: key, as: 'admin', status: 404 },
    ]);
    test('another word is another request, the same word the same', async () => {
      const secret = (password: unknown) => keyed(s, 'word', '/events', { ...body, password });
      const first = await secret('one');
      assertReplayed(first, await secret('one'));
      assert.equal((await secret('two')).status, 422);
    });
    test('another caller has other keys', async () => {
      const theirs = await keyed(s, 'mine', '/events', { ...body, title: 'Theirs' }, { as: 'editor' });
      assert.equal(theirs.status, 201);
      assert.equal(theirs.headers.get('idempotency-replayed'), null);
      const anonymous = await keyed(s, 'mine', '/events', body, { as: undefined });
      assert.equal(anonymous.status, 401);
    });
  });

  const bad = { as: 'admin', status: 400, code: 'idempotency-key', ask: 'POST /tags', json: { name: 'x' } } as const;
  rows(s, [
    { ...bad, name: 'a key that is empty', headers: { 'Idempotency-Key': '' } },
    { ...bad, name: 'a key with a blank', headers: { 'Idempotency-Key': 'a b' } },
    { ...bad, name: 'a key that is too long', headers: { 'Idempotency-Key': 'x'.repeat(256) } },
    { ...bad, name: 'a key that is not ASCII', headers: { 'Idempotency-Key': '\u00e9' } },
    {
      ...bad,
      name: 'told in the language of the caller',
      headers: { 'Idempotency-Key': '', 'accept-language': 'de' },
      has: ['sichtbaren'],
    },
  ]);
  test('a key of 255 characters', async () => {
    await must(keyed(s, '~'.repeat(255), '/tags', { name: unique('Tag') }));
  });
  test('a body that is nested deeply is refused, not fatal', async () => {
    const body = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const headers = { 'Idempotency-Key': 'deep', 'content-type': 'application/json' };
    assert.equal((await s.ask('POST', '/tags', { as: 'admin', body, headers })).status, 400);
    for (const depth of [500, 2000, 2600, 4000]) {
      const some = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      assert.equal((await s.ask('POST', '/tags', { as: 'admin', body: some, headers })).status, 400);
    }
  });

  test('a request that failed gives its key back, whatever is sent then', async () => {
    const title = unique('Mended');
    const failed: [number, Ask][] = [
      [400, { json: newEvent({ title, end_date: '2000-01-01' }) }],
      [400, { body: '{', headers: { 'content-type': 'application/json' } }],
      [403, { json: newEvent({ title }), as: 'subscriber' }],
    ];
    for (const [status, ask] of failed) {
      const headers = { 'Idempotency-Key': 'mend', ...ask.headers };
      assert.equal((await s.ask('POST', '/events', { as: 'admin', ...ask, headers })).status, status);
    }
    const first = await keyed(s, 'mend', '/events', newEvent({ title }));
    assert.equal(first.status, 201);
    assert.equal(await titled(s, title), 1);
  });

  test('a day is a day', async () => {
    const body = newEvent();
    const first = await keyed(s, 'day', '/events', body);
    await older(s.database, DAY - 20);
    assertReplayed(first, await keyed(s, 'day', '/events', body));
    await older(s.database, 20);
    const next = await keyed(s, 'day', '/events', { ...body, excerpt: 'another request' });
    assert.equal(next.status, 201);
    assert.notEqual(next.json.id, first.json.id);
  });

  test('keys are forgotten when their time is over, answers with them', async () => {
    await must(keyed(s, 'forgotten', '/tags', { name: unique('Tag') }));
    await older(s.database, 2 * DAY);
    const left = () => s.database.read((db) => db.all(db.q.selectFrom('request_key').select('name')));
    assert.notDeepEqual(await left(), []);
    // Swept when a server starts, and each minute from then on.
    const other = await startServer({}, s);
    await eventually(async () => ((await left()).length === 0 ? true : undefined));
    await other.close();
  });
});
