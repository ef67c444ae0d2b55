import type { Caller, Role } from '../access/rights.js';
import type { Database, Db } from '../db/database.js';
import { Failure } from '../errors.js';
import { nowSeconds } from '../time/clock.js';
import * as credentials from './credential.store.js';
import { hashOf, looksLikeToken, newApplicationPassword, newToken, secretKey, withoutBlanks } from './secrets.js';
import { addUser, keyOf, type User } from './user.store.js';

export interface NewSecret {
  id: number;
  secret: string;
}

/** Makes an application password or a token; the secret itself is shown now and never again. */
export async function issue(db: Db, user: User, kind: credentials.CredentialKind, name: string): Promise<NewSecret> {
  const secret = kind === 'password' ? newApplicationPassword() : newToken();
  const hash = hashOf(secret, await secretKey(db));
  const id = await credentials.addCredential(db, { user_id: user.id, kind, name, hash, now: nowSeconds() });
  return { id, secret };
}

/** A user with a first application password. */
export async function createUser(
  db: Db,
  username: string,
  role: Role,
  passwordName: string,
): Promise<{ user: User; secret: string }> {
  const user = await addUser(db, username, role, nowSeconds());
  const { secret } = await issue(db, user, 'password', passwordName);
  return { user, secret };
}

export type Owner = User & { credential: number };
export type Recognize = (header: string | undefined, first: (db: Db) => Promise<void>) => Promise<Owner | undefined>;

/** A name and a password as an `Authorization` header says them. */
export const basicHeader = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** The user whom a header names, right or wrong; tokens name nobody. */
export function namedIn(header: string): string {
  const value = /^basic\s+(\S.*)$/is.exec(header.trim())?.[1] ?? '';
  return keyOf((Buffer.from(value, 'base64').toString('utf8').split(':', 1)[0] ?? '').slice(0, 200)).slice(0, 100);
}

/**
 * Who sent this `Authorization` header. No header, another scheme or one that cannot be read: nobody in particular.
 * A credential that is wrong is an error on every route, and does not tell what is wrong with it (A8).
 */
export function authenticator(database: Database, key: string) {
  const used = new Map<number, number>();

  async function ownerBy(
    first: (db: Db) => Promise<void>,
    kind: credentials.CredentialKind,
    secret: string,
    username?: string,
  ): Promise<Owner> {
    const found = await database.read(
      async (db) => {
        await first(db);
        return credentials.ownerOf(db, kind, hashOf(secret, key));
      },
      { fresh: true },
    );
    if (!found || (username !== undefined && found.username_key !== keyOf(username)))
      throw new Failure('incorrect_password', kind === 'token' ? { variant: 'token' } : {});
    used.set(found.credential, nowSeconds());
    return found;
  }

  /** `first` runs in the same read as the look-up, before it: who guessed too often is not looked up. */
  const recognize: Recognize = async (header, first) => {
    const [, scheme, value] = /^(basic|bearer)\s+(\S.*)$/is.exec((header ?? '').trim()) ?? [];
    if (scheme === undefined || value === undefined) return undefined;
    if (scheme.toLowerCase() === 'bearer') return looksLikeToken(value) ? ownerBy(first, 'token', value) : undefined;
    const pair = Buffer.from(value, 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    const [username, password] = [pair.slice(0, colon), withoutBlanks(pair.slice(colon + 1))];
    // Without a colon or a name it is no credential at all, and so no wrong one.
    return colon > 0 ? ownerBy(first, 'password', password, username) : undefined;
  };

  async function identify(...shown: Parameters<Recognize>): Promise<Caller> {
    const owner = await recognize(...shown);
    return owner ? { user: { id: owner.id, username: owner.username, role: owner.role } } : {};
  }

  /** Last use is noted now and then, not at each request: reading must not write. */
  async function noteUse(): Promise<void> {
    if (used.size === 0) return;
    const batch = [...used];
    used.clear();
    try {
      await database.write(async (db) => {
        for (const [id, at] of batch) await credentials.markUsed(db, id, at);
      });
    } catch (error) {
      // Next time, unless they were used again meanwhile.
      for (const [id, at] of batch) if (!used.has(id)) used.set(id, at);
      throw error;
    }
  }

  return { recognize, identify, noteUse };
}
