import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Reply, startServer, type TestServer } from './support/server.js';

/** Random calendars, what is known of them, and walks through their lists. */

export const DAY = 86_400;
export const NOON = Math.floor(Date.now() / 1000 / DAY) * DAY + DAY / 2;
export const wall = (instant: number): string => new Date(instant * 1000).toISOString().slice(0, 19).replace('T', ' ');

interface EventSpec {
  day: number;
  published: number;
  zone: string;
  word: string;
  featured: boolean;
  category: number | undefined;
  tag: number | undefined;
  venue: number | undefined;
}
interface Known extends EventSpec {
  id: number;
}
export interface Calendar {
  server: TestServer;
  events: Known[];
  venues: { id: number; name: string; published: number }[];
  categories: { id: number; name: string }[];
  tags: { id: number; name: string }[];
}

const few = fc.integer({ min: 0, max: 3 });
const zones = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland'];
// Few days and few publication dates, so that ties are common and the id has to decide.
export const eventSpec: fc.Arbitrary<EventSpec> = fc.record({
  day: fc.integer({ min: 1, max: 6 }),
  published: fc.integer({ min: 1, max: 3 }),
  zone: fc.constantFrom(...zones),
  word: fc.constantFrom('alpha', 'beta', 'gamma'),
  featured: fc.boolean(),
  category: fc.option(few, { nil: undefined }),
  tag: fc.option(few, { nil: undefined }),
  venue: fc.option(few, { nil: undefined }),
});

export async function made(server: TestServer, path: string, body: object): Promise<number> {
  const reply = await server.post(path, body, 'admin');
  assert.equal(reply.status, 201, reply.text);
  return reply.json.id;
}

async function addEvent(c: Calendar, spec: EventSpec): Promise<Known> {
  const at = NOON + spec.day * DAY;
  const id = await made(c.server, '/events', {
    title: `${spec.word} evening`,
    // With an offset it is that instant, in whatever zone the event is (D4).
    start_date: `${wall(at)}Z`,
    end_date: `${wall(at + 3600)}Z`,
    timezone: spec.zone,
    date_utc: wall(NOON - (10 - spec.published) * DAY),
    featured: spec.featured,
    ...(spec.category === undefined ? {} : { categories: [c.categories[spec.category]?.id] }),
    ...(spec.tag === undefined ? {} : { tags: [c.tags[spec.tag]?.id] }),
    ...(spec.venue === undefined ? {} : { venue: c.venues[spec.venue]?.id }),
  });
  return { ...spec, id };
}

export async function calendar(specs: EventSpec[]): Promise<Calendar> {
  const server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  const c: Calendar = { server, events: [], venues: [], categories: [], tags: [] };
  for (const n of [0, 1, 2, 3]) {
    const published = n % 2;
    const name = `Hall ${n}`;
    const date_utc = wall(NOON - (10 - published) * DAY);
    c.venues.push({ id: await made(server, '/venues', { venue: name, date_utc }), name, published });
  }
  for (const name of ['delta', 'Alpha', 'gamma', 'BETA']) {
    c.categories.push({ id: await made(server, '/categories', { name }), name });
    c.tags.push({ id: await made(server, '/tags', { name }), name });
  }
  c.events.push(...(await Promise.all(specs.map((spec) => addEvent(c, spec)))));
  return c;
}

/** The order of B13, as the decision says it. */
export const inOrder = (events: Known[]): number[] =>
  [...events].sort((a, b) => a.day - b.day || a.published - b.published || a.id - b.id).map(({ id }) => id);
export const newestFirst = (list: { id: number; published: number }[]): number[] =>
  [...list].sort((a, b) => b.published - a.published || b.id - a.id).map(({ id }) => id);
export const byName = (list: { id: number; name: string }[]): number[] =>
  [...list].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1)).map(({ id }) => id);

export interface Filters {
  word: string | undefined;
  featured: boolean | undefined;
  category: number | undefined;
  tag: number | undefined;
  venues: number[] | undefined;
  from: number | undefined;
}
export const filters: fc.Arbitrary<Filters> = fc.record({
  word: fc.option(fc.constantFrom('alpha', 'beta', 'gam'), { nil: undefined }),
  featured: fc.option(fc.boolean(), { nil: undefined, freq: 2 }),
  category: fc.option(few, { nil: undefined, freq: 2 }),
  tag: fc.option(few, { nil: undefined, freq: 2 }),
  venues: fc.option(fc.uniqueArray(few, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 2 }),
  from: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 2 }),
});
export const perPage = fc.integer({ min: 1, max: 8 });

export const chosen = (c: Calendar, f: Filters): Known[] =>
  c.events.filter(
    (e) =>
      (f.word === undefined || e.word.startsWith(f.word)) &&
      (f.featured === undefined || e.featured === f.featured) &&
      (f.category === undefined || e.category === f.category) &&
      (f.tag === undefined || e.tag === f.tag) &&
      (f.venues === undefined || (e.venue !== undefined && f.venues.includes(e.venue))) &&
      (f.from === undefined || e.day >= f.from),
  );

export function queryOf(c: Calendar, f: Filters): URLSearchParams {
  const query = new URLSearchParams();
  if (f.word !== undefined) query.set('search', f.word);
  if (f.featured !== undefined) query.set('featured', String(f.featured));
  if (f.category !== undefined) query.set('categories', String(c.categories[f.category]?.id));
  if (f.tag !== undefined) query.set('tags', String(c.tags[f.tag]?.name));
  for (const venue of f.venues ?? []) query.append('venue', String(c.venues[venue]?.id));
  if (f.from !== undefined) query.set('start_date', wall(NOON + f.from * DAY));
  return query;
}

export const idsOf = (reply: Reply, plural: string): number[] =>
  reply.json[plural].map((one: { id: number }) => one.id);

/** All pages by number, until there are no more; `between` runs after each page. */
export async function walk(
  server: TestServer,
  plural: string,
  query: URLSearchParams,
  size: number,
  between: () => Promise<void> = async () => {},
): Promise<{ ids: number[]; pages: Reply[] }> {
  const ids: number[] = [];
  const pages: Reply[] = [];
  for (let page = 1; page < 500; page++) {
    const asked = new URLSearchParams([...query, ['page', String(page)], ['per_page', String(size)]]);
    const reply = await server.get(`/${plural}`, asked.toString());
    // B1: past the end 404, of terms an empty list; the first page is there even when it is empty.
    const terms = plural === 'categories' || plural === 'tags';
    if (page > 1 && reply.status === 404 && !terms) return { ids, pages };
    assert.equal(reply.status, 200, reply.text);
    const found = idsOf(reply, plural);
    if (page > 1 && found.length === 0 && terms) return { ids, pages };
    assert.ok(page === 1 || found.length > 0, 'an empty page that is not the first');
    ids.push(...found);
    pages.push(reply);
    await between();
  }
  throw new Error('the list does not end');
}

/** The same by following links. */
async function follow(server: TestServer, plural: string, query: URLSearchParams, size: number): Promise<number[]> {
  const ids: number[] = [];
  let url: string | undefined =
    `${server.api}/${plural}?${new URLSearchParams([...query, ['per_page', String(size)]])}`;
  for (let n = 0; url !== undefined; n++) {
    assert.ok(n < 500, 'the links do not end');
    const reply: Reply = await server.get(url);
    assert.equal(reply.status, 200, reply.text);
    ids.push(...idsOf(reply, plural));
    url = reply.json.next_rest_url;
  }
  return ids;
}

export async function checkWalk(c: Calendar, plural: string, query: URLSearchParams, size: number, expected: number[]) {
  const { server } = c;
  const { ids, pages } = await walk(server, plural, query, size);
  assert.deepEqual(ids, expected, 'by page number');
  assert.deepEqual(await follow(server, plural, query, size), expected, 'by next_rest_url');
  for (const [at, page] of pages.entries()) {
    const { total, total_pages } = page.json;
    assert.deepEqual([total, total_pages], [expected.length, Math.ceil(expected.length / size)]);
    assert.equal(page.headers.get('x-tec-total'), String(total));
    assert.equal(page.headers.get('x-tec-totalpages'), String(total_pages));
    assert.equal('next_rest_url' in page.json, at + 1 < pages.length);
    assert.equal('previous_rest_url' in page.json, at > 0);
    const again = await server.get(page.json.rest_url);
    assert.deepEqual(idsOf(again, plural), idsOf(page, plural), 'rest_url leads to the same page');
    if (at > 0) {
      const back = await server.get(page.json.previous_rest_url);
      assert.deepEqual(idsOf(back, plural), idsOf(pages[at - 1] as Reply, plural), 'previous_rest_url');
    }
  }
}
