import type { Database, ReplicaState } from './database.js';
import { isPostgres } from './postgres-url.js';
import { openSqlite } from './sqlite.js';

export interface OpenOptions {
  observe?: ((sql: string) => void) | undefined;
  /** Connections to a database server that one process keeps. */
  connections?: number | undefined;
  /** The longest that a statement may take there, in milliseconds; 0 is for ever. */
  statementTime?: number | undefined;
  /** Servers that follow it, and who is told when one is left out or comes back. */
  replicas?: readonly string[] | undefined;
  replicaChanged?: ((state: ReplicaState) => void) | undefined;
}

/** `postgres://…`, `sqlite:/path/to/file`, or a plain path. */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  if (!isPostgres(url)) return openSqlite({ file: sqliteFile(url), observe: options.observe });
  // The driver is loaded by those who need it.
  const { openPostgres } = await import('./postgres.js');
  const { replicas = [], replicaChanged: changed = () => {}, ...own } = options;
  const primary = await openPostgres({ url, ...own });
  if (replicas.length === 0) return primary;
  const { withReplicas } = await import('./replicas.js');
  return withReplicas(primary, { url, replicas, changed, ...own });
}

export const sqliteFile = (url: string): string => url.replace(/^(sqlite|file):(\/\/)?/, '');
