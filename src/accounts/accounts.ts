import type { Caller, Role } from '../access/rights.js';
import type { Database, Db } from '../db/database.js';
import { Failure } from '../errors.js';
import { nowSeconds } from '../time/clock.js';
import * as credentials from './credential.store.js';
import { type First, lookerUp } from './lookup.js';
import { hashOf, looksLikeToken, newApplicationPassword, newToken, secretKey, withoutBlanks } from './secrets.js';
import { addUser, keyOf, type User } from './user.store.js';

export interface NewSecret {
  id: number;
  secret: string;
}

/** Creates an application password or a token; the secret itself is shown only now. */
export async function issue(db: Db, user: User, kind: credentials.CredentialKind, name: string): Promise<NewSecret> {
  const secret = kind === 'password' ? newApplicationPassword() : newToken();
  const hash = hashOf(secret, await secretKey(db));
  const id = await credentials.addCredential(db, { user_id: user.id, kind, name, hash, now: nowSeconds() });
  return { id, secret };
}

/** Creates a user with a first application password. */
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
type ByPassword = (username: string, password: string, first: First) => Promise<Owner>;
export type Accounts = ReturnType<typeof authenticator>;

/** No user name is longer, and normalising a very long one would take time quadratic in its length. */
const LONGEST_NAME = 200;

/** The user name, existing or not, under which wrong guesses are counted. */
export const guessedName = (username: string): string => keyOf(username.slice(0, LONGEST_NAME)).slice(0, 100);

/** The user named in an `Authorization` header; tokens name nobody. */
export function namedIn(header: string): string {
  const value = /^basic\s+(\S.*)$/is.exec(header.trim())?.[1] ?? '';
  return guessedName(Buffer.from(value, 'base64').toString('utf8').split(':', 1)[0] ?? '');
}

const isCalled = ({ username_key }: { username_key: string }, username: string): boolean =>
  username.length <= LONGEST_NAME && username_key === keyOf(username);

/**
 * Who sent this `Authorization` header. Without one, with another scheme or if it cannot be read, the caller is
 * anonymous. A wrong credential is an error on every route, which does not reveal what is wrong with it (A8).
 */
export function authenticator(database: Database, key: string) {
  const lookUp = lookerUp(database, key);
  const used = new Map<number, number>();
  const use = (credential: number): void => void used.set(credential, nowSeconds());

  async function ownerBy(
    kind: credentials.CredentialKind,
    secret: string,
    first: First,
    username?: string,
  ): Promise<Owner> {
    const found = await lookUp(kind, secret, first);
    if (!found || (username !== undefined && !isCalled(found, username)))
      throw new Failure('incorrect_password', kind === 'token' ? { variant: 'token' } : {});
    use(found.credential);
    return found;
  }

  const byPassword: ByPassword = (username, password, first) =>
    ownerBy('password', withoutBlanks(password), first, username);

  async function ownerIn(header: string | undefined, first: First): Promise<Owner | undefined> {
    const [, scheme, value] = /^(basic|bearer)\s+(\S.*)$/is.exec((header ?? '').trim()) ?? [];
    if (scheme === undefined || value === undefined) return undefined;
    if (scheme.toLowerCase() === 'bearer') return looksLikeToken(value) ? ownerBy('token', value, first) : undefined;
    const pair = Buffer.from(value, 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    // Without a colon or a name it is not a credential, and hence not a wrong one.
    return colon > 0 ? byPassword(pair.slice(0, colon), pair.slice(colon + 1), first) : undefined;
  }

  async function identify(header: string | undefined, first: First): Promise<Caller> {
    const owner = await ownerIn(header, first);
    return owner ? { user: { id: owner.id, username: owner.username, role: owner.role } } : {};
  }

  /** Last uses are written now and then, not with each request: reads must not write. */
  async function noteUse(): Promise<void> {
    if (used.size === 0) return;
    const batch = [...used];
    used.clear();
    try {
      await database.write(async (db) => {
        for (const [id, at] of batch) await credentials.markUsed(db, id, at);
      });
    } catch (error) {
      // To be written next time, unless they were used again meanwhile.
      for (const [id, at] of batch) if (!used.has(id)) used.set(id, at);
      throw error;
    }
  }

  return { byPassword, identify, use, noteUse };
}
