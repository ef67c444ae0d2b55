import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { realPlace } from '../folders.js';
import { EXIT, Refusal } from './io.js';
import { COMPANIONS, flush, flushFolderOf, removeCompanions } from './verify.js';

/** Whether a name is that of a database, or of what SQLite keeps beside it. */
export function belongsTo(database: string, name: string): boolean {
  const [own, place] = [realPlace(database), realPlace(name)];
  return ['', ...COMPANIONS].some((suffix) => own + suffix === place);
}

/** A file can be written there that takes nothing away from anybody. */
export function requireFreePlace(file: string, source: string, force: boolean | undefined): void {
  if (belongsTo(source, file)) throw new Refusal('FILE is the database itself. Choose another name.', EXIT.usage);
  if (!existsSync(path.dirname(file))) throw new Refusal(`There is no folder ${path.dirname(file)}. Make it first.`);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new Refusal(`${file} is a folder. Name a file in it.`, EXIT.usage);
  // A device or a pipe would give way to a file, and others would miss it.
  if (there && !there.isFile()) throw new Refusal(`${file} is not a regular file. Choose another name.`, EXIT.usage);
  if (there && !force) throw new Refusal(`${file} exists already. Choose another name, or say --force to replace it.`);
}

/** Lets a file be filled that gets its name once it is whole. Of several who do so at once, the last to finish wins. */
export async function writeWhole<T>(file: string, fill: (unfinished: string) => Promise<T>): Promise<T> {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  // Nobody else may read it, from its first byte on, or has it already.
  await writeFile(unfinished, '', { mode: 0o600, flag: 'wx' });
  try {
    const filled = await fill(unfinished);
    await flush(unfinished);
    await rename(unfinished, file);
    await flushFolderOf(file);
    return filled;
  } finally {
    await rm(unfinished, { force: true });
    await removeCompanions(unfinished);
  }
}
