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
 * Takes the next `many` numbers of a counter and returns the last of them. Part of the transaction: one that is rolled
 * back takes none, so that numbers are equal on every engine.
 */
export async function take(db: Db, name: Counter, many = 1): Promise<number> {
  return (await db.first(taken(db, many, name)))?.value ?? missing(name);
}

const takenForNew = fixed((db) =>
  db.q
    .updateTable('counter')
    .set((eb) => ({ value: eb('value', '+', 1) }))
    .where('name', 'in', ['record', 'change'] satisfies Counter[])
    .returning(['name', 'value']),
);

/** What a new record needs, with one statement: its id, and the number of the change. */
export async function takeForNew(db: Db): Promise<{ id: number; change_seq: number }> {
  const rows = await db.all(takenForNew(db));
  const of = (name: Counter): number => rows.find((row) => row.name === name)?.value ?? missing(name);
  return { id: of('record'), change_seq: of('change') };
}

function missing(name: Counter): never {
  throw new Error(`The counter ${name} is missing: the database has not been migrated`);
}

/** Every change of data has a number, site-wide and increasing, so that readers can ask what is new. */
export const nextChange = (db: Db): Promise<number> => take(db, 'change');

/** The number of the last change. */
export const lastChange = async (db: Db): Promise<number> =>
  (
    await db.first(
      db.q
        .selectFrom('counter')
        .select('value')
        .where('name', '=', 'change' satisfies Counter),
    )
  )?.value ?? missing('change');
