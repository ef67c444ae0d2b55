import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { raw } from '../support/raw.js';
import { behaviour, makeEvent, must, newEvent, rows, unique } from '../support/rows.js';

const WRONG = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` };
const JSON_TYPE = { 'content-type': 'application/json' };

behaviour('parameters and errors (A3, A4, A7, A10)', async (s) => {
  const event = await makeEvent(s, {
    description: 'Größe ☕ a/b',
    venue: { venue: 'Hall', city: 'Köln' },
    tags: ['x', 'y'],
  });
  const other = await makeEvent(s);
  const at = `/events/${event.id}`;

  describe('which error wins (A3)', () => {
    const broken = { body: '{"title":', headers: JSON_TYPE };
    const none = { ask: 'POST /events', status: 400 };
    rows(s, [
      {
        name: 'A3 credentials before route',
        ask: 'GET /nowhere',
        headers: WRONG,
        status: 401,
        code: 'incorrect_password',
      },
      {
        name: 'A3 credentials before JSON',
        ask: 'POST /events',
        ...broken,
        headers: { ...WRONG, ...JSON_TYPE },
        status: 401,
        code: 'incorrect_password',
      },
      { name: 'A3 route before JSON', ask: 'POST /nowhere', ...broken, status: 404, code: 'rest_no_route' },
      { name: 'A3 method before JSON', ask: 'PUT /events', ...broken, status: 404, code: 'rest_no_route' },
      { ...none, name: 'A3 JSON before what is missing', ...broken, code: 'rest_invalid_json' },
      {
        ...none,
        name: 'A3 missing before bad',
        json: { title: '', start_date: 'x' },
        code: 'rest_missing_callback_param',
        params: ['end_date'],
      },
      {
        ...none,
        name: 'A3 all that is missing',
        json: {},
        code: 'rest_missing_callback_param',
        params: ['title', 'start_date', 'end_date'],
      },
      {
        name: 'A3 permission before a venue that cannot be made',
        ask: 'POST /events',
        json: newEvent({ venue: { venue: '' } }),
        status: 401,
        code: 'rest_forbidden',
      },
      {
        ...none,
        name: 'A3 bad before a venue that cannot be made',
        as: 'admin',
        json: newEvent({ venue: { venue: '' }, status: 'nonsense' }),
        code: 'rest_invalid_param',
        params: ['status'],
      },
      {
        ...none,
        name: 'a venue that cannot be made',
        as: 'admin',
        json: newEvent({ venue: { venue: '' } }),
        code: 'could-not-create-venue',
      },
      {
        ...none,
        name: 'A3 bad before permission',
        json: newEvent({ website: 'x' }),
        code: 'rest_invalid_param',
        params: ['website'],
      },
      {
        ...none,
        name: 'A3 a bad value before a bad type',
        json: newEvent({ website: 'x', featured: 'x' }),
        params: ['website'],
      },
      {
        ...none,
        name: 'A7 a bad type alone has details',
        json: newEvent({ featured: 'x' }),
        params: ['featured'],
        shows: { 'data.details.featured.code': 'rest_invalid_type', 'data.details.featured.data.param': 'featured' },
      },
      {
        ...none,
        name: 'A7 a bad value has an empty list of details',
        json: newEvent({ website: 'x' }),
        shows: { 'data.details': [] },
      },
      {
        ...none,
        name: 'A7 several, in the order of the fields',
        json: newEvent({ venue: 999_999, author: 'x', website: 'x' }),
        params: ['author', 'website', 'venue'],
      },
      { name: 'A3 permission', ask: 'POST /events', json: newEvent(), status: 401, code: 'rest_forbidden' },
      {
        name: 'A3 permission before record, anonymous',
        ask: 'PATCH /events/999999',
        json: {},
        status: 401,
        code: 'rest_forbidden',
      },
      {
        name: 'A3 permission before record, signed in',
        ask: 'DELETE /events/999999',
        as: 'subscriber',
        status: 403,
        code: 'rest_forbidden',
      },
      {
        name: 'A3 bad before record',
        ask: 'PATCH /events/999999',
        as: 'admin',
        json: { website: 'x' },
        status: 400,
        params: ['website'],
      },
      {
        name: 'A3 record',
        ask: 'PATCH /events/999999',
        as: 'admin',
        json: {},
        status: 404,
        code: 'rest-event-not-found',
      },
    ]);
  });

  describe('where parameters come from (A4)', () => {
    const title = async (options: object, path = '/events') =>
      (await must(s.ask('POST', path, { as: 'admin', ...options }), 201)).title;
    const query = (more: object) => new URLSearchParams(newEvent({ ...more }) as Record<string, string>).toString();
    test('A4 a form', async () => assert.equal(await title({ form: newEvent({ title: 'Form' }) }), 'Form'));
    test('A4 the query of a write', async () =>
      assert.equal(await title({ query: query({ title: 'Query' }) }), 'Query'));
    test('A4 JSON wins over the query', async () =>
      assert.equal(await title({ query: query({ title: 'Query' }), json: { title: 'Json' } }), 'Json'));
    test('A4 a form wins over the query', async () =>
      assert.equal(await title({ query: query({ title: 'Query' }), form: { title: 'Form' } }), 'Form'));
    test('A4 multipart', async () => {
      const body = new FormData();
      for (const [name, value] of Object.entries(newEvent({ title: 'Parts ü', 'tags[]': 'x' })))
        body.append(name, String(value));
      const made = await must(s.ask('POST', '/events', { as: 'admin', body }), 201);
      assert.deepEqual([made.title, made.tags[0].name], ['Parts ü', 'x']);
    });
    test('A4 multipart, with fields that are JSON', async () => {
      const parts = { venue: { venue: 'Hall of parts' }, tags: ['x', 'y'], featured: true, cost: null };
      const fields = Object.entries(newEvent()).map(([name, value]) => [name, String(value), 'text/plain']);
      const values = Object.entries(parts).map(([name, value]) => [name, JSON.stringify(value), 'application/json']);
      const written = [...fields, ...values].map(
        ([name, value, type]) =>
          `--B\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${value}\r\n`,
      );
      const headers = { 'content-type': 'multipart/form-data; boundary=B' };
      const made = await must(
        s.ask('POST', '/events', { as: 'admin', body: `${written.join('')}--B--\r\n`, headers }),
        201,
      );
      assert.deepEqual([made.venue.venue, made.tags.length, made.featured, made.cost], ['Hall of parts', 2, true, '']);
    });
    for (const deep of [600, 100_000])
      test(`A4 multipart, with a field of JSON that is ${deep} deep`, async () => {
        const body = `--B\r\nContent-Disposition: form-data; name="tags"\r\nContent-Type: application/json\r\n\r\n${'['.repeat(deep)}${']'.repeat(deep)}\r\n--B--\r\n`;
        const headers = { 'content-type': 'multipart/form-data; boundary=B' };
        const { status, json } = await s.ask('POST', '/events', { as: 'admin', body, headers });
        assert.deepEqual([status, json.code], [400, 'rest_invalid_json']);
      });
    test('A4 lists in a form', async () => {
      const made = await must(s.ask('POST', '/events', { as: 'admin', form: `${query({})}&tags[]=x&tags[]=y` }), 201);
      assert.equal(made.tags.length, 2);
    });
    test('A4 a name that is repeated: the last', async () =>
      assert.equal(await title({ form: `${query({ title: 'First' })}&title=Last` }), 'Last'));
    test('A4 other kinds of JSON', async () =>
      assert.equal(
        await title({
          json: newEvent({ title: 'Vnd' }),
          headers: { 'content-type': 'application/vnd.api+json; charset=utf-8' },
        }),
        'Vnd',
      ));
    for (const type of [
      'application/json, text/plain, */*',
      'APPLICATION/JSON ; charset=utf-8',
      'text/plain,application/json',
    ])
      test(`A4 JSON by another word: ${type}`, async () =>
        assert.equal(await title({ json: newEvent({ title: 'Typed' }), headers: { 'content-type': type } }), 'Typed'));
    test('A5 null in the body leaves what the query says', async () =>
      assert.equal(await title({ query: query({ title: 'Query' }), json: { title: null } }), 'Query'));
    const { username, password } = s.users.admin;
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    for (const headers of [{}, { 'content-type': 'form' }] as Record<string, string>[])
      test(`A4 a form that is not said to be one, of PUT, PATCH and DELETE: ${JSON.stringify(headers)}`, async () => {
        const send = (method: string, path: string, body: string) =>
          raw(`${s.api}${path}`, {
            method,
            headers: { ...headers, authorization, 'content-length': String(body.length) },
            body,
          });
        for (const method of ['PUT', 'PATCH'])
          assert.equal((await send(method, at, `excerpt=${method}+it`)).json.excerpt, `<p>${method} it</p>`);
        assert.equal((await send('POST', at, 'excerpt=no')).json.excerpt, '<p>PATCH it</p>');
        const { id } = await makeEvent(s);
        assert.equal((await send('DELETE', `/events/${id}`, 'force=true')).status, 200);
        assert.equal((await s.ask('GET', `/events/${id}`, { as: 'admin' })).status, 404);
      });
    rows(s, [
      {
        name: 'A4 the id of the path wins over the body',
        ask: `PATCH ${at}`,
        as: 'admin',
        json: { id: other.id, excerpt: 'E' },
        status: 200,
        shows: { id: event.id, excerpt: '<p>E</p>' },
      },
      { name: 'A4 and over the query', ask: `GET ${at}?id=${other.id}`, status: 200, shows: { id: event.id } },
      {
        name: 'A4 the slug of the path wins over the query',
        ask: `GET /events/by-slug/${event.slug}?slug=${other.slug}`,
        status: 200,
        shows: { id: event.id },
      },
      {
        name: 'A4 DELETE: the path wins over the body',
        ask: `DELETE /events/999999`,
        as: 'admin',
        json: { id: event.id },
        status: 404,
      },
      ...['[1,2]', '"text"', '5', 'null', ''].map((body) => ({
        name: `A4 JSON ${body || 'that is empty'} carries no parameters`,
        ask: 'POST /events',
        as: 'admin' as const,
        body,
        headers: JSON_TYPE,
        status: 400,
        code: 'rest_missing_callback_param',
      })),
      ...['title=caf%E9', new Uint8Array([0x74, 0x69, 0x74, 0x6c, 0x65, 0x3d, 0xe9])].map((body) => ({
        name: `A4 a form that is not UTF-8: ${body}`,
        ask: 'POST /events',
        as: 'admin' as const,
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        status: 400,
        code: 'bad-request',
      })),
      {
        name: 'A4 text/plain carries none',
        ask: 'POST /events',
        as: 'admin',
        body: JSON.stringify(newEvent()),
        headers: { 'content-type': 'text/plain' },
        status: 400,
        code: 'rest_missing_callback_param',
      },
      {
        name: 'unknown members are ignored, and named',
        ask: `PATCH ${at}`,
        as: 'admin',
        json: { colour: 'red', 'a b': 1, excerpt: 'F' },
        status: 200,
        header: { 'x-kalends-ignored': 'colour, a%20b' },
      },
      {
        name: 'a word that protects nothing is named, too',
        ask: 'POST /venues',
        as: 'admin',
        json: { venue: 'Not protected', password: 'word', force: true },
        status: 201,
        header: { 'x-kalends-ignored': 'password, force' },
      },
      {
        name: 'nothing ignored, nothing named',
        ask: `PATCH ${at}`,
        as: 'admin',
        json: { excerpt: 'G' },
        status: 200,
        header: { 'x-kalends-ignored': null },
      },
      {
        name: 'members of Object.prototype are no parameters',
        ask: 'POST /events',
        as: 'admin',
        body: '{"title":"P","start_date":"2031-01-01","end_date":"2031-01-01","__proto__":{"featured":true},"constructor":{"a":1}}',
        headers: JSON_TYPE,
        status: 201,
        shows: { featured: false },
      },
    ]);
    test('A4 a body on GET is ignored', async () => {
      const reply = await raw(`${s.api}/events?include=${event.id}`, {
        headers: { ...JSON_TYPE, 'content-length': '20' },
        body: '{"include":"999999"}',
      });
      assert.deepEqual([reply.status, reply.json.total], [200, 1]);
    });
    test('A4 a broken body on GET is ignored too', async () => {
      const reply = await raw(`${s.api}${at}`, { headers: { ...JSON_TYPE, 'content-length': '4' }, body: '{"x"' });
      assert.equal(reply.status, 200);
    });
  });

  describe('JSON (A7, A10)', () => {
    const bad: [string, string | Uint8Array, number][] = [
      ['cut off', '{"title":"x"', 4],
      ['a comma too many', '{"title":"x",}', 4],
      ['single quotes', "{'title':'x'}", 4],
      ['not UTF-8', new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), 5],
      ['a line break within a text', '{"title":"a\nb"}', 3],
      ['a text that does not end', '{"title":"a', 3],
      ['half a character', '{"title":"\\ud800"}', 10],
    ];
    rows(s, [
      ...bad.map(([name, body, number]) => ({
        name: `A7 ${name}`,
        ask: 'POST /events',
        as: 'admin' as const,
        body,
        headers: JSON_TYPE,
        status: 400,
        code: 'rest_invalid_json',
        shows: { 'data.json_error_code': number, 'data.json_error_message': /./ },
      })),
      {
        name: 'A10 slashes and letters as they are',
        ask: `GET ${at}`,
        status: 200,
        has: ['Größe ☕ a/b', 'Köln', `${s.api}${at}`],
        lacks: ['\\/', '\\u'],
      },
      {
        name: 'A10 a slug of another script is encoded once',
        ask: 'POST /tags',
        as: 'admin',
        json: { name: unique('Ж') },
        status: 201,
        shows: { url: /\/tag\/%d0%b6-[^/%]+\/$/ },
      },
    ]);
  });
});
