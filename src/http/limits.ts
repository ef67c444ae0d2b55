import { Failure } from '../errors.js';

/** How often a caller may do something in a period. Counts are forgotten when the period is over. */
export interface Limit {
  /** Counts, and refuses what exceeds the limit. */
  count(who: string, times?: number): void;
  /** Refuses without counting. */
  check(who: string): void;
  /** Takes over what all instances counted: `n`, to be forgotten in `left` seconds. */
  learn(who: string, n: number, left: number): void;
}

interface Tally {
  since: number;
  n: number;
}

const MOST_CALLERS = 50_000;

/** `most`: 0 means no limit. */
export function limitOf(most: number, seconds: number, clock: () => number = () => performance.now() / 1000): Limit {
  const tallies = new Map<string, Tally>();

  function tallyOf(who: string): Tally {
    const now = clock();
    const known = tallies.get(who);
    if (known && now - known.since < seconds) return known;
    if (tallies.size >= MOST_CALLERS) forgetOld(now);
    const made = { since: now, n: 0 };
    tallies.set(who, made);
    return made;
  }

  function forgetOld(now: number): void {
    for (const [who, tally] of tallies) if (now - tally.since >= seconds) tallies.delete(who);
    // Still full: a flood of callers. A tenth of them is dropped, oldest first, so that memory stays bounded and this
    // is rare.
    for (const who of tallies.keys()) {
      if (tallies.size <= MOST_CALLERS * 0.9) break;
      tallies.delete(who);
    }
  }

  const refuse = (tally: Tally): never => {
    const wait = Math.max(1, Math.ceil(seconds - (clock() - tally.since)));
    throw new Failure('too-many-requests', { values: { seconds: wait }, retryAfter: wait });
  };

  return {
    count(who, times = 1) {
      if (most === 0) return;
      const tally = tallyOf(who);
      tally.n += times;
      if (tally.n > most) refuse(tally);
    },
    check(who) {
      const tally = most === 0 ? undefined : tallies.get(who);
      if (tally && tally.n >= most && clock() - tally.since < seconds) refuse(tally);
    },
    learn(who, n, left) {
      Object.assign(tallyOf(who), { n, since: clock() - (seconds - left) });
    },
  };
}
