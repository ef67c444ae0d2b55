import type { Db } from '../db/database.js';

/** All SQL about limits. A row counts until it expires; one that expires too late is from a clock since set back. */
export interface Total {
  n: number;
  expires_at: number;
}

/** Adds to the count of the current period, or begins a new one. */
export async function addToTally(db: Db, who: string, times: number, now: number, until: number): Promise<Total> {
  const total = await db.first(
    db.q
      .insertInto('tally')
      .values({ who, n: times, expires_at: until })
      .onConflict((conflict) =>
        conflict.column('who').doUpdateSet((eb) => {
          const counts = eb.between('tally.expires_at', now + 1, until);
          const added = eb('tally.n', '+', eb.ref('excluded.n'));
          return {
            n: eb.case().when(counts).then(added).else(eb.ref('excluded.n')).end(),
            expires_at: eb
              .case()
              .when(counts)
              .then(eb.ref('tally.expires_at'))
              .else(eb.ref('excluded.expires_at'))
              .end(),
          };
        }),
      )
      .returning(['n', 'expires_at']),
  );
  if (!total) throw new Error('The database gave no total');
  return total;
}

export const totalOf = (db: Db, who: string, now: number, until: number): Promise<Total | undefined> =>
  db.first(
    db.q
      .selectFrom('tally')
      .select(['n', 'expires_at'])
      .where('who', '=', who)
      .where((eb) => eb.between('expires_at', now + 1, until)),
  );

export async function forgetTallies(db: Db, now: number): Promise<void> {
  await db.run(db.q.deleteFrom('tally').where('expires_at', '<=', now));
}
