import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { sql } from 'kysely';
import * as oracle from './rights.table.js';
import { type Ask, type Reply, type RoleName, startServer, type TestServer } from './support/server.js';

/** Cells of the matrix of rights: records of somebody in some state, and what is asked about them, beside the oracle. */

export let server: TestServer;
let cells = 0;
let made = 0;
/** So that no two records have the same name. */
export const another = (): number => ++made;
before(async () => {
  server = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
});
after(async () => {
  console.log(`# rights: ${cells} cells`);
  await server.close();
});

export const as = (who: oracle.Who): RoleName | undefined => (who === 'anonymous' ? undefined : who);
const otherThan = (who: oracle.Who): RoleName => (who === 'admin' ? 'author' : 'admin');
export const idOf = (who: oracle.Who, owner: oracle.Owner): number =>
  server.users[owner === 'own' ? (as(who) ?? 'admin') : otherThan(who)].id;
/** Within the default window of lists (B4). */
const soon = Math.floor(Date.now() / 1000) + 30 * 86_400;
export const DATES = { start_date: soon, end_date: soon + 3600 };
const PLACE = { geo_lat: 10, geo_lng: 20 };
export const LATER = '2040-01-01 00:00:00';
export const MISSING = 900_000_000;

export interface Made {
  id: number;
  name: string;
}

/** A record of somebody in some state, made by the administrator. */
export async function make(
  kind: oracle.KindWords,
  author: number,
  state: oracle.StateOrNone,
  more: Record<string, unknown> = {},
): Promise<Made> {
  const name = `Rec${another()}x`;
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
export const rowOf = (table: string, id: number): Promise<Row | undefined> =>
  server.database.read((db) => db.first(sql<Row>`SELECT * FROM ${sql.table(table)} WHERE id = ${id}`));
export const linksOf = async (table: string, event: number): Promise<number[]> => {
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
export class Report {
  private readonly wrong: string[] = [];
  private seen = 0;
  /** The state of the data, as long as nobody was allowed to change it. */
  private last: string | undefined;
  /** What read it since it was last looked at: counting all of it after each of them would take longer than they do. */
  private readers: string[] = [];
  private async readersChangedNothing(): Promise<void> {
    const readers = this.readers.splice(0);
    if (readers.length > 0 && this.last !== (await state()))
      this.note(`data changed by one of ${readers.length} that read: ${readers.slice(0, 50).join('; ')}`);
  }
  /** Before somebody writes on purpose. */
  async stir(): Promise<void> {
    await this.readersChangedNothing();
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
    const reads = method === 'GET' || method === 'HEAD';
    if (!reads) await this.readersChangedNothing();
    this.last ??= await state();
    const reply = await server.ask(method, path, ask);
    const told = (what: string, expected: unknown, actual: unknown): void => {
      if (expected !== actual) this.note(`${label}: ${what} ${actual}, expected ${expected} (${method} ${path})`);
    };
    told('status', wanted.status, reply.status);
    if (method !== 'HEAD') told('code', wanted.code, reply.json?.code);
    if (allow !== undefined) told('Allow', allow, reply.headers.get('allow'));
    if (reads) this.readers.push(label);
    else if (reply.status >= 400) told('data', this.last, await state());
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
  async end(): Promise<void> {
    await this.stir();
    assert.ok(this.seen > 0, 'no cell was looked at');
    assert.equal(this.wrong.length, 0, `${this.wrong.length} wrong in ${this.seen} cells:\n${this.wrong.join('\n')}`);
  }
}
