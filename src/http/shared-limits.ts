import { hashOf } from '../accounts/secrets.js';
import type { Database, Db } from '../db/database.js';
import { nowSeconds } from '../time/clock.js';
import { limitOf } from './limits.js';
import { addToTally, totalOf } from './tally.store.js';

/**
 * A limit across all instances on one database. Each instance also counts for itself: that costs no query, and it is
 * what counts while the database is unavailable, so that nobody is locked out and nobody can guess without end.
 */
export interface SharedLimit {
  /** Refuses by what this instance knows. */
  check(who: string): void;
  /** Refuses by what all instances know: one lookup by key, within a read that is running anyway. */
  look(db: Db, who: string): Promise<void>;
  /**
   * Counts here at once, and for the other instances within a second: until they have exchanged their counts, a caller
   * has at most one second's worth of extra requests on each instance.
   */
  count(who: string): void;
  /** Counts for all instances before it returns. */
  countForAll(who: string): Promise<void>;
  /** Once a second: shares what was counted here, and learns what the other instances counted. */
  exchange(): Promise<void>;
}

/** In a flood of callers, those beyond this number are counted by this instance alone. */
const MOST_UNTOLD = 500;

export interface SharedLimitOptions {
  database: Database;
  secretKey: string;
  /** Distinguishes limits from each other. */
  name: string;
  /** 0 means no limit. */
  most: number;
  seconds: number;
}

export function sharedLimitOf({ database, secretKey, name, most, seconds }: SharedLimitOptions): SharedLimit {
  const local = limitOf(most, seconds);
  /** Counted here, but not in the table yet. */
  const untold = new Map<string, number>();
  let telling: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  /** Callers are not stored by name: some people type their password into the name field. */
  const hidden = (who: string): string => hashOf(`${name} ${who}`, secretKey);

  function note(who: string, times: number): void {
    if (most === 0) return;
    const known = untold.get(who);
    if (known !== undefined || untold.size < MOST_UNTOLD) untold.set(who, (known ?? 0) + times);
  }

  async function tellAll(): Promise<void> {
    // In the same order on every instance, so that no two wait for each other.
    const batch = [...untold].map(([who, times]) => ({ who, times, row: hidden(who) }));
    batch.sort((a, b) => (a.row < b.row ? -1 : 1));
    untold.clear();
    if (batch.length === 0) return;
    const now = nowSeconds();
    try {
      // Sent together: other writers wait until this is done, and the round trip may be long.
      const totals = await database.write((db) =>
        Promise.all(batch.map(({ row, times }) => addToTally(db, row, times, now, now + seconds))),
      );
      totals.forEach(({ n, expires_at }, i) => {
        const who = batch[i]?.who ?? '';
        local.learn(who, n + (untold.get(who) ?? 0), expires_at - now);
      });
    } catch (error) {
      for (const { who, times } of batch) note(who, times);
      throw error;
    }
  }

  /** One at a time, and what waits goes together: a flood of wrong sign-ins takes one connection and few commits. */
  function tell(): Promise<void> {
    if (!telling) {
      telling = tellAll().finally(() => {
        telling = undefined;
      });
      return telling;
    }
    next ??= telling
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return tell();
      });
    return next;
  }

  return {
    check: (who) => local.check(who),
    async look(db, who) {
      local.check(who);
      if (most === 0) return;
      const now = nowSeconds();
      const found = await totalOf(db, hidden(who), now, now + seconds);
      if (!found || found.n < most) return;
      local.learn(who, found.n, found.expires_at - now);
      local.check(who);
    },
    count(who) {
      local.check(who);
      local.count(who);
      note(who, 1);
    },
    async countForAll(who) {
      local.check(who);
      local.count(who);
      note(who, 1);
      // The database is in trouble: the next exchange shares it.
      await tell().catch(() => undefined);
      local.count(who, 0);
    },
    exchange: tell,
  };
}
