import type { Files } from '../../src/media/files.js';
import { filesAt } from '../../src/media/open.js';
import type { TestServer } from './server.js';

/** The names of all files of pictures in a store. */
export async function namesIn(files: Files): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of files.list()) names.push(name);
  return names.sort();
}

export const storedNames = (s: TestServer): Promise<string[]> => namesIn(filesAt(s.config.mediaUrl, s.config));
