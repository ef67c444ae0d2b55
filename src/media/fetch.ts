import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type Socket } from 'node:net';
import type { Agent } from 'undici';
import { withPort } from '../config.values.js';

/**
 * Fetches a picture from an address that a user gave (D18). The server may reach internal networks that users cannot,
 * so it connects to public addresses only; this is checked when connecting, and again for each redirect.
 */
export interface FetchOptions {
  bytes: number;
  /** Hosts (`host` or `host:port`) from which to fetch although they are not public: a site's own servers. */
  allow: readonly string[];
  /** Aborts when the caller is not to wait any longer. */
  deadline: AbortSignal;
}

const DEADLINE_MS = 10_000;
const MOST_REDIRECTS = 3;
const MOST_AT_ONCE = 4;

const inner = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  inner.addSubnet(network, bits, 'ipv4');
// Of IPv6 only the public range (2000::/3), without the parts for embedded IPv4, other special uses and examples.
for (const [network, bits] of [
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2001:10::', 28],
  ['2001:20::', 28],
] as const) {
  inner.addSubnet(network, bits, 'ipv6');
}
const outer = new BlockList();
outer.addSubnet('2000::', 3, 'ipv6');

export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !inner.check(address, 'ipv4');
  return version === 6 && outer.check(address, 'ipv6') && !inner.check(address, 'ipv6');
}

/** Loaded when something is fetched: many calendars never do that. */
const library = () => import('undici');

/** By its name alone, or with the port, which addresses do not name if it is that of their scheme. */
export function isAllowed(
  allow: readonly string[],
  host: string,
  { protocol, port }: { protocol: string; port: string },
): boolean {
  return allow.includes(host) || allow.includes(withPort(host, Number(port) || (protocol === 'https:' ? 443 : 80)));
}

async function guardedAgent(allow: readonly string[]): Promise<Agent> {
  const { Agent, buildConnector } = await library();
  const connect = buildConnector({ timeout: DEADLINE_MS / 2 });
  return new Agent({
    connections: MOST_AT_ONCE,
    pipelining: 0,
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      const refuse = () => callback(new Error(`${host} is not a public address`), null);
      resolve(host)
        .then((addresses) => {
          const address = addresses[0];
          // Every address must be public: a name that also resolves to an internal one is not trusted at all.
          if (address === undefined || !(isAllowed(allow, host, options) || addresses.every(isPublic))) return refuse();
          // Connects to exactly the address that was checked: a second lookup could return another one.
          return connect(
            { ...options, hostname: address, servername: options.servername ?? host },
            callback as (error: Error | null, socket: Socket | null) => void,
          );
        })
        .catch((error: Error) => callback(error, null));
    },
  });
}

const resolve = async (host: string): Promise<string[]> =>
  isIP(host) !== 0 ? [host] : (await lookup(host, { all: true, verbatim: true })).map((one) => one.address);

let running = 0;
const waiting = new Set<() => void>();

/** Resolves to true when it is this caller's turn, to false if the deadline comes first. */
function turn(deadline: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (): void => {
      waiting.delete(go);
      resolve(false);
    };
    const go = (): void => {
      deadline.removeEventListener('abort', leave);
      resolve(true);
    };
    waiting.add(go);
    deadline.addEventListener('abort', leave, { once: true });
  });
}

async function inTurn<T>(deadline: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
  if (deadline.aborted || (running >= MOST_AT_ONCE && !(await turn(deadline)))) return undefined;
  running++;
  try {
    return await work();
  } finally {
    running--;
    const [next] = waiting;
    if (next) {
      waiting.delete(next);
      next();
    }
  }
}

/** The bytes behind an address, or undefined: the reason could reveal something about the internal network. */
export function fetchBytes(url: string, options: FetchOptions): Promise<Buffer | undefined> {
  return inTurn(options.deadline, async () => {
    const agent = await guardedAgent(options.allow);
    const { request } = await library();
    // Not `AbortSignal.any`: signals that nothing else references may be garbage-collected and then abort nothing.
    const patience = new AbortController();
    const { signal } = patience;
    const end = (): void => patience.abort();
    const timer = setTimeout(end, DEADLINE_MS);
    options.deadline.addEventListener('abort', end, { once: true });
    if (options.deadline.aborted) end();
    try {
      let at = new URL(url);
      for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
        if (!isFetchable(at)) return undefined;
        const answer = await request(at, {
          dispatcher: agent,
          signal,
          headersTimeout: DEADLINE_MS,
          bodyTimeout: DEADLINE_MS,
          headers: { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Kalends' },
        });
        const location = answer.headers.location;
        if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string') {
          // Without a listener, the error of a discarded body would end the process.
          answer.body.on('error', () => undefined).destroy();
          at = new URL(location, at);
          continue;
        }
        if (answer.statusCode !== 200 || !/^image\//i.test(String(answer.headers['content-type']))) return undefined;
        return await limited(answer.body, options.bytes);
      }
      return undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      options.deadline.removeEventListener('abort', end);
      await agent.destroy();
    }
  });
}

const isFetchable = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';

async function limited(body: AsyncIterable<Buffer>, most: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
