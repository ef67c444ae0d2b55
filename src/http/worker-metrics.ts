import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** Several processes serve, and whoever is asked tells the metrics of all. They know each other by their parent only. */

interface Question {
  metricsAsked: number;
}
interface Answer {
  metricsTold: number;
  text?: string;
}

/** In the parent. */
export function answerForAll(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', async (worker: Worker, { metricsAsked }: Question) => {
    if (metricsAsked === undefined) return;
    const text = await all.clusterMetrics().catch(() => undefined);
    if (worker.isConnected()) worker.send({ metricsTold: metricsAsked, ...(text ? { text } : {}) } satisfies Answer);
  });
}

/** The metrics of all processes; of this one alone where there are no others, or where they do not answer. */
export function metricsOfAll(own: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => own.metrics();
  AggregatorRegistry.setRegistries(own);
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string | undefined) => void>();
  process.on('message', ({ metricsTold, text }: Answer) => {
    waiting.get(metricsTold)?.(text);
    waiting.delete(metricsTold);
  });
  let asked = 0;
  return async () => {
    const id = ++asked;
    const told = new Promise<string | undefined>((resolve) => {
      waiting.set(id, resolve);
    });
    process.send?.({ metricsAsked: id } satisfies Question);
    return (await told) ?? own.metrics();
  };
}
