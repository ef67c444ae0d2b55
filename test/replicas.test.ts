import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { addUser } from '../src/accounts/user.store.js';
import { nextChange } from '../src/db/counter.js';
import type { Database, Db, ReplicaState } from '../src/db/database.js';
import { BeingMade } from '../src/db/lazily.js';
import { migrate } from '../src/db/migrate.js';
import { openDatabase } from '../src/db/open.js';
import { eraseImage, insertImage, setAlt } from '../src/media/image.store.js';
import { changeOf } from './support/engine.js';
import { freePort, PostgresServer } from './support/postgres.js';

const portOf = async (db: Db): Promise<number> =>
  (await db.first(sql<{ port: number }>`SELECT inet_server_port() AS port`))?.port ?? 0;

const PICTURE = {
  uid: 'u',
  created_at: 0,
  file: 'f',
  extension: 'png',
  mime: 'image/png',
  width: 1,
  height: 1,
  filesize: 1,
  sizes: '{}',
  alt: 'old',
  source_url: null,
};

/** A primary and two servers that follow it, for real. */
describe('replicas', { timeout: 60_000 }, () => {
  let primary: PostgresServer;
  let one: PostgresServer;
  let two: PostgresServer;
  let database: Database;
  const heard: ReplicaState[] = [];
  const stateOf = (server: PostgresServer) =>
    database.replicas?.().find(({ address }) => address.includes(`:${server.port}/`));
  const until = async (what: () => boolean, limit = 4000): Promise<number> => {
    const start = performance.now();
    while (!what()) {
      assert.ok(performance.now() - start < limit, `${what} not within ${limit} ms: ${JSON.stringify(heard)}`);
      await sleep(20);
    }
    return performance.now() - start;
  };
  /** Which servers answered so many reads. */
  const answering = async (reads: number, fresh = false): Promise<Set<number>> => {
    const ports = new Set<number>();
    for (let n = 0; n < reads; n++) ports.add(await database.read(portOf, { fresh }));
    return ports;
  };

  before(async () => {
    primary = await PostgresServer.make({ wal_level: 'replica', hot_standby: 'on' });
    const follow = { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres` };
    [one, two] = await Promise.all([primary.follower(follow), primary.follower(follow)]);
    await primary.start();
    const plain = await openDatabase(primary.url);
    await migrate(plain);
    await plain.close();
    await Promise.all([one.start(), two.start()]);
    for (const server of [one, two]) {
      while (!(await server.sql("SELECT to_regclass('counter') AS it"))[0]?.it) await sleep(20);
    }
    database = await openDatabase(primary.url, {
      replicas: [one.url, two.url],
      replicaChanged: (state) => heard.push(state),
    });
    await until(() => stateOf(one)?.inUse === true && stateOf(two)?.inUse === true);
  });
  after(async () => {
    await database.close();
    await Promise.all([primary, one, two].map((server) => server.remove()));
  });

  test('reads go to each in turn; fresh ones and writes to the primary', async () => {
    assert.deepEqual(await answering(6), new Set([one.port, two.port]));
    assert.deepEqual(await answering(6, true), new Set([primary.port]));
    await database.write(nextChange);
    assert.equal(await database.read(changeOf, { fresh: true }), 1);
  });

  test('one that never answered is told of, once', async () => {
    const told: ReplicaState[] = [];
    const wrong = one.url.replace(String(one.port), String(await freePort()));
    const other = await openDatabase(primary.url, { replicas: [wrong], replicaChanged: (state) => told.push(state) });
    await sleep(1500);
    await other.close();
    assert.deepEqual(
      told.map(({ inUse, reason }) => [inUse, reason]),
      [[false, 'it does not answer']],
    );
  });

  test('that something is being made is an answer, too', async () => {
    let tried = 0;
    const made = Promise.resolve();
    const asked = database.read(async () => {
      tried++;
      throw new BeingMade(made);
    });
    await assert.rejects(asked, BeingMade);
    assert.equal(tried, 1);
  });

  test('one that falls behind is left out within two seconds, and comes back by itself', async () => {
    await one.sql('SELECT pg_wal_replay_pause()');
    await database.write(nextChange);
    const took = await until(() => stateOf(one)?.inUse === false);
    assert.ok(took < 2000, `${took} ms`);
    assert.match(stateOf(one)?.reason ?? '', /misses 1 change/);
    assert.deepEqual(await answering(6), new Set([two.port]));
    assert.equal(await database.read(changeOf), 2);
    await one.sql('SELECT pg_wal_replay_resume()');
    await until(() => stateOf(one)?.inUse === true);
    assert.deepEqual(await answering(6), new Set([one.port, two.port]));
  });

  test('one that hangs holds nobody up for long, even who asked it', async () => {
    two.signal('SIGSTOP');
    const start = performance.now();
    const ports = await Promise.all(Array.from({ length: 20 }, () => database.read(portOf)));
    const took = performance.now() - start;
    assert.ok(took < 2000, `${took} ms`);
    assert.ok(!ports.includes(two.port));
    assert.match(stateOf(two)?.reason ?? '', /does not answer/);
    two.signal('SIGCONT');
    await until(() => stateOf(two)?.inUse === true);
  });

  test('one that dies is left out; with none left the primary answers', async () => {
    await Promise.all([one.stop('SIGQUIT'), two.stop('SIGQUIT')]);
    assert.deepEqual(await answering(10), new Set([primary.port]));
    await until(() => !stateOf(one)?.inUse && !stateOf(two)?.inUse);
    await Promise.all([one.start(), two.start()]);
    await until(() => stateOf(one)?.inUse === true && stateOf(two)?.inUse === true);
  });

  test('while the primary is away they go on, and the service is ready', async () => {
    await primary.stop('SIGQUIT');
    await sleep(1000);
    assert.deepEqual(await answering(6), new Set([one.port, two.port]));
    await database.ping();
    await primary.start();
    await database.write(nextChange);
  });

  test('what a replica says about a record is said; what it cannot do, the primary does', async () => {
    await assert.rejects(
      database.read(async () => {
        throw new TypeError('on every server');
      }),
      TypeError,
    );
    let tried = 0;
    const answered = await database.read(async (db) => {
      tried++;
      const port = await portOf(db);
      if (port !== primary.port) throw new Error('column "new" does not exist');
      return port;
    });
    assert.deepEqual([answered, tried], [primary.port, 2]);
  });

  test('changes of pictures count, too', async () => {
    const before = await database.read(changeOf, { fresh: true });
    const author_id = (await database.write((db) => addUser(db, 'ada', 'author', 0))).id;
    const id = await database.write((db) => insertImage(db, { ...PICTURE, author_id }));
    await database.write((db) => setAlt(db, id, 'new'));
    await database.write((db) => eraseImage(db, { ...PICTURE, author_id, id }));
    assert.equal(await database.read(changeOf, { fresh: true }), before + 3);
  });
});
