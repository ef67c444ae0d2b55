import type { Caller } from '../access/rights.js';
import type { Change, Current, Keeper } from '../db/changes.js';
import { Lru } from '../lru.js';
import { Wanted } from './wanted.js';

/** What a question about venues, organizers or terms selects, in order. */
interface Order {
  ids: Uint32Array;
  /** What has a say in it. */
  kinds: readonly Change['kind'][];
}

const MOST_BYTES = 2_000_000;
const MOST_ORDERS = 1000;

/**
 * The orders that were asked for lately: so that a page, however deep, and the total cost the same whether ten or ten
 * thousand match. Kept whole until something changes that has a say; there are not so many of these records, and they
 * change seldom.
 */
export class Orders implements Keeper {
  private readonly known = new Lru<string, Order>(MOST_BYTES, MOST_ORDERS);
  private readonly wanted = new Wanted(500_000, MOST_ORDERS);

  get(key: string): Order | undefined {
    return this.known.get(key);
  }

  /** Whether it is worth while to make one. It is noted that it was asked for. */
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
  rows: Row[];
  total: number;
}

/** The ways to a page. */
interface Ways<Row> {
  /** By the indexes: what is asked for the first time. */
  direct: () => Promise<Page<Row>>;
  /** The ids of all, in order. */
  ordered: () => Promise<{ id: number }[]>;
  rows: (ids: number[]) => Promise<Row[]>;
}

/** What makes a caller's question another one than everybody's. */
export const askedBy = ({ user }: Caller): unknown => user && [user.role, user.id];

interface Holding {
  orders: Orders;
  current: Current;
}

/** The ids that something is read as, asked for once. `ask`: undefined where it means nothing. */
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

/** `question`: all that it asks for but the page. */
export async function pageInOrder<Row extends { id: number }>(
  kept: Holding | undefined,
  question: unknown,
  kinds: Order['kinds'],
  { perPage, skip }: { perPage: number; skip: number },
  { direct, ordered, rows }: Ways<Row>,
): Promise<Page<Row>> {
  if (!kept) return direct();
  const key = JSON.stringify(question);
  let known = kept.current.holds() ? kept.orders.get(key) : undefined;
  if (!known) {
    if (!kept.orders.isWanted(key)) return direct();
    known = { ids: Uint32Array.from(await ordered(), ({ id }) => id), kinds };
    if (kept.current.holds()) kept.orders.keep(key, known);
  }
  const ids = [...known.ids.subarray(skip, skip + perPage)];
  const found = new Map((ids.length > 0 ? await rows(ids) : []).map((row) => [row.id, row]));
  return { rows: ids.flatMap((id) => found.get(id) ?? []), total: known.ids.length };
}
