import type { Db } from '../db/database.js';

/**
 * Files lie in a store that knows no transactions, so their names are noted before they are written and when their row
 * goes. A note ends with the row that takes the files over, or with the files. Only what was noted is ever swept: files
 * that belong to another database, or to a backup that may come back, are not.
 */
export const DOOMED = 0;

export async function noteLoose(db: Db, file: string, names: string[], notedAt: number): Promise<void> {
  await db.run(db.q.insertInto('loose_file').values({ file, names: JSON.stringify(names), noted_at: notedAt }));
}

/** For the row that names the files now; false when they were given up meanwhile. */
export async function claimLoose(db: Db, file: string): Promise<boolean> {
  return (await db.changed(db.q.deleteFrom('loose_file').where('file', '=', file).where('noted_at', '>', DOOMED))) > 0;
}

/** For those who remove the files; false when a row has taken them over. */
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

/** Gives up what was noted until then: from now on no row can claim it. */
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
