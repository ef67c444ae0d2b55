import { type Language, negotiate } from '../i18n/languages.js';
import type { Target } from '../records/context.js';
import type { Endpoint, Route } from '../records/routes.js';
import { steadyNow } from '../time/clock.js';
import { askerOf, type Namespaces, place } from './address.js';
import { readDone, type ServedRoute, servedAt } from './api.js';
import type { Asked, Head } from './asked.js';
import { queryOf, type Served } from './context.js';
import { type Outgoing, outgoing } from './send.js';

/**
 * Anonymous reads, answered without the framework: they have no body and no credentials, and ask for no special form of
 * response. Everything unusual goes through the framework, and so does every failure, to be reported there.
 */

export interface PlainOptions {
  namespaces: Namespaces;
  routes: readonly Route[];
  served: Served;
  /** For callers who do not state their language. */
  language: Language;
  trusts: (address: string) => boolean;
  /** Called for every response from here. */
  note: (request: Head, route: string, status: number, started: number) => void;
}

/** A request that is being answered. */
export interface Plainly {
  answer: Promise<Outgoing>;
  /** To be called just before the response is sent. */
  note: (status: number) => void;
}

/** Only characters that need no decoding. */
const PATH = /^(\/[a-z]+)(?:\/(\d{1,15})|\/by-slug\/([a-z0-9-]{1,200}))?$/;

interface Readable extends ServedRoute {
  endpoint: Endpoint;
}

export function plainReader({ namespaces, routes, served, language, trusts, note }: PlainOptions) {
  const readable = new Map<string, Readable>();
  for (const one of routes) {
    const endpoint = one.endpoints.find(({ methods, writes }) => methods.includes('GET') && !writes);
    if (endpoint) readable.set(one.path, { ...servedAt(namespaces.canonical, one), endpoint });
  }

  async function answer(
    asked: Asked,
    { route, endpoint, at }: Readable,
    target: Target | undefined,
  ): Promise<Outgoing> {
    const given = queryOf(asked.originalUrl, endpoint);
    const done = await readDone(asked, route, endpoint, target, given, served);
    const answered = outgoing(asked, served, done, given, at);
    if (answered.body) answered.headers['Content-Length'] = String(answered.body.length);
    return answered;
  }

  /** Undefined: the request is not for this path. If it fails, it is handed to the framework. */
  return (request: Head): Plainly | undefined => {
    const url = request.url ?? '/';
    const placed = place(url, namespaces);
    if (placed.base === undefined) return undefined;
    const mark = placed.url.indexOf('?');
    const below = placed.url.slice(namespaces.canonical.length, mark < 0 ? undefined : mark);
    const [, collection, id, slug] = PATH.exec(below) ?? [];
    if (collection === undefined) return undefined;
    const one = readable.get(id ? `${collection}/:id` : slug ? `${collection}/by-slug/:slug` : collection);
    if (!one || (mark >= 0 && SPECIAL.test(url))) return undefined;
    const started = steadyNow();
    const target: Target | undefined = id ? { by: 'id', id: Number(id) } : slug ? { by: 'slug', slug } : undefined;
    const asked: Asked = {
      raw: request,
      method: request.method ?? 'GET',
      headers: request.headers,
      get ip() {
        return askerOf(request, trusts);
      },
      originalUrl: url,
      base: placed.base,
      language: placed.language ?? negotiate(request.headers['accept-language'], language),
      caller: {},
    };
    return { answer: answer(asked, one, target), note: (status) => note(request, one.at, status, started) };
  };
}

/** Parameters that make a response personal or unusual; also with percent-encoded letters in their names. */
const SPECIAL = /password|_wpnonce|_envelope|%[4-7]/i;
