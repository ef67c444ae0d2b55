import type { Dirent } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { flushFolderOf, makeFolder } from '../folders.js';
import { type Files, isFileName, isListed, PART, pathOf, unavailable } from './files.js';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** A folder on this machine, or one shared by several machines (NFS and the like). */
export function filesInFolder(folder: string): Files {
  const at = (name: string): string => path.join(folder, pathOf(name));
  return {
    place: folder,
    async put(name, data) {
      if (!isFileName(name)) throw new Error('Not the name of a stored file');
      const file = at(name);
      try {
        await makeFolder(path.dirname(file));
        await write(file, data);
      } catch (error) {
        throw unavailable(error);
      }
    },
    async get(name) {
      if (!isFileName(name)) return undefined;
      try {
        const handle = await open(at(name), 'r');
        try {
          const { size } = await handle.stat();
          return { size, body: handle.createReadStream() };
        } catch (error) {
          await handle.close();
          throw error;
        }
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw unavailable(error);
      }
    },
    async remove(name) {
      const file = at(name);
      try {
        await rm(file, { force: true });
        await rm(file + PART, { force: true });
      } catch (error) {
        throw unavailable(error);
      }
    },
    async *list() {
      for (const below of await entries(folder)) {
        if (!below.isDirectory() || !/^[0-9a-f]{2}$/.test(below.name)) continue;
        for (const { name } of await entries(path.join(folder, below.name))) {
          if (!isListed(name)) continue;
          const found = await stat(at(name)).catch(noneIfMissing);
          if (found) yield { name, size: found.size, changedAt: Math.floor(found.mtimeMs / 1000) };
        }
      }
    },
  };
}

async function write(file: string, data: Buffer): Promise<void> {
  const handle = await open(file + PART, 'w', 0o644);
  try {
    await handle.writeFile(data);
    await handle.sync();
    await rename(file + PART, file);
    await flushFolderOf(file);
  } catch (error) {
    await rm(file + PART, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

const entries = async (folder: string): Promise<Dirent[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(noneIfMissing)) ?? [];

/** Others may remove files while we list them. */
function noneIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw unavailable(error);
}
