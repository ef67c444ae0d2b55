import { nowSeconds } from '../time/clock.js';
import type { Db } from './database.js';
import type { InstanceTable } from './tables.js';

/** The servers that run on one database. Each announces itself regularly; one that was killed falls silent. */
export const ANNOUNCED_EVERY = 20;
/** Also after it: a server may have been killed while its clock was years ahead. */
const FORGOTTEN_AFTER = 60;

export async function announce(db: Db, instance: Omit<InstanceTable, 'seen_at'>): Promise<void> {
  await retire(db, instance.id);
  await db.run(db.q.insertInto('instance').values({ ...instance, seen_at: nowSeconds() }));
  const [now, day] = [nowSeconds(), 24 * 3600];
  const isOld = db.q
    .deleteFrom('instance')
    .where((eb) => eb.or([eb('seen_at', '<', now - day), eb('seen_at', '>', now + day)]));
  await db.run(isOld);
}

export async function retire(db: Db, id: string): Promise<void> {
  await db.run(db.q.deleteFrom('instance').where('id', '=', id));
}

export async function runningInstances(db: Db): Promise<InstanceTable[]> {
  const [since, until] = [nowSeconds() - FORGOTTEN_AFTER, nowSeconds() + FORGOTTEN_AFTER];
  return db.all(
    db.q.selectFrom('instance').selectAll().where('seen_at', '>=', since).where('seen_at', '<=', until).orderBy('id'),
  );
}
