import assert from 'node:assert/strict';
import type { Database } from '../../src/db/database.js';
import { must } from './rows.js';
import type { Ask, Reply, TestServer } from './server.js';

/** What the suites about `Idempotency-Key` share. */

/** Lets time pass for all keys: as if they had been used so many seconds earlier. */
export const older = (database: Database, seconds: number): Promise<void> =>
  database.write((db) =>
    db.run(db.q.updateTable('request_key').set((eb) => ({ expires_at: eb('expires_at', '-', seconds) }))),
  );

export const keyed = (s: TestServer, key: string, at: string, json: unknown, more: Ask = {}): Promise<Reply> =>
  s.ask('POST', at, { as: 'admin', json, ...more, headers: { 'Idempotency-Key': key, ...more.headers } });

export const titled = async (s: TestServer, title: unknown): Promise<number> =>
  (await must(s.get('/events', { search: title, start_date: '2000-01-01', end_date: '2100-01-01' }, 'admin'), 200))
    .total;

export function assertReplayed(first: Reply, again: Reply): void {
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal(first.headers.get('idempotency-replayed'), null);
  assert.equal(again.status, first.status);
  assert.equal(again.text, first.text);
  for (const name of ['location', 'x-kalends-ignored', 'content-type', 'cache-control', 'allow'])
    assert.equal(again.headers.get(name), first.headers.get(name), name);
}
