import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** Where files lie: a folder. Names are ours, random and checked: no path from outside reaches the file system. */
export interface Files {
  put(name: string, data: Buffer): Promise<void>;
  get(name: string): Promise<Buffer | undefined>;
  remove(name: string): Promise<void>;
}

export const newFileName = (): string => randomBytes(16).toString('hex');
const NAME = /^[0-9a-f]{32}(-[a-z_]{1,20})?\.[a-z]{3,4}$/;

export function filesIn(folder: string): Files {
  const at = (name: string): string => {
    if (!NAME.test(name)) throw new Error('Not the name of a stored file');
    return path.join(folder, name.slice(0, 2), name);
  };
  return {
    async put(name, data) {
      const file = at(name);
      await mkdir(path.dirname(file), { recursive: true });
      // Whole or not at all, and on the disk before the record that names it.
      const handle = await open(`${file}.part`, 'w', 0o644);
      try {
        await handle.writeFile(data);
        await handle.sync();
        await rename(`${file}.part`, file);
      } catch (error) {
        await rm(`${file}.part`, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
    },
    async get(name) {
      try {
        return NAME.test(name) ? await readFile(at(name)) : undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async remove(name) {
      await rm(at(name), { force: true });
    },
  };
}
