import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { AT_WORK, type Beginning, type Reply, STOP, TAKEN, type Task } from './sqlite-aside.js';
import { loadEngine, openFile, type Statement } from './sqlite-engine.js';

/** The other thread: statements that take long run here, so that nobody waits behind them. */

/** Characters sent at once: receiving them takes a millisecond or two. */
const SENT_AT_ONCE = 100_000;

const { file, seen } = workerData as Beginning;
const handle = openFile(await loadEngine(), file);
sortBeside();
const tell = (reply: Reply): void => parentPort?.postMessage(reply);

const lengthOf = (row: unknown): number =>
  Object.values(row as object).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);

/** Large sorts need temporary files: beside the database, since no other folder may be writable. */
function sortBeside(): void {
  try {
    const [set] = handle.prepare('PRAGMA temp_store_directory').all();
    const folder = path.dirname(path.resolve(file)).replaceAll("'", "''");
    // The setting applies to the whole process, so it is not changed once it is in use.
    if (set === undefined) handle.exec(`PRAGMA temp_store_directory = '${folder}'`);
    handle.exec('PRAGMA temp_store = FILE');
  } catch {
    // Then sorting happens in memory.
  }
}

/** Referenced while its rows are read: otherwise the garbage collector may finalise it midway. */
let statement: Statement | undefined;

const requireWanted = (): void => {
  if (Atomics.load(seen, STOP) !== 0) throw new Error('Stopped');
};

/** How often to check whether anybody still waits for the rows that were sent. */
const LOOKS_MS = 100;

/** Sends some rows, and continues when they were taken. */
function hand(rows: unknown[]): void {
  Atomics.store(seen, TAKEN, 0);
  tell({ rows });
  while (Atomics.load(seen, TAKEN) === 0) {
    requireWanted();
    Atomics.wait(seen, TAKEN, 0, LOOKS_MS);
  }
}

function answer({ sql, parameters }: Task): void {
  requireWanted();
  let rows: unknown[] = [];
  let length = 0;
  statement = handle.prepare(sql);
  for (const row of statement.iterate(...parameters)) {
    requireWanted();
    rows.push(row);
    length += lengthOf(row);
    if (length < SENT_AT_ONCE) continue;
    hand(rows);
    [rows, length] = [[], 0];
  }
  tell({ rows, isLast: true });
  statement = undefined;
}

parentPort?.on('message', (task: Task | 'end') => {
  if (task === 'end') {
    handle.close();
    parentPort?.close();
    return;
  }
  try {
    answer(task);
  } catch (error) {
    tell({ problem: error instanceof Error ? error.message : String(error) });
  }
  Atomics.store(seen, AT_WORK, 0);
  Atomics.notify(seen, AT_WORK);
});
