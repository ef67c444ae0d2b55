import type { Database } from '../db/database.js';
import { organizerPost } from '../organizers/organizer.js';
import * as post from '../records/post.js';
import { due, nextDue } from '../records/post.store.js';
import { nowSeconds } from '../time/clock.js';
import { venuePost } from '../venues/venue.js';
import { eventPost, publishEvent } from './event.js';

/** Publishes scheduled records whose time has come (D10). */
export async function publishDue(database: Database): Promise<void> {
  const now = nowSeconds();
  const kinds = [eventPost, venuePost, organizerPost];
  const isDue = await database.read(
    async (db) => {
      for (const kind of kinds) {
        const at = await nextDue(db, kind.table);
        if (at !== undefined && at <= now) return true;
      }
      return false;
    },
    { fresh: true },
  );
  if (!isDue) return;
  await database.write(async (db) => {
    for (const kind of kinds) {
      for (const { id } of await due(db, kind.table, now)) {
        if (kind === eventPost) await publishEvent(db, id);
        else await post.publish(db, kind, id);
      }
    }
  });
}
