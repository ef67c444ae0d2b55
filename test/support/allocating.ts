import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import { makeEvent } from './rows.js';
import { startServer } from './server.js';

/**
 * A server in a process of its own that tells how much it has allocated; and beside it one that does nothing but send
 * the same answer, so that what Node itself takes can be told apart. It is started with so much room for what is
 * new that nothing is collected in between, and says whether that is true: then what is in use is what was allocated.
 */
export interface Allocated {
  bytes: number;
  collections: number;
}

/** Where the answer is that is kept, and the one that is only sent. */
export interface Addresses {
  kept: string;
  bare: string;
}

let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ type: 'gc' });

const s = await startServer({ KALENDS_LOG_LEVEL: 'warn' });
for (let n = 0; n < 20; n++) await makeEvent(s, { description: 'x'.repeat(500), categories: ['Music'] });

/** One that answers every request with the answer to this one. */
async function parrot(path: string): Promise<string> {
  const answer = await fetch(s.api + path, { headers: { 'accept-encoding': 'identity' } });
  const body = Buffer.from(await answer.arrayBuffer());
  const head = [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)).flat();
  const server = createServer((_request, response) => response.writeHead(200, head).end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

process.on('message', async (message) => {
  if (message === 'stop') {
    await s.close();
    process.disconnect();
    return;
  }
  if (message === 'begin') gc?.();
  // What was collected is told a little later.
  await sleep(50);
  const { used_heap_size: heap, malloced_memory: own } = v8.getHeapStatistics();
  process.send?.({ bytes: heap + own + process.memoryUsage().arrayBuffers, collections } satisfies Allocated);
});
const LIST = '/events?start_date=2031-01-01&end_date=2032-01-01&per_page=20';
process.send?.({ kept: s.api + LIST, bare: await parrot(LIST) } satisfies Addresses);
