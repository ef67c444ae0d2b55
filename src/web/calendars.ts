import { Failure } from '../errors.js';
import { Lru } from '../lru.js';

const MOST_BYTES = 8_000_000;
const MOST_CALENDARS = 200;
const MOST_WAITING = 50;

/**
 * Calendars that were made lately, and the making of others. A large one takes as long as several hundred pages: so
 * they are made one after the other, and whoever asks for something else gets a turn in between.
 */
export class Calendars {
  private readonly made = new Lru<string, Buffer>(MOST_BYTES, MOST_CALENDARS);
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** `key`: what makes it another one; undefined: it is for one reader alone. */
  async of(key: string | undefined, make: () => Promise<Buffer>): Promise<Buffer> {
    const known = (): Buffer | undefined => (key === undefined ? undefined : this.made.get(key));
    const found = known();
    if (found) return found;
    if (this.waiting >= MOST_WAITING) throw new Failure('service-unavailable', { retryAfter: 10 });
    this.waiting++;
    const mine = this.last.then(async () => {
      // Somebody before may have asked for the same.
      const there = known();
      if (there) return there;
      const bytes = await make();
      if (key !== undefined) this.made.set(key, bytes, bytes.length);
      return bytes;
    });
    this.last = mine.catch(() => {});
    return mine.finally(() => {
      this.waiting--;
    });
  }
}
