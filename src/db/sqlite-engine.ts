/** The SQLite engine, and how a file is opened, in any thread. */

export type Value = string | number | bigint | null | Uint8Array;
export interface Statement {
  all(...values: Value[]): unknown[];
  iterate(...values: Value[]): Iterable<unknown>;
  run(...values: Value[]): { changes: number | bigint };
  setReadBigInts(enabled: boolean): void;
}
export interface Handle {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
  readonly isTransaction: boolean;
}
interface Engine {
  DatabaseSync: new (file: string) => Handle;
  backup(source: Handle, file: string): Promise<unknown>;
}

/** Node's own engine where it is mature (24 and later), before that a package with the same interface. */
export async function loadEngine(): Promise<Engine> {
  const builtIn = Number(process.versions.node.split('.')[0]) >= 24;
  return (builtIn
    ? await import('node:sqlite' as string)
    : await import('@photostructure/sqlite')) as unknown as Engine;
}

export function openFile({ DatabaseSync }: Engine, file: string): Handle {
  const handle = new DatabaseSync(file);
  handle.exec('PRAGMA busy_timeout = 20');
  handle.exec('PRAGMA journal_mode = WAL');
  // SQLite syncs the log only before a checkpoint; at each commit we do it ourselves (see Log), before responding.
  handle.exec('PRAGMA synchronous = NORMAL');
  handle.exec('PRAGMA foreign_keys = ON');
  handle.exec('PRAGMA trusted_schema = OFF');
  // In KiB, per connection. The system caches the file, too: more here costs memory and gains nothing.
  handle.exec('PRAGMA cache_size = -500');
  // The folder of the file may be the only writable one.
  handle.exec('PRAGMA temp_store = MEMORY');
  return handle;
}
