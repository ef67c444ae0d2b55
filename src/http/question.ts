import { hostsIn } from './address.js';
import type { Head } from './asked.js';

/** The cache key of a request: requests with the same key get the same response. */

/** The headers of a request, and what they mean, whoever sends them. */
export interface Understood extends Pick<Head, 'headers' | 'rawHeaders'> {
  /** What a response depends on apart from the URL. */
  beside: string;
}

/** A request whose headers are known. */
export interface Known extends Head, Understood {
  url: string;
}

const isKnown = (request: Head): request is Known => (request as Partial<Known>).beside !== undefined;

/** Headers that make a request personal, or another request than its URL says. */
const PERSONAL = ['authorization', 'cookie', 'x-wp-nonce', 'if-match', 'range', 'expect', 'transfer-encoding'];

/** Whether everybody would get the same response. */
export function isForAll(request: Head): boolean {
  const { method, headers } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  // A request without a host, or with two, is refused, whatever it asks for.
  if (hostsIn(request) !== 1) return false;
  for (const name of PERSONAL) if (headers[name] !== undefined) return false;
  return headers['content-length'] === undefined || headers['content-length'] === '0';
}

/** How the site sees the sender of a request. */
export interface Sides {
  /** The part of the `Origin` header that matters. */
  origin: (asked: string) => string;
  /** The address of the site, with which links in responses begin. */
  home: (request: Head) => string;
}

/** Of a query with more pairs than are read, the number would take the place of another. */
const LONGEST_QUERY = 1500;
const PASSING_BY = /(^|&)_=\d{1,20}(?:&|$)/;

/**
 * Programs add a meaningless number, a new one each time, to bypass caches on the way (jQuery calls it `_`). What is
 * cached here is never outdated, so the number is ignored.
 */
export function meant(url: string): string {
  const at = url.indexOf('?');
  if (at < 0 || !url.includes('_=', at)) return url;
  // Only where a parameter begins: a `?` may also stand within a value.
  const query = url.slice(at + 1);
  if (query.length > LONGEST_QUERY) return url;
  const without = query.replace(PASSING_BY, '$1');
  if (without === query) return url;
  const rest = without.replace(/&$/, '');
  return url.slice(0, at) + (rest && `?${rest}`);
}

/** Everything that a response may depend on; undefined if it is not public. */
export function keyOf(request: Head, sides: Sides): string | undefined {
  if (isKnown(request)) return meant(request.url) + request.beside;
  if (!isForAll(request)) return undefined;
  // Routing may have replaced the URL; links in responses follow the one that was requested.
  const asked = (request as { originalUrl?: string }).originalUrl ?? request.url ?? '';
  return meant(asked) + besideOf(request, sides);
}

export function besideOf(request: Head, { origin, home }: Sides): string {
  const { 'accept-language': language, 'x-forwarded-host': forwarded, origin: from } = request.headers;
  // Most programs send none of these, and then no new string need be built and hashed.
  if (language === undefined && forwarded === undefined && from === undefined) return '';
  // `home` ignores this header from senders who are not trusted, so they cannot get responses made for others (A12).
  const at = forwarded === undefined ? '' : home(request);
  return `\n${language ?? ''}\n${at}\n${from === undefined ? '' : origin(from)}`;
}
