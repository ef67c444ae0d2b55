import type { FastifyInstance } from 'fastify';
import type { Head } from './asked.js';

/** Includes names that the API does not accept: somebody may have sent a secret under them all the same. */
const SECRET = /pass|token|nonce|secret|auth(?!or(?!iz))|api_?key/;

/** A quick test; few addresses match. Encoded letters may be part of such a name; encoded times and blanks cannot. */
const MAY_TELL = /pass|token|nonce|secret|auth(?!or(?!iz))|api.{0,3}key|rest.{1,3}route|kal_|[@\s]|%[4-7]/i;
const OWN_TOKEN = /\bkal_\w+/g;
/** User and password of an address within the address; no longer than such names are. */
const USER_INFO = /(\/\/|%2f%2f)[^/@]{0,300}?(@|%40)/gi;

function nameOf(pair: string): string {
  const raw = pair.split('=', 1)[0]?.replaceAll('+', ' ') ?? '';
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** The address as requested, without secrets, however their names are written. */
function withoutSecrets(url: string): string {
  if (!MAY_TELL.test(url)) return url;
  const [asked = '', ...rest] = url.split('?');
  const path = asked.replace(USER_INFO, '$1***$2');
  if (rest.length === 0) return path;
  const pairs = rest
    .join('?')
    .split('&')
    .map((pair) => {
      // As forms are read: `new.password[]` is `new_password`.
      const name = nameOf(pair)
        .replace(/[[\0].*$/s, '')
        .trim()
        .replace(/[ .]/g, '_')
        .toLowerCase();
      if (name === 'rest_route') return pair.replace(/(\?|%3f).*$/is, '$1***');
      return SECRET.test(name) ? `${name}=***` : pair.replace(USER_INFO, '$1***$2').replace(OWN_TOKEN, '***');
    });
  return `${path}?${pairs.join('&')}`;
}

interface Told {
  method: string;
  url: string;
  status: number;
  ms: number;
  ip: string;
  user?: string | undefined;
}

/** What is logged of a request. */
export function requestLine({ method, url, status, ms, ip, user }: Told): Told {
  const line: Told = { method, url: withoutSecrets(url), status, ms: Math.round(ms * 100) / 100, ip };
  if (user !== undefined) line.user = user;
  return line;
}

/**
 * Warns once, when a sender that is not trusted forwards requests of others: behind a proxy that the settings do not
 * name, all callers share one limit. `ip`: the address for which the request counts.
 */
export function distrustNoted(trusts: (address: string) => boolean, warn: (told: object, message: string) => void) {
  let isTold = false;
  return ({ headers, socket }: Head, ip: string): void => {
    if (isTold || headers['x-forwarded-for'] === undefined || ip !== socket.remoteAddress || trusts(ip)) return;
    isTold = true;
    warn({ ip }, 'X-Forwarded-For is ignored: KALENDS_TRUSTED_PROXIES does not include the address that sent it');
  };
}

/** One line per request. */
export function logRequests(app: FastifyInstance, noted: (request: Head, ip: string) => void): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, originalUrl: url, ip, caller } = request;
    noted(request.raw, ip);
    const told = { method, url, status: reply.statusCode, ms: reply.elapsedTime, ip, user: caller?.user?.username };
    const isProbe = PROBES.has(request.routeOptions.url ?? '') && reply.statusCode < 400;
    request.log[isProbe ? 'debug' : 'info'](requestLine(told), 'request');
  });
}

/** Requested all the time by monitoring: only their failures are worth a line. */
const PROBES = new Set(['/livez', '/readyz', '/metrics']);
