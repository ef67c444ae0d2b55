import { setImmediate as breath } from 'node:timers/promises';
import { sql } from 'kysely';
import { steadyNow } from '../time/clock.js';
import type { Database, Db, Freshness } from './database.js';
import { fixed } from './fixed.js';
import type { ChangeTable } from './tables.js';

export type Change = Omit<ChangeTable, 'seq'>;

/** A cache that a change may invalidate. */
export interface Keeper {
  forget(changes: readonly Change[]): void;
  clear(): void;
}

/** States that memory matches the reader's snapshot: it may be used, and added to. */
export interface Current {
  /** False as soon as anything has changed since: what was read before must not be cached any more. */
  holds(): boolean;
}

/** With more changes than this, clearing everything is quicker. */
const MOST = 2000;
const ROWS_KEPT = 20_000;
/** Takes a millisecond or two. */
const SWEPT_AT_ONCE = 1000;
/** The log is checked for writes of other instances more often than this. */
const MAY_BE_BEHIND_MS = 1500;
/** Nobody waits longer for one reading on behalf of all: reading it themselves would then take no longer. */
const PATIENCE_MS = 50;
/** After a reading that failed, or took longer, nobody waits for another; until one succeeds, or for so long. */
const MISTRUST_MS = 2000;
/** Readings on behalf of all, if the database is far away and there are many writes. */
const MOST_READINGS = 3;

/** The log is read on behalf of all who need it. */
interface Reading {
  /** How many writes it sees for certain. */
  writes: number;
  /** It has ended, or patience has run out. */
  soon: Promise<void>;
}

/** Starts with the last change that was seen: if that is missing, it was deleted, or this snapshot is an older one. */
const changesFrom = fixed(
  (_db, seen: number) =>
    sql<ChangeTable>`SELECT seq, kind, id, day_before, day_after FROM change_log WHERE seq >= ${seen}
      ORDER BY seq LIMIT ${sql.lit(MOST + 2)}`,
);
const lastNoted = fixed((_db) => sql<{ seq: number }>`SELECT max(seq) AS seq FROM change_log`);

/**
 * Keeps memory in step with the data. Before memory is used with a snapshot, that snapshot is asked what was committed
 * since the last look; so memory is never behind it, whichever server or program has written. Only `known` does
 * without, for as long as `isSure` holds.
 */
export class Changes {
  private seen = -1;
  /** How many writes there were here, and how many of them memory has taken into account. */
  private writes = 0;
  private told = -1;
  private toldAt = 0;
  private readonly keepers: Keeper[] = [];
  private now: Current | undefined;
  /** The reading that begins after this turn, and the one that began last. */
  private gathering: Reading | undefined;
  private latest: Reading | undefined;
  private readonly readings = new Set<Promise<boolean>>();
  /** Nobody waits for a reading before this time. */
  private mistrustedUntil = 0;

  /** `lags`: not all snapshots show the newest state, since replicas follow the primary at some distance. */
  constructor(
    private readonly lags = false,
    private readonly patience = PATIENCE_MS,
  ) {}

  add<K extends Keeper>(keeper: K): K {
    this.keepers.push(keeper);
    return keeper;
  }

  /** Something was written: until a reader has read the log, memory may be behind. */
  expire(): void {
    this.writes++;
  }

  /** Reads what was written, before a request needs it. `look` calls `current`, and may do more. */
  catchUp(database: Pick<Database, 'read'>, look: (db: Db) => Promise<void>): void {
    // Has not begun yet, so it will see this write, too.
    if (this.gathering) return;
    const read = async (): Promise<boolean> => {
      // What is committed in the same turn is read together.
      await breath();
      while (this.readings.size >= MOST_READINGS) await Promise.race(this.readings);
      this.gathering = undefined;
      this.latest = reading;
      reading.writes = this.writes;
      this.readings.add(done);
      try {
        await database.read(look, { fresh: true });
        return true;
      } catch {
        // The next reader reads the log itself, and reports the failure.
        return false;
      } finally {
        this.readings.delete(done);
        if (this.latest === reading) this.latest = undefined;
      }
    };
    const done = read();
    const soon = inTime(done, this.patience).then((isRead) => {
      this.mistrustedUntil = isRead ? 0 : steadyNow() + MISTRUST_MS;
    });
    const reading: Reading = { writes: this.writes, soon };
    this.gathering = reading;
  }

  /** For those who need to know more than memory does: the state after it has caught up once more. */
  knownAgain(
    database: Pick<Database, 'read'>,
    look: (db: Db) => Promise<void>,
  ): Promise<Current | undefined> | undefined {
    if (!this.isWorthWaiting()) return undefined;
    this.catchUp(database, look);
    return this.knownSoon();
  }

  private isWorthWaiting(): boolean {
    // Replicas answer without waiting for the primary, which may be far away.
    return !this.lags && steadyNow() >= this.mistrustedUntil;
  }

  /** Memory is up to date as far as this process can tell; other instances may have written since `toldAt`. */
  isSure(): boolean {
    return this.told === this.writes && this.isRecent();
  }

  private isRecent(): boolean {
    return steadyNow() - this.toldAt < MAY_BE_BEHIND_MS;
  }

  /** The current state, if memory is known to be up to date without reading the log. */
  known(): Current | undefined {
    return this.isSure() ? this.now : undefined;
  }

  /**
   * The state in a moment, when memory knows of all writes before this call, and perhaps of later ones. Undefined, at
   * once or then: the caller must read the log itself.
   */
  knownSoon(): Promise<Current | undefined> | undefined {
    const { writes } = this;
    const coming = this.gathering ?? (this.latest?.writes === writes ? this.latest : undefined);
    if (!coming || !this.isWorthWaiting()) return undefined;
    return coming.soon.then(() => (this.told >= writes && this.isRecent() ? this.now : undefined));
  }

  /**
   * Undefined: the snapshot is older than what memory holds, so the reader must do without memory. `fresh`: the
   * snapshot is the newest state, so changes that memory knows beyond it were lost, as can happen in a failover.
   */
  async current(db: Db, { fresh = false }: Freshness = {}): Promise<Current | undefined> {
    // The snapshot begins with this statement and includes all earlier writes.
    const { writes, seen } = this;
    const at = steadyNow();
    // As long as nothing has been seen, memory is empty, and nothing in it can be wrong.
    const rows = seen < 0 ? [] : await db.all(changesFrom(db, seen));
    const tooMany = seen < 0 || rows.length > MOST + 1;
    const last = (tooMany ? (await db.first(lastNoted(db)))?.seq : rows.at(-1)?.seq) ?? 0;
    if (fresh && last < seen) this.seen = -1;
    if (last < this.seen) return undefined;
    if (last > this.seen) {
      // Before the very first change, there is none to start with.
      const first = this.seen === 0 ? 1 : this.seen;
      const missed = tooMany || this.seen < 0 || (rows[0]?.seq ?? 0) > first;
      for (const keeper of this.keepers) {
        if (missed) keeper.clear();
        else keeper.forget(rows.filter((row) => row.seq > this.seen));
      }
      this.seen = last;
      const made = { holds: (): boolean => this.now === made };
      this.now = made;
    }
    if (writes >= this.told && (fresh || !this.lags)) {
      this.told = writes;
      this.toldAt = Math.max(this.toldAt, at);
    }
    return this.now;
  }
}

/** Whether it succeeds before patience has run out. */
const inTime = (done: Promise<boolean>, patience: number): Promise<boolean> =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, patience, false);
    void done.then((isDone) => {
      clearTimeout(late);
      resolve(isDone);
    });
  });

/** Running servers need only the latest changes. After a bulk load, many are deleted, in small transactions. */
export async function sweepChanges({ write }: Pick<Database, 'write'>): Promise<void> {
  const some = async (db: Db): Promise<number> => {
    const log = await db.first<{ first: number | null; last: number | null }>(
      sql`SELECT (SELECT min(seq) FROM change_log) AS first, (SELECT max(seq) FROM change_log) AS last`,
    );
    // A single bound, computed beforehand: of two bounds, SQLite would use one and check the other row by row.
    const before = Math.min((log?.last ?? 0) - ROWS_KEPT, (log?.first ?? 0) + SWEPT_AT_ONCE);
    return before > (log?.first ?? 0) ? db.changed(sql`DELETE FROM change_log WHERE seq < ${before}`) : 0;
  };
  while ((await write(some)) > 0);
}
