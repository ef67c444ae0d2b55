import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ENGINE } from '../support/engine.js';
import { startServer, type TestServer } from '../support/server.js';

/** How many questions a request asks the database: a fixed number, however long the page is. */
describe('statements', () => {
  let s: TestServer;
  before(async () => {
    s = await startServer();
    const categories = [];
    for (const name of ['Music', 'Sport']) categories.push((await s.post('/categories', { name }, 'admin')).json.id);
    for (let n = 0; n < 60; n++) {
      const event: Record<string, unknown> = {
        title: `Event ${n}`,
        start_date: `2030-01-${String(1 + (n % 28)).padStart(2, '0')} 10:00:00`,
        end_date: `2030-01-${String(1 + (n % 28)).padStart(2, '0')} 12:00:00`,
        venue: { venue: `Venue ${n % 7}` },
        organizer: [{ organizer: `Organizer ${n % 5}` }, { organizer: `Organizer ${5 + (n % 3)}` }],
        categories: [categories[n % 2]],
        tags: [`tag ${n % 9}`],
      };
      assert.equal((await s.post('/events', event, 'admin')).status, 201);
    }
  });
  after(() => s.close());

  const DAY = { start_date: '2031-01-01 10:00:00', end_date: '2031-01-01 11:00:00' };
  const WINDOW = 'start_date=2030-01-01&end_date=2030-02-01';
  let asked = 0;
  /** Chores, and what is made for those who come later: nobody waits for them. */
  const BESIDE =
    /'future'|^SELECT [^,]* FROM unindexed|_search_index|total_changes|"(instance|tally|credential|idempotency)"|min\(start_utc\) AS first| AS day, /i;
  /** What one answer asked. */
  async function statementsOf(path: string): Promise<string[]> {
    s.sqlSeen();
    const reply = await s.get(`${path}&_=${asked++}`);
    assert.equal(reply.status, 200, reply.text);
    // Whoever looks for the writes of others asks the same as the request does.
    const seen = [...new Set(s.sqlSeen())];
    return seen.filter((sql) => /^\s*SELECT/i.test(sql) && !BESIDE.test(sql));
  }

  for (const [what, path] of [
    ['a list', `/events?${WINDOW}`],
    ['a search', `/events?search=event&${WINDOW}`],
  ] as const) {
    test(`${what}: at most six, the first time and later, whatever per_page (E)`, async () => {
      for (const perPage of [5, 50, 5, 50]) {
        const statements = await statementsOf(`${path}&per_page=${perPage}`);
        assert.ok(statements.length <= 6, `${perPage}: ${statements.length}\n${statements.join('\n')}`);
      }
    });
  }

  test('a list whose pieces are all kept: none, or a look at what changed where memory is not sure', async () => {
    for (let n = 0; n < 4; n++) await statementsOf(`/events?${WINDOW}&per_page=50&n=${n}`);
    const statements = await statementsOf(`/events?${WINDOW}&per_page=50&n=4`);
    assert.deepEqual(
      statements.filter((one) => !/change_log/.test(one)),
      [],
    );
    assert.ok(statements.length <= 1, statements.join('\n'));
  });

  test('LIMIT is never a bare parameter: SQLite would compile the statement anew each time', async () => {
    const { id, slug, venue } = (await s.get(`/events?${WINDOW}`)).json.events[0];
    const seen: string[] = [];
    const paths = [
      '/venues',
      '/organizers',
      '/tags',
      '/categories',
      '/events?search=event',
      `/events?venue=${venue.id}`,
    ];
    for (const path of [...paths, '/events', `/events/${id}`, `/events/by-slug/${slug}`, `/venues/${venue.id}`])
      for (const as of [undefined, 'admin'] as const) {
        s.sqlSeen();
        assert.equal((await s.get(`${path}${path.includes('?') ? '&' : '?'}page=1&_=${asked++}`, {}, as)).status, 200);
        seen.push(...s.sqlSeen());
      }
    for (const [path, json] of [
      ['/events', { title: 'Limited', ...DAY, tags: ['one more'], venue: 'Another hall' }],
      ['/tags', { name: 'Yet another' }],
    ] as const) {
      assert.equal((await s.post(path, json, 'admin')).status, 201);
      seen.push(...s.sqlSeen());
    }
    const limited = seen.filter((sql) => /\blimit\b/i.test(sql) && !BESIDE.test(sql));
    assert.ok(limited.length > 0);
    assert.deepEqual(
      limited.filter((sql) => /\blimit\s+[?$]/i.test(sql)),
      [],
    );
  });

  test('after a write, only what changed', async () => {
    const [first] = (await s.get(`/events?${WINDOW}`)).json.events;
    assert.equal((await s.patch(`/events/${first.id}`, { title: 'Another' }, 'admin')).status, 200);
    const statements = await statementsOf(`/events?${WINDOW}&per_page=50`);
    // What changed; its day put in order; its row and what is linked to it.
    assert.ok(statements.length <= 4, statements.join('\n'));
    assert.equal((await s.get(`/events?${WINDOW}&per_page=50`)).json.events[0].title, 'Another');
  });

  test('a plain create: four statements, five on SQLite, and three for the counters, which writers share', async () => {
    s.sqlSeen();
    assert.equal((await s.post('/events', { title: 'Plain', ...DAY }, 'admin')).status, 201);
    const seen = s.sqlSeen().filter((sql) => !BESIDE.test(sql) && !/change_log/.test(sql));
    const counting = seen.flatMap((sql, at) => (/"counter"/.test(sql) ? [at] : []));
    assert.equal(counting.length, 3, seen.join('\n'));
    const within = seen.slice(counting[0], (counting.at(-1) ?? 0) + 1);
    assert.equal(within.length - counting.length, ENGINE === 'sqlite' ? 5 : 4, within.join('\n'));
  });

  test('single events that memory has no room for: none once they were built twice, until something changes', async () => {
    const long = 'A long text, as some people write them. '.repeat(1500);
    const ids: number[] = [];
    for (let n = 0; n < 150; n++) {
      const event = { title: `Long ${n}`, description: long, venue: `Hall ${n % 3}`, ...DAY };
      ids.push((await s.post('/events', event, 'admin')).json.id);
    }
    const built = async (): Promise<number> => {
      let many = 0;
      for (const id of ids) {
        const statements = await statementsOf(`/events/${id}?x=${asked}`);
        if (statements.some((one) => !/change_log/.test(one))) many++;
      }
      return many;
    };
    const first = await built();
    const second = await built();
    assert.deepEqual([first, await built()], [150, 0]);
    assert.ok(second > 50, `memory holds all of them but ${second}: the file was not needed`);
    const { venue, title } = (await s.get(`/events/${ids[0]}`)).json;
    assert.equal(title, 'Long 0');
    assert.equal((await s.patch(`/venues/${venue.id}`, { venue: 'Renamed' }, 'admin')).status, 200);
    // And what those take the place of in memory.
    const anew = await built();
    assert.ok(anew >= 50 && anew < 100, `${anew}: those that show it`);
    assert.equal((await s.get(`/events/${ids[3]}?x=${asked++}`)).json.venue.venue, 'Renamed');
  });

  test('lists of venues that memory has no room for: none once they were built twice, until something changes', async () => {
    const description = 'A long text, as some people write them. '.repeat(1500);
    const ids: number[] = [];
    for (let n = 0; n < 150; n++)
      ids.push((await s.post('/venues', { venue: `Long ${n}`, description }, 'admin')).json.id);
    const pages = Array.from({ length: ids.length }, (_, n) => `/venues?per_page=1&page=${n + 1}`);
    const built = async (): Promise<number> => {
      let many = 0;
      for (const page of pages)
        if ((await statementsOf(page)).some((one) => /FROM "venue" WHERE "id" /.test(one))) many++;
      return many;
    };
    await built();
    const second = await built();
    assert.ok(second > 30, `memory holds all of them but ${second}: the file was not needed`);
    assert.equal(await built(), 0);
    assert.equal((await s.patch(`/venues/${ids[0]}`, { venue: 'Renamed' }, 'admin')).status, 200);
    assert.equal(await built(), 1);
    const last = (await s.get(`${pages.at(-1)}&_=${asked++}`)).json.venues[0];
    assert.deepEqual([last.id, last.venue], [ids[0], 'Renamed']);
  });

  test('schema.org of linked records: made for an event by itself, once, whatever lists showed before', async () => {
    const about = { venue: { venue: 'Lazy hall' }, organizer: { organizer: 'Lazy people' } };
    const ids: number[] = [];
    for (const title of ['One', 'Two'])
      ids.push((await s.post('/events', { title: `Lazily ${title}`, ...about, ...DAY }, 'admin')).json.id);
    assert.equal((await s.get('/events', { include: ids.join(), start_date: '2030-12-01' })).json.total, 2);
    const linked = /FROM "(venue|organizer)" WHERE "id" /;
    const read = [];
    for (const id of ids) {
      read.push((await statementsOf(`/events/${id}?x=1`)).filter((one) => linked.test(one)).length);
      const { venue, organizer, json_ld } = (await s.get(`/events/${id}`)).json;
      assert.deepEqual([venue.json_ld, organizer[0].json_ld], [json_ld.location, json_ld.organizer]);
      assert.deepEqual([json_ld.location.name, json_ld.organizer.name], ['Lazy hall', 'Lazy people']);
    }
    assert.deepEqual(read, [2, 0]);
    const { events } = (await s.get('/events', { include: ids.join(), start_date: '2030-12-02' })).json;
    for (const { venue, organizer } of events)
      assert.deepEqual([venue.json_ld, organizer[0].json_ld], [undefined, undefined]);
  });

  test('after a write of what many events show, their own rows are not read again and again', async () => {
    const { venue } = (await s.get('/events', { start_date: '2030-01-01', end_date: '2030-02-01' })).json.events[0];
    const rowsRead = [];
    for (const name of ['One', 'Two', 'Three']) {
      assert.equal((await s.patch(`/venues/${venue.id}`, { venue: name }, 'admin')).status, 200);
      const statements = await statementsOf(`/events?${WINDOW}&per_page=50&x=${name}`);
      rowsRead.push(statements.some((one) => /event_venue/.test(one)));
      assert.equal((await s.get(`/events?${WINDOW}&x=${name}`)).json.events[0].venue.venue, name);
    }
    assert.equal(rowsRead.at(-1), false);
  });

  test('a single record: at most five, and none when nothing changed', async () => {
    const [first, second] = (await s.get(`/events?${WINDOW}`)).json.events;
    for (const { id } of [first, second]) {
      const statements = await statementsOf(`/events/${id}?x=1`);
      // Whoever reads just after another need not look at what changed.
      const asked = statements.filter((one) => !/change_log/.test(one));
      assert.ok(asked.length <= 5, asked.join('\n'));
    }
    await s.get(`/events/${first.id}`);
    s.sqlSeen();
    assert.equal((await s.get(`/events/${first.id}`)).json.id, first.id);
    assert.deepEqual(
      s.sqlSeen().filter((sql) => /event_venue/.test(sql)),
      [],
    );
  });
});
