import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { contextFor, make } from '../bench/fill.js';
import { COSTS } from '../bench/model.js';
import { createUser } from '../src/accounts/accounts.js';
import type { Database } from '../src/db/database.js';
import { migrate } from '../src/db/migrate.js';
import { openPostgres } from '../src/db/postgres.js';
import { eventKind } from '../src/events/event.js';
import { sharedLimitOf } from '../src/http/shared-limits.js';
import { nowSeconds } from '../src/time/clock.js';
import { PostgresServer } from './support/postgres.js';

/** How often a database that is far away is waited for, counted and not timed. */

/** Whoever has sent nothing for so long, in milliseconds, waits for an answer. */
const SILENCE = 40;

/** Answers go on only when nothing more is asked; `waits`: how often that was. */
async function patientProxy(port: number) {
  const proxy = { waits: 0, port: 0, close: () => server.close() };
  const server = net.createServer((asking) => {
    const answering = net.connect(port, '127.0.0.1');
    const held: Buffer[] = [];
    let silence: NodeJS.Timeout | undefined;
    const release = (): void => {
      if (held.length === 0) return;
      proxy.waits++;
      for (const part of held.splice(0)) asking.write(part);
    };
    const wait = (): void => {
      clearTimeout(silence);
      silence = setTimeout(release, SILENCE);
    };
    asking.on('data', (bytes) => {
      answering.write(bytes);
      wait();
    });
    answering.on('data', (bytes) => {
      held.push(bytes);
      wait();
    });
    for (const [one, other] of [
      [asking, answering],
      [answering, asking],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}

describe('ways to a database that is far away', () => {
  let postgres: PostgresServer;
  let proxy: Awaited<ReturnType<typeof patientProxy>>;
  let database: Database;
  let admin: number;
  before(async () => {
    postgres = await (await PostgresServer.make()).start();
    const near = await openPostgres({ url: postgres.url });
    await migrate(near);
    admin = (await near.write((db) => createUser(db, 'admin', 'administrator', 'test'))).user.id;
    await near.close();
    proxy = await patientProxy(postgres.port);
    database = await openPostgres({
      url: postgres.url.replace(`:${postgres.port}/`, `:${proxy.port}/`),
      connections: 1,
    });
  });
  after(async () => {
    await database.close();
    proxy.close();
    await postgres.stop();
  });

  const given = (title: string) => ({ title, start_date: '2031-05-06 19:30:00', end_date: '2031-05-06 21:00:00' });
  const create = (title: string) =>
    database.write((db) => make(eventKind, contextFor(db, nowSeconds(), admin, given(title))));
  const waitsFor = async (work: () => Promise<unknown>): Promise<number> => {
    proxy.waits = 0;
    await work();
    return proxy.waits;
  };

  test('a create is the beginning, what it asks, what it writes, and the commit', async () => {
    await create('First');
    assert.equal(await waitsFor(() => create('Second')), COSTS.ways);
  });

  test('those who create together share the first and the last', async () => {
    const many = 5;
    const waits = await waitsFor(() => Promise.all(Array.from({ length: many }, (_, n) => create(`Together ${n}`))));
    // What is written is waited for when there is much of it.
    assert.ok(waits <= 2 + many * 2, `${waits} waits`);
  });

  test('what limits count is told at once, however many callers there were', async () => {
    const limit = sharedLimitOf({ database, secretKey: 'test', name: 'writes', most: 100, seconds: 60 });
    const waitsFor100 = async (): Promise<number> => {
      for (let n = 0; n < 100; n++) limit.count(`caller ${n}`);
      return waitsFor(() => limit.exchange());
    };
    await waitsFor100();
    assert.equal(await waitsFor100(), 3);
  });

  test('a name that others have costs two waits more, and not one for each', async () => {
    for (let n = 0; n < 8; n++) await create('Again');
    assert.equal(await waitsFor(() => create('Again')), COSTS.ways + 2);
  });
});
