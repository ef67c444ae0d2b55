import type { Db } from './database.js';
import { fixed } from './fixed.js';

export type Counter = 'change' | 'record' | 'term' | 'user' | 'credential';

const taken = fixed((db, many: number, name: Counter) =>
  db.q
    .updateTable('counter')
    .set((eb) => ({ value: eb('value', '+', many) }))
    .where('name', '=', name)
    .returning('value'),
);

/**
 * Takes the next numbers of a counter; the last of them. Part of the transaction: what is not kept takes none, so that
 * numbers are the same on every engine.
 */
export async function take(db: Db, name: Counter, many = 1): Promise<number> {
  const row = await db.first(taken(db, many, name));
  if (!row) throw new Error(`The counter ${name} is missing: the database was not migrated`);
  return row.value;
}

/** Every change of data has its number, site-wide and rising, so that readers can ask what is new. */
export const nextChange = (db: Db): Promise<number> => take(db, 'change');
