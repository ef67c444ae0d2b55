import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import type { Database } from '../../src/db/database.js';
import { openDatabase } from '../../src/db/open.js';
import { addSampleCalendar } from '../../src/demo/sample.js';
import { nowSeconds } from '../../src/time/clock.js';
import { folder, fresh, inProcess, type Result } from './cli.js';
import { freshPostgres, postgresServer } from './engine.js';
import { newEvent } from './rows.js';
import { startServer } from './server.js';

/** A calendar that has one of everything, and places for copies of it on both engines. */

export let server: Awaited<ReturnType<typeof postgresServer>>;
export const dropped: (() => Promise<void>)[] = [];
let files = 0;
export const sqlite = (): string => path.join(folder, `calendar${++files}.db`);
export async function postgres(): Promise<string> {
  const { url, drop } = await freshPostgres(server.url);
  dropped.push(drop);
  return url;
}
export async function inside<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

export async function run(code: number, args: string[], env: Record<string, string> = {}): Promise<Result> {
  const result = await inProcess(args, { KALENDS_DATA_DIR: fresh(), ...env });
  assert.equal(result.code, code, `kalends ${args.join(' ')}: ${result.out}${result.err}`);
  return result;
}
export const copy = (from: string, to: string, code = 0, ...more: string[]): Promise<Result> =>
  run(code, ['copy', '--from', from, '--to', to, ...more]);
export const exported = async (url: string): Promise<string> =>
  (await run(0, ['export', '-'], { DATABASE_URL: url })).out;
export const check = (url: string, data = fresh()): Promise<Result> =>
  run(0, ['check'], { DATABASE_URL: url, KALENDS_DATA_DIR: data });

/** One of everything, also of what is not seen from outside. */
interface Filled {
  url: string;
  password: string;
  /** Holds the pictures. */
  data: string;
}
export async function filled(url: string): Promise<Filled> {
  const data = fresh();
  mkdirSync(data);
  const s = await startServer({ DATABASE_URL: url, KALENDS_DATA_DIR: data, KALENDS_LOG_LEVEL: 'silent' });
  const make = async (at: string, body: unknown): Promise<number> => {
    const { status, json } = await s.post(at, body, 'admin');
    assert.equal(status, 201, JSON.stringify(json));
    return json.id;
  };
  await addSampleCalendar({ config: s.config, database: s.database, adminId: s.users.admin.id });
  const child = await make('/events', newEvent({ title: "Naïve “quotes” \\ 100 % _ ' 日本語 🎉", password: 'word' }));
  const parent = await make('/events', newEvent({ title: 'A parent that came later', status: 'draft' }));
  assert.equal((await s.patch(`/events/${child}`, { post_parent: parent }, 'admin')).status, 200);
  const below = await make('/categories', { name: 'Below' });
  const above = await make('/categories', { name: 'Ábove' });
  assert.equal((await s.patch(`/categories/${below}`, { parent: above }, 'admin')).status, 200);
  await make('/venues', { venue: 'North pole', geo_lat: 90, geo_lng: -0.123456789012345 });
  const headers = { 'idempotency-key': 'once' };
  assert.equal((await s.ask('POST', '/tags', { as: 'admin', json: { name: 'Once' }, headers })).status, 201);
  const gone = await make('/organizers', { organizer: 'Gone' });
  assert.equal((await s.del(`/organizers/${gone}`, 'admin', { force: true })).status, 200);
  const trashed = await make('/venues', { venue: 'Trashed' });
  assert.equal((await s.del(`/venues/${trashed}`, 'admin')).status, 200);
  const dot =
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQImWOo0pOt0pNlgFAAFw4DFQPTcrAAAAAASUVORK5CYII=';
  const body = Buffer.from(dot, 'base64');
  assert.equal(
    (await s.ask('POST', '/media', { as: 'admin', body, headers: { 'content-type': 'image/png' } })).status,
    201,
  );
  await s.database.write((db) =>
    db.run(db.q.insertInto('loose_file').values({ file: 'f'.repeat(32), names: '[]', noted_at: nowSeconds() })),
  );
  await s.close();
  return { url, password: s.users.editor.password, data };
}

export let origin: Filled;
before(async () => {
  server = await postgresServer();
  origin = await filled(sqlite());
});
after(async () => {
  for (const drop of dropped) await drop();
  await server.stop();
});
