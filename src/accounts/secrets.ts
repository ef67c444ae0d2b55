import { createHmac, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Db } from '../db/database.js';
import { readSetting } from '../db/settings.js';
import { Lru } from '../lru.js';

/** Secrets: how they are made, kept and compared (E5). */

const LETTERS = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const TOKEN_PREFIX = 'kal_';

const randomText = (length: number): string =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

export const newApplicationPassword = (): string => randomText(24);
export const newToken = (): string => `${TOKEN_PREFIX}${randomText(40)}`;
const SESSION_LENGTH = 40;
/** Of a session, and of the form by which one is begun. */
export const newSession = (): string => randomText(SESSION_LENGTH);
export const looksLikeSession = (text: string): boolean => text.length === SESSION_LENGTH && /^[a-z\d]+$/i.test(text);
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

/** The password of an event. */
export const LONGEST_WORD = 255;

const slow = promisify(scrypt) as (password: string, salt: string, length: number, options: object) => Promise<Buffer>;

/**
 * The password of an event was thought up by a person, so guessing must be slow. The salt is the site's, not the
 * event's: a list can then be opened with one calculation however many events it holds. `before`: when it is its turn,
 * and may refuse.
 */
export async function hashOfWord(word: string, key: string, before = (): void => {}): Promise<string> {
  const quick = hashOf(word, key);
  const known = words.get(quick);
  if (known) return known;
  const made = await inTurn(async () => {
    before();
    // Longer ones open nothing, and putting their marks in order would take the square of their length.
    const plain = word.length <= LONGEST_WORD ? word.normalize('NFC') : quick;
    return (await slow(plain, `event:${key}`, 32, { N: 16384, r: 8, p: 1 })).toString('hex');
  });
  words.set(quick, made, made.length + quick.length);
  return made;
}

/** Words that were hashed lately, by a quick hash with a key that is nowhere but in the database. */
const words = new Lru<string, string>(1_000_000, 2000);

/** Each takes a thread and 16 MB: others need threads, too, to bring their writes to the disk. */
const MOST_AT_ONCE = 2;
const waiting: (() => void)[] = [];
let running = 0;

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await work();
  } finally {
    // Whoever is next takes this place.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

const KEY = 'secret.key';

/** The key of this site's hashes, made once. */
export async function secretKey(db: Db): Promise<string> {
  const known = await readSetting(db, KEY);
  if (known !== undefined) return known;
  const value = randomBytes(32).toString('hex');
  await db.run(db.q.insertInto('setting').values({ name: KEY, value }));
  return value;
}
