import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Current } from '../db/changes.js';
import { Lru } from '../lru.js';
import { nowSeconds } from '../time/clock.js';
import { compressed, type Encoding, encodingOf, tagFor, tagMatches } from './negotiate.js';

/** Answers to questions that anybody may ask, as bytes, until something changes: asking again costs next to nothing. */

export interface KeptAnswer {
  /** What the answer was made from; it holds until something changes. */
  current: Current;
  /** Seconds since 1970 after which the question means something else. */
  until: number;
  /** Without those that depend on the encoding. */
  headers: [name: string, value: string][];
  body: Buffer;
  /** Of the body as it is. */
  tag: string;
  /** Told to those who count and log. */
  route: string;
  url: string;
}

interface Variant {
  head: string[];
  body: Buffer;
  tag: string;
}
interface Entry extends KeptAnswer {
  variants: Partial<Record<Encoding, Variant>>;
}

const MOST_BYTES = 12_000_000;
const MOST_ANSWERS = 10_000;

/** Headers that make a question another one, or one that is not everybody's. */
const PERSONAL = ['authorization', 'cookie', 'x-wp-nonce', 'if-match', 'range', 'expect', 'transfer-encoding'];

/** Whatever an answer may depend on; undefined when it is not for everybody. */
function keyOf(request: IncomingMessage, origin: (asked: string) => string): string | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const { headers } = request;
  // A request without a host is refused, whatever it asks for.
  if (headers.host === undefined) return undefined;
  for (const name of PERSONAL) if (headers[name] !== undefined) return undefined;
  if (headers['content-length'] !== undefined && headers['content-length'] !== '0') return undefined;
  // Routing may have put another address in its place; links in answers follow the one that was asked for.
  const asked = (request as { originalUrl?: string }).originalUrl ?? request.url;
  return `${asked}\n${headers['accept-language'] ?? ''}\n${headers['x-forwarded-host'] ?? ''}\n${
    headers['x-forwarded-proto'] ?? ''
  }\n${headers.origin === undefined ? '' : origin(headers.origin)}`;
}

export interface AnswersOptions {
  /** Whether memory is known to hold what the database does. */
  isSure: () => boolean;
  /** What of the asker's origin matters. */
  origin: (asked: string) => string;
  /** Sees every answer that was given from here. */
  note: (entry: KeptAnswer, request: IncomingMessage, status: number, started: number) => void;
}

export class Answers {
  private readonly known = new Lru<string, Entry>(MOST_BYTES, MOST_ANSWERS);

  constructor(private readonly options: AnswersOptions) {}

  /** Answers from memory; false when it cannot. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.known.size === 0 || !this.options.isSure()) return false;
    const key = keyOf(request, this.options.origin);
    const entry = key === undefined ? undefined : this.known.get(key);
    if (!entry) return false;
    if (!entry.current.holds() || nowSeconds() >= entry.until) {
      this.known.delete(key as string);
      return false;
    }
    const started = performance.now();
    const variant = this.variantOf(entry, encodingOf(request.headers['accept-encoding'], entry.body.length));
    const status = tagMatches(request.headers['if-none-match'], variant.tag) ? 304 : 200;
    if (status === 304) {
      response.writeHead(304, variant.head.slice(0, -2));
      response.end();
    } else {
      response.writeHead(200, variant.head);
      response.end(request.method === 'HEAD' ? undefined : variant.body);
    }
    this.options.note(entry, request, status, started);
    return true;
  }

  keep(request: IncomingMessage, kept: KeptAnswer): void {
    const key = keyOf(request, this.options.origin);
    if (key === undefined || request.method !== 'GET' || kept.body.length > MOST_BYTES / 20) return;
    // Room for the same in two other encodings.
    this.known.set(key, { ...kept, variants: {} }, kept.body.length * 1.5 + key.length + 2000);
  }

  private variantOf(entry: Entry, encoding: Encoding): Variant {
    const known = entry.variants[encoding];
    if (known) return known;
    const body = compressed(entry.body, encoding);
    const tag = tagFor(entry.tag, encoding);
    const head = entry.headers.flat();
    if (encoding !== 'identity') head.push('Content-Encoding', encoding);
    // The length comes last: an answer without a body leaves it out.
    head.push('ETag', tag, 'Content-Length', String(body.length));
    const made = { head, body, tag };
    entry.variants[encoding] = made;
    return made;
  }
}
