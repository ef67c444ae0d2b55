import { setImmediate as breath } from 'node:timers/promises';
import type { Changes, Current } from './db/changes.js';
import type { Database, Db, Freshness } from './db/database.js';
import { SharedViews, type View, viewOf } from './db/lazily.js';
import { type Kept, Ledger } from './records/basis.js';
import { Orders } from './records/orders.js';
import { Overflow } from './records/overflow.js';
import { Pieces } from './records/pieces.js';
import { Selections } from './records/selection.js';

/** The data has changed, so memory does not match it after all. */
class MovedOn extends Error {}

/** What this process holds in memory between requests, in step with the data. */
export function memoryOf(database: Database, folder: string, changes: Changes, failed: (error: unknown) => void) {
  const selections = changes.add(new Selections());
  const orders = changes.add(new Orders());
  const ledger = changes.add(new Ledger());
  const overflow = new Overflow(folder);
  const pieces = new Pieces(ledger, overflow);
  const keptAt = (current: Current | undefined): Kept | undefined =>
    current && { current, selections, orders, pieces, later };
  const keptFor = async (db: Db): Promise<Kept | undefined> => keptAt(await changes.current(db));
  /** Without reading the change log, if memory is known to be up to date; otherwise undefined. */
  const keptNow = (): Kept | undefined => keptAt(changes.known());
  /** The same in a moment, if the log is being read just now. */
  const keptSoon = async (): Promise<Kept | undefined> => keptAt(await changes.knownSoon());
  const shared = new SharedViews();
  /** A snapshot that matches what memory holds; fails if the data has changed. */
  const viewFor = ({ current }: Kept, freshness: Freshness): Promise<View> => {
    const begin = () =>
      viewOf(database, freshness, async (db) => {
        if ((await changes.current(db)) !== current) throw new MovedOn();
      });
    return database.sharesViews ? shared.take(current, begin) : begin();
  };
  /**
   * Runs after this turn, so that the request that caused it is answered first; on the current data, since the result
   * is used for signed-in callers, too.
   */
  const later: Kept['later'] = async (work) => {
    await breath();
    // The result may include what another process wrote meanwhile: memory must learn of that before anybody uses it.
    const seen = work(database.aside).then(() =>
      database.read((db) => changes.current(db, { fresh: true }), { fresh: true }),
    );
    await seen.catch((error: unknown) => {
      failed(error);
      throw error;
    });
  };
  /** Learns what was written, and updates the selections that are in use. */
  const look = async (db: Db): Promise<void> => {
    const current = await changes.current(db, { fresh: true });
    if (current) await selections.catchUp(db, current);
  };
  /** The state in a moment, with the selections that were asked for: read once for all who ask in the same turn. */
  const knownAgain = () => changes.knownAgain(database, look);
  return { selections, ledger, overflow, keptFor, keptNow, keptSoon, viewFor, knownAgain, look };
}

/** Makes memory learn of every write, also of one whose outcome was lost. */
export function noting(database: Database, changes: Changes, look: (db: Db) => Promise<void>): Database {
  if (database.watch) {
    database.watch(async (view) => {
      changes.expire();
      // If that fails, the next reader reads the log itself, and reports the failure.
      await view(look).catch(() => {});
    });
    return database;
  }
  return {
    ...database,
    write: (work) =>
      database.write(work).finally(() => {
        changes.expire();
        changes.catchUp(database, look);
      }),
  };
}
