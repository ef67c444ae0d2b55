import { Lru } from '../lru.js';

/** What one takes in memory beside its key. */
const ENTRY_BYTES = 120;

/** Records requests and tells which results are worth caching: those requested before and not found to be too large. */
export class Wanted {
  private readonly asked: Lru<string, 'once' | 'too large'>;

  constructor(mostBytes: number, mostEntries: number) {
    this.asked = new Lru(mostBytes, mostEntries);
  }

  /** Whether it was requested before. Records this request. */
  isWanted(key: string): boolean {
    const before = this.asked.get(key);
    if (before === undefined) this.asked.set(key, 'once', key.length + ENTRY_BYTES);
    return before === 'once';
  }

  isGivenUp(key: string): boolean {
    return this.asked.get(key) === 'too large';
  }

  /** It was built in vain, since it is too large; it is not wanted any more. */
  giveUp(key: string): void {
    this.asked.set(key, 'too large', key.length + ENTRY_BYTES);
  }
}
