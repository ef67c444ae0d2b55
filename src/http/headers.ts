import type { Language } from '../i18n/languages.js';
import type { Asked } from './asked.js';

/** Headers of every API response (A9). */

export type Headers = Record<string, string>;

/** Names and values in turn. */
export function inTurn(headers: Headers): string[] {
  const list: string[] = [];
  for (const name of Object.keys(headers)) list.push(name, headers[name] as string);
  return list;
}

const EXPOSED =
  'X-TEC-Total, X-TEC-TotalPages, X-WP-Total, X-WP-TotalPages, Link, Location, Allow, ETag, Retry-After, X-Kalends-Ignored, Idempotency-Replayed';
const ACCEPTED =
  'Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type, If-None-Match, If-Modified-Since, If-Match, Idempotency-Key';
/** `Cache-Control` of personal responses. */
export const NOT_KEPT = 'private, no-store';
/** `Retry-After` while the database is unavailable, in seconds. */
const BACK_SOON = 2;

/** The value of `Retry-After`, if any: the failure's own, or when an unavailable service may be back. */
export const waitOf = (status: number, retryAfter: number | undefined): number | undefined =>
  retryAfter ?? (status === 503 ? BACK_SOON : undefined);
const METHODS = 'OPTIONS, GET, POST, PUT, PATCH, DELETE';

export function apiHeaders(language: Language | undefined, root: string, signedIn: boolean): Headers {
  const headers: Headers = {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Content-Language': language ?? 'en',
    'X-Robots-Tag': 'noindex',
    Link: `<${root}/>; rel="https://api.w.org/"`,
    Vary: 'Origin, Authorization, Accept-Language, Accept-Encoding',
    'Cache-Control': signedIn ? 'no-cache, must-revalidate, max-age=0, no-store, private' : 'no-cache',
  };
  if (signedIn) headers.Expires = 'Wed, 11 Jan 1984 05:00:00 GMT';
  return headers;
}

/**
 * Pages of any origin may read what is public. A page that sends credentials gets the response only if its origin was
 * configured, so that no other site can act for a signed-in visitor.
 */
export function addCorsHeaders(
  headers: Headers,
  { headers: asked, method }: Asked,
  allowed: ReadonlySet<string>,
): void {
  const { origin } = asked;
  headers['Access-Control-Expose-Headers'] = EXPOSED;
  headers['Access-Control-Allow-Headers'] = ACCEPTED;
  if (origin === undefined) return;
  if (allowed.has(origin)) {
    headers['Access-Control-Allow-Origin'] = origin;
    headers['Access-Control-Allow-Credentials'] = 'true';
    headers['Access-Control-Allow-Methods'] = METHODS;
    return;
  }
  // A preflight request announces what will be sent; any other request has sent it.
  const wanted = method === 'OPTIONS' ? String(asked['access-control-request-headers'] ?? '').toLowerCase() : '';
  const carriesCredentials = asked.authorization !== undefined || asked.cookie !== undefined;
  if (carriesCredentials || wanted.includes('authorization') || !['GET', 'HEAD', 'OPTIONS'].includes(method)) return;
  headers['Access-Control-Allow-Origin'] = '*';
  headers['Access-Control-Allow-Methods'] = 'OPTIONS, GET';
}

export const JSON_TYPE = 'application/json; charset=UTF-8';
