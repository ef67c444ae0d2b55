import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createUser, issue } from '../src/accounts/accounts.js';
import { type Client, type ClientOptions, createClient } from '../src/client/client.js';
import { clientAs, collect, failing, pretend } from './support/client.js';
import { type RoleName, startServer, type TestServer } from './support/server.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

const as = (role?: RoleName, options?: Partial<ClientOptions>): Client => clientAs(server, role, options);

describe('credentials and language', () => {
  test('user and password', async () => {
    const me = await as('editor').me();
    assert.deepEqual([me.username, me.role, me.authorization_scheme], ['editor', 'editor', 'basic']);
    assert.equal((await as().me()).authenticated, false);
  });

  test('a token', async () => {
    const { id, username } = server.users.author;
    const { secret } = await server.database.write((db) =>
      issue(db, { id, username, role: 'author' } as Parameters<typeof issue>[1], 'token', 'test'),
    );
    const me = await as(undefined, { token: secret }).me();
    assert.deepEqual([me.username, me.authorization_scheme], ['author', 'bearer']);
  });

  test('a name in any script', async () => {
    const made = await server.database.write((db) => createUser(db, 'Žofie 東京', 'editor', 'test'));
    assert.equal((await as(undefined, { user: 'Žofie 東京', password: made.secret }).me()).username, 'Žofie 東京');
  });

  test('messages in the language asked for', async () => {
    const german = await failing(as(undefined, { language: 'de' }).events.get(987_654));
    const english = await failing(as(undefined, { language: 'en' }).events.get(987_654));
    assert.equal(german.code, english.code);
    assert.notEqual(german.message, english.message);
  });
});

describe('where the interface is', () => {
  const places: [what: string, url: () => string | URL][] = [
    ['the namespace', () => server.api],
    ['with a slash', () => `${server.api}/`],
    ['a route of it', () => `${server.api}/events?per_page=3`],
    ['the other namespace', () => `${server.home}/wp-json/tribe/events/v1`],
    ['a language', () => `${server.home}/de/api/calendar/events/v1`],
    ['the site', () => server.home],
    ['the site with a slash', () => new URL(`${server.home}/`)],
    ['a page of the site', () => `${server.home}/?from=somewhere`],
  ];
  for (const [what, url] of places) {
    test(what, async () => {
      assert.equal((await as('admin', { url: url() }).me()).username, 'admin');
    });
  }

  test('an address that is none is refused at once', () => {
    assert.throws(() => createClient({ url: 'example.org' }), TypeError);
  });

  const site = 'https://example.org';
  const page = { headers: { 'Content-Type': 'text/html' } };
  type Site = Parameters<typeof pretend>[0];
  const sites: [what: string, answer: Site, asked: string[]][] = [
    [
      'X-TEC-API-ROOT of an event page, at the origin that answered',
      () => ({ headers: { 'X-TEC-API-ROOT': 'http://internal:8080/blog/wp-json/tribe/events/v1/events/12' } }),
      [`HEAD ${site}/`, `GET ${site}/blog/wp-json/tribe/events/v1/tags`],
    ],
    [
      'Link to the index of interfaces',
      ({ pathname }, method) =>
        method === 'HEAD'
          ? {
              headers: {
                Link: '<https://example.org/x.css>; rel=preload, <https://example.org/rest/>; rel="https://api.w.org/"',
              },
            }
          : pathname === '/rest/'
            ? { body: { namespaces: ['oembed/1.0', 'wp/v2', 'town/events/v1'] } }
            : {},
      [`HEAD ${site}/`, `GET ${site}/rest/`, `GET ${site}/rest/town/events/v1/tags`],
    ],
    [
      'addresses that are parameters',
      (_, method) =>
        method === 'HEAD'
          ? { headers: { Link: '<https://example.org/index.php?rest_route=/>; rel="https://api.w.org/"' } }
          : { body: { namespaces: ['tribe/events/v1'], tags: [] } },
      [
        `HEAD ${site}/`,
        `GET ${site}/index.php?rest_route=/`,
        `GET ${site}/index.php?rest_route=%2Ftribe%2Fevents%2Fv1%2Ftags`,
      ],
    ],
    [
      'the usual paths, where headers say nothing',
      ({ pathname }, method) =>
        method === 'HEAD' || pathname.startsWith('/api/') ? page : { body: { namespace: 'tribe/events/v1', tags: [] } },
      [
        `HEAD ${site}/`,
        `GET ${site}/api/calendar/events/v1?_fields=namespace`,
        `GET ${site}/wp-json/tribe/events/v1?_fields=namespace`,
        `GET ${site}/wp-json/tribe/events/v1/tags`,
      ],
    ],
  ];
  for (const [what, answer, expected] of sites) {
    test(what, async () => {
      const { fetch, asked, sent } = pretend(answer);
      const { tags } = createClient({ url: site, fetch, token: 'secret' });
      await Promise.all([tags.list(), tags.list()]);
      assert.deepEqual(asked, [...expected, expected.at(-1)]);
      const carriers = sent.filter((init) => JSON.stringify(init.headers ?? {}).includes('secret'));
      assert.equal(carriers.length, 2, 'credentials go to the interface only');
    });
  }

  test('no calendar there, and then one', async () => {
    let there = false;
    const { fetch } = pretend(() =>
      there ? { body: { namespace: 'calendar/events/v1', events: [] } } : { status: 404 },
    );
    const { events } = createClient({ url: site, fetch });
    const error = await failing(events.list());
    assert.deepEqual([error.status, error.code], [404, 'no-interface']);
    there = true;
    assert.deepEqual((await events.list()).events, []);
  });
});

test('the filters that the reference forgets in its links are added again, and its links not followed elsewhere', async () => {
  const { fetch, asked } = pretend(({ searchParams }) => ({
    body: {
      events: [{ id: 1 }],
      ...(searchParams.get('page') === '2'
        ? {}
        : { next_rest_url: 'http://elsewhere/events/?per_page=50&start_date=2031-01-01+00%3A00%3A00&page=2' }),
    },
  }));
  const { events } = createClient({ url: 'https://example.org/wp-json/tribe/events/v1', fetch });
  await collect(events.all({ categories: ['jazz'], start_date: 'now', per_page: 99, featured: false }));
  const list = 'GET https://example.org/wp-json/tribe/events/v1/events';
  assert.deepEqual(asked, [
    `${list}?categories=jazz&start_date=now&per_page=99&featured=false`,
    `${list}?per_page=50&start_date=2031-01-01+00%3A00%3A00&page=2&categories=jazz&featured=false`,
  ]);
});
