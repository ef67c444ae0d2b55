import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, type ClientOptions, createClient } from '../src/client/client.js';
import { picture } from './security/support.js';
import { clientAs, collect, concert, failing, pretend } from './support/client.js';
import { type RoleName, startServer, type TestServer } from './support/server.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

const as = (role?: RoleName, options?: Partial<ClientOptions>): Client => clientAs(server, role, options);

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
        /^TypeError: "ifUnchanged" needs/,
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
    await events.list({ categories: ['Food, drink', 7] });
    assert.deepEqual(asked, [
      'GET https://example.org/api/calendar/events/v1/events?categories=jazz%2C7&featured=false&geoloc_lat=38.7&starts_after=1970-01-01T00%3A00%3A00.000Z&search=a%26b%3D%C3%BC',
      'GET https://example.org/api/calendar/events/v1/events',
      'GET https://example.org/api/calendar/events/v1/events?categories%5B%5D=Food%2C+drink&categories%5B%5D=7',
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
