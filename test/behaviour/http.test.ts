import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { timeForOne } from '../../src/http/turns.js';
import { behaviour, makeEvent, must, newEvent, rows } from '../support/rows.js';

behaviour('requests (A1 to A7, A10)', async (s) => {
  const event = await makeEvent(s, {
    description: 'Größe ☕ a/b',
    venue: { venue: 'Hall', city: 'Köln' },
    tags: ['x', 'y'],
  });
  const venue = event.venue.id as number;
  const at = `/events/${event.id}`;

  describe('routes (A1)', () => {
    const nowhere = { status: 404, code: 'rest_no_route' };
    rows(s, [
      ...[
        '/nowhere',
        '/events/abc',
        '/events/12abc',
        '/events/-1',
        '/events/1/2',
        '/events/by-slug',
        '/categories/by-slug/x',
        '/tags/x',
        '/users/1',
      ].map((path) => ({ ...nowhere, name: `A1 GET ${path}`, ask: `GET ${path}`, header: { allow: null } })),
      {
        ...nowhere,
        name: 'A1 outside of every namespace',
        ask: 'GET ~/api/nowhere',
        header: { 'content-type': /^application\/json/ },
      },
      {
        ...nowhere,
        name: 'A1 PUT on a list',
        ask: 'PUT /events',
        as: 'admin',
        json: {},
        header: { allow: 'GET, POST' },
      },
      { ...nowhere, name: 'A1 DELETE on a list', ask: 'DELETE /venues', as: 'admin', header: { allow: 'GET, POST' } },
      { ...nowhere, name: 'A1 PATCH on a list', ask: 'PATCH /tags', json: {}, header: { allow: 'GET, POST' } },
      {
        ...nowhere,
        name: 'A1 POST on /users/me',
        ask: 'POST /users/me',
        as: 'admin',
        json: {},
        header: { allow: 'GET' },
      },
      { name: 'A1 a slash at the end of a list', ask: 'GET /events/', status: 200 },
      { name: 'A1 a slash at the end of a record', ask: `GET ${at}/`, status: 200, shows: { id: event.id } },
      { name: 'A1 a slash and a query', ask: `GET ${at}/?_fields=id`, status: 200, shows: { id: event.id } },
      {
        name: 'A1 a slash after a slug',
        ask: `GET /events/by-slug/${event.slug}/`,
        status: 200,
        shows: { id: event.id },
      },
      { name: 'A1 a slash on a write', ask: 'POST /events/', as: 'admin', json: newEvent(), status: 201 },
      { name: 'A1 letter case of a list', ask: 'GET /EVENTS', status: 200 },
      {
        name: 'A1 letter case of an address',
        ask: `GET /Events/By-Slug/${event.slug}`,
        status: 200,
        shows: { id: event.id },
      },
      {
        name: 'A1 letter case of the namespace',
        ask: `GET ~/API/Calendar/events/V1/venues/${venue}`,
        status: 200,
        shows: { id: venue },
      },
    ]);
    for (const method of ['TRACE', 'PROPFIND', 'PURGE', 'LOCK']) {
      test(`A1 ${method} of a known path`, async () => {
        const { hostname, port, pathname } = new URL(s.api);
        const reply = await new Promise<IncomingMessage>((resolve, reject) => {
          request({ method, hostname, port, path: `${pathname}/events` }, resolve)
            .on('error', reject)
            .end();
        });
        reply.resume();
        assert.deepEqual([reply.statusCode, reply.headers.allow], [404, 'GET, POST']);
      });
    }
    for (const path of [
      '/events',
      at,
      `/events/by-slug/${event.slug}`,
      '/venues',
      `/venues/${venue}`,
      '/organizers',
      '/categories',
      '/tags',
      '/users/me',
    ]) {
      test(`A1 HEAD ${path}: as GET, without a body`, async () => {
        const [head, get] = [await s.ask('HEAD', path), await s.get(path)];
        assert.deepEqual([head.status, head.text], [200, '']);
        for (const name of [
          'content-type',
          'x-tec-total',
          'x-tec-totalpages',
          'etag',
          'allow',
          'link',
          'content-length',
        ]) {
          assert.equal(head.headers.get(name), get.headers.get(name), name);
        }
      });
      test(`A1 OPTIONS ${path}`, async () => {
        const reply = await s.ask('OPTIONS', path);
        assert.equal(reply.status, 200);
        assert.equal(reply.headers.get('allow'), 'GET');
        assert.ok(reply.json.methods.includes('GET'));
      });
    }
    rows(s, [
      {
        name: 'A1 HEAD of what is not there',
        ask: 'HEAD /events/999999',
        status: 404,
        header: { 'content-type': /json/ },
      },
    ]);
  });

  describe('the method (A2)', () => {
    const fresh = () => makeEvent(s);
    const cases: [string, string, string, Record<string, string>, (reply: { status: number }) => boolean][] = [
      ['POST ?_method=DELETE', 'POST', '?_method=DELETE', {}, (r) => r.status === 410],
      ['POST ?_method=delete', 'POST', '?_method=delete', {}, (r) => r.status === 410],
      ['POST with the header', 'POST', '', { 'x-http-method-override': 'DELETE' }, (r) => r.status === 410],
      ['PATCH ?_method=DELETE', 'PATCH', '?_method=DELETE', {}, (r) => r.status === 200],
      ['PUT with the header', 'PUT', '', { 'x-http-method-override': 'DELETE' }, (r) => r.status === 200],
      ['GET ?_method=DELETE', 'GET', '?_method=DELETE', {}, (r) => r.status === 200],
      ['GET with the header', 'GET', '', { 'x-http-method-override': 'DELETE' }, (r) => r.status === 200],
      ['POST ?_method=HEAD', 'POST', '?_method=HEAD', {}, (r) => r.status === 200],
    ];
    for (const [name, method, query, headers, holds] of cases) {
      test(`A2 ${name}`, async () => {
        const { id } = await fresh();
        await must(
          s.ask(method, `/events/${id}${query}`, { as: 'admin', headers, ...(method === 'GET' ? {} : { json: {} }) }),
          200,
        );
        // In the trash a second DELETE is 410; elsewhere it is the first.
        assert.ok(holds(await s.del(`/events/${id}`, 'admin')), name);
      });
    }
    for (const [name, query, headers] of [
      ['another word', '?_method=TRASH', {}],
      ['nothing', '?_method=', {}],
      ['another word in the header', '', { 'x-http-method-override': 'brew' }],
    ] as const) {
      test(`A1 A2 ${name} for a method is none that the path has`, async () => {
        const { id, title } = await fresh();
        const reply = await s.ask('POST', `/events/${id}${query}`, {
          as: 'admin',
          headers,
          json: { title: 'Changed' },
        });
        assert.deepEqual([reply.status, reply.json.code], [404, 'rest_no_route']);
        assert.match(String(reply.headers.get('allow')), /PATCH/);
        assert.equal((await s.get(`/events/${id}`)).json.title, title);
        const counted = (await s.get('~/metrics')).text;
        assert.doesNotMatch(counted, /method="(TRASH|BREW)"/);
      });
    }
    test('A2 POST as HEAD has no body, and says so', async () => {
      const { id } = await fresh();
      const reply = await s.ask('POST', `/events/${id}?_method=HEAD`, { as: 'admin' });
      assert.deepEqual([reply.status, reply.text, reply.headers.get('content-length')], [200, '', '0']);
    });
    test('A2 POST as PATCH is an update', async () => {
      const { id } = await fresh();
      const reply = await s.ask('POST', `/events/${id}`, {
        as: 'admin',
        json: { title: 'T' },
        headers: { 'x-http-method-override': 'PATCH' },
      });
      assert.deepEqual([reply.status, reply.json.title], [200, 'T']);
    });
  });

  describe('_fields and _envelope (A2)', () => {
    const only = async (path: string, wanted: unknown) => assert.deepEqual((await s.get(path)).json, wanted);
    test('A2 top-level members', () => only(`${at}?_fields=id,title`, { id: event.id, title: event.title }));
    test('A2 as a list', () => only(`${at}?_fields[]=id&_fields[]=title`, { id: event.id, title: event.title }));
    test('A2 inside of an object', () =>
      only(`${at}?_fields=venue.city,start_date_details.year`, {
        start_date_details: { year: '2031' },
        venue: { city: 'Köln' },
      }));
    test('A2 into a list', () =>
      only(`/events?include=${event.id}&_fields=total,events.id,events.tags.name`, {
        events: [{ id: event.id, tags: [{ name: 'x' }, { name: 'y' }] }],
        total: 1,
      }));
    test('A2 a whole member wins over a part of it', () =>
      only(`${at}?_fields=venue.city,start_date_details,start_date_details.year`, {
        start_date_details: event.start_date_details,
        venue: { city: 'Köln' },
      }));
    test('A2 nothing of that name', () => only(`${at}?_fields=nope`, []));
    test('A2 terms', () => only('/tags?_fields=tags.name', { tags: [{ name: 'x' }, { name: 'y' }] }));
    test('_pretty: the same, for people to read', async () => {
      const list = `/events?include=${event.id}&_fields=total,events`;
      for (const path of [
        at,
        `${at}?_fields=nope`,
        list,
        list,
        '/events/999999',
        `${at}?_envelope`,
        '',
        '/tags?page=x',
      ]) {
        const plain = await s.get(path);
        const pretty = await s.get(`${path}${path.includes('?') ? '&' : '?'}_pretty`);
        assert.equal(pretty.text, JSON.stringify(plain.json, null, 4), path);
        assert.deepEqual([pretty.status, pretty.headers.get('etag')], [plain.status, plain.headers.get('etag')]);
      }
      assert.match((await s.post('/tags?_pretty=1', { name: 'Pretty' }, 'admin')).text, /^{\n {4}"id": \d+,\n/);
    });
    rows(s, [
      { name: 'A2 errors are whole', ask: 'GET /events/999999?_fields=id', status: 404, code: 'rest-event-not-found' },
      {
        name: 'A2 on a write',
        ask: 'POST /events?_fields=title',
        as: 'admin',
        json: newEvent({ title: 'Only' }),
        status: 201,
        shows: { title: 'Only', id: undefined },
      },
      {
        name: 'A2 _envelope',
        ask: `GET ${at}?_envelope`,
        status: 200,
        shows: { status: 200, 'body.id': event.id, 'headers.Allow': 'GET' },
      },
      {
        name: 'A2 _envelope of a list',
        ask: `GET /events?include=${event.id}&_envelope=1`,
        status: 200,
        shows: { status: 200, 'body.total': 1, 'headers.X-TEC-Total': 1, 'headers.X-TEC-TotalPages': 1 },
      },
      {
        name: 'A2 _envelope of an error',
        ask: 'GET /events/999999?_envelope',
        status: 200,
        shows: { status: 404, 'body.code': 'rest-event-not-found' },
      },
      {
        name: 'A2 _envelope of a create',
        ask: 'POST /events?_envelope',
        as: 'admin',
        json: newEvent(),
        status: 200,
        shows: { status: 201, 'headers.Location': /\/events\/\d+$/ },
      },
      {
        name: 'A2 _envelope and _fields',
        ask: `GET ${at}?_envelope&_fields=id`,
        status: 200,
        shows: { body: { id: event.id } },
      },
      {
        name: 'A2 no JSONP',
        ask: `GET ${at}?_jsonp=cb`,
        status: 200,
        header: { 'content-type': 'application/json; charset=UTF-8' },
        lacks: ['cb('],
      },
    ]);
  });

  test('whoever connects is accepted before more reads are worked out', async () => {
    await must(s.get('/events'), 200);
    const { hostname, port } = new URL(s.home);
    // Published in the turn of the event loop that accepts the connection, after the server has heard of it.
    const held = new Promise<boolean>((resolve) => {
      const look = (): void => {
        unsubscribe('net.server.socket', look);
        resolve(timeForOne() !== undefined);
      };
      subscribe('net.server.socket', look);
    });
    const client = connect(Number(port), hostname);
    assert.equal(await held, true);
    client.destroy();
  });
});
