import { randomBytes } from 'node:crypto';
import { constants, existsSync, rmSync, statSync } from 'node:fs';
import { chmod, copyFile, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { flushFolderOf, realPlace } from '../folders.js';
import { EXIT, Refusal, STOPPING } from './io.js';

/** Files that SQLite puts beside a database while it is open. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** Only for copies that nobody else has open. */
export async function removeCompanions(file: string): Promise<void> {
  for (const suffix of COMPANIONS) await rm(file + suffix, { force: true });
}

/** Whether a path is that of a database, or of a file that SQLite keeps beside it. */
export function belongsTo(database: string, name: string): boolean {
  const [own, place] = [realPlace(database), realPlace(name)];
  return ['', ...COMPANIONS].some((suffix) => own + suffix === place);
}

/** Refuses a path where writing a file would destroy something, or is impossible. */
export function requireFreePlace(file: string, source: string, force: boolean | undefined): void {
  if (belongsTo(source, file)) throw new Refusal('FILE is the database itself. Choose another name.', EXIT.usage);
  if (!existsSync(path.dirname(file))) throw new Refusal(`There is no folder ${path.dirname(file)}. Create it first.`);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new Refusal(`${file} is a folder. Name a file in it.`, EXIT.usage);
  // The new file would replace a device or a pipe, which others would miss.
  if (there && !there.isFile()) throw new Refusal(`${file} is not a regular file. Choose another name.`, EXIT.usage);
  if (there && !force) throw new Refusal(`${file} already exists. Choose another name, or use --force to replace it.`);
}

/**
 * Works with a temporary file beside `file`, which nobody else has open and no other command uses. What is left of it is
 * removed, also if the process is told to stop.
 */
async function withUnfinished<T>(
  file: string,
  ending: 'tmp' | 'restoring' | 'copy',
  work: (unfinished: string) => Promise<T>,
): Promise<T> {
  const unfinished = `${file}.${randomBytes(6).toString('hex')}.${ending}`;
  const abandon = (signal: NodeJS.Signals): void => {
    for (const suffix of ['', ...COMPANIONS]) rmSync(unfinished + suffix, { force: true });
    // The process ends as if nobody had listened.
    process.kill(process.pid, signal);
  };
  for (const one of STOPPING) process.once(one, abandon);
  try {
    return await work(unfinished);
  } finally {
    await rm(unfinished, { force: true });
    await removeCompanions(unfinished);
    for (const one of STOPPING) process.off(one, abandon);
  }
}

/** The same with a copy of another file, which nobody else may read. */
export const withCopy = <T>(
  source: string,
  beside: string,
  ending: 'restoring' | 'copy',
  work: (copy: string) => Promise<T>,
): Promise<T> =>
  withUnfinished(beside, ending, async (copy) => {
    await copyFile(source, copy, constants.COPYFILE_EXCL);
    await chmod(copy, 0o600);
    return work(copy);
  });

/** Fills a temporary file, which gets its name once it is complete. Of several at once, the last to finish wins. */
export const writeWhole = <T>(file: string, fill: (unfinished: string) => Promise<T>): Promise<T> =>
  withUnfinished(file, 'tmp', async (unfinished) => {
    // From its first byte on, nobody else may read it; and nobody has it open already.
    await writeFile(unfinished, '', { mode: 0o600, flag: 'wx' });
    const filled = await fill(unfinished);
    await flush(unfinished);
    await rename(unfinished, file);
    await flushFolderOf(file);
    return filled;
  });

/** Makes sure that a file is on the disk. */
export async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
