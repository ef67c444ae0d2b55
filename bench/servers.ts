import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Answer, Line } from '../test/tools/wire.js';

/** The servers that are measured, and what the system reports about their processes. */

export interface Target {
  name: string;
  host: string;
  port: number;
  /** The address of the API, without a slash at the end. */
  base: string;
  /** The Host header. */
  authority: string;
  /** Processes whose time counts, with all their children; none: unknown. */
  pids: number[];
  /** The Authorization header for writes; undefined: the server is only read. */
  authorization?: string | undefined;
}

export interface Recorded {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The program as it is installed, not as the tests compile it. */
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const BARE = fileURLToPath(new URL('./bare.js', import.meta.url));

const running = new Set<ChildProcess>();
/** Nothing is left running, whatever happens. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

function watched(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export interface Started extends Target {
  /** From the start of the process to its first response. */
  startMilliseconds: number;
  stop(): Promise<void>;
}

const API = '/api/calendar/events/v1';

/** The real program on a database, as users run it; its log is discarded. */
export async function startKalends(
  settings: Record<string, string>,
  authorization: string,
  flags: string[] = [],
): Promise<Started> {
  const port = await freePort();
  const { PATH } = process.env;
  const env = { PATH, PORT: String(port), KALENDS_SIGN_IN_LIMIT: '0', KALENDS_WRITE_LIMIT: '0', ...settings };
  const began = performance.now();
  const child = watched(
    spawn(process.execPath, [...flags, MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  let said = '';
  child.stderr?.on('data', (data) => {
    said = `${said}${data}`.slice(-2000);
  });
  const target: Target = {
    name: 'kalends',
    host: '127.0.0.1',
    port,
    base: API,
    authority: `127.0.0.1:${port}`,
    pids: [child.pid ?? 0],
    authorization,
  };
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The server exited: ${said}`);
    const answer = await ask(target, '/events').catch(() => undefined);
    if (answer?.status === 200) break;
    if (performance.now() - began > 60_000) throw new Error(`The server does not respond: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const startMilliseconds = performance.now() - began;
  return {
    ...target,
    startMilliseconds,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

export interface Bare extends Target {
  give(answers: Recorded[]): Promise<void>;
  stop(): void;
}

export async function startBare(): Promise<Bare> {
  const child = watched(fork(BARE, { serialization: 'advanced' }));
  const [port] = (await once(child, 'message')) as [number];
  return {
    name: 'bare',
    host: '127.0.0.1',
    port,
    base: '',
    authority: 'localhost',
    pids: [child.pid ?? 0],
    async give(answers) {
      child.send(answers);
      await once(child, 'message');
    },
    stop: () => child.disconnect(),
  };
}

/** Another server with the same API, by the address of that API. */
export function otherServer(url: string, pids: number[], authorization: string | undefined): Target {
  const { hostname, port, pathname, host } = new URL(url);
  return {
    name: 'other',
    host: hostname,
    port: Number(port || 80),
    base: pathname.replace(/\/$/, ''),
    authority: host,
    pids,
    authorization,
  };
}

export interface Question {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export function bytesFor(target: Target, { method = 'GET', path: asked, headers = {}, body }: Question): Buffer {
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const all = {
    Host: target.authority,
    Accept: 'application/json',
    ...headers,
    ...(content && target.authorization ? { Authorization: target.authorization } : {}),
    ...(content ? { 'Content-Type': 'application/json', 'Content-Length': String(content.length) } : {}),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${target.base}${asked} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return content ? Buffer.concat([head, content]) : head;
}

export async function ask(target: Target, question: Question | string): Promise<Answer> {
  if (target.host !== '127.0.0.1' && target.host !== 'localhost') throw new Error('The server must be on this machine');
  const line = new Line(target.port, 120_000);
  try {
    return await line.ask(bytesFor(target, typeof question === 'string' ? { path: question } : question));
  } finally {
    line.close();
  }
}

/** What the bare server is to send: the same headers and bytes, except for the headers that it makes itself. */
export function recorded({ status, headers, body }: Answer): Recorded {
  const own = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding', 'content-length']);
  const kept = Object.fromEntries([...headers].filter(([name]) => !own.has(name)));
  if (status !== 304 && status !== 204) kept['content-length'] = String(body.length);
  return { status, headers: kept, body };
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // The process ended between listing and reading.
    return '';
  }
};

const entries = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** The processes and all their descendants. */
export function withChildren(pids: readonly number[]): number[] {
  const parents = new Map<number, number>();
  for (const name of entries('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = read(`/proc/${name}/stat`).split(') ')[1]?.split(' ')[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found = new Set(pids);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Processor time of some processes in milliseconds, all threads: finer than the hundredths of a second in `stat`. */
export function processorTime(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const thread of entries(`/proc/${pid}/task`)) {
      nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]);
    }
  }
  return nanoseconds / 1e6;
}

/** Bytes of memory that some processes use. */
export const memory = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024, 0);
