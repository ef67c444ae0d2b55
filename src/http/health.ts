import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Database } from '../db/database.js';
import { Failure } from '../errors.js';
import { type Answered, countAnswers } from './answered.js';
import { metricsOfAll } from './worker-metrics.js';

export interface Health {
  /** Counts a response. */
  note(answered: Answered): void;
  serve(app: FastifyInstance): void;
  /** From now on it reports that it is not ready, as it is about to end. */
  leave(): void;
  isLeaving(): boolean;
}

/** Proxies hide these from the public by exact path (deploy/): other spellings, which pages accept, would pass. */
const asWritten = {
  onRequest: async ({ originalUrl, routeOptions }: FastifyRequest): Promise<void> => {
    if (originalUrl.split('?', 1)[0] !== routeOptions.url) throw new Failure('rest_no_route');
  },
};

/** For operators and their machines: is it alive, can it serve, how is it doing. */
export function healthOf(database: Database): Health {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const note = countAnswers(registry);
  let leaving = false;
  if (database.replicas) {
    new Gauge({
      name: 'kalends_replica_in_use',
      help: 'Whether a replica of the database answers reads',
      labelNames: ['replica'],
      registers: [registry],
      aggregator: 'min',
      collect() {
        for (const { address, inUse } of database.replicas?.() ?? []) this.set({ replica: address }, inUse ? 1 : 0);
      },
    });
  }

  function serve(app: FastifyInstance): void {
    app.addHook('onResponse', async (request, reply) => {
      const route = request.routeOptions.url ?? 'none';
      note({ method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime });
    });
    app.get('/livez', asWritten, async (_request, reply) => reply.type('text/plain').send('ok\n'));
    app.get('/readyz', asWritten, async (_request, reply) => {
      if (leaving) return reply.code(503).type('text/plain').send('shutting down\n');
      try {
        await database.ping();
        return reply.type('text/plain').send('ok\n');
      } catch {
        return reply.code(503).type('text/plain').send('the database does not respond\n');
      }
    });
    const metrics = metricsOfAll(registry);
    app.get('/metrics', asWritten, async (_request, reply) => reply.type(registry.contentType).send(await metrics()));
  }
  return {
    note,
    serve,
    leave() {
      leaving = true;
    },
    isLeaving: () => leaving,
  };
}
