import type { Caller } from '../access/rights.js';
import type { Change, Current, Keeper } from '../db/changes.js';
import { Lru } from '../lru.js';
import { Wanted } from './wanted.js';

/** What a request for venues, organizers or terms selects, in order. */
interface Order {
  ids: Uint32Array;
  /** The kinds whose changes may alter it. */
  kinds: readonly Change['kind'][];
}

const MOST_BYTES = 2_000_000;
const MOST_ORDERS = 1000;
/** For remembering what was requested once. */
const PLACES_OF_ASKED = 4096;

/**
 * The orders requested lately, so that any page, however deep, and the total cost the same whether ten or ten thousand
 * records match. An order is dropped as a whole when a kind behind it changes: these records are few and change seldom.
 */
export class Orders implements Keeper {
  private readonly known = new Lru<string, Order>(MOST_BYTES, MOST_ORDERS);
  private readonly wanted = new Wanted(PLACES_OF_ASKED);

  get(key: string): Order | undefined {
    return this.known.get(key);
  }

  /** Whether an order is worth building, i.e. was requested before. Records the request. */
  isWanted(key: string): boolean {
    return this.wanted.isWanted(key);
  }

  keep(key: string, order: Order): void {
    const bytes = order.ids.byteLength + key.length + 200;
    if (this.known.isTooLarge(bytes)) this.wanted.giveUp(key);
    else this.known.set(key, order, bytes);
  }

  forget(changes: readonly Change[]): void {
    const changed = new Set(changes.map(({ kind }) => kind));
    for (const [key, { kinds }] of this.known.entries())
      if (kinds.some((kind) => changed.has(kind))) this.known.delete(key);
  }

  clear(): void {
    this.known.clear();
  }
}

export interface Page<Row> {
  ids: number[];
  /** If they were read anyway. */
  rows?: Row[];
  total: number;
}

export const pageRead = <Row extends { id: number }>(rows: Row[], total: number): Page<Row> => ({
  ids: rows.map(({ id }) => id),
  rows,
  total,
});

/** The ways to obtain a page. */
interface Ways<Row> {
  /** One page from the database's indexes: used for the first request. */
  direct: () => Promise<Page<Row>>;
  /** The ids of all matching records, in order. */
  ordered: () => Promise<{ id: number }[]>;
}

/** The part of a caller's identity that may change what a request selects; undefined for anonymous callers. */
export const askedBy = ({ user }: Caller): unknown => user && [user.role, user.id];

interface Holding {
  orders: Orders;
  current: Current;
}

/** The ids that a parameter stands for, cached from the second request on. `ask`: undefined if it means nothing. */
export async function idsFor(
  kept: Holding | undefined,
  question: unknown,
  kinds: Order['kinds'],
  ask: () => Promise<number[] | undefined>,
): Promise<number[] | undefined> {
  if (!kept) return ask();
  const key = JSON.stringify(question);
  const known = kept.current.holds() ? kept.orders.get(key) : undefined;
  if (known) return [...known.ids];
  const ids = await ask();
  if (ids && kept.orders.isWanted(key) && kept.current.holds()) {
    kept.orders.keep(key, { ids: Uint32Array.from(ids), kinds });
  }
  return ids;
}

/** `question`: all parameters but the page. */
export async function pageInOrder<Row extends { id: number }>(
  kept: Holding | undefined,
  question: unknown,
  kinds: Order['kinds'],
  { perPage, skip }: { perPage: number; skip: number },
  { direct, ordered }: Ways<Row>,
): Promise<Page<Row>> {
  if (!kept) return direct();
  const key = JSON.stringify(question);
  let known = kept.current.holds() ? kept.orders.get(key) : undefined;
  if (!known) {
    if (!kept.orders.isWanted(key)) return direct();
    known = { ids: Uint32Array.from(await ordered(), ({ id }) => id), kinds };
    if (kept.current.holds()) kept.orders.keep(key, known);
  }
  return { ids: [...known.ids.subarray(skip, skip + perPage)], total: known.ids.length };
}
