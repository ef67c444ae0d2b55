import { Lru } from '../lru.js';

/** Notes what is asked, and tells what is worth keeping: what comes again, and was not found to be too large. */
export class Wanted {
  private readonly asked: Lru<string, 'once' | 'too large'>;

  constructor(mostBytes: number, mostEntries: number) {
    this.asked = new Lru(mostBytes, mostEntries);
  }

  /** Whether it was asked for before. It is noted. */
  isWanted(key: string): boolean {
    const before = this.asked.get(key);
    if (before === undefined) this.asked.set(key, 'once', key.length);
    return before === 'once';
  }

  isGivenUp(key: string): boolean {
    return this.asked.get(key) === 'too large';
  }

  /** It was made in vain, and is not wanted any more. */
  giveUp(key: string): void {
    this.asked.set(key, 'too large', key.length);
  }
}
