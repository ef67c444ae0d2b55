import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createUser } from '../src/accounts/accounts.js';
import { as, DATES, idOf, type Made, make, Report, server } from './rights.cells.js';
import * as oracle from './rights.table.js';
import { must, unique } from './support/rows.js';
import type { Reply, RoleName } from './support/server.js';

/** What lists show to whom: role x owner x status x kind x filter. */

interface Listed extends Made {
  author: RoleName;
  state: oracle.State;
}
const readableBy = (who: oracle.Who, { author, state }: Listed): boolean =>
  oracle.mayRead(who, author === who ? 'own' : 'other', state);
const shownTo = (who: oracle.Who, record: Listed): boolean => readableBy(who, record) && !oracle.isTrash(record.state);
const idsOf = (list: { id: number }[] | undefined): number[] => (list ?? []).map(({ id }) => id).sort((a, b) => a - b);

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
  await report.stir();
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
  await report.end();
});

test('a password-protected event opens to its word and to those who edit it (E3)', async () => {
  const report = new Report();
  for (const who of oracle.WHO) {
    for (const owner of oracle.ownersFor(who)) {
      const body = { title: 'Secret', ...DATES, author: idOf(who, owner), password: 'sesame' };
      await report.stir();
      const { id, slug } = (await server.post('/events', body, 'admin')).json;
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
  await report.end();
});

test('an event hidden from listings is listed to those who ask to edit and may edit it (B12, E1)', async () => {
  const report = new Report();
  const [events] = oracle.KINDS as [oracle.KindWords];
  for (const who of oracle.WHO) {
    for (const owner of oracle.ownersFor(who)) {
      for (const state of oracle.STATES) {
        await report.stir();
        const { id } = await make(events, idOf(who, owner), state, { hide_from_listings: true });
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
  await report.end();
});

test('what is kept for one user is not shown to another of the same role (E2)', async () => {
  const { user, secret } = await server.database.write((db) => createUser(db, unique('ben'), 'author', 'test'));
  const authorization = `Basic ${Buffer.from(`${user.username}:${secret}`).toString('base64')}`;
  const word = unique('Twofold');
  const draft = { status: 'draft' };
  const venue = await must(server.post('/venues', { venue: `${word} venue`, ...draft }, 'author'));
  const organizer = await must(server.post('/organizers', { organizer: `${word} organizer`, ...draft }, 'author'));
  await must(server.post('/events', { title: `${word} event`, ...DATES, ...draft }, 'author'));
  // What is asked for once is not kept.
  for (let n = 0; n < 4; n++) {
    for (const path of ['/events', '/venues', '/organizers']) {
      for (const more of [{}, { search: word }]) {
        const query = { status: 'draft', per_page: 50, end_date: '2200-01-01', ...more };
        const own = await must(server.ask('GET', path, { query, as: 'author' }), 200);
        const others = await must(server.ask('GET', path, { query, headers: { authorization } }), 200);
        const names = (reply: object): boolean => JSON.stringify(reply).includes(`"${word} `);
        assert.deepEqual([names(own), names(others)], [true, false], `${path} ${JSON.stringify(more)}`);
      }
    }
    for (const query of [{ venue: venue.id }, { organizer: organizer.id }]) {
      assert.equal((await server.ask('GET', '/events', { query, as: 'author' })).status, 200);
      assert.equal((await server.ask('GET', '/events', { query, headers: { authorization } })).status, 400);
    }
  }
});
