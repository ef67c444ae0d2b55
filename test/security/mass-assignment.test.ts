import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { behaviour, must, unique } from '../support/rows.js';
import type { RoleName } from '../support/server.js';
import { Findings } from './support.js';

/** Row "mass assignment": members that are not fields of the kind are inert, whoever sends them and however. */

const soon = { start_date: '2031-05-06 19:30', end_date: '2031-05-06 21:00' };
const KINDS = [
  { plural: 'events', table: 'event', name: 'title', least: soon },
  { plural: 'venues', table: 'venue', name: 'venue', least: {} },
  { plural: 'organizers', table: 'organizer', name: 'organizer', least: {} },
  { plural: 'categories', table: 'term', name: 'name', least: {} },
  { plural: 'tags', table: 'term', name: 'name', least: {} },
] as const;

/** Columns of our own, members that only answers have, and what other systems believed. */
const PRIVILEGED: Record<string, unknown> = {
  id: 1,
  ID: 1,
  uid: 'mine',
  revision: 99,
  change_seq: 99,
  created_at: 1,
  author_id: 1,
  user_id: 1,
  user: 1,
  status_before_trash: 'publish',
  date_seconds: 1,
  modified: '2001-01-01',
  modified_utc: 1,
  created: 1,
  name_key: 'x',
  password_hash: 'x',
  image_id: 1,
  lineage: '["x"]',
  global_id: 'evil',
  global_id_lineage: ['evil'],
  custom_fields: { a: 1 },
  count: 99,
  kind: 'tag',
  taxonomy: 'evil',
  term_taxonomy_id: 1,
  term_group: 9,
  url: 'https://evil.test',
  rest_url: 'https://evil.test',
  ticketed: true,
  json_ld: { evil: 1 },
  role: 'administrator',
  roles: ['administrator'],
  rights: { edit_others: true },
  is_admin: true,
  capabilities: { administrator: true },
  caller: { user: { role: 'administrator' } },
  context: 'edit',
  meta: { a: 1 },
  post_author: 1,
  post_status: 'publish',
  start_utc: 0,
  end_utc: 0,
  start_local: 'x',
  geo_x: 1,
  constructor: { prototype: { polluted: 1 } },
  prototype: { polluted: 1 },
  hasOwnProperty: 1,
  toString: 1,
  valueOf: 1,
  _links: { self: 'evil' },
  upload: 'x',
  images: {},
};
/** Differ between any two records. */
const OWN = ['id', 'uid', 'change_seq', 'slug', 'name_key', 'name', 'title', 'created_at', 'date_utc', 'modified_utc'];

behaviour('mass assignment', (s) => {
  type Row = Record<string, unknown>;
  const row = async (table: string, id: number): Promise<Row> =>
    (await s.database.read((db) => db.first(sql<Row>`SELECT * FROM ${sql.table(table)} WHERE id = ${id}`))) ?? {};
  const plain = (found: Row): Row => Object.fromEntries(Object.entries(found).filter(([name]) => !OWN.includes(name)));
  const counts = async (): Promise<unknown> =>
    s.database.read((db) => db.all(sql`SELECT id, username, role, removed_at FROM "user" ORDER BY id`));

  for (const { plural, table, name, least } of KINDS) {
    const who: RoleName[] = table === 'term' ? ['editor'] : ['contributor', 'author'];
    for (const as of who) {
      test(`${plural}: privileged members change nothing for ${as}, on create and on update`, async () => {
        const users = await counts();
        const make = (more: object) => s.post(`/${plural}`, { ...least, [name]: unique('M'), ...more }, as);
        const bare = await must(make({}));
        const { parent: _tags, ...members } = PRIVILEGED as { parent?: unknown };
        const made = await must(make(members));
        assert.notEqual(made.id, 1);
        const wanted = plain(await row(table, bare.id));
        assert.deepEqual(plain(await row(table, made.id)), wanted);
        for (const field of OWN.slice(0, 3)) assert.notEqual((await row(table, made.id))[field], PRIVILEGED[field]);
        const { date_utc, created_at } = await row(table, made.id);
        if (date_utc !== undefined) assert.ok(Math.abs(Number(date_utc) - Date.now() / 1000) < 60);
        if (created_at !== undefined) assert.ok(Math.abs(Number(created_at) - Date.now() / 1000) < 60);
        // Its own published record is closed to a contributor, a draft is not.
        const changed = await s.patch(`/${plural}/${bare.id}`, members, as);
        assert.equal(changed.status, 200, changed.text);
        assert.equal(changed.json.id, bare.id);
        assert.deepEqual({ ...plain(await row(table, bare.id)), revision: 0 }, { ...wanted, revision: 0 });
        assert.deepEqual(await counts(), users);
      });
    }
  }

  describe('prototypes', () => {
    const untouched = (): void => {
      const bare = {} as Record<string, unknown>;
      for (const name of ['polluted', 'role', 'title', 'status', 'password', 'force', 'user'])
        assert.equal(bare[name], undefined);
    };
    const evil = [
      '{"__proto__":{"polluted":1,"status":"private","title":"P"}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
    ];
    const inside = evil.flatMap((one) => [one, `{"venue":${one}}`, `{"tickets":[${one}]}`, `{"categories":[${one}]}`]);
    for (const body of inside) {
      test(`JSON ${body}`, async () => {
        const merged = `{"title":"${unique('P')}","start_date":"2031-01-01","end_date":"2031-01-02",${body.slice(1)}`;
        const reply = await s.ask('POST', '/events', {
          as: 'author',
          body: merged,
          headers: { 'content-type': 'application/json' },
        });
        assert.ok([201, 400].includes(reply.status), reply.text);
        if (reply.status === 201) assert.equal(reply.json.status, 'publish');
        untouched();
      });
    }
    const forms = [
      '__proto__[polluted]=1',
      '__proto__=1',
      'constructor[prototype][polluted]=1',
      'a[__proto__][polluted]=1',
      '__proto__[]=x',
      'a[constructor][prototype][polluted]=1',
      'hasOwnProperty=1',
      'toString[a]=1',
    ];
    for (const form of forms) {
      test(`form and query ${form}`, async () => {
        const body = `title=${encodeURIComponent(unique('P'))}&start_date=2031-01-01&end_date=2031-01-02&${form}`;
        assert.equal((await s.ask('POST', '/events', { as: 'author', form: body })).status, 201);
        assert.equal((await s.get('/events', form)).status, 200);
        assert.equal((await s.get('/events', `_fields=__proto__,constructor,total&${form}`)).status, 200);
        untouched();
      });
    }
    test('an update cannot borrow members from a prototype', async () => {
      const made = await must(s.post('/venues', { venue: unique('V'), city: 'Here' }, 'author'));
      const body = '{"__proto__":{"city":"There","venue":"Else"}}';
      await s.ask('PATCH', `/venues/${made.id}`, {
        as: 'author',
        body,
        headers: { 'content-type': 'application/json' },
      });
      assert.equal((await must(s.get(`/venues/${made.id}`), 200)).city, 'Here');
    });
  });

  test('names that no header can carry are ignored like all others', async () => {
    const found = new Findings();
    const names = [
      `${'a'.repeat(59)}😀`,
      '\ud800',
      'x\r\nSet-Cookie: a=b',
      'x\u0000',
      'é'.repeat(300),
      '',
      'a,b',
      '%',
      '__proto__ ',
    ];
    for (const name of names) {
      const json = { title: unique('H'), ...soon, [name]: 1 };
      const reply = await s.post('/events', json, 'author');
      found.check([201, 400].includes(reply.status), () => `${JSON.stringify(name)}: ${reply.status} ${reply.text}`);
      found.check(reply.headers.get('set-cookie') === null, () => `${JSON.stringify(name)} made a header`);
    }
    found.end(names.length);
  });

  test('an id or slug in the body does not move a write to another record (A4)', async () => {
    const mine = await must(s.post('/events', { title: unique('Mine'), ...soon }, 'author'));
    const other = await must(s.post('/events', { title: unique('Other'), ...soon }, 'admin'));
    const json = { id: other.id, ID: other.id, title: 'Moved' };
    assert.equal((await must(s.patch(`/events/${mine.id}`, json, 'author'), 200)).id, mine.id);
    const query = `id=${other.id}&slug=${other.slug}`;
    assert.equal(
      (await must(s.ask('PATCH', `/events/${mine.id}`, { as: 'author', query, json: { excerpt: 'x' } }), 200)).id,
      mine.id,
    );
    assert.equal((await s.ask('DELETE', `/events/${mine.id}`, { as: 'author', query, json })).json.id, mine.id);
    assert.equal((await must(s.get(`/events/${other.id}`), 200)).title, other.title);
  });
});
