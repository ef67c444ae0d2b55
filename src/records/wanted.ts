import { Lru } from '../lru.js';
import { fingerprint } from './fingerprint.js';

/** Of results that were too large: what is held takes so many bytes, for so many of them, at most. */
const TOO_LARGE_BYTES = 200_000;
const MOST_TOO_LARGE = 1000;

/**
 * Records requests and tells which results are worth caching: those requested before and not found to be too large.
 * Requests are known by their fingerprints, in a table in which each takes the place of an earlier one, so that very
 * many need little memory. Of two with the same fingerprint, which is rare, one is cached at its first request.
 */
export class Wanted<K extends string | number = string> {
  private readonly asked: Uint32Array;
  private readonly tooLarge = new Lru<K, true>(TOO_LARGE_BYTES, MOST_TOO_LARGE);

  /** `places`: a power of two, several times as many as the requests to be remembered. */
  constructor(places: number) {
    this.asked = new Uint32Array(places);
  }

  /** Whether it was requested before. Records this request. */
  isWanted(key: K): boolean {
    if (this.isGivenUp(key)) return false;
    const print = fingerprint(key);
    // Two places side by side, the later request in the first: so two that share them do not displace each other.
    const place = print & (this.asked.length - 2);
    if (this.asked[place] === print) return true;
    const isKnown = this.asked[place + 1] === print;
    this.asked[place + 1] = this.asked[place] as number;
    this.asked[place] = print;
    return isKnown;
  }

  isGivenUp(key: K): boolean {
    return this.tooLarge.size > 0 && this.tooLarge.get(key) === true;
  }

  /** It was built in vain, since it is too large; it is not wanted any more. */
  giveUp(key: K): void {
    this.tooLarge.set(key, true, typeof key === 'string' ? key.length * 2 + 100 : 100);
  }
}
