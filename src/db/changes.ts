import { sql } from 'kysely';
import { steadyNow } from '../time/clock.js';
import type { Database, Db, Reading } from './database.js';
import { fixed } from './fixed.js';
import type { ChangeTable } from './tables.js';

export type Change = Omit<ChangeTable, 'seq'>;

/** Something held in memory that a change may make wrong. */
export interface Keeper {
  forget(changes: readonly Change[]): void;
  clear(): void;
}

/** What memory holds is what the reader's view of the data would tell: it may be used, and added to. */
export interface Current {
  /** False as soon as something has changed since: what was read before must not be kept any more. */
  holds(): boolean;
}

/** More than this, and forgetting everything is quicker. */
const MOST = 2000;
const ROWS_KEPT = 20_000;
/** A millisecond or two. */
const SWEPT_AT_ONCE = 1000;
/** Others' writes are looked for more often than this. */
const MAY_BE_BEHIND_MS = 1500;

/** Begins with the last change that was seen: when it is not there, it was swept away, or this view is an older one. */
const changesFrom = fixed(
  (_db, seen: number, most: number) =>
    sql<ChangeTable>`SELECT seq, kind, id, day_before, day_after FROM change_log WHERE seq >= ${seen}
      ORDER BY seq LIMIT ${most}`,
);
const lastChange = fixed((_db) => sql<{ seq: number }>`SELECT max(seq) AS seq FROM change_log`);

/**
 * Keeps memory in step with the data. Every reader asks first what was committed since the last one asked, in its own
 * view of the data; so memory is never behind, whichever server or program has written.
 */
export class Changes {
  private seen = -1;
  /** How often something was written here, and up to which of these writes memory has been told. */
  private writes = 0;
  private told = -1;
  private toldAt = 0;
  private readonly keepers: Keeper[] = [];
  private now: Current | undefined;
  private looking: 'no' | 'once' | 'again' = 'no';

  add<K extends Keeper>(keeper: K): K {
    this.keepers.push(keeper);
    return keeper;
  }

  /** Something was written: until a reader has looked, memory may be behind. */
  expire(): void {
    this.writes++;
  }

  /** Looks at what was written, before anybody asks. `look` asks what is current, and may do more. */
  async catchUp(database: Database, look: (db: Db) => Promise<void>): Promise<void> {
    if (this.looking !== 'no') {
      this.looking = 'again';
      return;
    }
    this.looking = 'once';
    // Where that fails, the next reader looks, and tells.
    await database.read(look, { fresh: true }).catch(() => {});
    const wanted = this.looking === ('again' as string);
    this.looking = 'no';
    if (wanted) await this.catchUp(database, look);
  }

  /** Memory holds what the database does, as far as this process can tell; others may have written since `toldAt`. */
  isSure(): boolean {
    return this.told === this.writes && steadyNow() - this.toldAt < MAY_BE_BEHIND_MS;
  }

  /** What memory holds, where it is sure without looking. */
  known(): Current | undefined {
    return this.isSure() ? this.now : undefined;
  }

  /**
   * Undefined: the reader sees an older state than memory holds, and must do without. `fresh`: it sees all there is, so
   * that what memory knows beyond it is lost, as it may be when another server takes over.
   */
  async current(db: Db, { fresh = false }: Reading = {}): Promise<Current | undefined> {
    // The view begins with this statement: what was written before is in it.
    const { writes, seen } = this;
    const at = steadyNow();
    // Whoever has seen nothing yet holds nothing that could be wrong.
    const rows = seen < 0 ? [] : await db.all(changesFrom(db, seen, MOST + 2));
    const tooMany = seen < 0 || rows.length > MOST + 1;
    const last = (tooMany ? (await db.first(lastChange(db)))?.seq : rows.at(-1)?.seq) ?? 0;
    if (fresh && last < seen) this.seen = -1;
    if (last < this.seen) return undefined;
    if (last > this.seen) {
      // Before the first change of all there is none to begin with.
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
    if (writes >= this.told) {
      this.told = writes;
      this.toldAt = Math.max(this.toldAt, at);
    }
    return this.now;
  }
}

/** Only the latest changes are of interest to anybody who runs. After a load there are many: nobody waits for all. */
export async function sweepChanges({ write }: Pick<Database, 'write'>): Promise<void> {
  const some = async (db: Db): Promise<number> => {
    const log = await db.first<{ first: number | null; last: number | null }>(
      sql`SELECT (SELECT min(seq) FROM change_log) AS first, (SELECT max(seq) FROM change_log) AS last`,
    );
    // One bound, found beforehand: of two, SQLite would use the first and go through the rest row by row.
    const before = Math.min((log?.last ?? 0) - ROWS_KEPT, (log?.first ?? 0) + SWEPT_AT_ONCE);
    return before > (log?.first ?? 0) ? db.changed(sql`DELETE FROM change_log WHERE seq < ${before}`) : 0;
  };
  while ((await write(some)) > 0);
}
