import { hostsIn } from './address.js';
import type { Head } from './asked.js';

/** Which question a request is: whatever has the same key has the same answer. */

/** What stands below the first line of a request, and what it means, wherever it comes from. */
export interface Understood extends Pick<Head, 'headers' | 'rawHeaders'> {
  /** What an answer depends on beside the address. */
  beside: string;
}

/** A request of which that is known. */
export interface Known extends Head, Understood {
  url: string;
}

/** Headers that make a question another one, or one that is not everybody's. */
const PERSONAL = ['authorization', 'cookie', 'x-wp-nonce', 'if-match', 'range', 'expect', 'transfer-encoding'];

/** Whether everybody would get the same answer. */
export function isForAll(request: Head): boolean {
  const { method, headers } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  // A request without a host, or with two, is refused, whatever it asks for.
  if (hostsIn(request) !== 1) return false;
  for (const name of PERSONAL) if (headers[name] !== undefined) return false;
  return headers['content-length'] === undefined || headers['content-length'] === '0';
}

/** How the site sees who asks. */
export interface Sides {
  /** What of the asker's origin matters. */
  origin: (asked: string) => string;
  /** The address of the site, which links in answers begin with. */
  home: (request: Head) => string;
}

const PASSING_BY = /([?&])_=\d{1,20}(?:&|$)/;

/**
 * Programs add a number that means nothing, another one each time, so that no cache on the way answers (jQuery calls it
 * `_`). What is kept here is never old: it is the same question.
 */
export function meant(url: string): string {
  if (!url.includes('_=')) return url;
  const without = url.replace(PASSING_BY, '$1');
  return without === url ? url : without.replace(/[?&]$/, '');
}

/** Whatever an answer may depend on; undefined when it is not for everybody. */
export function keyOf(request: Head, sides: Sides): string | undefined {
  if (!isForAll(request)) return undefined;
  // Routing may have put another address in its place; links in answers follow the one that was asked for.
  const asked = (request as { originalUrl?: string }).originalUrl ?? request.url ?? '';
  return meant(asked) + besideOf(request, sides);
}

export function besideOf(request: Head, { origin, home }: Sides): string {
  const { 'accept-language': language, 'x-forwarded-host': forwarded, origin: from } = request.headers;
  // Most programs say none of these, and text that need not be put together need not be taken in anew either.
  if (language === undefined && forwarded === undefined && from === undefined) return '';
  // Who is not trusted says nothing by such a header, and must not be told what others are (A12).
  const at = forwarded === undefined ? '' : home(request);
  return `\n${language ?? ''}\n${at}\n${from === undefined ? '' : origin(from)}`;
}
