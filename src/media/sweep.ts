import type { Database } from '../db/database.js';
import { nowSeconds } from '../time/clock.js';
import type { Files } from './files.js';
import { allImages, imagesByIds } from './image.store.js';
import { fileSizes } from './image.view.js';
import { doomLoose, forgetLoose, hasLoose } from './loose.store.js';

/** Longer than any upload takes, on any instance. */
const GRACE_SECONDS = 3600;

/**
 * Removes files that uploads and removals left behind when the process or the store failed them; how many pictures it
 * was. Any number of instances may do it at once. Stops where the store fails: the notes stay for the next time.
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
  /** Files that a row names and that are not there, or not whole: sentences by image. */
  missing: { id: number; problem: string }[];
  /** Files that no row names, left by somebody long ago. They take room, and nothing else. */
  strays: string[];
  /** How many files are as a row says. */
  whole: number;
}

/** The rows beside the store. The server may be running. */
export async function compare(database: Database, files: Files): Promise<Comparison> {
  // Rows before files: the files of an upload are there before its row.
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
  // Somebody may have removed a picture while we looked.
  const ids = [...new Set(missing.map(({ id }) => id))];
  const left = await database.read((db) => imagesByIds(db, ids));
  return { missing: missing.filter(({ id }) => left.has(id)), strays, whole };
}
