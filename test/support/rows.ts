import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Ask, type Reply, startServer, type TestServer } from './server.js';

/** One case: a request, and what its answer must and must not be. */
export interface Row extends Ask {
  name: string;
  /** 'PATCH /events/12'; '~/livez' is outside of the interface. */
  ask: string;
  status: number;
  /** Error code. */
  code?: string;
  /** Names of the bad or missing parameters, in order. */
  params?: readonly string[];
  /** Members by path ('cost_details.values.0'); a pattern matches text, undefined means absent. */
  shows?: Record<string, unknown>;
  /** Headers by name; null means absent. */
  header?: Record<string, string | RegExp | null>;
  has?: string[];
  lacks?: string[];
}

/** A suite on a server of its own. Records that rows share are made while it is declared. */
export function behaviour(
  title: string,
  declare: (s: TestServer) => Promise<void> | void,
  env: Record<string, string> = {},
): void {
  describe(title, async () => {
    const s = await startServer(env);
    after(() => s.close());
    try {
      await declare(s);
    } catch (error) {
      // Without this a failed fixture would be a suite with no tests.
      test('the records of this suite can be made', () => {
        throw error;
      });
    }
  });
}

export function memberAt(json: unknown, path: string): unknown {
  let at = json;
  for (const step of path.split('.')) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

export function assertShows(json: unknown, shows: Record<string, unknown>): void {
  for (const [path, wanted] of Object.entries(shows)) {
    const found = memberAt(json, path);
    if (wanted instanceof RegExp) assert.match(String(found), wanted, path);
    else assert.deepEqual(found, wanted, path);
  }
}

export function assertRow(reply: Reply, row: Omit<Row, 'name' | 'ask'>): void {
  assert.equal(reply.status, row.status, reply.text.slice(0, 400));
  if (row.code !== undefined) {
    assert.equal(reply.json?.code, row.code);
    assert.equal(reply.json?.data?.status, row.status);
    assert.equal(typeof reply.json?.message, 'string');
  }
  if (row.params !== undefined) {
    const { params } = reply.json?.data ?? {};
    assert.deepEqual(Array.isArray(params) ? params : Object.keys(params ?? {}), row.params);
  }
  if (row.shows) assertShows(reply.json, row.shows);
  for (const [name, wanted] of Object.entries(row.header ?? {})) {
    const found = reply.headers.get(name);
    if (wanted instanceof RegExp) assert.match(found ?? '(absent)', wanted, name);
    else assert.equal(found, wanted, name);
  }
  for (const text of row.has ?? []) assert.ok(reply.text.includes(text), `must contain ${text}: ${reply.text}`);
  for (const text of row.lacks ?? []) assert.ok(!reply.text.includes(text), `must not contain ${text}: ${reply.text}`);
}

export function rows(s: TestServer, list: Row[]): void {
  for (const row of list) {
    test(row.name, async () => {
      const [method = 'GET', at = ''] = row.ask.split(/ (.*)/s);
      assertRow(await s.ask(method, at, row), row);
    });
  }
}

/** The body of an answer that must have this status. */
// biome-ignore lint/suspicious/noExplicitAny: records of every kind pass here
export async function must(asked: Promise<Reply>, status = 201): Promise<any> {
  const reply = await asked;
  assert.equal(reply.status, status, reply.text.slice(0, 400));
  return reply.json;
}

let made = 0;
/** A name that no other record has. */
export function unique(word: string): string {
  made += 1;
  return `${word} ${made}x${process.pid}`;
}

/** The least an event needs; far away, so that no default window lists it. */
export const newEvent = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  title: unique('Event'),
  start_date: '2031-05-06 19:30:00',
  end_date: '2031-05-06 21:00:00',
  ...more,
});

// biome-ignore lint/suspicious/noExplicitAny: as must
export const makeEvent = (s: TestServer, more: Record<string, unknown> = {}, as: Ask['as'] = 'admin'): Promise<any> =>
  must(s.post('/events', newEvent(more), as));

/** Ids of a list's records, in order. */
export const idsIn = (reply: Reply, plural: string): number[] =>
  (reply.json[plural] as { id: number }[]).map((record) => record.id);

/** Until `holds` gives something else than undefined; for what happens by itself. */
export async function eventually<T>(holds: () => Promise<T | undefined>, ms = 8000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await holds();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`It did not happen within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
