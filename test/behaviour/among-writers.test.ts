import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/db/database.js';
import { makeEvent, must } from '../support/rows.js';
import { startServer, type TestServer } from '../support/server.js';

/**
 * Readers among writers: whoever asks after a write was answered sees it, whatever is in memory, being read or being
 * written meanwhile; and nobody sees what was never sent.
 */
const DAY = { start_date: '2064-02-03', end_date: '2064-02-03' };
const READERS = 8;
const WRITES = 60;

/** What reads the newest state begins late, as on a busy machine, so that many ask before memory knows of a write. */
const late = (database: Database): Database => ({
  ...database,
  read: async (work, freshness) => {
    if (freshness?.fresh) await sleep(Math.random() * 15);
    return database.read(work, freshness);
  },
});

let s: TestServer;
let counted: number;
let category: number;
before(async () => {
  s = await startServer({ KALENDS_WRITE_LIMIT: '0', KALENDS_LOG_LEVEL: 'silent' }, undefined, late);
  const first = await makeEvent(s, {
    title: 'Count 0',
    categories: ['Crowd'],
    start_date: '2065-01-01',
    end_date: '2065-01-01',
  });
  counted = first.id;
  category = first.categories[0].id;
});
after(() => s.close());

test('who asks after a write was answered sees it', async () => {
  // What was sent, and what was answered.
  const begun = { made: 0, count: 0 };
  const done = { made: 0, count: 0 };
  let asked = 0;
  let isOver = false;

  const writer = async (what: 'made' | 'count'): Promise<void> => {
    for (let n = 1; n <= WRITES; n++) {
      begun[what] = n;
      const body = { title: `Crowd ${n}`, categories: [category], ...DAY };
      if (what === 'made') await must(s.post('/events', body, 'admin'));
      else await must(s.patch(`/events/${counted}`, { title: `Count ${n}` }, 'admin'), 200);
      done[what] = n;
    }
  };
  const lists: Record<string, unknown>[] = [
    { ...DAY },
    { ...DAY, per_page: 3 },
    { ...DAY, categories: category },
    { ...DAY, search: 'crowd' },
  ];
  const reader = async (own: number): Promise<void> => {
    for (let n = own; !isOver; n++) {
      const isList = n % 3 > 0;
      const query = isList ? lists[n % lists.length] : {};
      // Every other is asked in words that nobody has used before, so that no whole response is kept.
      const fresh = n % 2 === 0 ? { x: `${own} ${n}` } : {};
      const least = { ...done };
      const { status, json } = await s.get(isList ? '/events' : `/events/${counted}`, { ...query, ...fresh });
      const most = { ...begun };
      assert.equal(status, 200);
      const [seen, what] = isList ? [json.total, 'made' as const] : [Number(json.title.slice(6)), 'count' as const];
      assert.ok(seen >= least[what] && seen <= most[what], `${what}: ${least[what]} <= ${seen} <= ${most[what]}`);
      asked++;
    }
  };

  const readers = Array.from({ length: READERS }, (_, n) => reader(n));
  await Promise.all([writer('made'), writer('count')]).finally(() => {
    isOver = true;
  });
  await Promise.all(readers);
  console.log(`# among writers: ${asked} responses to ${READERS} readers, ${2 * WRITES} writes`);
  assert.ok(asked > WRITES);
});

test('those who ask at once after a write share one look at what changed, and nothing else is read again', async () => {
  const paths = ['', '&per_page=3', `&categories=${category}`, '&search=crowd'].map(
    (more) => `/events?start_date=2064-02-03&end_date=2064-02-03${more}`,
  );
  const readAll = () => Promise.all([...paths, ...paths].map((path) => s.get(path)));
  for (let n = 0; n < 4; n++) await readAll();
  const looks: number[] = [];
  const others: string[] = [];
  for (let n = 1; n <= 5; n++) {
    await must(s.patch(`/events/${counted}`, { title: `Count ${WRITES + n}` }, 'admin'), 200);
    s.sqlSeen();
    for (const { status } of await readAll()) assert.equal(status, 200);
    const seen = s.sqlSeen();
    looks.push(seen.filter((sql) => /FROM change_log/.test(sql)).length);
    others.push(...seen.filter((sql) => /event_venue/.test(sql)));
  }
  // Those who look for the writes of other instances, twice a second, come on top.
  assert.ok(Math.min(...looks) <= 2, `looks at the log: ${looks}`);
  assert.deepEqual(others, [], 'rows of events');
});
