import { setImmediate as breath } from 'node:timers/promises';
import type { Changes, Current } from './db/changes.js';
import type { Database, Db, Reading } from './db/database.js';
import { SharedViews, type View, viewOf } from './db/lazily.js';
import { type Kept, Ledger } from './records/basis.js';
import { Orders } from './records/orders.js';
import { Pieces } from './records/pieces.js';
import { Selections } from './records/selection.js';

/** Memory was not what the data is after all. */
class MovedOn extends Error {}

/** What this process keeps between requests, in step with the data. */
export function memoryOf(database: Database, changes: Changes, failed: (error: unknown) => void) {
  const selections = changes.add(new Selections());
  const orders = changes.add(new Orders());
  const pieces = changes.add(new Pieces());
  const ledger = changes.add(new Ledger());
  const keptAt = (current: Current | undefined): Kept | undefined =>
    current && { current, selections, orders, pieces, later };
  const keptFor = async (db: Db): Promise<Kept | undefined> => keptAt(await changes.current(db));
  /** Without looking, where memory is sure; undefined where it is not. */
  const keptNow = (): Kept | undefined => keptAt(changes.known());
  const shared = new SharedViews();
  /** A view that shows what memory holds; fails where the data has moved on. */
  const viewFor = ({ current }: Kept, reading: Reading): Promise<View> => {
    const begin = () =>
      viewOf(database, reading, async (db) => {
        if ((await changes.current(db)) !== current) throw new MovedOn();
      });
    return database.sharesViews ? shared.take(current, begin) : begin();
  };
  /** After this turn, so that whoever asked is answered first; in all of the data, since signed-in callers ask too. */
  const later: Kept['later'] = async (work) => {
    await breath();
    // What was made may show what another process wrote meanwhile: memory must know of that before anybody is told.
    const seen = work(database.aside).then(() =>
      database.read((db) => changes.current(db, { fresh: true }), { fresh: true }),
    );
    await seen.catch((error: unknown) => {
      failed(error);
      throw error;
    });
  };
  /** Reads with what memory holds; false when it holds something else than this view shows. */
  const remembering = (look: (db: Db, kept: Kept) => Promise<boolean>, reading: Reading): Promise<boolean> =>
    database.read(async (db) => {
      const kept = await keptFor(db);
      return kept !== undefined && look(db, kept);
    }, reading);
  /** Sees what was written, and brings along what is asked for again and again. */
  const look = async (db: Db): Promise<void> => {
    const current = await changes.current(db, { fresh: true });
    if (current) await selections.catchUp(db, current);
  };
  return { selections, ledger, keptFor, keptNow, viewFor, remembering, look };
}

/** Memory is told of every write, also of one whose answer was lost. */
export function noting(database: Database, changes: Changes, look: (db: Db) => Promise<void>): Database {
  if (database.watch) {
    database.watch(async (view) => {
      changes.expire();
      // Where that fails, the next reader looks, and tells.
      await view(look).catch(() => {});
    });
    return database;
  }
  return {
    ...database,
    write: (work) =>
      database.write(work).finally(() => {
        changes.expire();
        void changes.catchUp(database, look);
      }),
  };
}
