import type { Change } from '../db/changes.js';

const MOST_NOTED = 20_000;

/** The latest changes of events, noted once for all who follow them: each knows up to which of them it has come. */
export class Latest {
  private changes: Change[] = [];
  private first = 0;
  /** How often a venue has changed. */
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

  /** How many there are from this number on; undefined: so long ago that they are not known any more. */
  countSince(number: number): number | undefined {
    return number < this.first ? undefined : this.next - number;
  }

  /** Those that are known. */
  since(number: number): readonly Change[] {
    return this.changes.slice(Math.max(0, number - this.first));
  }
}
