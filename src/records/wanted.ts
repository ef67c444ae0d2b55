import { Lru } from '../lru.js';

/** What one takes in memory beside its key. */
const ENTRY_BYTES = 120;
const bytesOf = (key: string | number): number => (typeof key === 'string' ? key.length : 0) + ENTRY_BYTES;

/** Records requests and tells which results are worth caching: those requested before and not found to be too large. */
export class Wanted<K extends string | number = string> {
  private readonly asked: Lru<K, 'once' | 'too large'>;

  constructor(mostBytes: number, mostEntries: number) {
    this.asked = new Lru(mostBytes, mostEntries);
  }

  /** Whether it was requested before. Records this request. */
  isWanted(key: K): boolean {
    const before = this.asked.get(key);
    if (before === undefined) this.asked.set(key, 'once', bytesOf(key));
    return before === 'once';
  }

  isGivenUp(key: K): boolean {
    return this.asked.get(key) === 'too large';
  }

  /** It was built in vain, since it is too large; it is not wanted any more. */
  giveUp(key: K): void {
    this.asked.set(key, 'too large', bytesOf(key));
  }
}
