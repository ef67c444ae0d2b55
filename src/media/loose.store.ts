import type { Db } from '../db/database.js';

/**
 * The store of the files has no transactions, so their names are noted before they are written and when their row is
 * removed. A note ends when a row takes the files over, or when the files are gone; `DOOMED` (as its time) means that
 * no row can take them over any more. Only noted files are swept, never those of another database or of a backup that
 * may be restored.
 */
export const DOOMED = 0;

export async function noteLoose(db: Db, file: string, names: string[], notedAt: number): Promise<void> {
  await db.run(db.q.insertInto('loose_file').values({ file, names: JSON.stringify(names), noted_at: notedAt }));
}

/** For the transaction that adds the row of the files; false if they were given up meanwhile. */
export async function claimLoose(db: Db, file: string): Promise<boolean> {
  return (await db.changed(db.q.deleteFrom('loose_file').where('file', '=', file).where('noted_at', '>', DOOMED))) > 0;
}

/** For the code that is about to remove the files; false if a row has taken them over. */
export async function giveUpLoose(db: Db, file: string): Promise<boolean> {
  return (await db.changed(db.q.updateTable('loose_file').set({ noted_at: DOOMED }).where('file', '=', file))) > 0;
}

export async function forgetLoose(db: Db, file: string): Promise<void> {
  await db.run(db.q.deleteFrom('loose_file').where('file', '=', file));
}

export async function hasLoose(db: Db, until: number): Promise<boolean> {
  const row = await db.first(db.q.selectFrom('loose_file').select('file').where('noted_at', '<=', until).limit(1));
  return row !== undefined;
}

/** Gives up everything noted up to that time: from now on no row can claim it. */
export async function doomLoose(db: Db, until: number): Promise<{ file: string; names: string[] }[]> {
  const rows = await db.all(
    db.q
      .updateTable('loose_file')
      .set({ noted_at: DOOMED })
      .where('noted_at', '<=', until)
      .returning(['file', 'names']),
  );
  return rows.map(({ file, names }) => ({ file, names: JSON.parse(names) as string[] }));
}
