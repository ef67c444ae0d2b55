import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { issue } from '../src/accounts/accounts.js';
import type { Event } from '../src/client/client.js';
import { picture } from './security/support.js';
import { ended, inProcess, started } from './support/cli.js';
import { must } from './support/rows.js';
import { startServer, type TestServer } from './support/server.js';

/** `kalends import` from sites that are not like ours: what they leave out, what they tell oddly, and how they fail. */

type Lists = Record<'events' | 'venues' | 'organizers' | 'categories', object[]>;

/** A site that tells these lists, up to ten records a page whatever it is asked for. */
async function site(lists: Partial<Lists>, otherwise?: (page: string, response: ServerResponse) => boolean) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const kind = pathname.split('/').pop() as keyof Lists;
    const page = searchParams.get('page') ?? '1';
    if (otherwise?.(`${kind} ${page}`, response)) return;
    const all = lists[kind] ?? [];
    const total_pages = Math.ceil(all.length / 10);
    response.setHeader('Content-Type', 'application/json');
    const shown = all.slice((Number(page) - 1) * 10, Number(page) * 10);
    response.end(JSON.stringify({ [kind]: shown, total: all.length, total_pages }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/wp-json/tribe/events/v1`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url, close };
}

let ids = 0;
const event = (slug: string, day: string, more: object = {}) => ({
  id: ++ids,
  slug,
  title: `About ${slug.slice(0, 20)}`,
  start_date: `${day} 10:00:00`,
  end_date: `${day} 11:00:00`,
  timezone: 'Europe/Vienna',
  all_day: false,
  ...more,
});

let target: TestServer;
beforeEach(async () => {
  target = await startServer();
});
afterEach(() => target.close());

const settings = (): Record<string, string> => ({
  KALENDS_DATA_DIR: target.config.dataDir,
  DATABASE_URL: target.config.databaseUrl,
});

async function bring(lists: Partial<Lists>, otherwise?: (page: string, response: ServerResponse) => boolean) {
  const there = await site(lists, otherwise);
  try {
    return await inProcess(['import', there.url], settings());
  } finally {
    there.close();
  }
}

const ALL = { start_date: '1000-01-01', end_date: '9999-12-31', per_page: 50 };
const events = async (): Promise<Event[]> => (await target.get('/events', ALL)).json.events;

test('what has no slug, or is no record, is told and left out; the rest comes', async () => {
  const lists = [
    event('good', '2031-05-01'),
    event('', '2031-05-02'),
    { ...event('', '2031-05-03'), slug: null },
    null,
    5,
  ];
  const { code, err } = await bring({ events: lists as object[] });
  assert.equal(code, 1);
  assert.deepEqual(
    (await events()).map(({ slug }) => slug),
    ['good'],
  );
  assert.equal(err.match(/was not imported: It has no slug\./g)?.length, 2, err);
  assert.equal(err.match(/The site lists something that is no record\./g)?.length, 2, err);
});

describe('dates of a series that share a slug', () => {
  // Where it is cut there would be half a letter.
  const long = `ab${'%e6%97%a5'.repeat(21)}-dates`;
  const dates = [
    event('yoga', '2031-10-01'),
    event('yoga', '2031-10-08'),
    event('yoga', '2031-10-08', { start_date: '2031-10-08 18:00:00', end_date: '2031-10-08 19:00:00' }),
    ...[1, 2, 3].map((day) => event(long, `2031-11-0${day}`)),
  ];

  test('each of them comes, once, also when there are more later', async () => {
    assert.deepEqual(await bring({ events: dates }).then(({ code, err }) => [code, err]), [0, '']);
    const starts = async () => (await events()).map(({ start_date }) => start_date).sort();
    const wanted = dates.map(({ start_date }) => start_date).sort();
    assert.deepEqual(await starts(), wanted);
    assert.equal((await bring({ events: dates })).code, 0);
    assert.deepEqual(await starts(), wanted);
  });

  test('one that has another date here stays, and that is told', async () => {
    await bring({ events: [dates[0] as object] });
    const { code, err } = await bring({ events: [event('yoga', '2031-09-01')] });
    assert.equal(code, 1);
    assert.match(
      err,
      /^event yoga .*: It already exists here with another date, 2031-10-01 10:00:00, which was kept\.$/,
    );
    assert.equal((await events()).length, 1);
  });
});

test('members that are absent or odd hold up nothing', async () => {
  const odd = [
    { venue: null, organizer: {}, categories: 'none', tags: false },
    { cost: '$5', cost_details: undefined },
    { cost: '$5', cost_details: { values: { 0: '5' } } },
    { image: 'x', website: null },
    { start_date: '1066-10-14 09:00:00', end_date: '1066-10-14 10:00:00' },
  ];
  const told = odd.map((more, n) => event(`odd-${n}`, '2031-01-01', more));
  assert.deepEqual(await bring({ events: told }).then(({ code, err }) => [code, err]), [0, '']);
  assert.equal((await events()).length, odd.length);
});

test('what is refused is left out where the record can do without', async () => {
  const venue = { id: ++ids, slug: 'hall', venue: 'Hall', website: 'www.hall.example', date_utc: '0000-00-00' };
  const there = [
    event('website', '2031-01-01', { website: 'mailto:a@b.example', venue }),
    event('empty', '2031-01-01', { title: '' }),
  ];
  const { code, err } = await bring({ events: there });
  assert.equal(code, 1);
  const lines = err.split('\n');
  assert.equal(lines.length, 3, err);
  assert.match(lines[0] ?? '', /^venue hall was imported only in part: /);
  assert.match(lines[1] ?? '', /^event website was imported only in part: /);
  assert.match(lines[2] ?? '', /^event empty was not imported: /);
  const shown = (await events()).map(({ venue }) => (venue as { venue: string }).venue);
  assert.deepEqual(shown, ['Hall']);
});

test('prices keep their sign, also that of the site', async () => {
  const priced = (cost: string, currency_symbol: string, currency_position: string, ...values: string[]) =>
    event(`cost-${++ids}`, '2031-01-01', { cost, cost_details: { currency_symbol, currency_position, values } });
  const there = [
    priced('€10', '', '', '10'),
    priced('€5 – €20', '', '', '5', '20'),
    priced('10€', '', 'postfix', '10'),
    priced('$7', '', '', '7'),
    priced('£8', '£', 'prefix', '8'),
    priced('Free', '', '', '0.00'),
    priced('Donation', '', '', 'donation'),
  ];
  assert.equal((await bring({ events: there })).code, 0);
  type Priced = Pick<Event, 'cost' | 'cost_details'>;
  const shown = (list: Priced[]) => list.map(({ cost, cost_details }) => `${cost} ${cost_details.values}`).sort();
  assert.deepEqual(shown(await events()), shown(there as unknown as Priced[]));
});

test('a venue that only shares the slug is another one', async () => {
  await must(target.post('/venues', { venue: 'Town Hall', city: 'Vienna', slug: 'town-hall' }, 'admin'));
  const venues = [{ id: ++ids, slug: 'town-hall', venue: 'Town Hall', city: 'Berlin' }];
  const there = { venues, events: [event('council', '2031-01-01', { venue: venues[0] })] };
  for (const made of ['1 venue', '0 venues']) {
    const { code, out } = await bring(there);
    assert.deepEqual([code, out.split(' from ', 1)[0]?.includes(made)], [0, true], out);
  }
  assert.equal((await target.get('/venues')).json.total, 2);
  const cities = (await events()).map(({ venue }) => (venue as { city: string }).city);
  assert.deepEqual(cities, ['Berlin']);
});

test('what is above in a circle is told', async () => {
  const categories = [
    { id: 1, slug: 'a', name: 'A', parent: 2 },
    { id: 2, slug: 'b', name: 'B', parent: 1 },
  ];
  const { code, out, err } = await bring({ categories });
  assert.equal(code, 1);
  assert.match(out, /2 categories/);
  assert.match(err, /^category 2 was imported only in part: /);
});

test('what was moved here stays where it is', async () => {
  const categories = [
    { id: 1, slug: 'above', name: 'Above', parent: 0 },
    { id: 2, slug: 'below', name: 'Below', parent: 1 },
  ];
  await bring({ categories });
  const below = async () =>
    (await target.get('/categories', { slug: 'below', hide_empty: 'false' })).json.categories[0];
  assert.notEqual((await below()).parent, 0);
  await must(target.patch(`/categories/${(await below()).id}`, { parent: 0 }, 'admin'), 200);
  await bring({ categories });
  assert.equal((await below()).parent, 0);
});

test('an event that a password protects here is here', async () => {
  const own = { title: 'Own', start_date: '2031-01-01 10:00', end_date: '2031-01-01 11:00', timezone: 'Europe/Vienna' };
  await must(target.post('/events', { ...own, slug: 'closed', password: 'lantern' }, 'admin'));
  const { code, out, err } = await bring({ events: [event('closed', '2031-01-01')] });
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^Already here: 1 event/m);
});

test('what let one in that was killed is taken back by one of the next days', async () => {
  const { id, username } = target.users.admin;
  const user = { id, username, role: 'administrator' as const };
  await target.database.write(async (db) => {
    const old = await issue(db, user, 'token', 'import');
    await db.run(db.q.updateTable('credential').set({ created_at: 1_700_000_000 }).where('id', '=', old.id));
    await issue(db, user, 'token', 'import');
    await issue(db, user, 'token', 'telephone');
  });
  assert.equal((await bring({})).code, 0);
  const left = JSON.parse((await inProcess(['token', 'list', '--json'], settings())).out);
  assert.deepEqual(left.map(({ name }: { name: string }) => name).sort(), ['import', 'telephone']);
});

describe('a site that fails', () => {
  const many = Array.from({ length: 25 }, (_, n) => event(`many-${n}`, '2031-01-01'));
  const broken: [what: string, code: number, said: RegExp, came: number, at: (response: ServerResponse) => void][] = [
    [
      'has fewer pages than it says',
      1,
      /^events: The site reports 25, but listed 10/,
      10,
      (r) => r.writeHead(404).end('{}'),
    ],
    ['tells no list', 1, /does not return its events as a list/, 10, (r) => r.end('{"events":{}}')],
    ['tells nothing', 1, /no usable response \(HTTP status 200\) when/, 10, (r) => r.end('null')],
    ['tells something else', 1, /no usable response \(HTTP status 200\) when/, 10, (r) => r.end('<p>Maintenance</p>')],
    [
      'refuses',
      1,
      /no usable response \(HTTP status 403\) when asked for its events/,
      10,
      (r) => r.writeHead(403).end(),
    ],
  ];
  for (const [what, code, said, came, at] of broken) {
    test(what, async () => {
      const result = await bring({ events: many }, (page, response) => {
        if (page === 'events 2') at(response);
        return page === 'events 2';
      });
      assert.equal(result.code, code);
      assert.match(result.err, said);
      assert.match(result.out, new RegExp(`^Imported ${came} events`));
      assert.equal((await events()).length, came);
    });
  }

  test('breaks off in the midst of an answer, once', async () => {
    let broke = false;
    const { code } = await bring({ events: many }, (page, response) => {
      if (broke || page !== 'events 2') return false;
      broke = true;
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('{"events":[');
      setTimeout(() => response.destroy(), 50);
      return true;
    });
    assert.deepEqual([code, broke, (await events()).length], [0, true, 25]);
  });
});

describe('while a page is written, the next one is fetched', () => {
  /** The picture of the first event comes when the second page has been asked for and `meanwhile` is done. */
  const paged = async (meanwhile: () => Promise<void>, isSilent: boolean) => {
    const many = Array.from({ length: 25 }, (_, n) => event(`next-${n}`, '2031-01-01'));
    let ask = (): void => {};
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const there = await site({ events: many }, (page, response) => {
      if (page === 'events 2') ask();
      if (page === 'picture 1') {
        response.setHeader('Content-Type', 'image/png');
        void asked.then(meanwhile).then(async () => response.end(await picture()));
      }
      return page === 'picture 1' || (isSilent && page === 'events 2');
    });
    Object.assign(many[0] as object, { image: { url: `${there.url}/picture` } });
    return { ...there, settings: { ...settings(), KALENDS_FETCH_ALLOW: new URL(there.url).host } };
  };

  test('and everything comes', async () => {
    const there = await paged(async () => {}, false);
    try {
      const { code, err } = await inProcess(['import', there.url], there.settings);
      assert.deepEqual([code, err], [0, '']);
      assert.equal((await target.get('/events', ALL)).json.total, 25);
    } finally {
      there.close();
    }
  });

  test('and nobody waits for it if writing fails', async () => {
    const breaking = () => target.database.write((db) => db.run(db.q.schema.alterTable('event').renameTo('elsewhere')));
    const there = await paged(breaking, true);
    try {
      const began = performance.now();
      const { code, err } = await ended(started(['import', there.url], there.settings));
      assert.equal(code, 1);
      assert.match(err, /This calendar returned an error: .* What was imported stays/);
      assert.ok(performance.now() - began < 20_000, 'the page is given up');
    } finally {
      there.close();
    }
  });
});

test('stopped while it writes, it ends soon, and goes on the next time', async () => {
  const many = Array.from({ length: 200 }, (_, n) => event(`stop-${n}`, '2031-01-01'));
  let child: ReturnType<typeof started> | undefined;
  const there = await site({ events: many }, (page) => {
    if (page === 'events 3') setTimeout(() => child?.kill('SIGTERM'), 20);
    return false;
  });
  try {
    child = started(['import', there.url], settings());
    const began = performance.now();
    const { code, err } = await ended(child);
    assert.equal(code, 1);
    assert.match(err, /^Stopped\. What was imported stays/);
    assert.ok(performance.now() - began < 20_000, 'nobody waits for connections that say nothing');
    assert.deepEqual(JSON.parse((await inProcess(['token', 'list', '--json'], settings())).out), []);
    assert.equal((await inProcess(['import', there.url], settings())).code, 0);
    assert.equal((await target.get('/events', ALL)).json.total, 200);
  } finally {
    there.close();
  }
});
