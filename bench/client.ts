import { fork } from 'node:child_process';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

/** Sends requests as fast as they are answered, from its own process; one at a time on each connection. */

export interface Load {
  host: string;
  port: number;
  connections: number;
  milliseconds: number;
  /** Complete requests, sent in order; after the last one it starts again, unless `once`. */
  requests: Buffer[];
  once?: boolean;
}

export interface Loaded {
  requests: number;
  seconds: number;
  bytes: number;
  statuses: Record<number, number>;
  /** Connections that broke, and responses that could not be parsed. */
  failures: number;
  /** Milliseconds. */
  p50: number;
  p90: number;
  p99: number;
  most: number;
  /** How many responses took up to STEP ** n * FIRST milliseconds. */
  histogram: number[];
}

export const FIRST_BUCKET = 0.02;
export const BUCKET_STEP = 1.25;

interface Counting {
  load: Load;
  next: number;
  until: number;
  times: number[];
  bytes: number;
  statuses: Record<number, number>;
  failures: number;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_CHUNKS = Buffer.from('\r\n0\r\n\r\n');

/** How much of a response is still to come: a number of bytes, or until the last chunk. */
function headOf(data: Buffer): { status: number; left: number | 'chunks' } | undefined {
  const end = data.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const head = data.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const body = data.length - end - 4;
  if (status === 304 || status === 204) return { status, left: -body };
  if (length !== undefined) return { status, left: Number(length) - body };
  return { status, left: 'chunks' };
}

function connection(counting: Counting): Promise<void> {
  const { load } = counting;
  return new Promise((resolve) => {
    let sent = 0;
    let head: ReturnType<typeof headOf>;
    let kept: Buffer[] = [];
    const socket = net.connect({ host: load.host, port: load.port, noDelay: true });
    const send = (): void => {
      if (performance.now() >= counting.until || (load.once && counting.next >= load.requests.length)) {
        socket.end();
        resolve();
        return;
      }
      sent = performance.now();
      socket.write(load.requests[counting.next++ % load.requests.length] as Buffer);
    };
    const fail = (): void => {
      counting.failures++;
      socket.destroy();
      resolve();
    };
    const done = (): void => {
      counting.times.push(performance.now() - sent);
      const { status } = head as { status: number };
      counting.statuses[status] = (counting.statuses[status] ?? 0) + 1;
      head = undefined;
      kept = [];
      send();
    };
    socket.on('connect', send);
    socket.on('data', (data) => {
      counting.bytes += data.length;
      if (head && typeof head.left === 'number') head.left -= data.length;
      else {
        kept.push(data);
        // The end of a chunked response may itself arrive in two pieces.
        const seen = kept.length === 1 ? data : Buffer.concat(head ? kept.slice(-2) : kept);
        if (!head) head = headOf(seen);
        if (head?.left === 'chunks' && seen.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)) head.left = 0;
      }
      if (head?.left === 0) done();
      else if (head && (head.left as number) < 0) fail();
    });
    socket.on('error', fail);
    socket.on('close', () => resolve());
  });
}

async function run(load: Load): Promise<Loaded> {
  const began = performance.now();
  const counting: Counting = {
    load,
    next: 0,
    until: began + load.milliseconds,
    times: [],
    bytes: 0,
    statuses: {},
    failures: 0,
  };
  await Promise.all(Array.from({ length: load.connections }, () => connection(counting)));
  const seconds = (performance.now() - began) / 1000;
  const times = Float64Array.from(counting.times).sort();
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const histogram: number[] = [];
  for (const time of times) {
    const bucket = Math.max(0, Math.ceil(Math.log(time / FIRST_BUCKET) / Math.log(BUCKET_STEP)));
    histogram[bucket] = (histogram[bucket] ?? 0) + 1;
  }
  return {
    requests: times.length,
    seconds,
    bytes: counting.bytes,
    statuses: counting.statuses,
    failures: counting.failures,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    most: at(1),
    histogram: Array.from(histogram, (n) => n ?? 0),
  };
}

export interface Client {
  load(load: Load): Promise<Loaded>;
  stop(): void;
}

export function startClient(): Client {
  const child = fork(fileURLToPath(import.meta.url), ['client'], { serialization: 'advanced' });
  return {
    load: (load) =>
      new Promise((resolve, reject) => {
        child.once('message', resolve as (message: unknown) => void);
        child.once('exit', () => reject(new Error('The client process exited')));
        child.send(load);
      }).finally(() => child.removeAllListeners('exit')) as Promise<Loaded>,
    stop: () => child.disconnect(),
  };
}

if (process.argv[2] === 'client' && process.send) {
  process.on('message', (load: Load) => {
    const requests = load.requests.map((one) => Buffer.from(one));
    void run({ ...load, requests }).then((loaded) => process.send?.(loaded));
  });
}
