import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  another,
  as,
  DATES,
  idOf,
  LATER,
  linksOf,
  type Made,
  MISSING,
  make,
  Report,
  rowOf,
  server,
} from './rights.cells.js';
import * as oracle from './rights.table.js';

/** Role x owner x status x kind x method x address form, every cell against the oracle in rights.table.ts. */

for (const kind of oracle.KINDS) {
  for (const who of oracle.WHO) {
    test(`${kind.plural}: single records as ${who} (E1, E3, D14)`, async () => {
      const report = new Report();
      for (const owner of oracle.ownersFor(who)) {
        for (const state of [...oracle.STATES, 'missing'] as const) {
          for (const form of ['id', 'slug'] as const) await singles(report, kind, who, owner, state, form);
        }
      }
      await report.end();
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
    if (!record) await report.stir();
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
                [kind.name]: `New${another()}x`,
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
    await report.end();
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
          let record: Made | undefined;
          for (const [form, value] of Object.entries(FORMS)) {
            await report.stir();
            // Another each time: what is linked and not shown stays (D15).
            const mine = await make(oracle.KINDS[0] as oracle.KindWords, idOf(who, 'own'), 'draft');
            for (const way of ['create', 'update'] as const) {
              if (!record) await report.stir();
              record ??= await make(kind, idOf(who, owner), state);
              if (await inline(report, kind, who, owner, state, record, form, value, way, mine)) record = undefined;
            }
          }
        }
      }
      await report.end();
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
      await report.stir();
      const name = `Term ${another()}`;
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
        { as: as(who), json: { name: `Made ${another()}` } },
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
        ['name', 'new', `Inline ${another()}`],
        ['{name}', 'new', { name: `Inline ${another()}` }],
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
    await report.end();
  });
}
