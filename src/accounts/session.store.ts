import type { Role } from '../access/rights.js';
import type { Db } from '../db/database.js';
import type { SessionTable } from '../db/tables.js';
import type { Owner } from './accounts.js';

/** All SQL about sessions. */

/** How many other sessions a password may have beside the new one; signing in again removes the oldest. */
const MOST_OTHERS = 19;

export async function addSession(db: Db, session: SessionTable): Promise<void> {
  const { credential_id } = session;
  const newest = db.q
    .selectFrom('session')
    .select('hash')
    .where('credential_id', '=', credential_id)
    .orderBy('expires_at', 'desc')
    .orderBy('hash')
    .limit(MOST_OTHERS);
  await db.run(db.q.deleteFrom('session').where('credential_id', '=', credential_id).where('hash', 'not in', newest));
  await db.run(db.q.insertInto('session').values(session));
}

/** The owner of a session; it ends when it expires, when its password is revoked, and when its user is removed. */
export async function ownerOfSession(db: Db, hash: string, now: number): Promise<Owner | undefined> {
  const row = await db.first(
    db.q
      .selectFrom('session')
      .innerJoin('credential', 'credential.id', 'session.credential_id')
      .innerJoin('user', 'user.id', 'credential.user_id')
      .select(['user.id', 'user.username', 'user.role', 'credential.id as credential'])
      .where('session.hash', '=', hash)
      .where('session.expires_at', '>', now)
      .where('credential.revoked_at', 'is', null)
      .where('user.removed_at', 'is', null),
  );
  return row && { ...row, role: row.role as Role };
}

export async function removeSession(db: Db, hash: string): Promise<void> {
  await db.run(db.q.deleteFrom('session').where('hash', '=', hash));
}

export async function forgetSessions(db: Db, now: number): Promise<void> {
  await db.run(db.q.deleteFrom('session').where('expires_at', '<=', now));
}
