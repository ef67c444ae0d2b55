import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Event } from '../src/client/client.js';
import { picture, upload } from './security/support.js';
import { ended, fresh, inProcess, type Result, started } from './support/cli.js';
import { clientAs, collect } from './support/client.js';
import { must } from './support/rows.js';
import { startServer, type TestServer } from './support/server.js';

/** `kalends import`: what another site shows comes here, whole, and once. */

/** A site with all that is easily lost on the way. */
async function fill(s: TestServer): Promise<void> {
  const make = (at: string, json: unknown) => must(s.post(at, json, 'admin'));
  const image = async (width: number) => (await must(upload(s, await picture(width, 30)))).id as number;
  // Its name comes before that of the one above it, so that it is read first.
  const { id: parent } = await make('/categories', { name: 'Music', description: 'Loud & quiet' });
  const { id: jazz } = await make('/categories', { name: 'Jazz', slug: 'jazz-music', parent });
  await make('/categories', { name: 'Nothing yet', parent: jazz });
  const { id: tag } = await make('/tags', { name: '日本語' });
  const place = {
    city: 'Lisbon',
    geo_lat: 38.7,
    geo_lng: -9.1,
    show_map: false,
    website: 'https://hall.example/?a=1&b=2',
  };
  const hall = await make('/venues', { venue: 'Hall', image: await image(50), ...place });
  const other = await make('/venues', { venue: 'Hall', slug: 'hall-upstairs', city: 'Porto' });
  await make('/venues', { venue: 'Empty house' });
  const organizer = await make('/organizers', {
    organizer: "O'Hara & Co",
    email: 'a@b.example',
    image: await image(60),
  });
  const own = { start_date: '2031-05-01 19:00', end_date: '2031-05-01 21:00', timezone: 'Europe/Lisbon' };
  const linked = { venue: hall.id, organizer: organizer.id, categories: [jazz], tags: [tag] };
  const child = await make('/events', { ...own, title: 'Day one', ...linked, cost: ['£5', '£7'], sticky: true });
  const tickets = [
    { name: 'Seat', provider: 'box office', price: 15, currency: 'EUR', capacity: 9, sale_ends: '2031-04-01' },
  ];
  const whole = { title: 'All <em>days</em>', description: '<p>Two.</p>', excerpt: 'One', all_day: true };
  const festival = await make('/events', {
    ...own,
    start_date: '2031-06-01',
    end_date: '2031-06-03',
    ...whole,
    venue: [hall.id, other.id],
    image: await image(70),
    tickets,
  });
  await must(s.patch(`/events/${child.id}`, { post_parent: festival.id }, 'admin'), 200);
  const costs = [
    '€10,50',
    '5€',
    '$3',
    ['0', '$8'],
    ['$4', '$9'],
    '£5-£7',
    '12',
    '1,000',
    ['5 EUR', '6 EUR', '7 EUR'],
    'Free',
    "Members' price",
  ];
  for (const [n, cost] of costs.entries()) await make('/events', { ...own, title: `Cost ${n}`, cost });
  const night = { timezone: 'Europe/Lisbon', start_date: '2031-10-26T00:30:00Z', end_date: '2031-10-26T01:15:00Z' };
  await make('/events', { ...own, title: 'While the clocks go back', ...night });
  await make('/events', { ...own, title: 'Closed', password: 'lantern' });
  await make('/events', { ...own, title: 'Not ready', status: 'draft' });
}

/** All that anybody is shown, without what must differ: ids, addresses, when and by whom it was written. */
async function contentOf(s: TestServer) {
  const client = clientAs(s);
  const events = await collect(client.events.all({ start_date: '2000-01-01', end_date: '2100-01-01' }));
  const records = {
    events,
    venues: await collect(client.venues.all()),
    organizers: await collect(client.organizers.all()),
  };
  const terms = await collect(client.categories.all({ hide_empty: false }));
  const tags = await collect(client.tags.all({ hide_empty: false }));
  const above: Record<string, Map<unknown, string>> = {
    parent: new Map(terms.map(({ id, slug }) => [id, slug])),
    post_parent: new Map(events.map(({ id, slug }) => [id, slug])),
  };
  const differing =
    /^(id|author|date|modified|modified_utc|url|urls|rest_url|global_id.*|json_ld|filesize|sizes|term_taxonomy_id)$/;
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== 'object') return value;
    const { url, website, ...rest } = value as Record<string, unknown>;
    const kept = Object.entries(rest).filter(([name]) => !differing.test(name));
    const content = kept.map(([name, one]) => [name, above[name]?.get(one) ?? plain(one)]);
    return { ...Object.fromEntries(content), website: website === url ? '' : website };
  };
  const sorted = (list: unknown[]) =>
    list.map(plain).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  return Object.fromEntries(Object.entries({ ...records, terms, tags }).map(([kind, list]) => [kind, sorted(list)]));
}

let source: TestServer;
let target: TestServer;
before(async () => {
  source = await startServer();
  target = await startServer();
  await fill(source);
});
after(async () => {
  await target.close();
  await source.close();
});

const settings = (): Record<string, string> => {
  const { dataDir, databaseUrl, mediaUrl, awsAccessKeyId = '', awsSecretAccessKey = '' } = target.config;
  return {
    KALENDS_DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    KALENDS_MEDIA_URL: mediaUrl,
    AWS_ACCESS_KEY_ID: awsAccessKeyId,
    AWS_SECRET_ACCESS_KEY: awsSecretAccessKey,
    KALENDS_FETCH_ALLOW: new URL(source.home).host,
  };
};
const brought = (site: string, ...args: string[]): Promise<Result> => inProcess(['import', site, ...args], settings());
const ALL = { start_date: '2000-01-01', end_date: '2100-01-01', per_page: 50 };

describe('a calendar comes as it is written there', () => {
  const wanted = async () => {
    const there = await contentOf(source);
    return { ...there, events: (there.events ?? []).filter((one) => (one as Event).title !== 'Closed') };
  };

  test('all of it', async () => {
    const { code, out, err } = await brought(source.home);
    assert.deepEqual([code, err], [0, '']);
    const came = `Imported 14 events, 3 venues, 1 organizer, 3 categories, 1 tag from ${source.home}.`;
    assert.equal(out, `${came}\nSkipped 1 password-protected event.`);
    const all = await wanted();
    for (const kept of ['"post_parent":"all-days"', '"parent":"music"', '"width":50', '"ticketed":["box office"]'])
      assert.ok(JSON.stringify(all).includes(kept), kept);
    assert.equal(all.events.length, 14);
    // At a server that runs meanwhile.
    assert.deepEqual(await contentOf(target), all);
    assert.equal((await target.get('/media', {}, 'admin')).json.total, 3);
    const { events } = (await target.get('/events', ALL)).json;
    assert.deepEqual([...new Set(events.map(({ author }: Event) => author))], [String(target.users.admin.id)]);
  });

  test('once, though it is told twice', async () => {
    const modified = async () =>
      (await target.get('/events', ALL)).json.events.map((one: Event) => [one.id, one.modified]);
    const first = await modified();
    const { made, present, problems } = JSON.parse((await brought(source.home, '--json')).out);
    assert.deepEqual([made.events, made.tags, present.events, present.venues, problems], [0, 0, 14, 3, []]);
    assert.deepEqual(await modified(), first);
    assert.equal((await target.get('/media', {}, 'admin')).json.total, 3);
  });

  test('a picture that could not be had comes with the next run', async () => {
    const { events } = (await target.get('/events', ALL)).json;
    const { id } = events.find((one: Event) => one.image);
    assert.equal((await target.patch(`/events/${id}`, { image: '' }, 'admin')).json.image, false);
    assert.equal((await brought(source.home)).code, 0);
    assert.deepEqual(await contentOf(target), await wanted());
  });

  test('what was used to let it in is gone', async () => {
    const { code, out } = await inProcess(['token', 'list', '--json'], settings());
    assert.deepEqual([code, JSON.parse(out)], [0, []]);
  });
});

test('what is refused is told, and the others come', async () => {
  const s = await startServer();
  try {
    await must(s.post('/venues', { venue: 'A house' }, 'admin'));
    const { id } = await must(upload(s, await picture(20, 20)));
    await must(s.post('/organizers', { organizer: 'Seen', image: id }, 'admin'));
    // A host that is not allowed here.
    const { code, out, err } = await brought(s.home, '--user', 'editor');
    assert.equal(code, 1);
    assert.match(out, /^Imported 0 events, 1 venue, 1 organizer, 0 categories, 0 tags from/);
    assert.match(err, /^organizer seen was imported only in part: image \S/);
    const { organizers } = (await target.get('/organizers', { search: 'Seen' })).json;
    assert.deepEqual([organizers[0].author, organizers[0].image], [String(target.users.editor.id), undefined]);
  } finally {
    await s.close();
  }
});

describe('what cannot be', () => {
  const refused = async (code: number, said: RegExp, site: string, ...args: string[]): Promise<void> => {
    const result = await brought(site, ...args);
    assert.equal(result.code, code, result.err);
    assert.match(result.err, said);
    assert.equal(result.out, '');
  };
  test('no address', () => refused(2, /^"old\.example" is not a URL\. Write it like https/, 'old.example'));
  test('nobody there', () => refused(1, /^http:\/\/127\.0\.0\.1:1 does not respond: /, 'http://127.0.0.1:1'));
  test('no such user', () => refused(1, /^There is no user "nobody"/, source.home, '--user', 'nobody'));
  test('a user who may not', () =>
    refused(1, /^"author" has the role author; an editor or administrator is needed/, source.home, '--user', 'author'));
  test('another scheme', () => refused(2, /^"ftp:\/\/old\.example" is not a URL/, 'ftp://old.example'));
  test('no calendar there', async () => {
    const other = createServer((_, response) => response.end('<p>Flowers</p>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      await refused(1, /^No calendar API was found at/, `http://127.0.0.1:${port}`);
    } finally {
      other.close();
    }
  });
  test('no calendar here', async () => {
    const { code, err } = await inProcess(['import', source.home], { KALENDS_DATA_DIR: fresh() });
    assert.equal(code, 1);
    assert.match(err, /^There is no database at .* yet\. Create one with "kalends serve"/);
  });
});

test('a site that is busy for a moment is asked again', async () => {
  let asked = 0;
  const other = createServer((request, response) => {
    const busy = request.url?.includes('/events/v1/venues') && ++asked < 3;
    const [, kind = ''] = /events\/v1\/(\w+)/.exec(request.url ?? '') ?? [];
    response.statusCode = busy ? 503 : 200;
    response.setHeader('Retry-After', '0.01');
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ [kind]: [], total: 0 }));
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    const { code, out } = await brought(`http://127.0.0.1:${port}/wp-json/tribe/events/v1`);
    assert.deepEqual([code, asked], [0, 3]);
    assert.match(out, /^Imported 0 events/);
  } finally {
    other.close();
  }
});

for (const [when, path] of [
  ['in between', '/wp-json/tribe/events/v1'],
  ['while it looks for the API', '/'],
])
  test(`stopped ${when}, it ends at once and leaves nothing behind that lets anybody in`, {
    timeout: 30_000,
  }, async () => {
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    // Asked for anything, it keeps silent.
    const other = createServer(() => asked()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const child = started(['import', `http://127.0.0.1:${port}${path}`], settings());
      const end = ended(child);
      await isAsked;
      child.kill('SIGINT');
      const { code, err } = await end;
      assert.deepEqual([code, err], [1, 'Stopped. What was imported stays; run the command again for the rest.\n']);
      assert.deepEqual(JSON.parse((await inProcess(['token', 'list', '--json'], settings())).out), []);
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });
