import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type MetricObject, type Registry } from 'prom-client';

/**
 * Several processes serve, and whoever is asked tells the metrics of all. They know each other by their parent only, who
 * asks them; what those counted who are gone stays in the sums, since counters must not fall.
 */

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** From a worker: somebody asks me for the metrics of all. */
interface Wish {
  metricsOfAllWanted: number;
}
interface Fulfilled {
  metricsOfAll: number;
  text?: string;
}
/** From the parent: what are yours? */
interface Question {
  metricsWanted: true;
}
interface Answer {
  metrics: Metrics;
}

/** A worker that is busy for longer tells them next time. */
const PATIENCE_MS = 2000;

/** Types are words, whatever the declarations of the library say. */
const isCounted = ({ type }: MetricObject): boolean => ['counter', 'histogram', 'summary'].includes(String(type));
const together = (all: Metrics[]): Registry => AggregatorRegistry.aggregate(all);
const sumOf = async (all: Metrics[]): Promise<string> => together(all).metrics();

/** In the parent. */
export function answerForAll(): void {
  /** What each worker told last. */
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
    // What arrives after its end was counted already, or is lost.
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

/** The metrics of all processes; of this one alone where there are no others, or where they cannot be told together. */
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
    waiting.delete(metricsOfAll);
  });
  let asked = 0;
  return async () => {
    const id = ++asked;
    const told = new Promise<string | undefined>((resolve) => {
      waiting.set(id, resolve);
    });
    process.send?.({ metricsOfAllWanted: id } satisfies Wish);
    return (await told) ?? own.metrics();
  };
}
