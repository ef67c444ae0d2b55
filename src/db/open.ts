import { statSync } from 'node:fs';
import type { Database, ReplicaState } from './database.js';
import { isPostgres } from './postgres-url.js';
import { openSqlite } from './sqlite.js';

export interface OpenOptions {
  observe?: ((sql: string) => void) | undefined;
  /** Most connections of one process to a database server. */
  connections?: number | undefined;
  /** The longest that a statement may take there, in milliseconds; 0 means no limit. */
  statementTime?: number | undefined;
  /** Replicas of the database, and what to call when one is taken out of use or comes back. */
  replicas?: readonly string[] | undefined;
  replicaChanged?: ((state: ReplicaState) => void) | undefined;
}

/** `postgres://…`, `sqlite:/path/to/file`, or a plain path. */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  if (!isPostgres(url)) {
    const file = sqliteFile(url);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw Object.assign(new Error(`${file} is a folder`), { code: 'EISDIR', path: file });
    return openSqlite({ file, observe: options.observe });
  }
  // The driver is loaded only if it is needed.
  const { openPostgres } = await import('./postgres.js');
  const { replicas = [], replicaChanged: changed = () => {}, ...own } = options;
  const primary = await openPostgres({ url, ...own });
  if (replicas.length === 0) return primary;
  const { withReplicas } = await import('./replicas.js');
  return withReplicas(primary, { url, replicas, changed, ...own });
}

export const sqliteFile = (url: string): string => url.replace(/^(sqlite|file):(\/\/)?/, '');
