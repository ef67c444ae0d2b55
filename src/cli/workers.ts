import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type pino from 'pino';
import type { Config } from '../config.js';
import { explain } from './explain.js';
import { EXIT, Refusal, STOPPING } from './io.js';
import { type Started, startHere } from './start.js';

/** Several processes on one port: the first starts the others, hands out connections, and replaces those that die. */

/** What a worker tells the process that started it. */
type Told = Partial<{ listening: string; problem: string; closed: true }>;
const STOP = 'stop';
const ALL_CLOSED = 'all closed';
/** How long a worker waits for the others to close, in milliseconds. */
const MOST_WAIT = 1000;
/** How long a worker may take to exit after its work is done, in milliseconds. */
const MOST_LEAVING = 3000;

/** A worker that served for less time than this has failed to start. */
const SHORT_LIFE = 5000;
/** After so many of these in a row, the server gives up. */
const MOST_SHORT_LIVES = 5;

export const isWorker = cluster.isWorker;

/** Runs a worker from start to end. */
export async function runWorker(config: Config, logger: pino.Logger): Promise<number> {
  const told = (what: Told): unknown => process.send?.(what);
  const stopped = new Promise<void>((resolve) => {
    process.on('message', (message) => message === STOP && resolve());
    for (const signal of STOPPING) process.on(signal, () => resolve());
  });
  const allClosed = new Promise<void>((resolve) => {
    process.on('message', (message) => message === ALL_CLOSED && resolve());
  });
  try {
    const started = await startHere(config, logger);
    told({ listening: started.address });
    await stopped;
    await started.close(async () => {
      told({ closed: true });
      // Clients answered earlier would reconnect, perhaps to a worker that is closing. Busy workers get no more time
      // than this.
      await Promise.race([allClosed, sleep(MOST_WAIT, undefined, { ref: false })]);
    });
    return EXIT.ok;
  } catch (error) {
    told({ problem: explain(error) });
    return EXIT.failed;
  } finally {
    cluster.worker?.disconnect();
  }
}

export async function startWorkers(config: Config, logger: pino.Logger): Promise<Started> {
  const { answerForAll } = await import('../http/worker-metrics.js');
  answerForAll();
  const alive = new Set<Worker>();
  /** All workers have started, and are to be kept running. */
  let serving = false;
  let shortLives = 0;
  let giveUp: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  // It may be awaited only later, or never.
  failed.catch(() => {});

  /** Rejects with the worker's own message if it ends before it listens. */
  function start(): Promise<string> {
    const worker = cluster.fork();
    const forgetConnection = watchConnections(worker);
    let since: number | undefined;
    let problem: string | undefined;
    alive.add(worker);
    // Sending to a worker that is gone fails; its exit is noticed anyway.
    worker.on('error', () => {});
    // Its work is done by then; something that hangs could keep it from exiting.
    worker.once('disconnect', () => setTimeout(() => worker.process.kill('SIGKILL'), MOST_LEAVING).unref());
    return new Promise((resolve, reject) => {
      worker.on('message', (told: Told) => {
        problem = told.problem ?? problem;
        if (told.listening === undefined) return;
        since = performance.now();
        resolve(told.listening);
      });
      worker.once('exit', (code, signal) => {
        alive.delete(worker);
        forgetConnection();
        reject(new Refusal(problem ?? `A worker exited (${signal ?? `exit code ${code}`}) before it could serve.`));
        if (!serving) return;
        const served = since === undefined ? 0 : performance.now() - since;
        shortLives = served < SHORT_LIFE ? shortLives + 1 : 0;
        logger.error({ worker: worker.process.pid, code, signal, problem }, 'a worker ended');
        void replace();
      });
    });
  }

  async function replace(): Promise<void> {
    if (shortLives >= MOST_SHORT_LIVES) {
      giveUp(new Refusal(`Workers exit as soon as they start, ${shortLives} in a row. See the log.`));
      return;
    }
    await sleep(shortLives * 200);
    // If it fails, its exit is handled like any other.
    if (serving) await start().catch(() => {});
  }

  async function close(): Promise<void> {
    serving = false;
    // Not `once` of events: it would reject on the error of sending to a worker that is gone.
    const ended = [...alive].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    const closed = [...alive].map(doorOf);
    for (const worker of alive) if (worker.isConnected()) worker.send(STOP);
    await Promise.all(closed);
    for (const worker of alive) if (worker.isConnected()) worker.send(ALL_CLOSED);
    await Promise.all(ended);
  }

  try {
    // One first, so that a problem is reported only once.
    const address = await start();
    await Promise.all(Array.from({ length: config.workers - 1 }, start));
    serving = true;
    return { address, close, failed };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Resolves when a worker takes no more connections, or is gone. */
const doorOf = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    worker.on('message', (told: Told) => told.closed && resolve());
    worker.once('exit', () => resolve());
  });

interface Handle {
  close?: () => void;
}

/**
 * If a worker is killed while a connection is being handed to it, Node forgets the connection: it stays open in this
 * process, and its client would wait for ever. Connections are handed over one at a time, so only the last one is
 * concerned.
 */
function watchConnections({ process: child }: Worker): () => void {
  let last: Handle | undefined;
  const send = child.send.bind(child) as (message: unknown, handle?: Handle, ...rest: unknown[]) => boolean;
  Object.assign(child, {
    send(message: unknown, handle?: Handle, ...rest: unknown[]) {
      if (handle) last = handle;
      return send(message, handle, ...rest);
    },
  });
  return () => last?.close?.();
}
