import { createHash, randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { hashOfWord } from '../accounts/secrets.js';
import type { Database, Db } from '../db/database.js';
import { Failure } from '../errors.js';
import type { Endpoint } from '../records/routes.js';
import { nowSeconds } from '../time/clock.js';
import { type Claim, keepAnswer, releaseKey, renewKey, takeKey } from './idempotency.store.js';
import type { Done } from './send.js';

/**
 * `Idempotency-Key` (our own): a POST that is repeated with the same key is executed once, and gets the same response.
 *
 * The key is claimed in a short transaction of its own, so that every instance sees at once that its request is
 * running. The response is stored in the transaction of the write itself, provided that this request still owns the
 * key: a process that dies leaves neither, and one that was given up for dead and wakes up again cannot write anything.
 *
 * A request that fails releases its key, also with 4xx: nothing was written, so nothing can happen twice, and what was
 * wrong (a parameter, a right, a name that is taken) can be corrected and sent again with the same key.
 */

const KEPT_SECONDS = 24 * 60 * 60;
/** After this time a request without a response is given up as killed. A running one renews its claim in time. */
const RUNNING_SECONDS = 10;
const RENEWED_MS = 3000;
const KEY = /^[!-~]{1,255}$/;

export type KeyedRequest = Omit<Claim, 'claim'>;

/** Stores the response of a write before its transaction ends. */
export type Keep = (db: Db, done: Done) => Promise<void>;

/** The key of this request, if it counts. Only signed-in callers can write, so only their keys count. */
export async function keyOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  given: Readonly<Record<string, unknown>>,
  secretKey: string,
): Promise<KeyedRequest | undefined> {
  const name = request.headers['idempotency-key'];
  const user = request.caller?.user?.id;
  if (name === undefined || user === undefined || request.method !== 'POST') return undefined;
  if (typeof name !== 'string' || !KEY.test(name)) throw new Failure('idempotency-key');
  return { user, name, fingerprint: await fingerprintOf(endpoint, request, given, secretKey) };
}

/** Sorts members by name: the order in which they were written means nothing. */
const inOrder = (_name: string, value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** What was requested, however it was written: the boundary of a form differs each time. */
async function fingerprintOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  given: Readonly<Record<string, unknown>>,
  secretKey: string,
): Promise<string> {
  const asked = { ...given };
  // Passwords chosen by people must not be found by trying them against a fast hash.
  for (const name of new Set(['password', endpoint.secret ?? 'password'])) {
    if (asked[name] !== undefined) asked[name] = await hashOfWord(JSON.stringify(asked[name]), secretKey);
  }
  const path = (request.raw.url ?? '').split('?', 1)[0];
  const hash = createHash('sha256').update(JSON.stringify([request.method, path, asked], inOrder));
  if (Buffer.isBuffer(request.upload)) hash.update(request.upload);
  return hash.digest('hex');
}

/** Does `work` for the first request with this key; others get its response, or a failure. */
export async function once(
  key: KeyedRequest | undefined,
  database: Database,
  work: (keep: Keep) => Promise<Done>,
): Promise<Done> {
  if (!key) return work(async () => undefined);
  const claim: Claim = { ...key, claim: randomUUID() };
  // If releasing fails, too, the key is free again when it expires.
  const giveBack = () => database.write((db) => releaseKey(db, claim)).catch(() => undefined);
  const found = await database
    .write((db) => takeKey(db, claim, nowSeconds(), nowSeconds() + RUNNING_SECONDS))
    .catch((error: unknown) => {
      // The key may be claimed all the same, and only the confirmation lost. The caller need not wait for the release.
      void giveBack();
      throw error;
    });
  if (found) {
    if (found.fingerprint !== key.fingerprint) throw new Failure('idempotency-mismatch');
    if (found.answer === null) throw stillRunning();
    const { answer, allow } = JSON.parse(found.answer) as Done;
    return { answer: { ...answer, replayed: true }, allow };
  }
  const renewal = setInterval(() => {
    database.write((db) => renewKey(db, claim, nowSeconds() + RUNNING_SECONDS)).catch(() => undefined);
  }, RENEWED_MS);
  try {
    return await work(async (db, { answer, allow }) => {
      const text = JSON.stringify({ answer, allow });
      if (!(await keepAnswer(db, claim, text, nowSeconds() + KEPT_SECONDS))) throw stillRunning();
    });
  } catch (error) {
    await giveBack();
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

const stillRunning = (): Failure => new Failure('idempotency-conflict', { retryAfter: 1 });

/** A chore: deletes expired keys. */
