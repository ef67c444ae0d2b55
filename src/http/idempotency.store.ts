import type { Db } from '../db/database.js';

/** All SQL about idempotency keys. */
export interface Claim {
  user: number;
  name: string;
  fingerprint: string;
  /** Random: distinguishes this attempt from all others. */
  claim: string;
}

/** Seconds by which the clocks of two machines may well differ. */
const CLOCKS_DIFFER = 60;

export interface Found {
  fingerprint: string;
  answer: string | null;
}

/**
 * Claims the key until `until` and returns undefined, if nobody has it; otherwise returns what is stored. A claim for
 * much longer than that was made while a clock was ahead.
 */
export async function takeKey(db: Db, claim: Claim, now: number, until: number): Promise<Found | undefined> {
  const { user: user_id, ...columns } = claim;
  const values = { ...columns, expires_at: until, answer: null };
  const taken = await db.first(
    db.q
      .insertInto('request_key')
      .values({ user_id, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(['user_id', 'name'])
          .doUpdateSet(values)
          .where((eb) =>
            eb.or([
              eb('request_key.expires_at', '<=', now),
              eb.and([eb('request_key.answer', 'is', null), eb('request_key.expires_at', '>', until + CLOCKS_DIFFER)]),
            ]),
          ),
      )
      .returning('claim'),
  );
  if (taken) return undefined;
  const found = await db.first(
    db.q
      .selectFrom('request_key')
      .select(['fingerprint', 'answer'])
      .where('user_id', '=', user_id)
      .where('name', '=', claim.name),
  );
  // Released just now: a retry will get it.
  return found ?? { fingerprint: claim.fingerprint, answer: null };
}

/** False if the key belongs to another request by now. */
export async function keepAnswer(db: Db, claim: Claim, answer: string, until: number): Promise<boolean> {
  const changed = await db.changed(
    db.q
      .updateTable('request_key')
      .set({ answer, expires_at: until })
      .where('user_id', '=', claim.user)
      .where('name', '=', claim.name)
      .where('claim', '=', claim.claim)
      .where('answer', 'is', null),
  );
  return changed > 0;
}

export async function renewKey(db: Db, claim: Claim, until: number): Promise<void> {
  await db.run(
    db.q
      .updateTable('request_key')
      .set({ expires_at: until })
      .where('user_id', '=', claim.user)
      .where('name', '=', claim.name)
      .where('claim', '=', claim.claim)
      .where('answer', 'is', null),
  );
}

export async function releaseKey(db: Db, claim: Claim): Promise<void> {
  await db.run(
    db.q
      .deleteFrom('request_key')
      .where('user_id', '=', claim.user)
      .where('name', '=', claim.name)
      .where('claim', '=', claim.claim)
      .where('answer', 'is', null),
  );
}

export async function forgetKeys(db: Db, now: number): Promise<void> {
  await db.run(db.q.deleteFrom('request_key').where('expires_at', '<=', now));
}
