import type { Database } from './database.js';
import { type Migration, migrationsFor } from './migrate.js';
import { openSqlite } from './sqlite.js';

export interface OpenOptions {
  observe?: ((sql: string) => void) | undefined;
}

/** `sqlite:/path/to/file` or a plain path. */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  return openSqlite({ file: sqliteFile(url), observe: options.observe });
}

export const sqliteFile = (url: string): string => url.replace(/^(sqlite|file):(\/\/)?/, '');

export const migrations = (): Migration[] => migrationsFor('sqlite');
