import { existsSync, realpathSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

const isFolder = async (name: string): Promise<boolean> => (await stat(name)).isDirectory();

/** One after another: told to make all at once, Node tries for ever where the system takes none, as in /proc. */
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
    // Another process may have been faster.
    if (!(await isFolder(folder).catch(() => false))) throw error;
  }
}

/** Where a name leads to by whatever links, also if nothing is there yet. */
export function realPlace(name: string): string {
  const absolute = path.resolve(name);
  if (existsSync(absolute)) return realpathSync(absolute);
  return path.join(realPlace(path.dirname(absolute)), path.basename(absolute));
}
