import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { realPlace } from '../folders.js';
import { EXIT, Refusal } from './io.js';

/** What SQLite puts beside a file while it is open. */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/** Only for copies that nobody else has open. */
export async function removeCompanions(file: string): Promise<void> {
  for (const suffix of COMPANIONS) await rm(file + suffix, { force: true });
}

/** Whether a name is that of a database, or of what SQLite keeps beside it. */
export function belongsTo(database: string, name: string): boolean {
  const [own, place] = [realPlace(database), realPlace(name)];
  return ['', ...COMPANIONS].some((suffix) => own + suffix === place);
}

/** A file can be written there that takes nothing away from anybody. */
export function requireFreePlace(file: string, source: string, force: boolean | undefined): void {
  if (belongsTo(source, file)) throw new Refusal('FILE is the database itself. Choose another name.', EXIT.usage);
  if (!existsSync(path.dirname(file))) throw new Refusal(`There is no folder ${path.dirname(file)}. Create it first.`);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new Refusal(`${file} is a folder. Name a file in it.`, EXIT.usage);
  // A device or a pipe would give way to a file, and others would miss it.
  if (there && !there.isFile()) throw new Refusal(`${file} is not a regular file. Choose another name.`, EXIT.usage);
  if (there && !force) throw new Refusal(`${file} already exists. Choose another name, or use --force to replace it.`);
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

/** On the disk, not only on its way there. */
export async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename is safe when its folder is. Some systems cannot open folders; they have no such promise to keep. */
export async function flushFolderOf(file: string): Promise<void> {
  try {
    const handle = await open(path.dirname(file), 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!['EISDIR', 'EINVAL', 'EPERM', 'EACCES', 'ENOTSUP'].includes(code ?? '')) throw error;
  }
}
