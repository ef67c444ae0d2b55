import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client';

/**
 * Several workers serve, and the one that is asked for metrics returns those of all. They can reach each other only
 * through their parent, which collects the metrics; the counts of workers that have ended stay in the sums, since
 * counters must not decrease.
 */

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** From a worker: a request for the metrics of all workers. */
interface Wish {
  metricsOfAllWanted: number;
}
interface Fulfilled {
  metricsOfAll: number;
  text?: string;
}
/** From the parent: a request for the worker's own metrics. */
interface Question {
  metricsWanted: true;
}
interface Answer {
  metrics: Metrics;
}

/** For a worker that takes longer, its previous figures are used. */
const PATIENCE_MS = 2000;

/** Types are strings, whatever the library's declarations say. */
const isCounted = ({ type }: MetricObject): boolean => ['counter', 'histogram', 'summary'].includes(String(type));
const together = (all: Metrics[]): Registry => AggregatorRegistry.aggregate(all);
const sumOf = async (all: Metrics[]): Promise<string> => together(all).metrics();

/** Runs in the parent. */
export function answerForAll(): void {
  /** The latest metrics of each worker. */
  const told = new Map<Worker, Metrics>();
  let ofThoseGone: Metrics = [];
  const waiting = new Map<Worker, (() => void)[]>();
  const heard = (worker: Worker): void => {
    for (const resolve of waiting.get(worker) ?? []) resolve();
    waiting.delete(worker);
  };

  async function asked(worker: Worker): Promise<void> {
    if (!worker.isConnected()) return;
    const isNew = !waiting.has(worker);
    const answered = new Promise<void>((resolve) => {
      waiting.set(worker, [...(waiting.get(worker) ?? []), resolve]);
      setTimeout(resolve, PATIENCE_MS).unref();
    });
    if (isNew) worker.send({ metricsWanted: true } satisfies Question);
    await answered;
  }

  cluster.on('message', async (worker: Worker, { metricsOfAllWanted, metrics }: Partial<Wish & Answer>) => {
    // Metrics that arrive after a worker's end have been counted already, or are lost.
    if (metrics && !worker.isDead()) {
      told.set(worker, metrics);
      heard(worker);
    }
    if (metricsOfAllWanted === undefined) return;
    await Promise.all(Object.values(cluster.workers ?? {}).map((one) => one && asked(one)));
    const text = await sumOf([...told.values(), ofThoseGone]).catch(() => undefined);
    if (worker.isConnected())
      worker.send({ metricsOfAll: metricsOfAllWanted, ...(text ? { text } : {}) } satisfies Fulfilled);
  });
  cluster.on('exit', (worker) => {
    const last = told.get(worker)?.filter(isCounted) ?? [];
    told.delete(worker);
    ofThoseGone = together([ofThoseGone, last]).getMetricsAsArray() as unknown as Metrics;
    heard(worker);
  });
}

/** The metrics of all workers; those of this process alone if there are no others, or if the sum could not be made. */
export function metricsOfAll(own: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => own.metrics();
  const waiting = new Map<number, (text: string | undefined) => void>();
  process.on('message', async ({ metricsWanted, metricsOfAll, text }: Partial<Question & Fulfilled>) => {
    if (metricsWanted) {
      const metrics = await own.getMetricsAsJSON();
      if (process.connected) process.send?.({ metrics } satisfies Answer);
    }
    if (metricsOfAll === undefined) return;
    waiting.get(metricsOfAll)?.(text);
  });
  let asked = 0;
  return async () => {
    const id = ++asked;
    const told = new Promise<string | undefined>((resolve) => {
      waiting.set(id, resolve);
      setTimeout(resolve, 2 * PATIENCE_MS, undefined).unref();
    }).finally(() => waiting.delete(id));
    process.send?.({ metricsOfAllWanted: id } satisfies Wish);
    return (await told) ?? own.metrics();
  };
}
