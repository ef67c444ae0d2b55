import { createHmac, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Db } from '../db/database.js';

/** Secrets: how they are made, kept and compared (E5). */

const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const TOKEN_PREFIX = 'kal_';

const randomText = (length: number): string =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

export const newApplicationPassword = (): string => randomText(24);
export const newToken = (): string => `${TOKEN_PREFIX}${randomText(40)}`;
/** Other bearer tokens are not ours to judge: their senders are anonymous, as clients of the reference expect. */
export const looksLikeToken = (text: string): boolean => text.startsWith(TOKEN_PREFIX);

/** Blanks in an application password are for the eye (E6). */
export const withoutBlanks = (password: string): string => password.replace(/\s+/g, '');

/** What we made is long and random: a fast keyed hash is enough, and keeps every request cheap. */
export const hashOf = (secret: string, key: string): string => createHmac('sha256', key).update(secret).digest('hex');

export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const slow = promisify(scrypt) as (password: string, salt: string, length: number, options: object) => Promise<Buffer>;

/**
 * The password of an event was thought up by a person, so guessing must be slow. The salt is the site's, not the
 * event's: a list can then be opened with one calculation however many events it holds.
 */
export async function hashOfWord(word: string, key: string): Promise<string> {
  return (await slow(word.normalize('NFC'), `event:${key}`, 32, { N: 16384, r: 8, p: 1 })).toString('hex');
}

const KEY = 'secret.key';

/** The key of this site's hashes, made once. */
export async function secretKey(db: Db): Promise<string> {
  const known = await db.first(db.q.selectFrom('setting').select('value').where('name', '=', KEY));
  if (known) return known.value;
  const value = randomBytes(32).toString('hex');
  await db.run(db.q.insertInto('setting').values({ name: KEY, value }));
  return value;
}
