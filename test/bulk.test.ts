import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { event } from '../bench/data.js';
import { contextFor, fill, make } from '../bench/fill.js';
import type { Database } from '../src/db/database.js';
import { openDatabase } from '../src/db/open.js';
import { createEvents } from '../src/events/event.bulk.js';
import { eventKind } from '../src/events/event.js';
import { type FreshDatabase, freshDatabase } from './support/engine.js';

/** Many events at once are, row for row, what they are one by one. */

const folder = mkdtempSync(path.join(tmpdir(), 'kalends-bulk-'));
const made: FreshDatabase[] = [];
after(async () => {
  for (const { drop } of made) await drop();
  rmSync(folder, { recursive: true, force: true });
});

const NOW = 1_800_000_000;
const SET = { events: 0, seed: 7, today: NOW - (NOW % 86_400), tags: 100 };
const GIVEN = 400;

/** What a generator would not think of: names instead of ids, text to clean, addresses that are taken. */
const UNUSUAL: Record<string, unknown>[] = [
  // First, since its address is its id, and venues made by the way take ids too.
  { title: '...', date_utc: '2031-05-05 05:05:05', all_day: 'true', timezone: 'UTC+5:30' },
  { title: '<br>', description: 'It has no title' },
  { title: 'Twice', venue: 'A venue that is new', organizer: ['New one', { organizer: 'Another', phone: '1' }] },
  { title: 'Twice', tags: ['new tag', 'topic 3'], categories: 'Field 1', slug: 'twice-2' },
  { title: 'Twice', venue: [], organizer: '', tags: [] },
  { title: 'feed', description: '<p onclick="x()">A &amp; <b>B</b></p><script>alert(1)</script>' },
  { title: '<i>日本語</i> と émoji 🎉', excerpt: 'a < b', status: 'draft', slug: 'Ein Wunsch' },
  { title: '2026', sticky: true, date: '2020-01-01 00:00:00', status: 'pending' },
  { title: 'x'.repeat(300), status: 'private', cost: ['5', '10'], tickets: [{ name: 'Seat', price: 5 }] },
  { title: 'x'.repeat(300), status: 'trash', tags: '', website: '' },
  ...Array.from({ length: 35 }, () => ({ title: 'Every week' })),
];

async function site(): Promise<{ url: string; database: Database; given: Record<string, unknown>[] }> {
  const fresh = await freshDatabase(mkdtempSync(path.join(folder, 'site-')));
  made.push(fresh);
  const { url } = fresh;
  const database = await openDatabase(url);
  const { ids } = await fill(database, SET, () => undefined);
  const usual = Array.from({ length: GIVEN }, (_, n) => event({ ...SET, events: GIVEN }, n, ids));
  const unusual = UNUSUAL.map((one) => ({ start_date: 'tomorrow 9am', end_date: '2028-02-29 10:00', ...one }));
  return { url, database, given: [...usual, ...unusual] };
}

/** Every row of every table that an event touches; ids of what is made by the way may come in another order. */
async function contents(database: Database): Promise<Record<string, unknown[]>> {
  return database.read(async (db) => {
    const all = (query: string) => db.all(sql.raw<Record<string, unknown>>(query));
    const events = await all('SELECT * FROM event ORDER BY title, slug, id');
    const slugOf = (table: string) => `SELECT ${table}.slug FROM ${table} WHERE ${table}.id`;
    return {
      events: events.map(({ id: _id, uid: _uid, change_seq: _seq, ...columns }) => columns),
      numbers: await all('SELECT count(DISTINCT change_seq) AS n, count(DISTINCT uid) AS uids FROM event'),
      counter: await all("SELECT value FROM counter WHERE name = 'change'"),
      search: await all('SELECT text FROM event_search ORDER BY text'),
      venues: await all(
        `SELECT event.slug, (${slugOf('venue')} = venue_id) AS venue, position FROM event_venue JOIN event ON event.id = event_id ORDER BY 1, 2, 3`,
      ),
      organizers: await all(
        `SELECT event.slug, (${slugOf('organizer')} = organizer_id) AS organizer, position FROM event_organizer JOIN event ON event.id = event_id ORDER BY 1, 2, 3`,
      ),
      terms: await all(
        `SELECT event.slug, (${slugOf('term')} = term_id) AS term FROM event_term JOIN event ON event.id = event_id ORDER BY 1, 2`,
      ),
      counts: await all('SELECT kind, slug, count FROM term ORDER BY 1, 2'),
      records: await all('SELECT kind, count(*) AS n FROM record GROUP BY kind ORDER BY kind'),
    };
  });
}

test('many events at once are what they are one by one', async () => {
  const one = await site();
  await one.database.write(async (db) => {
    for (const given of one.given) await make(eventKind, contextFor(db, NOW, 1, given));
  });
  const many = await site();
  const ids = await many.database.write((db) =>
    createEvents(
      contextFor(db, NOW, 1, {}),
      many.given.map((given) => ({ given })),
    ),
  );
  const [expected, actual] = [await contents(one.database), await contents(many.database)];
  assert.equal(expected.events?.length, one.given.length);
  assert.ok(expected.search?.length === one.given.length && (expected.terms?.length ?? 0) > GIVEN * 2);
  for (const [table, rows] of Object.entries(expected)) {
    const at = rows.findIndex((row, n) => JSON.stringify(row) !== JSON.stringify(actual[table]?.[n]));
    assert.deepEqual(actual[table]?.[at], rows[at], `${table}, row ${at}`);
    assert.equal(actual[table]?.length, rows.length, table);
  }

  const titles = await many.database.read((db) =>
    db.all(sql<{ id: number; title: string }>`SELECT id, title FROM event ORDER BY id`),
  );
  assert.deepEqual(
    titles.map(({ id }) => id),
    ids,
    'ids come in the order of the records',
  );
  assert.equal(titles[0]?.title, many.given[0]?.title);
  // What comes later meets what is there.
  await many.database.write((db) =>
    createEvents(contextFor(db, NOW, 1, {}), [
      { given: { title: 'Twice', start_date: '2027-01-01', end_date: '2027-01-02', password: 'w' }, passwordHash: 'h' },
    ]),
  );
  const last = await many.database.read((db) =>
    db.first(sql<{ slug: string; password_hash: string }>`SELECT * FROM event ORDER BY id DESC LIMIT 1`),
  );
  assert.equal(last?.slug, 'twice-4');
  assert.equal(last?.password_hash, 'h');
  await one.database.close();
  await many.database.close();
  // Opened afresh: a connection that has read the index before another one wrote takes its own memory for damage.
  const again = await openDatabase(many.url);
  assert.deepEqual(await again.integrity(), []);
  await again.close();
});

test('when one of many is refused, none is made', async () => {
  const { database, given } = await site();
  for (const bad of [
    { title: 'No such venue', venue: 999_999 },
    { title: 'No such tag', tags: [999_999] },
    { title: 'Backwards', start_date: '2027-01-02', end_date: '2027-01-01' },
    { title: '<b></b>' },
  ]) {
    const events = [...given, { start_date: '2027-01-01', end_date: '2027-01-02', ...bad }];
    await assert.rejects(
      database.write((db) =>
        createEvents(
          contextFor(db, NOW, 1, {}),
          events.map((one) => ({ given: one })),
        ),
      ),
    );
  }
  const left = await database.read((db) => db.first(sql<{ n: number }>`SELECT count(*) AS n FROM event`));
  assert.equal(left?.n, 0);
  await database.close();
});
