import type { Change, Current, Keeper } from '../db/changes.js';
import type { Aside, Db } from '../db/database.js';
import type { Orders } from './orders.js';
import type { Pieces } from './pieces.js';
import type { Selections } from './selection.js';

/** What an answer rests on: it stays right while none of this changes. */
export interface Basis {
  /** What shows in it, or decides what does: `event 7`, or `term` for whatever happens to any term. */
  things: readonly string[];
  /** What the question selects now, asked when events changed. Absent: events have no say beyond `things`. */
  selects?:
    | {
        /** From memory alone, which must hold what the data does; undefined when the data must be asked. */
        known: (selections: Selections) => Selected | undefined;
        asked: (db: Db, kept: Kept) => Promise<Selected>;
      }
    | undefined;
}

/** Of an answer that no record has a say in. */
export const NOTHING: Basis = { things: [] };

export interface Selected {
  /** The records of the page are those that they were. */
  isSame: boolean;
  /** How many there are in all. */
  total: number;
}

/** What this process keeps of answers to earlier questions, where it is what this reader would see. */
export interface Kept {
  current: Current;
  selections: Selections;
  orders: Orders;
  pieces: Pieces;
  /** Asks what those need who come later; each question may see newer data than the one before. */
  later: (work: (aside: Aside) => Promise<void>) => Promise<void>;
  /** Told by the operation: what its answer rests on. Without it the answer is forgotten with the next change of anything. */
  basis?: Basis;
}

export const thing = (kind: Change['kind'], id: number): string => `${kind} ${id}`;

/** More is not told apart any longer. */
const MOST_THINGS = 20_000;

/** Notes when things changed, and judges what was made from them. */
export class Ledger implements Keeper {
  private clock = 0;
  /** What was made before that is wrong for all we know. */
  private floor = 0;
  private readonly changed = new Map<string, number>();

  /** Rises with every change. */
  get now(): number {
    return this.clock;
  }

  /** `since`: the time of its making, or of the last judgement that it is right. */
  judge({ things, selects }: Basis, since: number): 'right' | 'wrong' | 'doubtful' {
    if (since === this.clock) return 'right';
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
