import { parentPort, workerData } from 'node:worker_threads';
import { AT_WORK, type Beginning, type Reply, STOP, type Task } from './sqlite-aside.js';
import { loadEngine, openFile } from './sqlite-engine.js';

/** The other thread: what takes long is done here, so that nobody waits behind it. */

/** Letters that are sent at once: taking them takes a millisecond or two. */
const SENT_AT_ONCE = 100_000;

const { file, seen } = workerData as Beginning;
const handle = openFile(await loadEngine(), file);
const isStopped = (): boolean => Atomics.load(seen, STOP) !== 0;
const tell = (reply: Reply): void => parentPort?.postMessage(reply);

const lengthOf = (row: unknown): number =>
  Object.values(row as object).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);

function answer({ sql, parameters }: Task): void {
  let rows: unknown[] = [];
  let length = 0;
  for (const row of handle.prepare(sql).iterate(...parameters)) {
    if (isStopped()) throw new Error('Stopped');
    rows.push(row);
    length += lengthOf(row);
    if (length < SENT_AT_ONCE) continue;
    tell({ rows });
    [rows, length] = [[], 0];
  }
  tell({ rows, isLast: true });
}

parentPort?.on('message', (task: Task | 'end') => {
  if (task === 'end') {
    handle.close();
    parentPort?.close();
    return;
  }
  Atomics.store(seen, AT_WORK, 1);
  try {
    answer(task);
  } catch (error) {
    tell({ problem: error instanceof Error ? error.message : String(error) });
  }
  Atomics.store(seen, AT_WORK, 0);
  Atomics.notify(seen, AT_WORK);
});
