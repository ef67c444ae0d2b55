import { open } from 'node:fs/promises';
import { migrationState } from '../db/migrate.js';
import { type Counts, counts } from './check.store.js';
import { explain, isDamage, originOf } from './explain.js';
import { withDatabase } from './open.js';
import { removeCompanions } from './place.js';

const MAGIC = 'SQLite format 3\0';

/** Looks at the first bytes only, without opening (and so perhaps changing) anything. */
export async function looksLikeDatabase(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return bytesRead === MAGIC.length && buffer.toString('latin1') === MAGIC;
  } finally {
    await handle.close();
  }
}

export type Verdict = { counts: Counts; pending: string[] } | { problem: string };

/** Whether a copy is a complete Kalends database that this version can use. `problem` is the rest of a sentence. */
export async function verify(file: string): Promise<Verdict> {
  if (!(await looksLikeDatabase(file))) return { problem: 'is not a Kalends database' };
  try {
    return await withDatabase(file, async (database): Promise<Verdict> => {
      const { done, pending, newer } = await migrationState(database);
      if (newer.length > 0) return { problem: `was made by a newer version of Kalends (${newer.join(', ')})` };
      if (done.length === 0) return { problem: 'is not a Kalends database' };
      const [first, ...more] = await database.integrity();
      if (first !== undefined)
        return { problem: `is damaged: ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''}` };
      return { counts: await database.read(counts), pending };
    });
  } catch (thrown) {
    const error = originOf(thrown);
    const message = error instanceof Error ? error.message : '';
    if (isDamage(error) || /no such table/.test(message)) return { problem: `is damaged: ${message}` };
    throw new Error(explain(error), { cause: error });
  } finally {
    await removeCompanions(file);
  }
}
