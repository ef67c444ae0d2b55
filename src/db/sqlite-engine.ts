/** The engine of SQLite files, and how a file is opened; by whichever thread. */

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

/** The engine built into Node where it is finished (24 and later), the same interface from a package before. */
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
  // The engine brings the log to the disk before it moves it into the file; at each commit we do (see Log), and
  // answer then.
  handle.exec('PRAGMA synchronous = NORMAL');
  handle.exec('PRAGMA foreign_keys = ON');
  handle.exec('PRAGMA trusted_schema = OFF');
  // In KiB, for each connection. The system keeps the file in memory, too: more here costs memory and gains nothing.
  handle.exec('PRAGMA cache_size = -500');
  // There may be no other place to write to than that of the file.
  handle.exec('PRAGMA temp_store = MEMORY');
  return handle;
}
