import type { Db } from './database.js';

/** What a database stores about itself, by name. */

export async function readSetting(db: Db, name: string): Promise<string | undefined> {
  return (await db.first(db.q.selectFrom('setting').select('value').where('name', '=', name)))?.value;
}

/** Replaces the previous value. */
export async function writeSetting(db: Db, name: string, value: string): Promise<void> {
  await db.run(
    db.q
      .insertInto('setting')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
  );
}
