import { existsSync, realpathSync } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import path from 'node:path';

const isFolder = async (name: string): Promise<boolean> => (await stat(name)).isDirectory();

/** One by one: with `recursive`, Node retries for ever where the file system refuses to create any, as in /proc. */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    if (await isFolder(folder)) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await makeFolder(path.dirname(folder), mode);
  }
  try {
    await mkdir(folder, { mode });
    await flushFolderOf(folder);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!(await isFolder(folder).catch(() => false))) throw error;
  }
}

/** The path with all symbolic links resolved, even if nothing exists there yet. */
export function realPlace(name: string): string {
  const absolute = path.resolve(name);
  if (existsSync(absolute)) return realpathSync(absolute);
  return path.join(realPlace(path.dirname(absolute)), path.basename(absolute));
}

/** A rename is durable once its folder is synced. Some systems cannot open folders; those give no such guarantee. */
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
