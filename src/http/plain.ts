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
 * Questions that anybody may ask, answered without the framework: there is no body, no credential and no form of the
 * answer that would need it. Whatever is unusual goes the long way, and so does every failure, to be told of there.
 */

export interface PlainOptions {
  namespaces: Namespaces;
  routes: readonly Route[];
  served: Served;
  /** Of those who do not say which one they speak. */
  language: Language;
  trusts: (address: string) => boolean;
  /** Sees every answer that was given from here. */
  note: (request: Head, route: string, status: number, started: number) => void;
}

/** A question that is being answered. */
export interface Plainly {
  answer: Promise<Outgoing>;
  /** It was sent. */
  note: (status: number) => void;
}

/** Each letter and digit stands for itself. */
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

  /** Undefined: it is not for here. Where it fails it is asked again the long way. */
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

/** What makes an answer one that is not everybody's, or another one than usual; however it is written. */
const SPECIAL = /password|_wpnonce|_envelope|%[4-7]/i;
