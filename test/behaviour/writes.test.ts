import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Db } from '../../src/db/database.js';
import { readSetting, writeSetting } from '../../src/db/settings.js';
import { behaviour, makeEvent, must, newEvent, unique } from '../support/rows.js';
import type { RoleName } from '../support/server.js';

behaviour('writing (D7)', async (s) => {
  const TABLES = [
    'event',
    'venue',
    'organizer',
    'term',
    'record',
    'event_venue',
    'event_organizer',
    'event_term',
    'event_search',
    'venue_search',
    'organizer_search',
    'term_search',
    'tombstone',
  ];
  /** How many rows each table has, and the number of the last change. */
  const rowsInAll = (): Promise<Record<string, number>> =>
    s.database.read(async (db) => {
      const counts: Record<string, number> = {};
      for (const table of TABLES) {
        const row = await db.first(sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.table(table)}`);
        counts[table] = row?.n ?? -1;
      }
      const change = await db.first(sql<{ value: number }>`SELECT value FROM counter WHERE name = 'change'`);
      return { ...counts, change: change?.value ?? -1 };
    });

  describe('all or nothing', () => {
    const linked = () => ({
      venue: { venue: unique('V') },
      organizer: [{ organizer: unique('O') }],
      categories: [unique('C')],
    });
    /** What fails, by whom, with what, and the status. */
    const failing: [string, RoleName, () => Record<string, unknown>, number][] = [
      ['an unknown organizer', 'admin', () => ({ ...linked(), organizer: [{ organizer: unique('O') }, 999_999] }), 400],
      [
        'an organizer without a name that can be shown',
        'admin',
        () => ({ ...linked(), organizer: [unique('O'), { organizer: '<i></i>' }] }),
        400,
      ],
      [
        'a venue without a name that can be shown',
        'admin',
        () => ({ ...linked(), venue: [unique('V'), { venue: '<i></i>' }] }),
        400,
      ],
      ['a tag that the caller may not make', 'author', () => ({ ...linked(), tags: [unique('T')] }), 403],
      ['a category that the caller may not make', 'contributor', linked, 403],
      ['an author that the caller may not name', 'author', () => ({ ...linked(), author: s.users.admin.id }), 403],
      [
        'an end before the start',
        'admin',
        () => ({ ...linked(), start_date: '2031-02-02', end_date: '2031-02-01' }),
        400,
      ],
    ];
    for (const [name, as, body, status] of failing) {
      test(`D7 create with ${name} leaves nothing behind`, async () => {
        const before = await rowsInAll();
        const reply = await s.post('/events', newEvent(body()), as);
        assert.equal(reply.status, status, reply.text);
        assert.deepEqual(await rowsInAll(), before);
      });
      test(`D7 update with ${name} leaves nothing behind, and the event as it was`, async () => {
        const { id } = await makeEvent(s, { status: 'draft', venue: unique('Old') }, as);
        const read = () => s.get(`/events/${id}`, {}, as);
        const [before, seen] = [await rowsInAll(), await read()];
        const reply = await s.patch(`/events/${id}`, { title: 'Never', ...body() }, as);
        assert.equal(reply.status, status, reply.text);
        assert.deepEqual(await rowsInAll(), before);
        assert.equal((await read()).text, seen.text);
      });
    }
    test('D7 and when all is well, all of it is there', async () => {
      const before = await rowsInAll();
      await makeEvent(s, { ...linked(), tags: [unique('T')] });
      const after = await rowsInAll();
      for (const table of ['event', 'venue', 'organizer', 'event_venue', 'event_organizer', 'event_search']) {
        assert.equal(after[table], (before[table] ?? -9) + 1, table);
      }
      assert.equal(after.term, (before.term ?? -9) + 2);
    });
  });

  describe('many at once', () => {
    const times = <T>(n: number, work: (at: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: n }, (_, at) => work(at)));

    test('D16 50 creates of one title at once get 50 slugs', async () => {
      const title = unique('Rush');
      const made = await times(50, () => makeEvent(s, { title }));
      const slug = title.toLowerCase().replace(' ', '-');
      const wanted = [slug, ...Array.from({ length: 49 }, (_, n) => `${slug}-${n + 2}`)];
      assert.deepEqual(made.map((event) => event.slug).sort(), wanted.sort());
      assert.equal(new Set(made.map((event) => event.id)).size, 50);
    });
    test('D7 20 updates of one event at once: all answered, all counted', async () => {
      const { id } = await makeEvent(s);
      const row = () =>
        s.database.read((db) =>
          db.first(db.q.selectFrom('event').select(['revision', 'change_seq', 'title']).where('id', '=', id)),
        );
      const before = await row();
      const replies = await times(20, (n) =>
        s.patch(`/events/${id}`, { title: `Turn ${n}`, tags: [`turn ${n}`] }, 'admin'),
      );
      assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [200]);
      for (const [n, reply] of replies.entries())
        assert.equal(reply.json.title, `Turn ${n}`, 'each sees its own write');
      const after = await row();
      assert.equal(after?.revision, (before?.revision ?? 0) + 20);
      assert.ok((after?.change_seq ?? 0) >= (before?.change_seq ?? 0) + 20);
      const seen = await must(s.get(`/events/${id}`), 200);
      assert.deepEqual([seen.tags.length, seen.tags[0].name], [1, seen.title.toLowerCase()]);
    });
    test('D7 a statement that fails is told to the one who ran it, whatever follows and whoever writes beside', async () => {
      const { id } = await makeEvent(s);
      const failing = (db: Db): Promise<void> => db.run(db.q.insertInto('record').values({ id, kind: 'event' }));
      const follows: ((db: Db) => Promise<unknown>)[] = [
        async () => {},
        (db) => db.first(db.q.selectFrom('record').select('id')),
        (db) => db.changed(db.q.updateTable('record').set({ kind: 'event' }).where('id', '=', id)),
        (db) => db.run(db.q.deleteFrom('tombstone').where('id', '=', id)),
        async (db) => {
          for (let n = 0; n < 30; n++) await db.run(db.q.deleteFrom('tombstone').where('id', '=', id));
        },
      ];
      for (const [at, follow] of follows.entries()) {
        const wrong = async (db: Db): Promise<void> => {
          await failing(db);
          await follow(db);
        };
        const right = (n: number) => (db: Db) => writeSetting(db, `beside ${at} ${n}`, 'kept');
        const told = /unique/i;
        await assert.rejects(s.database.write(wrong), told, 'alone');
        const all = [right(1), wrong, right(2), wrong, right(3)].map((work) => s.database.write(work));
        const outcomes = await Promise.allSettled(all);
        assert.deepEqual(
          outcomes.map(({ status }) => status),
          ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
        );
        for (const one of outcomes) if (one.status === 'rejected') assert.match(String(one.reason), told);
        for (const n of [1, 2, 3])
          assert.equal(await s.database.read((db) => readSetting(db, `beside ${at} ${n}`)), 'kept');
      }
    });
    test('also to one who only reads, and whoever comes next has nothing to do with it', async () => {
      const wrong = sql`DELETE FROM nothing_of_that_name`;
      for (let n = 0; n < 12; n++) await assert.rejects(s.database.read((db) => db.run(wrong)));
      await must(s.post('/events', newEvent(), 'admin'), 201);
    });
    test('D8 20 events at once that name one new venue and one new tag make one of each', async () => {
      const [venue, tag] = [unique('Shared'), unique('shared')];
      const made = await times(20, () => makeEvent(s, { venue, tags: [tag] }));
      assert.equal(new Set(made.map((event) => event.venue.id)).size, 1);
      assert.equal(new Set(made.map((event) => event.tags[0].id)).size, 1);
      assert.equal((await must(s.get(`/tags/${made[0].tags[0].id}`), 200)).count, 20);
    });
    test('D9 20 equal venues at once are one', async () => {
      const venue = unique('Equal');
      const made = await times(20, () => must(s.post('/venues', { venue, city: 'Rome' }, 'admin')));
      assert.equal(new Set(made.map((one) => one.id)).size, 1);
    });
    test('D14 20 deletes of one event at once: one 200, the others 410', async () => {
      const { id } = await makeEvent(s);
      const replies = await times(20, () => s.del(`/events/${id}`, 'admin'));
      const statuses = replies.map((reply) => reply.status).sort();
      assert.deepEqual(statuses, [200, ...Array<number>(19).fill(410)]);
    });
    test('ids of events, venues and organizers made at once never meet', async () => {
      const made = await times(30, (n) =>
        n % 3 === 0
          ? makeEvent(s)
          : must(
              n % 3 === 1
                ? s.post('/venues', { venue: unique('V') }, 'admin')
                : s.post('/organizers', { organizer: unique('O') }, 'admin'),
            ),
      );
      assert.equal(new Set(made.map((one) => one.id)).size, 30);
    });
    test('B3 readers during writes see whole events', async () => {
      const venue = unique('Whole');
      const writing = times(20, () => makeEvent(s, { title: 'Whole', venue, tags: ['whole'] }));
      const reading = times(20, async () => {
        const list = await must(s.get('/events', { search: 'whole', starts_after: '2031-01-01', per_page: 50 }), 200);
        assert.equal(list.total, list.events.length);
        for (const event of list.events) assert.deepEqual([event.venue.venue, event.tags[0]?.name], [venue, 'whole']);
      });
      await Promise.all([writing, reading]);
    });
  });

  describe('numbers that stay', () => {
    test('an id is never given twice, not even after a removal for good', async () => {
      const { id } = await makeEvent(s);
      await must(s.del(`/events/${id}`, 'admin', { force: true }), 200);
      assert.ok((await makeEvent(s)).id > id);
      const { id: term } = await must(s.post('/tags', { name: unique('T') }, 'admin'));
      await must(s.del(`/tags/${term}`, 'admin'), 200);
      assert.ok((await must(s.post('/tags', { name: unique('T') }, 'admin'))).id > term);
    });
    test('a removal leaves a tombstone with the uid and the number of the change', async () => {
      const { id } = await makeEvent(s);
      const uid = (await s.database.read((db) => db.first(db.q.selectFrom('event').select('uid').where('id', '=', id))))
        ?.uid;
      await must(s.del(`/events/${id}`, 'admin', { force: true }), 200);
      const stone = await s.database.read((db) =>
        db.first(db.q.selectFrom('tombstone').selectAll().where('id', '=', id).where('kind', '=', 'event')),
      );
      assert.equal(stone?.uid, uid);
      assert.ok((stone?.change_seq ?? 0) > 0);
    });
  });
});
