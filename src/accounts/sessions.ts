import type { Caller } from '../access/rights.js';
import type { Database } from '../db/database.js';
import { nowSeconds } from '../time/clock.js';
import type { Accounts } from './accounts.js';
import type { First } from './lookup.js';
import { hashOf, newSession, sameSecret } from './secrets.js';
import { addSession, ownerOfSession, removeSession } from './session.store.js';

/** Signing in on pages (E6). The API accepts no session: a page of another site could abuse it there. */
export interface Sessions {
  /** Signs in with an application password; returns the secret of the session. */
  begin(username: string, password: string, first: First): Promise<string>;
  /** The user of the session; anonymous if there is no such session, or if it has ended. */
  callerOf(secret: string): Promise<Caller>;
  end(secret: string): Promise<void>;
  /** What a form must send back: it proves that the form came from a page sent to the holder of this secret. */
  tokenFor(secret: string): string;
  isTokenFor(secret: string, token: string): boolean;
}

/** A week, in seconds. */
export const SESSION_LASTS = 604_800;

export function sessionsOf(database: Database, key: string, { byPassword, use }: Accounts): Sessions {
  const tokenFor = (secret: string): string => hashOf(`form ${secret}`, key);
  return {
    async begin(username, password, first) {
      const owner = await byPassword(username, password, first);
      const secret = newSession();
      const session = {
        hash: hashOf(secret, key),
        credential_id: owner.credential,
        expires_at: nowSeconds() + SESSION_LASTS,
      };
      await database.write((db) => addSession(db, session));
      return secret;
    },
    async callerOf(secret) {
      const hash = hashOf(secret, key);
      const owner = await database.read((db) => ownerOfSession(db, hash, nowSeconds()), { fresh: true });
      if (!owner) return {};
      const { credential, ...user } = owner;
      use(credential);
      return { user };
    },
    end: (secret) => database.write((db) => removeSession(db, hashOf(secret, key))),
    tokenFor,
    isTokenFor: (secret, token) => sameSecret(tokenFor(secret), token),
  };
}
