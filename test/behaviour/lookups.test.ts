import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authenticator, issue } from '../../src/accounts/accounts.js';
import { revokeCredential } from '../../src/accounts/credential.store.js';
import { secretKey } from '../../src/accounts/secrets.js';
import { findUser } from '../../src/accounts/user.store.js';
import type { Database, Db } from '../../src/db/database.js';
import { Failure } from '../../src/errors.js';
import { nowSeconds } from '../../src/time/clock.js';
import { behaviour } from '../support/rows.js';

behaviour('credentials whose requests come in the same turn (E6)', async (s) => {
  const user = await s.database.read((db) => findUser(db, 'author'));
  assert.ok(user);
  const [one, two] = await s.database.write(async (db) => [
    await issue(db, user, 'token', 'first of two'),
    await issue(db, user, 'token', 'second of two'),
  ]);
  assert.ok(one && two);
  let reads = 0;
  let questions = 0;
  const read: Database['read'] = (work, freshness) => {
    reads++;
    return s.database.read((db) => {
      const asking: Db = Object.create(db);
      asking.first = (query) => {
        questions++;
        return db.first(query);
      };
      return work(asking);
    }, freshness);
  };
  const { identify } = authenticator({ ...s.database, read }, await s.database.write(secretKey));
  const bearer = (secret: string, first = async () => {}): Promise<unknown> =>
    identify(`Bearer ${secret}`, first).then(
      (caller) => caller.user?.username,
      (error) => error.code ?? error.message,
    );

  test('they are looked up in one snapshot, and each of them once', async () => {
    [reads, questions] = [0, 0];
    const told = await Promise.all([one, two, one, one, two].map(({ secret }) => bearer(secret)));
    assert.deepEqual(told, Array(5).fill('author'));
    assert.deepEqual([reads, questions], [1, 2]);
  });
  test('a wrong one, and one that is held up, are no trouble of the others', async () => {
    reads = 0;
    const heldUp = async (): Promise<never> => {
      throw new Failure('too-many-requests');
    };
    const told = await Promise.all([
      bearer(one.secret),
      bearer(`${one.secret}x`),
      bearer(two.secret, heldUp),
      bearer(two.secret),
    ]);
    assert.deepEqual(told, ['author', 'incorrect_password', 'too-many-requests', 'author']);
    assert.equal(reads, 1);
  });
  test('one that was revoked is refused by the next request, while others come', async () => {
    await s.database.write((db) => revokeCredential(db, 'token', one.id, nowSeconds()));
    assert.deepEqual(await Promise.all([bearer(one.secret), bearer(two.secret)]), ['incorrect_password', 'author']);
  });
  test('if the connection is lost meanwhile, all of them are told what the database makes of it', async () => {
    const losing: Database['read'] = (work, freshness) =>
      s.database
        .read((db) => {
          const lost: Db = Object.create(db);
          lost.first = () => Promise.reject(new Error('Connection terminated'));
          return work(lost);
        }, freshness)
        .catch((cause: unknown) => {
          throw new Failure('service-unavailable', { cause });
        });
    const { identify } = authenticator({ ...s.database, read: losing }, await s.database.write(secretKey));
    const told = await Promise.allSettled([0, 1].map(() => identify(`Bearer ${two.secret}`, async () => {})));
    assert.deepEqual(
      told.map((answer) => answer.status === 'rejected' && answer.reason.code),
      ['service-unavailable', 'service-unavailable'],
    );
  });
  test('if the database cannot be read, all of them are told so, and the next ones are looked up', async () => {
    let isAway = true;
    const away: Database['read'] = (work, freshness) =>
      isAway ? Promise.reject(new Error('away')) : s.database.read(work, freshness);
    const { identify } = authenticator({ ...s.database, read: away }, await s.database.write(secretKey));
    const ask = () => identify(`Bearer ${two.secret}`, async () => {});
    const told = await Promise.allSettled([ask(), ask()]);
    assert.deepEqual(
      told.map((answer) => answer.status === 'rejected' && answer.reason.message),
      ['away', 'away'],
    );
    isAway = false;
    assert.equal((await ask()).user?.username, 'author');
  });
});
