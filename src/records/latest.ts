import type { Change } from '../db/changes.js';

const MOST_NOTED = 20_000;

/** The latest changes of events, recorded once for all selections; each selection knows which ones it has applied. */
export class Latest {
  private changes: Change[] = [];
  private first = 0;
  /** How many changes of venues were noted. */
  places = 0;

  /** The number of the next change. */
  get next(): number {
    return this.first + this.changes.length;
  }

  note(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === 'event') this.changes.push(change);
      if (change.kind === 'venue') this.places++;
    }
    if (this.changes.length <= MOST_NOTED) return;
    const kept = this.changes.slice(-MOST_NOTED / 2);
    this.first += this.changes.length - kept.length;
    this.changes = kept;
  }

  /** How many changes there are from this number on; undefined: the first of them were dropped already. */
  countSince(number: number): number | undefined {
    return number < this.first ? undefined : this.next - number;
  }

  /** The changes from this number on, as far as they are still recorded. */
  since(number: number): readonly Change[] {
    return this.changes.slice(Math.max(0, number - this.first));
  }
}
