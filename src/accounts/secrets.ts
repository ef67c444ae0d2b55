import { createHmac, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Db } from '../db/database.js';
import { readSetting } from '../db/settings.js';
import { Lru } from '../lru.js';

/** Secrets: how they are created, stored and compared (E5). */

const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const TOKEN_PREFIX = 'kal_';

const randomText = (length: number): string =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

export const newApplicationPassword = (): string => randomText(24);
export const newToken = (): string => `${TOKEN_PREFIX}${randomText(40)}`;
const SESSION_LENGTH = 40;
/** The secret of a session, or of the sign-in form that begins one. */
export const newSession = (): string => randomText(SESSION_LENGTH);
export const looksLikeSession = (text: string): boolean => text.length === SESSION_LENGTH && /^[a-z\d]+$/i.test(text);
/** Other bearer tokens are not ours to judge: their senders are anonymous, as clients of the reference expect. */
export const looksLikeToken = (text: string): boolean => text.startsWith(TOKEN_PREFIX);

/** Blanks in an application password are only for readability (E6). */
export const withoutBlanks = (password: string): string => password.replace(/\s+/g, '');

/** Secrets that we created are long and random, so a fast keyed hash is enough, and keeps every request cheap. */
export const hashOf = (secret: string, key: string): string => createHmac('sha256', key).update(secret).digest('hex');

export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The maximum length of an event's password. */
export const LONGEST_WORD = 255;

const slow = promisify(scrypt) as (password: string, salt: string, length: number, options: object) => Promise<Buffer>;

/**
 * The password of an event was chosen by a person, so guessing must be slow. The salt is the site's, not the event's:
 * one calculation then opens a list, however many events it holds. `before` runs when hashing is about to begin, and
 * may refuse it by throwing.
 */
export async function hashOfWord(word: string, key: string, before = (): void => {}): Promise<string> {
  const quick = hashOf(word, key);
  const known = words.get(quick);
  if (known) return known;
  const made = await inTurn(async () => {
    before();
    // Longer ones open nothing, and normalising them would take time quadratic in their length.
    const plain = word.length <= LONGEST_WORD ? word.normalize('NFC') : quick;
    return (await slow(plain, `event:${key}`, 32, { N: 16384, r: 8, p: 1 })).toString('hex');
  });
  words.set(quick, made, made.length + quick.length);
  return made;
}

/** Passwords hashed lately, found by a fast hash whose key exists only in the database. */
const words = new Lru<string, string>(1_000_000, 2000);

/** Each takes a thread and 16 MB, and other work needs threads, too: syncing writes to disk, for example. */
const MOST_AT_ONCE = 2;
const waiting: (() => void)[] = [];
let running = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    // The next in line takes over this place, so `running` does not change.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

const KEY = 'secret.key';

/** The key of this site's hashes, created once. */
export async function secretKey(db: Db): Promise<string> {
  const known = await readSetting(db, KEY);
  if (known !== undefined) return known;
  const value = randomBytes(32).toString('hex');
  await db.run(db.q.insertInto('setting').values({ name: KEY, value }));
  return value;
}
