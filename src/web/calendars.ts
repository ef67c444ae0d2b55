import { setImmediate as breath } from 'node:timers/promises';
import { Failure } from '../errors.js';
import { Lru } from '../lru.js';
import { steadyNow } from '../time/clock.js';

const MOST_BYTES = 8_000_000;
const MOST_CALENDARS = 200;
const MOST_WAITING = 50;
/** Of one address, so that it does not take the place of all others. */
const MOST_WAITING_EACH = 25;
/** By then, everything that events are read from has noticed a change. */
const HEARD_MS = 2000;
/** Nothing is cached for longer, in case a change was missed. */
const KEPT_MS = 60_000;

interface Kept {
  bytes: Buffer;
  change: number;
  until: number;
}

/**
 * A cache of calendar files, month pages and sitemaps, and the queue for making new ones. A large one takes as long as several
 * hundred pages, so they are made one at a time, and other requests get a turn in between.
 */
export class Calendars {
  private readonly made: Lru<string, Kept>;
  private last: Promise<unknown> = Promise.resolve();
  /** Those whose making has not begun: whoever comes until then shares it, since it will know of every change so far. */
  private readonly ahead = new Map<string | undefined, Promise<Buffer>>();
  private waiting = 0;
  private readonly waitingOf = new Map<string, number>();
  private change = -1;
  private since = 0;

  constructor(
    keeps: boolean,
    private readonly heardMs = HEARD_MS,
  ) {
    this.made = new Lru(keeps ? MOST_BYTES : 0, MOST_CALENDARS);
  }

  /**
   * `key` identifies a calendar; undefined: for one reader, not cached. `change`: the number of the last change;
   * `asker`: the address of the client.
   */
  async of(key: string | undefined, change: number, asker: string, make: () => Promise<Buffer>): Promise<Buffer> {
    if (change !== this.change) [this.change, this.since] = [change, steadyNow()];
    const known = (): Buffer | undefined => {
      const found = key === undefined ? undefined : this.made.get(key);
      return found?.change === this.change && steadyNow() < found.until ? found.bytes : undefined;
    };
    const found = known();
    if (found) return found;
    const shared = this.ahead.get(key);
    if (shared) return shared;
    const own = this.waitingOf.get(asker) ?? 0;
    if (this.waiting >= MOST_WAITING || own >= MOST_WAITING_EACH)
      throw new Failure('service-unavailable', { retryAfter: 10 });
    this.waiting++;
    this.waitingOf.set(asker, own + 1);
    const mine = this.last.then(async () => {
      await breath();
      this.ahead.delete(key);
      // An earlier request in the queue may have made it.
      const there = known();
      if (there) return there;
      const [at, began] = [this.change, steadyNow()];
      const bytes = await make();
      // If a change came meanwhile, or shortly before, the events may have been read without it.
      const isSure = this.change === at && began - this.since > this.heardMs;
      if (key !== undefined && isSure) this.made.set(key, { bytes, change: at, until: began + KEPT_MS }, bytes.length);
      return bytes;
    });
    this.last = mine.catch(() => {});
    const counted = mine.finally(() => {
      this.waiting--;
      const left = (this.waitingOf.get(asker) ?? 1) - 1;
      if (left > 0) this.waitingOf.set(asker, left);
      else this.waitingOf.delete(asker);
    });
    if (key !== undefined) this.ahead.set(key, counted);
    return counted;
  }
}
