import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { june } from '../support/june.js';
import { must, newEvent } from '../support/rows.js';
import { type Reply, type RoleName, startServer, type TestServer } from '../support/server.js';
import { basic, Findings, listRoutes, nameOf } from './support.js';

/**
 * Row "SQL injection": what a caller sends never becomes SQL text. For each payload there is a twin: letters and signs
 * replaced by harmless ones of the same kind, so that it has the same words, elements and numbers. Both must get the same
 * status, and the texts of SQL that reach the driver must be the very same set.
 */

const PAYLOADS = [
  "'",
  '"',
  '`',
  "x' OR '1'='1",
  '1 OR 1=1',
  '1; DROP TABLE event',
  '1 -- x',
  "x'/* */OR/**/1=1",
  '%',
  '_',
  '\\',
  'ʼ OR 1=1',
  '%27 OR 1=1',
  "1' AND pg_sleep(5)='1",
  '1 AND 1=randomblob(1e9)',
  'ASC,(SELECT hash FROM credential)',
  'id,(CASE WHEN 1=1 THEN 1 ELSE 2 END)',
  "1) UNION SELECT value FROM setting WHERE ('1'='1",
  "1' || (SELECT sqlite_version()) || '",
  '$1',
  '?1',
  ':name',
  'x\u0000y',
  'x NEAR(y z) AND text:q* OR ^w',
];
/** Tried in every form; the rest as a plain value. */
const SHORT = ["x' OR '1'='1", 'ASC,(SELECT hash FROM credential)', '"'];

function twin(payload: string): string {
  return payload
    .replaceAll('%27', '%21')
    .replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < 'n' ? 13 : -13)))
    .replace(/[_ʼ]/g, 'k')
    .replace(/[^\w\s",+\-%./\p{Cc}]/gu, '!');
}

type Form = (name: string, value: string) => string;
const FORMS: Record<string, Form> = {
  scalar: (name, value) => `${name}=${value}`,
  repeated: (name, value) => `${name}=1&${name}=${value}`,
  list: (name, value) => `${name}[]=${value}`,
  nested: (name, value) => `${name}[a]=${value}`,
  deep: (name, value) => `${name}[0][a][b]=${value}`,
  'in the name': (name, value) => `${name}[${value}]=1`,
};
const UNKNOWN = ['orderby', 'order', 'sort', 'offset', 'where', 'id', 'fields', "x' OR '1'='1"];

let s: TestServer;
/** SQL of the chores that run by themselves: once a second, a minute, or an hour. */
const CHORES =
  /^(select seq, kind, id, day_before|select min\(date_utc\)|select \(select min\(seq\)|update "credential" set "last_used_at"|insert into "(tally|instance)"|delete from ("(tally|request_key|instance|session)"|change_log\b)|select "file" from "loose_file"|select "value" from "setting"|(select .*|delete) from unindexed\b|(insert into|delete from) "\w+_search_index" (where rowid in|\(rowid, text\) select|\("\w+", rank\) values \('merge')|select total_changes\(\))/i;

/** Chores may have begun a transaction of their own. */
const isAsked = (text: string): boolean => !CHORES.test(text) && !/^(begin|commit|rollback)/i.test(text);

before(async () => {
  // What is remembered is not asked: here every question must show its SQL.
  s = await startServer({ KALENDS_LOG_LEVEL: 'silent', KALENDS_MEMORY: 'off' });
  await june(s);
});
after(() => s.close());

interface Asked {
  reply: Reply;
  texts: string;
  ms: number;
}
async function asked(ask: () => Promise<Reply>): Promise<Asked> {
  s.sqlSeen();
  const from = performance.now();
  const reply = await ask();
  const ms = performance.now() - from;
  return { reply, texts: [...new Set(s.sqlSeen().filter(isAsked))].sort().join('\n'), ms };
}

function compare(found: Findings, label: string, evil: Asked, tame: Asked, statuses: number[]): void {
  const { status, text } = evil.reply;
  found.check(statuses.includes(status), () => `${label}: ${status} ${text.slice(0, 200)}`);
  found.check(status === tame.reply.status, () => `${label}: ${status}, its twin ${tame.reply.status}`);
  found.check(evil.ms < 1000, () => `${label}: took ${evil.ms} ms`);
  found.check(evil.texts === tame.texts, () => `${label}: SQL\n${evil.texts}\nits twin\n${tame.texts}`);
}

describe('SQL injection', () => {
  test('what runs by itself is known, or it would be taken for what somebody asked', async () => {
    const idle = await startServer({ KALENDS_LOG_LEVEL: 'silent', KALENDS_MEMORY: 'off' });
    // The first turn of every chore comes after this, and the second of some.
    idle.sqlSeen();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const seen = idle.sqlSeen();
    await idle.close();
    assert.ok(seen.some((text) => CHORES.test(text)));
    assert.deepEqual(seen.filter(isAsked), []);
    // Where nothing is kept, nobody has to look what changed.
    assert.ok(!seen.some((text) => /^select seq, kind/i.test(text)));
  });

  for (const { path, params } of listRoutes()) {
    for (const who of [undefined, 'admin'] as const) {
      if (path === '/media' && who === undefined) continue;
      test(`GET ${path} as ${nameOf(who)}: every parameter, form and payload`, async () => {
        const found = new Findings();
        for (const name of [...params, ...UNKNOWN.filter((one) => !params.includes(one)), '_fields', 'context']) {
          for (const [form, write] of Object.entries(FORMS)) {
            if (who === 'admin' && !['scalar', 'list'].includes(form)) continue;
            for (const payload of form === 'scalar' && params.includes(name) ? PAYLOADS : SHORT) {
              const send = (value: string) =>
                asked(() => s.get(path, write(encodeURIComponent(name), encodeURIComponent(value)), who));
              const label = `${path}?${write(name, payload)}`;
              compare(found, label, await send(payload), await send(twin(payload)), [200, 400, 404]);
            }
          }
        }
        found.end(300);
      });
    }
  }

  test('single records: id, slug, password and body', async () => {
    const found = new Findings();
    const at = ['/events/', '/events/by-slug/', '/venues/by-slug/', '/organizers/by-slug/', '/categories/', '/media/'];
    for (const payload of PAYLOADS.filter((one) => !one.includes('\u0000') && one !== '%27 OR 1=1')) {
      for (const path of at) {
        const send = (value: string) => asked(() => s.get(path + encodeURIComponent(value), undefined, 'admin'));
        compare(found, `GET ${path}${payload}`, await send(payload), await send(twin(payload)), [403, 404]);
      }
      const open = (password: string) => asked(() => s.get('/events/1', { password }, undefined));
      compare(found, `password=${payload}`, await open(payload), await open(twin(payload)), [200, 404]);
      const sign = (word: string) =>
        asked(() => s.ask('GET', '/events', { headers: { authorization: basic(word, word) } }));
      if (!payload.includes(':')) {
        compare(found, `Basic ${payload}`, await sign(payload), await sign(twin(payload)), [401]);
      }
    }
    found.end(100);
  });

  const WRITES: [string, string, Record<string, unknown>][] = [
    ['/events', 'title', newEvent()],
    ['/events', 'description', newEvent()],
    ['/events', 'excerpt', newEvent()],
    ['/events', 'slug', newEvent()],
    ['/events', 'status', newEvent()],
    ['/events', 'timezone', newEvent()],
    ['/events', 'start_date', newEvent()],
    ['/events', 'image', newEvent()],
    ['/events', 'author', newEvent()],
    ['/events', 'post_parent', newEvent()],
    ['/venues', 'venue', {}],
    ['/venues', 'city', { venue: 'Injected' }],
    ['/organizers', 'organizer', {}],
    ['/organizers', 'email', { organizer: 'Injected' }],
    // Before categories have such names.
    ['/categories', 'parent', { name: 'Injected' }],
    ['/categories', 'name', {}],
    ['/tags', 'name', {}],
  ];
  test('writes: every payload is stored as text, or refused', async () => {
    const found = new Findings();
    const tables = await must(s.get('/events', { status: 'any', include: '1,2,3,4,5,6,7,8,9,10,11,12' }, 'admin'), 200);
    for (const [path, field, body] of WRITES) {
      for (const payload of PAYLOADS.filter((one) => one.length > 3)) {
        const send = (value: string) => asked(() => s.post(path, { ...body, [field]: value }, 'admin'));
        const tame = await send(twin(payload));
        compare(found, `${path} ${field} ${payload}`, await send(payload), tame, [201, 400]);
      }
    }
    const still = await must(s.get('/events', { status: 'any', include: '1,2,3,4,5,6,7,8,9,10,11,12' }, 'admin'), 200);
    assert.deepEqual(still, tables);
    found.end(500);
  });

  test('the syntax of full-text search is text', async () => {
    const on = (day: string) => ({ start_date: `2032-02-${day} 10:00`, end_date: `2032-02-${day} 11:00` });
    const made = await must(s.post('/events', newEvent({ title: 'alphabet beta gamma', ...on('01') }), 'admin'));
    const literal = await must(
      s.post('/events', newEvent({ title: 'alph* NEAR(beta) "or" ^gam', ...on('02') }), 'admin'),
    );
    const count = async (search: string, as?: RoleName): Promise<number[]> => {
      const reply = await must(s.get('/events', { search, start_date: '2032-02-01', end_date: '2032-02-28' }, as), 200);
      return reply.events.map((event: { id: number }) => event.id);
    };
    const rows: [string, number[]][] = [
      ['alph', [made.id, literal.id]],
      ['alph*', [literal.id]],
      ['alphabet OR zzz', []],
      ['alphabet AND beta', []],
      ['alphabet NOT beta', []],
      ['NEAR(beta', [literal.id]],
      ['NEAR(alphabet beta)', []],
      ['^gam', [literal.id]],
      ['text:alphabet', []],
      ['{text}:alphabet', []],
      ['- text : alphabet', []],
      ['"alphabet" OR "zzz"', []],
      ['alphabet"', [made.id]],
      ['"alphabet', [made.id]],
      ['alphabet""', [made.id]],
      ['alphabet"" OR rowid > 0 OR ""', []],
      ['alphabet -beta', []],
      ['%', []],
      ['alph_bet', []],
    ];
    for (const [search, ids] of rows) assert.deepEqual(await count(search), ids, search);
  });
});
