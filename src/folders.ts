import { existsSync, realpathSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
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
