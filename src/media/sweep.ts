import type { Database } from '../db/database.js';
import { nowSeconds } from '../time/clock.js';
import type { Files } from './files.js';
import { allImages, imagesByIds } from './image.store.js';
import { fileSizes } from './image.view.js';
import { doomLoose, forgetLoose, hasLoose } from './loose.store.js';

/** Longer than any upload takes on any instance. */
const GRACE_SECONDS = 3600;

/**
 * Removes files that uploads and removals left behind because the process or the store failed; returns for how many
 * pictures. Several instances may do this at once. If the store fails, this stops, and the notes stay for the next
 * time.
 */
export async function sweep(database: Database, files: Files, grace = GRACE_SECONDS): Promise<number> {
  const until = nowSeconds() - grace;
  if (!(await database.read((db) => hasLoose(db, until)))) return 0;
  const doomed = await database.write((db) => doomLoose(db, until));
  for (const { file, names } of doomed) {
    for (const name of names) await files.remove(name);
    await database.write((db) => forgetLoose(db, file));
  }
  return doomed.length;
}

export interface Comparison {
  /** Files that a row names but that are missing or incomplete: one message per file, with the image it belongs to. */
  missing: { id: number; problem: string }[];
  /** Files that no row names and that are too old to belong to an upload in progress. They only take up space. */
  strays: string[];
  /** How many files are exactly as their row says. */
  whole: number;
}

/** Compares the rows with the store. The server may be running. */
export async function compare(database: Database, files: Files): Promise<Comparison> {
  // Rows are read before files, because the files of an upload exist before its row.
  const expected = new Map<string, { id: number; size: number }>();
  for (const image of await database.read(allImages)) {
    for (const { name, size } of fileSizes(image)) expected.set(name, { id: image.id, size });
  }
  const missing: Comparison['missing'] = [];
  const strays: string[] = [];
  let whole = 0;
  const recent = nowSeconds() - GRACE_SECONDS;
  for await (const { name, size, changedAt } of files.list()) {
    const wanted = expected.get(name);
    expected.delete(name);
    if (wanted === undefined && changedAt < recent) strays.push(name);
    if (wanted?.size === size) whole++;
    else if (wanted !== undefined)
      missing.push({ id: wanted.id, problem: `${name} has ${size} of ${wanted.size} bytes` });
  }
  for (const [name, { id }] of expected) missing.push({ id, problem: `${name} is missing` });
  // A picture may have been removed while the files were listed.
  const ids = [...new Set(missing.map(({ id }) => id))];
  const left = await database.read((db) => imagesByIds(db, ids));
  return { missing: missing.filter(({ id }) => left.has(id)), strays, whole };
}
