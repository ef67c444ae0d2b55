import type { Db } from './database.js';
import { fixed } from './fixed.js';

export type Counter = 'change' | 'record' | 'term' | 'user' | 'credential';

const countOf = fixed((db, name: Counter) => db.q.selectFrom('counter').select('value').where('name', '=', name));
const valuesForNew = fixed((db) =>
  db.q
    .selectFrom('counter')
    .select(['name', 'value'])
    .where('name', 'in', ['record', 'change'] satisfies Counter[]),
);
const stored = fixed((db, value: number, name: Counter) =>
  db.q.updateTable('counter').set({ value }).where('name', '=', name),
);

/**
 * The counters that a transaction has used: read once, however many writers share it, and written at its end. Numbers
 * are part of the transaction: one that is rolled back takes none, so that they are equal on every engine.
 */
export class Counters {
  private values = new Map<Counter, number>();
  private changed = new Set<Counter>();

  constructor(private readonly db: Db) {
    inUse.set(db, this);
  }

  /** Returns the last of the `many` numbers. */
  take(name: Counter, many: number): number {
    const value = (this.values.get(name) ?? missing(name)) + many;
    this.values.set(name, value);
    this.changed.add(name);
    return value;
  }

  has(name: Counter): boolean {
    return this.values.has(name);
  }

  /** Two may read the same counter at the same time: what the first has taken meanwhile stays taken. */
  learn(name: Counter, value: number): void {
    if (!this.has(name)) this.values.set(name, value);
  }

  /** What to call if all that is written from now on is taken back. */
  mark(): () => void {
    const [values, changed] = [new Map(this.values), new Set(this.changed)];
    return () => {
      this.values = values;
      this.changed = changed;
    };
  }

  async write(): Promise<void> {
    for (const name of this.changed) await this.db.run(stored(this.db, this.values.get(name) ?? missing(name), name));
    inUse.delete(this.db);
  }
}

const inUse = new WeakMap<Db, Counters>();

const countersOf = (db: Db): Counters => {
  const counters = inUse.get(db);
  if (!counters) throw new Error('Numbers are taken only within a transaction that writes');
  return counters;
};

/** Takes the next `many` numbers of a counter and returns the last of them. */
export async function take(db: Db, name: Counter, many = 1): Promise<number> {
  const counters = countersOf(db);
  if (!counters.has(name)) counters.learn(name, (await db.first(countOf(db, name)))?.value ?? missing(name));
  return counters.take(name, many);
}

/** What a new record needs, with one statement at most: its id, and the number of the change. */
export async function takeForNew(db: Db): Promise<{ id: number; change_seq: number }> {
  const counters = countersOf(db);
  if (!counters.has('record') || !counters.has('change')) {
    for (const { name, value } of await db.all(valuesForNew(db))) counters.learn(name as Counter, value);
  }
  return { id: counters.take('record', 1), change_seq: counters.take('change', 1) };
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
