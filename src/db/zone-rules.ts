import type { Db } from './database.js';

/** By which rules of time zones the instants in a database were reckoned: governments change them. */

const NAME = 'zone.rules';

/** Those of this process came with Node: '2026c'. A build without them tells none. */
export const RULES = process.versions.tz ?? '';

/** Whether this process knows newer ones. Those who run beside it may know newer ones still. */
export async function hasOlderRules(db: Db): Promise<boolean> {
  const noted = await db.first(db.q.selectFrom('setting').select('value').where('name', '=', NAME));
  return (noted?.value ?? '') < RULES;
}

export async function noteRules(db: Db): Promise<void> {
  await db.run(
    db.q
      .insertInto('setting')
      .values({ name: NAME, value: RULES })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: RULES })),
  );
}
