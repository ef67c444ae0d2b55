import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createUser, issue } from '../src/accounts/accounts.js';
import { type Client, type ClientOptions, createClient, type Event, KalendsError } from '../src/client/client.js';
import { picture } from './security/support.js';
import { type RoleName, startServer, type TestServer } from './support/server.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

const as = (role?: RoleName, options: Partial<ClientOptions> = {}): Client => {
  const { username: user, password } = role ? server.users[role] : {};
  return createClient({ url: server.api, ...(user && password ? { user, password } : {}), ...options });
};

const failing = async (work: Promise<unknown>): Promise<KalendsError> => {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof KalendsError, String(error));
  return error;
};

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A fetch that answers from a function and remembers what it was asked. */
function pretend(answer: (url: URL, method: string) => { status?: number; headers?: object; body?: unknown }) {
  const asked: string[] = [];
  const sent: RequestInit[] = [];
  const pretended: typeof fetch = async (input, init = {}) => {
    const url = new URL(String(input));
    asked.push(`${init.method} ${url.href}`);
    sent.push(init);
    const { status = 200, headers = {}, body = {} } = answer(url, init.method ?? 'GET');
    const text = init.method === 'HEAD' ? null : typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { ...headers } });
  };
  return { asked, sent, fetch: pretended };
}

const concert = { title: 'Concert', start_date: '2031-05-01 19:00:00', end_date: '2031-05-01 21:00:00' };

describe('pictures', () => {
  test('one is sent, described, listed, shown by an event, and removed', async () => {
    const { media, events } = as('author');
    const bytes = await picture(400, 300);
    const options = { alt_text: 'The stage', idempotencyKey: 'one-picture' };
    const made = await media.upload(new Blob([new Uint8Array(bytes)], { type: 'image/png' }), options);
    assert.deepEqual([made.width, made.height, made.extension], [400, 300, 'png']);
    assert.equal((await media.upload(new Blob([new Uint8Array(bytes)]), options)).id, made.id, 'sent once');
    assert.equal((await media.update(made.id, { alt_text: 'The empty stage' })).id, made.id);
    const listed = await collect(media.all({ per_page: 1 }));
    assert.deepEqual(
      listed.map(({ id }) => id),
      [made.id],
    );
    const event = await events.create({ ...concert, image: made.id });
    assert.ok(event.image && typeof event.image === 'object');
    assert.equal(event.image.id, made.id);
    assert.equal((await failing(media.remove(made.id))).code, 'media-in-use');
    await events.update(event.id, { image: '' });
    await media.remove(made.id);
    assert.equal((await failing(media.get(made.id))).code, 'media-not-found');
    assert.equal((await failing(as().media.upload(new Blob(['x'])))).status, 401);
  });
});

describe('writes on a condition', () => {
  test('what has changed since it was read is neither changed nor removed', async () => {
    const [ada, ben] = [as('admin').events, as('editor').events];
    const { id } = await ada.create({ ...concert, description: `${'A long text. '.repeat(200)}` });
    const [seen, other] = [await ada.get(id), await ben.get(id)];
    await ben.update(id, { title: 'Changed by Ben' }, { ifUnchanged: other });
    for (const work of [
      () => ada.update(id, { title: 'Changed by Ada' }, { ifUnchanged: seen }),
      () => ada.remove(id, { ifUnchanged: seen }),
    ]) {
      const { status, code } = await failing(work());
      assert.deepEqual([status, code], [412, 'precondition-failed']);
    }
    assert.equal((await ada.get(id)).title, 'Changed by Ben');
    await ada.remove(id, { force: true, ifUnchanged: await ada.get(id) });
    assert.equal((await failing(ada.get(id))).status, 404);
  });

  test('a record that was not read whole, or not here, is no condition, and nothing is sent', async () => {
    const { asked, fetch } = pretend(() => ({ headers: { ETag: '"t"' }, body: { id: 1 } }));
    const { events } = createClient({ url: 'https://one.example/api/calendar/events/v1', fetch });
    const part = await events.get(1, { _fields: 'id' });
    for (const record of [part, { ...(await events.get(1)) }]) {
      await assert.rejects(
        events.update(1, { title: 'x' }, { ifUnchanged: record }),
        /^TypeError: "ifUnchanged" wants/,
      );
    }
    assert.equal(asked.length, 2);
  });
});

describe('records', () => {
  test('an event is made, read, changed, found, removed', async () => {
    const { events } = as('admin');
    const made = await events.create({
      ...concert,
      slug: 'first-concert',
      featured: true,
      categories: ['Client music'],
      venue: { venue: 'Client hall', city: 'Lisbon' },
      organizer: ['Client society'],
    });
    assert.equal(made.title, 'Concert');
    assert.deepEqual(
      made.categories.map((one) => one.name),
      ['Client music'],
    );
    assert.equal((await events.get(made.id)).id, made.id);
    assert.equal((await events.get({ slug: 'first-concert' })).id, made.id);
    assert.equal((await events.update(made.id, { cost: '10' })).title, 'Concert');
    const changed = await events.update({ slug: 'first-concert' }, { title: 'Recital', tags: ['Client evening'] });
    assert.deepEqual([changed.title, changed.cost, changed.tags.length], ['Recital', '$10', 1]);
    const found = await events.list({ categories: ['client-music'], start_date: '2031-01-01', end_date: '2032-01-01' });
    assert.deepEqual([found.total, found.events[0]?.id], [1, made.id]);
    assert.equal((await events.remove({ slug: 'first-concert' })).status, 'trash');
    assert.equal((await failing(events.remove(made.id))).code, 'event-is-in-trash');
    await events.remove(made.id, { force: true });
    assert.equal((await failing(events.get(made.id))).status, 404);
  });

  test('a create that is repeated with its key makes one record', async () => {
    const { events } = as('admin');
    const options = { idempotencyKey: 'client-1' };
    const made = await events.create({ ...concert, slug: 'keyed' }, options);
    assert.deepEqual(await events.create({ ...concert, slug: 'keyed' }, options), made);
    assert.equal((await failing(events.create({ ...concert, slug: 'other' }, options))).code, 'idempotency-mismatch');
    assert.notEqual((await events.create({ ...concert, slug: 'keyed' }, { idempotencyKey: 'client-2' })).id, made.id);
    assert.equal((await failing(events.create(concert, { idempotencyKey: '' }))).code, 'idempotency-key');
  });

  test('a create that is to be the first under its slug', async () => {
    const { venues } = as('admin');
    await venues.create({ venue: 'First', slug: 'the-first' }, { onlyIfNew: true });
    const error = await failing(venues.create({ venue: 'Second', slug: 'the-first' }, { onlyIfNew: true }));
    assert.deepEqual([error.status, error.code], [412, 'precondition-failed']);
    const second = await venues.create({ venue: 'Second', slug: 'the-first' }, { onlyIfNew: false });
    assert.equal(second.slug, 'the-first-2');
  });

  test('a password opens an event', async () => {
    const made = await as('admin').events.create({ ...concert, password: 'lanterná & co' });
    assert.equal((await failing(as().events.get(made.id))).code, 'event-password-protected');
    assert.equal((await as().events.get(made.id, { password: 'lanterná & co' })).title, 'Concert');
    assert.equal((await as().events.get({ slug: made.slug }, { password: 'lanterná & co' })).title, 'Concert');
  });

  test('a slug of any script', async () => {
    const { venues } = as('admin');
    const made = await venues.create({ venue: '東京 ホール' });
    for (const slug of [made.slug ?? '', '東京-ホール']) assert.equal((await venues.get({ slug })).id, made.id, slug);
  });

  test('venues', async () => {
    const { venues } = as('admin');
    const made = await venues.create({ venue: 'Harbour Hall', city: 'Porto', slug: 'harbour-hall' });
    assert.equal((await venues.get({ slug: 'harbour-hall' })).city, 'Porto');
    assert.equal((await venues.update(made.id, { city: 'Faro' })).venue, 'Harbour Hall');
    assert.equal((await venues.update({ slug: 'harbour-hall' }, { phone: '1' })).city, 'Faro');
    assert.equal((await venues.list({ search: 'harbour' })).venues[0]?.id, made.id);
    assert.deepEqual(
      await collect(venues.all({ search: 'harbour' })),
      (await venues.list({ search: 'harbour' })).venues,
    );
    assert.equal((await venues.remove(made.id)).status, 'trash');
    await venues.remove({ slug: 'harbour-hall__trashed' }, { force: true });
    assert.equal((await failing(venues.get(made.id))).code, 'venue-not-found');
  });

  test('organizers', async () => {
    const { organizers } = as('admin');
    const made = await organizers.create({ organizer: 'Music Society', slug: 'music-society' });
    assert.equal((await organizers.get({ slug: 'music-society' })).id, made.id);
    assert.equal((await organizers.update(made.id, { phone: '1' })).organizer, 'Music Society');
    assert.equal((await organizers.list({ search: 'music society' })).organizers[0]?.id, made.id);
    assert.equal((await organizers.remove({ slug: 'music-society' }, { force: true })).id, made.id);
    assert.equal((await failing(organizers.get(made.id))).code, 'organizer-not-found');
  });

  for (const kind of ['categories', 'tags'] as const) {
    test(kind, async () => {
      const terms = as('admin')[kind];
      const made = await terms.create({ name: `Jazz of ${kind}` });
      assert.equal((await terms.get(made.id)).name, `Jazz of ${kind}`);
      assert.equal((await terms.update(made.id, { description: 'Loud' })).name, `Jazz of ${kind}`);
      const found = await collect(terms.all({ search: 'jazz of', hide_empty: false }));
      assert.deepEqual(
        found.map((one) => [one.id, one.description]),
        [[made.id, 'Loud']],
      );
      assert.equal((await terms.remove(made.id)).id, made.id);
      assert.equal((await failing(terms.get(made.id))).code, 'term-not-found');
    });
  }

  for (const at of ['', '.', '..', '%2e%2E']) {
    test(`"${at}" names no record and is not sent`, async () => {
      const { fetch, asked } = pretend(() => ({}));
      const { events } = as('admin', { fetch });
      await assert.rejects(events.update({ slug: at }, { title: 'x' }), TypeError);
      await assert.rejects(events.remove({ slug: at }), TypeError);
      await assert.rejects(events.get(at as unknown as number), TypeError);
      assert.deepEqual(asked, []);
    });
  }
});

describe('pages', () => {
  const words = { search: 'marathon', start_date: new Date('2033-01-01T00:00:00Z'), end_date: '2033-12-31' };
  before(async () => {
    const { events } = as('admin');
    for (let day = 1; day <= 23; day++) {
      const start = new Date(Date.UTC(2033, 5, day, 10));
      await events.create({
        title: `Marathon ${day}`,
        start_date: start,
        end_date: new Date(start.getTime() + 3_600_000),
        timezone: 'UTC',
        ...(day % 2 ? { tags: 'odd days' } : {}),
      });
    }
  });

  test('every record once, in order, over all pages', async () => {
    const titles = (await collect(as().events.all({ ...words, per_page: 4 }))).map((event) => event.title);
    assert.deepEqual(
      titles,
      Array.from({ length: 23 }, (_, at) => `Marathon ${at + 1}`),
    );
  });

  test('page by page, from a page on', async () => {
    const sizes = (await collect(as().events.pages({ ...words, per_page: 10 }))).map((page) => page.events.length);
    assert.deepEqual(sizes, [10, 10, 3]);
    const rest = await collect(as().events.pages({ ...words, per_page: 10, page: 3 }));
    assert.deepEqual(
      rest.map((page) => page.events.length),
      [3],
    );
  });

  test('filters hold on every page', async () => {
    const found = await collect(as().events.all({ ...words, tags: ['odd-days'], strict_dates: true, per_page: 5 }));
    assert.equal(found.length, 12);
  });

  test('a few members only, of all pages', async () => {
    const wanted = { ...words, per_page: 10, _fields: ['events.title'] };
    const found = await collect(as().events.all(wanted));
    assert.deepEqual([found.length, found[22]], [23, { title: 'Marathon 23' }]);
    assert.deepEqual(Object.keys(await as().events.list(wanted)), ['events']);
  });

  test('a loop that is left asks for no more', async () => {
    const { fetch: counted, asked } = counting();
    for await (const event of as(undefined, { fetch: counted }).events.all({ ...words, per_page: 5 })) {
      if (event.title === 'Marathon 7') break;
    }
    assert.equal(asked.length, 2);
  });

  test('nothing found is no error, a first page past the end is one', async () => {
    assert.deepEqual(await collect(as().events.all({ ...words, search: 'nothing of the kind' })), []);
    const error = await failing(collect(as().events.all({ ...words, page: 99 })));
    assert.equal(error.code, 'event-archive-page-not-found');
  });

  test('a list that became shorter while it was read ends', async () => {
    const pages = as().events.pages({ ...words, per_page: 22 });
    await pages.next();
    const [last] = (await as('admin').events.list({ ...words, search: '"Marathon 23"' })).events;
    await as('admin').events.remove(last?.id ?? 0);
    assert.equal((await pages.next()).done, true);
  });

  function counting() {
    const asked: string[] = [];
    const counted: typeof fetch = (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    };
    return { asked, fetch: counted };
  }
});

describe('parameters', () => {
  test('lists with commas, dates as ISO 8601, undefined not at all', async () => {
    const { fetch, asked } = pretend(() => ({}));
    const { events } = createClient({ url: 'https://example.org/api/calendar/events/v1', fetch });
    await events.list({
      categories: ['jazz', 7],
      featured: false,
      geoloc_lat: 38.7,
      starts_after: new Date(0),
      search: 'a&b=ü',
      status: undefined,
    });
    await events.list();
    assert.deepEqual(asked, [
      'GET https://example.org/api/calendar/events/v1/events?categories=jazz%2C7&featured=false&geoloc_lat=38.7&starts_after=1970-01-01T00%3A00%3A00.000Z&search=a%26b%3D%C3%BC',
      'GET https://example.org/api/calendar/events/v1/events',
    ]);
  });

  test('a Date is the same instant to the server', async () => {
    const made = await as('admin').events.create({
      title: 'Instant',
      start_date: new Date('2031-07-01T18:00:00Z'),
      end_date: new Date('2031-07-01T20:00:00Z'),
      timezone: 'Asia/Tokyo',
      tickets: [{ name: 'Seat', sale_starts: new Date('2031-06-01T00:00:00Z') }],
    });
    assert.deepEqual([made.start_date, made.utc_start_date], ['2031-07-02 03:00:00', '2031-07-01 18:00:00']);
    assert.equal(made.tickets?.[0]?.sale_starts, '2031-06-01 00:00:00');
  });
});

describe('errors', () => {
  test('wrong credentials: 401', async () => {
    const error = await failing(as(undefined, { user: 'admin', password: 'wrong' }).events.list());
    assert.deepEqual([error.name, error.status, error.code], ['KalendsError', 401, 'incorrect_password']);
    assert.ok(error.message.length > 10);
    assert.equal((await failing(as().events.create(concert))).status, 401);
  });

  test('not allowed: 403', async () => {
    const error = await failing(as('subscriber').events.create(concert));
    assert.deepEqual([error.status, error.code], [403, 'rest_forbidden']);
  });

  test('not there: 404', async () => {
    assert.equal((await failing(as().events.get(987_654))).code, 'rest-event-not-found');
    assert.equal((await failing(as().events.get({ slug: 'no-such/thing?' }))).status, 404);
  });

  test('bad parameters: 400, with a reason each', async () => {
    const error = await failing(as().events.list({ start_date: 'when pigs fly', venue: [987_654] }));
    assert.deepEqual([error.status, error.code], [400, 'rest_invalid_param']);
    assert.deepEqual(Object.keys(error.params).sort(), ['start_date', 'venue']);
    assert.ok(Object.values(error.params).every((reason) => typeof reason === 'string' && reason !== ''));
    assert.equal((error.body as { code: string }).code, 'rest_invalid_param');
  });

  test('missing parameters are named too', async () => {
    const error = await failing(as('admin').events.create({} as typeof concert));
    assert.equal(error.code, 'rest_missing_callback_param');
    assert.deepEqual(Object.keys(error.params).sort(), ['end_date', 'start_date', 'title']);
  });

  // A header is written when its test runs: others may have taken more than a minute by then.
  const waits: [name: string, header: () => string, seconds: (value: number | undefined) => boolean][] = [
    ['seconds', () => '7', (value) => value === 7],
    [
      'a date in a minute',
      () => new Date(Date.now() + 60_000).toUTCString(),
      (value) => value !== undefined && value > 50 && value <= 61,
    ],
    ['a date that is over', () => new Date(0).toUTCString(), (value) => value === 0],
    ['neither', () => 'soon', (value) => value === undefined],
  ];
  for (const [name, header, right] of waits) {
    test(`Retry-After: ${name}`, async () => {
      const body = { code: 'service-unavailable', message: 'Later', data: { status: 503 } };
      const { fetch } = pretend(() => ({ status: 503, headers: { 'Retry-After': header() }, body }));
      const error = await failing(as(undefined, { fetch }).events.list());
      assert.ok(right(error.retryAfter), String(error.retryAfter));
    });
  }

  test('an answer that is no JSON, whatever its status', async () => {
    for (const status of [200, 502]) {
      const { fetch } = pretend(() => ({ status, body: '<h1>Bad gateway</h1>' }));
      const error = await failing(as(undefined, { fetch }).events.list());
      assert.deepEqual([error.status, error.code, error.body], [status, 'unreadable-answer', '<h1>Bad gateway</h1>']);
    }
  });

  test('a write that is redirected fails instead of becoming a read', async () => {
    const moved = createServer((request, reply) => {
      reply.writeHead(301, { Location: server.home + request.url }).end();
    }).listen(0);
    const port = (moved.address() as AddressInfo).port;
    const client = as('admin', { url: server.api.replace(/:\d+/, `:${port}`) });
    assert.equal((await failing(client.events.create(concert))).status, 301);
    moved.close();
  });

  test('nobody there: the error of fetch', async () => {
    for (const url of ['http://127.0.0.1:1/api/calendar/events/v1', 'http://127.0.0.1:1']) {
      await assert.rejects(createClient({ url }).events.list(), TypeError);
    }
  });

  test('the reader gives up', async () => {
    const { events } = as();
    await assert.rejects(events.list({}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(collect(events.all({}, { signal: AbortSignal.abort() })), { name: 'AbortError' });
    await assert.rejects(events.get(1, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(as().me({ signal: AbortSignal.abort() }), { name: 'AbortError' });
    const silent = createServer(() => {}).listen(0);
    for (const at of ['/api/calendar/events/v1', '']) {
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}${at}`;
      const signal = AbortSignal.timeout(50);
      await assert.rejects(createClient({ url }).events.list({}, { signal }), { name: 'TimeoutError' });
    }
    silent.closeAllConnections();
    silent.close();
  });
});

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

describe('the files', () => {
  const folder = 'src/client';
  const files = readdirSync(folder);

  test('the types are those of the document', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/client.mjs', '--check'], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test('nothing is imported from outside of the folder', () => {
    assert.ok(files.length > 4);
    for (const file of files) {
      const text = readFileSync(path.join(folder, file), 'utf8');
      for (const [, from] of text.matchAll(/\bfrom '([^']+)'/g)) assert.match(from ?? '', /^\.\/[a-z]+\.js$/, file);
      assert.doesNotMatch(text, /\b(Buffer|process|require)\b[.(]/, file);
    }
  });

  test('it compiles for browsers, where there are no types of Node', async () => {
    const { default: ts } = await import('typescript');
    const program = ts.createProgram([path.join(folder, 'client.ts')], {
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
    });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map((one) => ts.flattenDiagnosticMessageText(one.messageText, '\n'));
    assert.deepEqual(problems, []);
  });
});

/** Never run: the compiler checks these lines (`npm run types`). */
export async function typed(client: Client): Promise<void> {
  const event: Event = await client.events.get(1);
  const [venue] = [event.venue].flat();
  const city: string | undefined = venue?.city;
  await client.events.update(1, { title: city ?? '', start_date: new Date() });
  await client.venues.list({ has_events: true });
  for await (const term of client.categories.all({ parent: 0 })) term.slug.trim();
  // @ts-expect-error a title is needed
  await client.events.create({ start_date: '2031-01-01', end_date: '2031-01-02' });
  // @ts-expect-error there is no such filter
  await client.events.list({ colour: 'red' });
  // @ts-expect-error a Date is for dates only
  await client.events.list({ search: new Date() });
  // @ts-expect-error categories have no address by slug
  await client.categories.get({ slug: 'music' });
  // @ts-expect-error venues have no password
  await client.venues.get(1, { password: 'lantern' });
  // @ts-expect-error a title is a text
  event.title.toFixed();
  const error = new KalendsError(404, {});
  // Known codes are suggested, others allowed.
  if (error.code === 'rest-event-not-found' || error.code === 'code-of-another-server') return;
  // @ts-expect-error the status is a number
  error.status.trim();
}
