import type { Change, Current, Keeper } from '../db/changes.js';
import type { Aside } from '../db/database.js';
import type { Orders } from './orders.js';
import type { Pieces } from './pieces.js';
import type { Selections } from './selection.js';

/** What a response depends on: it stays valid while none of this changes. */
export interface Basis {
  /**
   * What it shows, or what decides about that: `event 7`, or `term` for any change to any term. Asked only if the
   * response is cached.
   */
  things: () => readonly string[];
  /**
   * What the request selects now, checked when events have changed; undefined if that selection must be brought up to
   * date first. Absent: only the events in `things` matter.
   */
  selects?: ((selections: Selections) => Selected | undefined) | undefined;
}

/** For a response that depends on no record. */
export const NOTHING: Basis = { things: () => [] };

/** The same of what is cached. */
export interface Held extends Pick<Basis, 'selects'> {
  readonly things: readonly string[];
}

export interface Selected {
  /** The page still has the same records. */
  isSame: boolean;
  /** How many records match in all. */
  total: number;
}

/** What this process has cached from earlier requests, given only if it equals what this reader's snapshot holds. */
export interface Kept {
  current: Current;
  selections: Selections;
  orders: Orders;
  pieces: Pieces;
  /** Runs queries on behalf of later requests; each query may see newer data than the one before. */
  later: (work: (aside: Aside) => Promise<void>) => Promise<void>;
  /** Set by the operation: what its response depends on. Without it, any change invalidates the cached response. */
  basis?: Basis;
}

export const thing = (kind: Change['kind'], id: number): string => `${kind} ${id}`;

/** With more entries than this, all are dropped, and everything made so far counts as wrong. */
const MOST_THINGS = 20_000;

/** Records when things changed, and judges whether what was made from them is still valid. */
export class Ledger implements Keeper {
  private clock = 0;
  /** Whatever was made before this time must be taken for wrong. */
  private floor = 0;
  private readonly changed = new Map<string, number>();

  /** Increases with every batch of changes. */
  get now(): number {
    return this.clock;
  }

  /** `since`: when it was made, or last judged to be right. */
  judge(held: Held, since: number): 'right' | 'wrong' | 'doubtful' {
    // What was read from a file names these things only now, if at all.
    if (since === this.clock) return 'right';
    const { things, selects } = held;
    if (since < this.floor) return 'wrong';
    const isNewer = (what: string): boolean => (this.changed.get(what) ?? 0) > since;
    if (things.some(isNewer)) return 'wrong';
    return selects && isNewer('event') ? 'doubtful' : 'right';
  }

  forget(changes: readonly Change[]): void {
    this.clock++;
    for (const { kind, id } of changes) {
      // Which records show a picture is not known here.
      if (kind === 'image') this.floor = this.clock;
      this.changed.set(kind, this.clock);
      this.changed.set(thing(kind, id), this.clock);
    }
    if (this.changed.size > MOST_THINGS) this.clear();
  }

  clear(): void {
    this.floor = ++this.clock;
    this.changed.clear();
  }
}
