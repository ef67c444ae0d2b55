import type { Role } from '../access/rights.js';
import { take } from '../db/counter.js';
import type { Db } from '../db/database.js';
import { fixed } from '../db/fixed.js';
import type { User } from './user.store.js';

/** All SQL about application passwords and tokens. */
export type CredentialKind = 'password' | 'token';

/** The user who has a credential, and which one it is. */
export type Holder = User & { credential: number; username_key: string };

export interface CredentialInfo {
  id: number;
  user: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
}

export async function addCredential(
  db: Db,
  credential: { user_id: number; kind: CredentialKind; name: string; hash: string; now: number },
): Promise<number> {
  const { now, ...columns } = credential;
  const id = await take(db, 'credential');
  await db.run(
    db.q.insertInto('credential').values({ id, ...columns, created_at: now, last_used_at: null, revoked_at: null }),
  );
  return id;
}

export async function listCredentials(db: Db, kind: CredentialKind, userId?: number): Promise<CredentialInfo[]> {
  let query = db.q
    .selectFrom('credential')
    .innerJoin('user', 'user.id', 'credential.user_id')
    .select([
      'credential.id',
      'user.username as user',
      'credential.name',
      'credential.created_at',
      'credential.last_used_at',
    ])
    .where('credential.kind', '=', kind)
    .where('credential.revoked_at', 'is', null);
  if (userId !== undefined) query = query.where('credential.user_id', '=', userId);
  return db.all(query.orderBy('credential.id'));
}

/** Returns true if there was one to revoke. */
export async function revokeCredential(db: Db, kind: CredentialKind, id: number, now: number): Promise<boolean> {
  const changed = await db.changed(
    db.q
      .updateTable('credential')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('kind', '=', kind)
      .where('revoked_at', 'is', null),
  );
  return changed > 0;
}

const owned = fixed((db, hash: string, kind: CredentialKind) =>
  db.q
    .selectFrom('credential')
    .innerJoin('user', 'user.id', 'credential.user_id')
    .select(['user.id', 'user.username', 'user.username_key', 'user.role', 'credential.id as credential'])
    .where('credential.hash', '=', hash)
    .where('credential.kind', '=', kind)
    .where('credential.revoked_at', 'is', null)
    .where('user.removed_at', 'is', null),
);

/** The owner of a secret. Looked up at every request, so that a revocation takes effect at once. */
export async function ownerOf(db: Db, kind: CredentialKind, hash: string): Promise<Holder | undefined> {
  const row = await db.first(owned(db, hash, kind));
  return (
    row && {
      id: row.id,
      username: row.username,
      username_key: row.username_key,
      role: row.role as Role,
      credential: row.credential,
    }
  );
}

export async function markUsed(db: Db, id: number, now: number): Promise<void> {
  await db.run(db.q.updateTable('credential').set({ last_used_at: now }).where('id', '=', id));
}
