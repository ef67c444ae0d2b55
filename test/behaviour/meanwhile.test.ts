import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database, Db } from '../../src/db/database.js';
import { must, unique } from '../support/rows.js';
import { type Reply, startServer, type TestServer } from '../support/server.js';

/** What is written while a response is being put together: it may be the one from before, but nobody keeps it. */

/** Holds up a read by an anonymous caller behind its n-th query, until it is let go. */
class Gate {
  private left = 0;
  private reached = (): void => {};
  private open = Promise.resolve();
  letGo = (): void => {};

  /** Resolves when a read waits here. */
  close(behind: number): Promise<'waits'> {
    this.left = behind;
    this.open = new Promise((resolve) => {
      this.letGo = resolve;
    });
    return new Promise((resolve) => {
      this.reached = () => resolve('waits');
    });
  }

  forget(): void {
    this.left = 0;
    this.letGo();
  }

  private async pass<T>(result: Promise<T>): Promise<T> {
    const found = await result;
    if (this.left === 0 || --this.left > 0) return found;
    this.reached();
    await this.open;
    return found;
  }

  readonly watch = (database: Database): Database => ({
    ...database,
    // What is read for the newest data, such as the log of changes, is not held up.
    read: (work, freshness) =>
      database.read((db) => {
        if (freshness?.fresh) return work(db);
        const slow: Db = Object.create(db);
        slow.all = (query) => this.pass(db.all(query));
        slow.first = (query) => this.pass(db.first(query));
        return work(slow);
      }, freshness),
  });
}

const gate = new Gate();
let s: TestServer;
before(async () => {
  const limits = { KALENDS_SIGN_IN_LIMIT: '0', KALENDS_WRITE_LIMIT: '0', KALENDS_LOG_LEVEL: 'silent' };
  s = await startServer(limits, undefined, gate.watch);
});
after(() => s.close());

const MOST_QUERIES = 30;
const DATES = { start_date: '2061-02-03 10:00', end_date: '2061-02-03 12:00' };
const SOUGHT = 'start_date=2061-01-01&end_date=2062-01-01';

interface Case {
  path: string;
  /** Makes whatever is kept of the response wrong, so that it must be read. */
  touch: () => Promise<unknown>;
  change: () => Promise<unknown>;
  isNew: (reply: Reply) => boolean;
}

const MEMBERS = { events: 'title', venues: 'venue', organizers: 'organizer', tags: 'name', categories: 'name' };
type Plural = keyof typeof MEMBERS;
const made = (plural: Plural, name: string, more: object = {}): Promise<{ id: number; slug: string }> =>
  must(s.post(`/${plural}`, { ...(plural === 'events' ? DATES : {}), [MEMBERS[plural]]: name, ...more }, 'admin'));
const renamed = (plural: Plural, id: number, name: string) => () =>
  must(s.patch(`/${plural}/${id}`, { [MEMBERS[plural]]: name }, 'admin'), 200);

const renames =
  (plural: Plural, pathOf: (one: { id: number; slug: string; name: string }) => string) => async (): Promise<Case> => {
    const name = unique('Held');
    const { id, slug } = await made(plural, name);
    const [touch, change] = [renamed(plural, id, `${name} before`), renamed(plural, id, `${name} after`)];
    const path = pathOf({ id, slug, name: encodeURIComponent(name) });
    return { path, touch, change, isNew: ({ text }) => text.includes(`${name} after`) };
  };
const grows = (plural: Plural, query: string) => async (): Promise<Case> => {
  const name = unique('Held');
  const { id } = await made(plural, name);
  const [touch, change] = [renamed(plural, id, `${name} before`), () => made(plural, name)];
  const path = `/${plural}?${query}&search=${encodeURIComponent(name)}`;
  return { path, touch, change, isNew: ({ json }) => json.total === 2 && json[plural].length === 2 };
};
/** An event, and its venue or category. */
const linked = async (plural: 'venues' | 'categories', member: 'venue' | 'categories') => {
  const name = unique('Linked');
  const { id, slug } = await made(plural, name);
  const event = await made('events', unique('Held'), { [member]: id });
  return {
    id,
    slug,
    event,
    touch: renamed(plural, id, `${name} before`),
    change: renamed(plural, id, `${name} after`),
  };
};

const CASES: Record<string, () => Promise<Case>> = {
  'an event': renames('events', ({ id }) => `/events/${id}`),
  'an event by its slug': renames('events', ({ slug }) => `/events/by-slug/${slug}`),
  'found events': renames('events', ({ name }) => `/events?${SOUGHT}&search=${name}`),
  'a list of events': renames('events', ({ id }) => `/events?include=${id}&end_date=2062-01-01`),
  'a venue': renames('venues', ({ id }) => `/venues/${id}`),
  'found venues': renames('venues', ({ name }) => `/venues?search=${name}`),
  organizers: renames('organizers', ({ id }) => `/organizers?include=${id}`),
  'a tag': renames('tags', ({ id }) => `/tags/${id}`),
  categories: renames('categories', ({ name }) => `/categories?hide_empty=false&search=${name}`),
  'how many events are found': grows('events', SOUGHT),
  'how many venues are found': grows('venues', ''),
  'how many tags are found': grows('tags', 'hide_empty=false'),
  'what an event is linked to': async () => {
    const { event, id, ...rest } = await linked('venues', 'venue');
    return { ...rest, path: `/events/${event.id}`, isNew: ({ json }) => json.venue.venue.endsWith('after') };
  },
  'which venue a filter names': async () => {
    const { id, touch } = await linked('venues', 'venue');
    const change = () => must(s.patch(`/venues/${id}`, { status: 'draft' }, 'admin'), 200);
    return { path: `/events?${SOUGHT}&venue=${id}`, touch, change, isNew: ({ status }) => status === 400 };
  },
  'which category a filter names': async () => {
    const { id, slug, touch } = await linked('categories', 'categories');
    const change = () => must(s.del(`/categories/${id}`, 'admin'), 200);
    return { path: `/events?${SOUGHT}&categories=${slug}`, touch, change, isNew: ({ status }) => status === 400 };
  },
};

for (const [what, start] of Object.entries(CASES))
  test(`${what}: what was read before a write is not shown after it`, async () => {
    let held = 0;
    for (let behind = 1; behind <= MOST_QUERIES; behind++) {
      const { path, touch, change, isNew } = await start();
      // It is asked for again and again, so it is worth keeping.
      for (let n = 0; n < 3; n++) assert.equal((await s.get(path)).status, 200, path);
      await touch();
      const waits = gate.close(behind);
      const reading = s.get(path);
      if ((await Promise.race([waits, reading])) !== 'waits') {
        gate.forget();
        break;
      }
      held++;
      await change();
      gate.letGo();
      assert.ok((await reading).status < 500);
      for (let n = 0; n < 3; n++) {
        const reply = await s.get(path);
        assert.ok(isNew(reply), `${path}, held up behind query ${behind}: ${reply.text}`);
      }
    }
    assert.ok(held > 0 && held < MOST_QUERIES, `held up ${held} times`);
  });
