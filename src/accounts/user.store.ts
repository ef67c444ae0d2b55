import type { Role } from '../access/rights.js';
import { take } from '../db/counter.js';
import type { Db } from '../db/database.js';

/** All SQL about users. The row of a removed user stays, because records keep their author. */
export interface User {
  id: number;
  username: string;
  role: Role;
}

/** User names are compared in compatibility form (NFKC), ignoring case and surrounding blanks. */
export const keyOf = (username: string): string => username.normalize('NFKC').trim().toLowerCase();

export async function userExists(db: Db, id: number): Promise<boolean> {
  const row = await db.first(db.q.selectFrom('user').select('id').where('id', '=', id).where('removed_at', 'is', null));
  return row !== undefined;
}

/** Also true for a removed user, who remains the author of records. */
export async function userExisted(db: Db, id: number): Promise<boolean> {
  return (await db.first(db.q.selectFrom('user').select('id').where('id', '=', id))) !== undefined;
}

export async function findUser(db: Db, username: string): Promise<User | undefined> {
  const row = await db.first(
    db.q
      .selectFrom('user')
      .select(['id', 'username', 'role'])
      .where('username_key', '=', keyOf(username))
      .where('removed_at', 'is', null),
  );
  return row as User | undefined;
}

export async function listUsers(db: Db): Promise<(User & { created_at: number })[]> {
  const rows = await db.all(
    db.q
      .selectFrom('user')
      .select(['id', 'username', 'role', 'created_at'])
      .where('removed_at', 'is', null)
      .orderBy('id'),
  );
  return rows as (User & { created_at: number })[];
}

export async function addUser(db: Db, username: string, role: Role, now: number): Promise<User> {
  const user = { id: await take(db, 'user'), username: username.trim(), role };
  await db.run(
    db.q.insertInto('user').values({ ...user, username_key: keyOf(username), created_at: now, removed_at: null }),
  );
  return user;
}

export async function setRole(db: Db, id: number, role: Role): Promise<void> {
  await db.run(db.q.updateTable('user').set({ role }).where('id', '=', id));
}

/** The name becomes free for somebody else (no user name has a colon); passwords and tokens end at once. */
export async function removeUser(db: Db, user: User, now: number): Promise<void> {
  await db.run(
    db.q
      .updateTable('user')
      .set({ removed_at: now, username_key: `${keyOf(user.username)}:${user.id}` })
      .where('id', '=', user.id),
  );
  await db.run(
    db.q
      .updateTable('credential')
      .set({ revoked_at: now })
      .where('user_id', '=', user.id)
      .where('revoked_at', 'is', null),
  );
}

export async function countUsers(db: Db): Promise<number> {
  const row = await db.first(db.q.selectFrom('user').select((eb) => eb.fn.countAll<number>().as('n')));
  return Number(row?.n ?? 0);
}
