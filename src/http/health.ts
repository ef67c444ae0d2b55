import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../db/database.js';
import { metricsOfAll } from './worker-metrics.js';

export interface Health {
  /** Counts an answer. */
  note(answer: { method: string; route: string; status: number; ms: number }): void;
  serve(app: FastifyInstance): void;
}

/** For operators and their machines: is it alive, can it serve, how is it doing. */
export function healthOf(database: Database): Health {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'kalends_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'kalends_http_request_duration_seconds',
    help: 'Time to answer',
    labelNames: ['method', 'route'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
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
  // By what is told of them, so that nobody has to look for their place again: there are as many as routes.
  const places = new Map<string, { count: { inc(): void }; time: { observe(seconds: number): void } }>();
  const note: Health['note'] = ({ method, route, status, ms }) => {
    const key = `${status} ${method} ${route}`;
    let at = places.get(key);
    if (!at) {
      at = { count: requests.labels({ method, route, status }), time: seconds.labels({ method, route }) };
      places.set(key, at);
    }
    at.count.inc();
    at.time.observe(ms / 1000);
  };

  function serve(app: FastifyInstance): void {
    app.addHook('onResponse', async (request, reply) => {
      const route = request.routeOptions.url ?? 'none';
      note({ method: request.method, route, status: reply.statusCode, ms: reply.elapsedTime });
    });
    app.get('/livez', async (_request, reply) => reply.type('text/plain').send('ok\n'));
    app.get('/readyz', async (_request, reply) => {
      try {
        await database.ping();
        return reply.type('text/plain').send('ok\n');
      } catch {
        return reply.code(503).type('text/plain').send('the database does not answer\n');
      }
    });
    const metrics = metricsOfAll(registry);
    app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await metrics()));
  }
  return { note, serve };
}
