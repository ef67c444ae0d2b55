import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import * as oracle from './rights.table.js';
import { type Ask, type Reply, type RoleName, startServer, type TestServer } from './support/server.js';

/** Role x owner x status x kind x method x address form, every cell against the oracle in rights.table.ts. */

let server: TestServer;
let cells = 0;
let made = 0;
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
});
after(async () => {
  console.log(`# rights: ${cells} cells`);
  await server.close();
});

const as = (who: oracle.Who): RoleName | undefined => (who === 'anonymous' ? undefined : who);
const otherThan = (who: oracle.Who): RoleName => (who === 'admin' ? 'author' : 'admin');
const idOf = (who: oracle.Who, owner: oracle.Owner): number =>
  server.users[owner === 'own' ? (as(who) ?? 'admin') : otherThan(who)].id;
/** Within the default window of lists (B4). */
const soon = Math.floor(Date.now() / 1000) + 30 * 86_400;
const DATES = { start_date: soon, end_date: soon + 3600 };
const PLACE = { geo_lat: 10, geo_lng: 20 };
const LATER = '2040-01-01 00:00:00';
const MISSING = 900_000_000;

interface Made {
  id: number;
  name: string;
}

/** A record of somebody in some state, made by the administrator. */
async function make(
  kind: oracle.KindWords,
  author: number,
  state: oracle.StateOrNone,
  more: Record<string, unknown> = {},
): Promise<Made> {
  const name = `Rec${++made}x`;
  if (state === 'missing') return { id: MISSING, name };
  const status = state === 'trash' || state === 'future' ? 'publish' : state === 'trash of a draft' ? 'draft' : state;
  const body = {
    ...(kind.table === 'event' ? DATES : {}),
    ...(kind.table === 'venue' ? PLACE : {}),
    [kind.name]: name,
    slug: name,
    author,
    status,
    ...(state === 'future' ? { date: LATER } : {}),
    ...more,
  };
  const reply = await server.post(`/${kind.plural}`, body, 'admin');
  assert.equal(reply.status, 201, reply.text);
  const { id } = reply.json;
  if (oracle.isTrash(state)) assert.equal((await server.del(`/${kind.plural}/${id}`, 'admin')).status, 200);
  const row = await rowOf(kind.table, id);
  assert.deepEqual([row?.status, row?.author_id], [oracle.statusOf(state), author]);
  return { id, name };
}

type Row = Record<string, string | number | null>;
const rowOf = (table: string, id: number): Promise<Row | undefined> =>
  server.database.read((db) => db.first(sql<Row>`SELECT * FROM ${sql.table(table)} WHERE id = ${id}`));
const linksOf = async (table: string, event: number): Promise<number[]> => {
  const rows = await server.database.read((db) =>
    db.all(sql<{ id: number }>`SELECT ${sql.ref(`${table}_id`)} AS id FROM ${sql.table(`event_${table}`)}
      WHERE event_id = ${event} ORDER BY ${sql.ref(`${table}_id`)}`),
  );
  return rows.map((row) => row.id);
};
/** Changes with every write of data, whichever: records are noted in the log of changes, what links them and what is gone is counted. */
async function state(): Promise<string> {
  const counts = ['event_venue', 'event_organizer', 'event_term', 'tombstone'];
  const row = await server.database.read((db) =>
    db.first(sql<Row>`SELECT (SELECT max(seq) FROM change_log) AS noted,
      (SELECT value FROM counter WHERE name = 'change') AS changes, (SELECT max(id) FROM record) AS records,
      ${sql.join(counts.map((table) => sql`(SELECT count(*) FROM ${sql.table(table)}) AS ${sql.ref(table)}`))}`),
  );
  return JSON.stringify(row);
}

/** Collects what is wrong, cell by cell, so that one failure shows the whole pattern. */
class Report {
  private readonly wrong: string[] = [];
  private seen = 0;
  /** The state of the data, as long as nobody was allowed to change it. */
  private last: string | undefined;
  /** Somebody is going to write on purpose. */
  stir(): void {
    this.last = undefined;
  }
  /** Asks, compares status, code and Allow, and that a refusal changed nothing. */
  async cell(
    label: string,
    wanted: oracle.Wanted,
    allow: string | undefined,
    method: string,
    path: string,
    ask: Ask,
  ): Promise<Reply> {
    cells++;
    this.seen++;
    this.last ??= await state();
    const before = this.last;
    const reply = await server.ask(method, path, ask);
    const told = (what: string, expected: unknown, actual: unknown): void => {
      if (expected !== actual) this.note(`${label}: ${what} ${actual}, expected ${expected} (${method} ${path})`);
    };
    told('status', wanted.status, reply.status);
    if (method !== 'HEAD') told('code', wanted.code, reply.json?.code);
    if (allow !== undefined) told('Allow', allow, reply.headers.get('allow'));
    if (reply.status >= 400 || method === 'GET' || method === 'HEAD') told('data', before, await state());
    else this.last = undefined;
    return reply;
  }
  note(problem: string): void {
    this.wrong.push(problem);
  }
  expect(label: string, actual: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (is !== should) this.note(`${label}: ${is}, expected ${should}`);
  }
  end(): void {
    assert.ok(this.seen > 0, 'no cell was looked at');
    assert.equal(this.wrong.length, 0, `${this.wrong.length} wrong in ${this.seen} cells:\n${this.wrong.join('\n')}`);
  }
}

interface Listed extends Made {
  author: RoleName;
  state: oracle.State;
}
const readableBy = (who: oracle.Who, { author, state }: Listed): boolean =>
  oracle.mayRead(who, author === who ? 'own' : 'other', state);
const shownTo = (who: oracle.Who, record: Listed): boolean => readableBy(who, record) && !oracle.isTrash(record.state);
const idsOf = (list: { id: number }[] | undefined): number[] => (list ?? []).map(({ id }) => id).sort((a, b) => a - b);

// Lists come first: the suite below makes thousands of records more.
test('lists, searches, filters and what is embedded show each role what it may read (B9, B11, B16, D15, E2)', async () => {
  const report = new Report();
  const ask = (who: oracle.Who, wanted: oracle.Wanted, path: string, query: string): Promise<Reply> =>
    report.cell(`${who} GET ${path}?${query}`, wanted, undefined, 'GET', path, { as: as(who), query });
  const sees = async (who: oracle.Who, path: string, query: string, ids: number[]): Promise<void> => {
    const reply = await ask(who, { status: 200 }, path, `per_page=50&${query}`);
    const total = [reply.json.total, Number(reply.headers.get('x-tec-total'))];
    const found = idsOf(reply.json[path.slice(1)]);
    report.expect(
      `${who} ${path}?${query}`,
      [found, ...total],
      [idsOf(ids.map((id) => ({ id }))), ids.length, ids.length],
    );
  };
  const records = new Map<string, Listed[]>();
  for (const kind of oracle.KINDS) {
    const list: Listed[] = [];
    for (const author of Object.keys(server.users) as RoleName[]) {
      for (const state of oracle.STATES)
        list.push({ ...(await make(kind, server.users[author].id, state)), author, state });
    }
    records.set(kind.plural, list);
  }
  for (const who of oracle.WHO) {
    for (const [plural, list] of records) {
      for (const asked of [undefined, 'any', ...oracle.STATUSES, 'draft,pending', 'publish,trash']) {
        const statuses = oracle.listedStatuses(who, asked);
        const status = asked === undefined ? '' : `status=${asked}&`;
        const seen = list.filter((one) => statuses?.includes(oracle.statusOf(one.state)) && readableBy(who, one));
        const ids = seen.map(({ id }) => id);
        const hidden = list.find((one) => !seen.includes(one));
        for (const more of [
          '',
          'search=rec',
          ...(plural === 'events' ? [`include=${list.map(({ id }) => id)}`] : []),
        ]) {
          if (statuses) await sees(who, `/${plural}`, status + more, ids);
          else await ask(who, { status: 400, code: 'rest_invalid_param' }, `/${plural}`, status + more);
        }
        if (statuses && hidden) await sees(who, `/${plural}`, `${status}search=${hidden.name}`, []);
      }
    }
  }
  report.stir();
  const [events = [], venues = [], organizers = []] = [...records.values()];
  const shows: number[] = [];
  const hosts: number[] = [];
  for (const [at, event] of events.entries()) {
    const show = { title: 'Show', ...DATES, venue: venues[at]?.id, organizer: organizers[at]?.id };
    shows.push((await server.post('/events', show, 'admin')).json.id);
    const host = (await server.post('/venues', { venue: `Host ${at}` }, 'admin')).json.id;
    hosts.push(host);
    await server.database.write((db) => db.run(sql`INSERT INTO event_venue VALUES (${event.id}, ${host}, 0)`));
  }
  for (const who of oracle.WHO) {
    const placed = shows.filter((_, at) => shownTo(who, venues[at] as Listed));
    await sees(who, '/events', 'search=show&geoloc=true', placed);
    await sees(
      who,
      '/events',
      'search=show&geoloc=false',
      shows.filter((id) => !placed.includes(id)),
    );
    await sees(who, '/events', 'search=show&geoloc_lat=10&geoloc_lng=20', placed);
    const hosting = hosts.filter((_, at) => shownTo(who, events[at] as Listed));
    await sees(who, '/venues', 'search=host&has_events=true', hosting);
    await sees(who, '/venues', 'search=host&only_with_upcoming=true', hosting);
    await sees(
      who,
      '/venues',
      'search=host&has_events=false',
      hosts.filter((id) => !hosting.includes(id)),
    );
    for (const [at, show] of shows.entries()) {
      const [event, venue, organizer] = [events[at], venues[at], organizers[at]] as [Listed, Listed, Listed];
      for (const [name, linked] of Object.entries({ venue, organizer })) {
        const found = readableBy(who, linked);
        if (found) await sees(who, '/events', `${name}=${linked.id}`, [show]);
        else await ask(who, { status: 400, code: 'rest_invalid_param' }, '/events', `${name}=${linked.id}`);
      }
      const known = readableBy(who, event);
      const wanted = known ? { status: 200 } : { status: 400, code: 'rest_invalid_param' };
      for (const path of ['/venues', '/organizers', '/categories']) await ask(who, wanted, path, `event=${event.id}`);
      await ask(who, wanted, '/tags', `post=${event.id}`);
      await ask(who, wanted, '/events', `post_parent=${event.id}`);
      const single = await ask(who, { status: 200 }, `/events/${show}`, '');
      const listed = await ask(who, { status: 200 }, '/events', `include=${show}`);
      for (const view of [single.json, listed.json.events?.[0]]) {
        const embedded = [idsOf([view?.venue].flat()), idsOf(view?.organizer)];
        const should = [venue, organizer].map((one) => (shownTo(who, one) ? [one.id] : []));
        report.expect(`${who} embedded in event ${show} (${venue.author}, ${venue.state})`, embedded, should);
      }
    }
  }
  report.end();
});

test('a password-protected event opens to its word and to those who edit it (E3)', async () => {
  const report = new Report();
  for (const who of oracle.WHO) {
    for (const owner of oracle.ownersFor(who)) {
      const body = { title: 'Secret', ...DATES, author: idOf(who, owner), password: 'sesame' };
      const { id, slug } = (await server.post('/events', body, 'admin')).json;
      report.stir();
      const closed = { status: 403, code: 'event-password-protected' };
      const edit = oracle.mayEdit(who, owner, 'publish') ? { status: 200 } : closed;
      const [byId, bySlug] = [`/events/${id}`, `/events/by-slug/${slug}`];
      const ways: [string, string, oracle.Wanted][] = [
        [byId, '', closed],
        [bySlug, '', closed],
        [byId, 'password=open', closed],
        [bySlug, 'password=sesame', { status: 200 }],
        [byId, 'context=edit', edit],
        [bySlug, 'context=edit', edit],
      ];
      for (const [path, query, wanted] of ways) {
        const allow = oracle.allowSingle(who, owner, 'publish');
        await report.cell(`${who} ${owner} protected, ${query}`, wanted, allow, 'GET', path, { as: as(who), query });
      }
    }
  }
  report.end();
});

test('an event hidden from listings is listed to those who ask to edit and may edit it (B12, E1)', async () => {
  const report = new Report();
  const [events] = oracle.KINDS as [oracle.KindWords];
  for (const who of oracle.WHO) {
    for (const owner of oracle.ownersFor(who)) {
      for (const state of oracle.STATES) {
        const { id } = await make(events, idOf(who, owner), state, { hide_from_listings: true });
        report.stir();
        const status = oracle.statusOf(state);
        const label = `${who} lists ${owner} hidden ${state} event`;
        const mayAsk = oracle.listedStatuses(who, status) !== undefined;
        const wanted = mayAsk ? { status: 200 } : { status: 400, code: 'rest_invalid_param' };
        const ask = (query: object): Promise<Reply> =>
          report.cell(label, wanted, undefined, 'GET', '/events', {
            as: as(who),
            query: { include: id, status, ...query },
          });
        const [plain, editing] = [await ask({}), await ask({ context: 'edit' })];
        if (!mayAsk) continue;
        report.expect(label, plain.json.total, 0);
        report.expect(`${label} to edit`, editing.json.total, oracle.mayEdit(who, owner, state) ? 1 : 0);
      }
    }
  }
  report.end();
});

for (const kind of oracle.KINDS) {
  for (const who of oracle.WHO) {
    test(`${kind.plural}: single records as ${who} (E1, E3, D14)`, async () => {
      const report = new Report();
      for (const owner of oracle.ownersFor(who)) {
        for (const state of [...oracle.STATES, 'missing'] as const) {
          for (const form of ['id', 'slug'] as const) await singles(report, kind, who, owner, state, form);
        }
      }
      report.end();
    });
  }
}

async function singles(
  report: Report,
  kind: oracle.KindWords,
  who: oracle.Who,
  owner: oracle.Owner,
  state: oracle.StateOrNone,
  form: 'id' | 'slug',
): Promise<void> {
  let record: Made | undefined;
  for (const method of oracle.METHODS) {
    if (!record) report.stir();
    record ??= await make(kind, idOf(who, owner), state);
    const { id } = record;
    const old = await rowOf(kind.table, id);
    const [verb = '', extra] = method.split(' ');
    const text = `by ${who} with ${method}`;
    const stranger = idOf(who, owner === 'own' ? 'other' : 'own') || 1;
    const body =
      extra === 'status' ? { status: 'publish' } : extra === 'author' ? { author: stranger } : { description: text };
    const sends = ['PATCH', 'PUT', 'POST'].includes(verb);
    const path = form === 'id' ? `/${kind.plural}/${id}` : `/${kind.plural}/by-slug/${old?.slug ?? 'no-such-slug'}`;
    const label = `${who} ${method} ${owner} ${state} ${kind.table} by ${form}`;
    // Handing somebody one's own record is what D11 forbids; a record of another may be taken by oneself only by editors.
    const wanted = oracle.single(kind, who, owner, state, method);
    // Of a venue or organizer that is not there, or no longer, its number is good for nothing (A9).
    const isGone = state === 'missing' || (extra === 'force' && wanted.status === 200);
    const allow = isGone && form === 'id' && kind.table !== 'event' ? 'GET' : oracle.allowSingle(who, owner, state);
    const reply = await report.cell(label, wanted, allow, verb, path, {
      as: as(who),
      ...(sends ? { json: body } : {}),
      ...(extra === 'force' ? { query: { force: 'true' } } : {}),
    });
    const row = await rowOf(kind.table, id);
    if (reply.status >= 400 || oracle.isRead(method)) {
      report.expect(`${label}: row`, row, old);
      continue;
    }
    if (oracle.isRead(method) || state === 'missing') continue;
    if (extra === 'force') report.expect(`${label}: row`, row, undefined);
    else if (verb === 'DELETE') report.expect(`${label}: status`, row?.status, 'trash');
    else if (extra === 'author') report.expect(`${label}: author`, row?.author_id, stranger);
    else if (extra === 'status')
      report.expect(`${label}: status`, row?.status, oracle.written(who, 'publish', state === 'future'));
    else report.expect(`${label}: text`, [row?.description, row?.status], [text, old?.status]);
    if (verb === 'DELETE' || extra !== undefined) record = undefined;
  }
}

for (const kind of oracle.KINDS) {
  test(`${kind.plural}: create in every role and status (E1, D10, D11)`, async () => {
    const report = new Report();
    for (const who of oracle.WHO) {
      for (const asked of [undefined, ...oracle.STATUSES, 'bogus']) {
        for (const later of [false, true]) {
          for (const author of who === 'anonymous' ? (['nobody'] as const) : (['nobody', 'self', 'other'] as const)) {
            const label = `${who} creates ${kind.table} as ${asked}${later ? ' later' : ''}, author ${author}`;
            const wanted = oracle.create(who, asked, author);
            const allow = oracle.allowCollection(oracle.mayCreate(who));
            const reply = await report.cell(label, wanted, allow, 'POST', `/${kind.plural}`, {
              as: as(who),
              json: {
                ...(kind.table === 'event' ? DATES : {}),
                [kind.name]: `New${++made}x`,
                ...(asked === undefined ? {} : { status: asked }),
                ...(later ? { date: LATER } : {}),
                ...(author === 'nobody' ? {} : { author: idOf(who, author === 'self' ? 'own' : 'other') }),
              },
            });
            if (reply.status !== 201) continue;
            const row = await rowOf(kind.table, reply.json.id);
            const should = oracle.written(who, asked as oracle.Status | undefined, later);
            report.expect(`${label}: status`, [row?.status, reply.json.status], [should, should]);
            report.expect(`${label}: author`, row?.author_id, idOf(who, author === 'other' ? 'other' : 'own'));
          }
        }
      }
    }
    report.end();
  });
}

/** How an event may name a venue or an organizer (D8). `touch` would change it, if the fields counted. */
const FORMS: Record<string, (record: Made, name: string) => unknown> = {
  id: ({ id }) => id,
  '{id}': ({ id }) => ({ id }),
  '{id, fields}': ({ id }, name) => ({ id, [name]: 'Renamed', description: 'touched' }),
  name: (record) => record.name,
  '{name, fields}': (record, name) => ({ [name]: record.name, phone: '555' }),
};

for (const kind of oracle.KINDS.filter(({ table }) => table !== 'event')) {
  for (const who of oracle.WHO) {
    test(`${kind.plural}: named by an event as ${who} (E1, D8, D15)`, async () => {
      const report = new Report();
      for (const owner of oracle.ownersFor(who)) {
        for (const state of [...oracle.STATES, 'missing'] as const) {
          const mine = await make(oracle.KINDS[0] as oracle.KindWords, idOf(who, 'own'), 'draft');
          let record: Made | undefined;
          for (const [form, value] of Object.entries(FORMS)) {
            for (const way of ['create', 'update'] as const) {
              if (!record) report.stir();
              record ??= await make(kind, idOf(who, owner), state);
              if (await inline(report, kind, who, owner, state, record, form, value, way, mine)) record = undefined;
            }
          }
        }
      }
      report.end();
    });
  }
}

/** True when a record of the same name was made, so that the next cell needs another name. */
async function inline(
  report: Report,
  kind: oracle.KindWords,
  who: oracle.Who,
  owner: oracle.Owner,
  state: oracle.StateOrNone,
  record: Made,
  form: string,
  value: (record: Made, name: string) => unknown,
  way: 'create' | 'update',
  mine: Made,
): Promise<boolean> {
  const label = `${who} ${way}s event with ${owner} ${state} ${kind.table} by ${form}`;
  const good = way === 'create' ? 201 : 200;
  const byId = form.includes('id');
  const wanted = byId ? oracle.inlineById(who, owner, state, good) : oracle.inlineByName(who, good);
  const json = { [kind.table]: value(record, kind.name) };
  const old = await rowOf(kind.table, record.id);
  const reply =
    way === 'create'
      ? await report.cell(label, wanted, oracle.allowCollection(oracle.mayCreate(who)), 'POST', '/events', {
          as: as(who),
          json: { title: 'Names others', ...DATES, ...json },
        })
      : await report.cell(label, wanted, undefined, 'PATCH', `/events/${mine.id}`, { as: as(who), json });
  report.expect(`${label}: named record`, await rowOf(kind.table, record.id), old);
  if (reply.status >= 400) return false;
  const links = await linksOf(kind.table, reply.json.id);
  const known = byId || oracle.findsByName(who, owner, state);
  if (known) report.expect(`${label}: link`, links, [record.id]);
  else {
    report.expect(`${label}: made another`, [links.length, links[0] !== record.id], [1, true]);
    const fresh = await rowOf(kind.table, links[0] ?? 0);
    report.expect(
      `${label}: maker, status`,
      [fresh?.author_id, fresh?.status],
      [idOf(who, 'own'), oracle.written(who, undefined, false)],
    );
  }
  const shown = [reply.json[kind.table]].flat().map((one: { id: number }) => one.id);
  const visible = state === 'missing' || !known || !oracle.isTrash(state);
  report.expect(`${label}: shown`, shown, visible ? links : []);
  return !known;
}

for (const plural of ['categories', 'tags'] as const) {
  test(`${plural}: every role, method and address form (E1)`, async () => {
    const report = new Report();
    const makeTerm = async (): Promise<Made & { slug: string }> => {
      report.stir();
      const name = `Term ${++made}`;
      const reply = await server.post(`/${plural}`, { name }, 'admin');
      assert.equal(reply.status, 201, reply.text);
      return reply.json;
    };
    for (const who of oracle.WHO) {
      const manages = oracle.mayManage(who, plural);
      const collection = oracle.allowCollection(manages);
      await report.cell(`${who} lists ${plural}`, { status: 200 }, collection, 'GET', `/${plural}`, { as: as(who) });
      await report.cell(
        `${who} creates one of ${plural}`,
        oracle.createTerm(who, plural),
        collection,
        'POST',
        `/${plural}`,
        { as: as(who), json: { name: `Made ${++made}` } },
      );
      let known = await makeTerm();
      for (const method of ['GET', 'HEAD', 'PATCH', 'PUT', 'POST', 'DELETE']) {
        for (const missing of [true, false]) {
          const id = missing ? MISSING : known.id;
          const old = await rowOf('term', known.id);
          const label = `${who} ${method} ${missing ? 'missing' : 'known'} one of ${plural}`;
          const description = `by ${label}`;
          const reply = await report.cell(
            label,
            oracle.term(who, plural, method, missing),
            oracle.allowTerm(who, plural),
            method,
            `/${plural}/${id}`,
            { as: as(who), ...(['PATCH', 'PUT', 'POST'].includes(method) ? { json: { description } } : {}) },
          );
          const row = await rowOf('term', known.id);
          if (reply.status >= 400 || oracle.isRead(method)) report.expect(`${label}: row`, row, old);
          else if (method === 'DELETE') report.expect(`${label}: row`, row, undefined);
          else report.expect(`${label}: text`, row?.description, description);
        }
      }
      known = await makeTerm();
      const inEvent: [string, 'known' | 'new' | 'missing', unknown][] = [
        ['id', 'known', known.id],
        ['{id}', 'known', { id: known.id }],
        ['list of ids', 'known', [known.id]],
        ['name', 'known', known.name],
        ['slug', 'known', known.slug],
        ['{name}', 'known', { name: known.name }],
        ['id', 'missing', MISSING],
        ['{id}', 'missing', { id: MISSING }],
        ['name', 'new', `Inline ${++made}`],
        ['{name}', 'new', { name: `Inline ${++made}` }],
      ];
      for (const [form, what, value] of inEvent) {
        const label = `${who} creates event with ${what} ${plural} by ${form}`;
        const wanted = oracle.inlineTerm(who, plural, what);
        const reply = await report.cell(label, wanted, undefined, 'POST', '/events', {
          as: as(who),
          json: { title: 'With terms', ...DATES, [plural]: value },
        });
        if (reply.status >= 400) continue;
        const ids = reply.json[plural].map((one: { id: number }) => one.id);
        report.expect(`${label}: linked`, [ids.length, ids[0] === known.id], [1, what === 'known']);
      }
    }
    report.end();
  });
}
