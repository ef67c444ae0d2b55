import { setImmediate as others } from 'node:timers/promises';
import type { Database } from '../db/database.js';
import { admitOlderRules, noteRules, RULES, rulesNoted } from '../db/zone-rules.js';
import { change } from '../records/post.store.js';
import { rescheduled } from './event.rules.js';
import { byIds, schedulesAfter } from './event.store.js';

/** This many take a few milliseconds. */
const AT_ONCE = 500;

/**
 * When a new Node brings new time zone rules, events keep their wall clock and their instants follow (D4): a concert at
 * eight stays at eight. Returns how many events moved; undefined if there was nothing to do, or if it was stopped.
 */
export async function reschedule(
  database: Database,
  isStopping: () => boolean,
  atOnce = AT_ONCE,
): Promise<number | undefined> {
  await admitOlderRules(database);
  if ((await database.read(rulesNoted, { fresh: true })) >= RULES) return undefined;
  let moved = 0;
  for (let last = 0; ; ) {
    const batch = await database.read((db) => schedulesAfter(db, last, atOnce), { fresh: true });
    const wrong = batch.filter((event) => rescheduled(event)).map(({ id }) => id);
    if (wrong.length > 0) {
      moved += await database.write(async (db) => {
        let done = 0;
        // They may have been changed since they were read.
        for (const row of await byIds(db, wrong)) {
          const columns = rescheduled(row);
          if (!columns) continue;
          await change(db, 'event', row, columns);
          done++;
        }
        return done;
      });
    }
    last = batch.at(-1)?.id ?? last;
    if (batch.length < atOnce) break;
    await others();
    if (isStopping()) return undefined;
  }
  await database.write(noteRules);
  return moved;
}
