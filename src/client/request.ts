import { discover, namespaceIn } from './discover.js';
import { KalendsError } from './error.js';

export interface ClientOptions {
  /** The address of the API (`https://example.org/api/calendar/events/v1`) or of the site (`https://example.org`). */
  url: string | URL;
  /** A user name, with an application password of that user. */
  user?: string;
  password?: string;
  /** An API token, instead of user and password. */
  token?: string;
  /** The language of messages, such as `de`. Records are the same in every language. */
  language?: string;
  /** Another `fetch`, to add retries, a cache or a proxy. */
  fetch?: typeof fetch;
}

export interface Request {
  method?: 'GET' | 'POST' | 'DELETE';
  /** The path below the namespace, such as `/events/42`. */
  path: string;
  query?: URLSearchParams;
  /** A form is sent as it is, everything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** A record that this client has read: the request is executed only if it has not changed since. */
  ifUnchanged?: object | undefined;
  signal?: AbortSignal | undefined;
}

export type Call = <T>(request: Request) => Promise<T>;

/** Query parameters: dates as ISO 8601, lists with commas, unless an item has one; undefined and null are not sent. */
export function queryOf(params: object): URLSearchParams {
  const query = new URLSearchParams();
  const text = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));
  for (const [name, value] of Object.entries(params)) {
    if (value == null) continue;
    const items = [value].flat().map(text);
    if (Array.isArray(value) && items.some((one) => one.includes(',')))
      for (const one of items) query.append(`${name}[]`, one);
    else query.set(name, items.join());
  }
  return query;
}

function headersOf({ user, password, token, language }: ClientOptions): Record<string, string> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  // RFC 7617: names and passwords are UTF-8, but btoa takes bytes.
  const basic = (): string => btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password ?? ''}`)));
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
  else if (user !== undefined) headers.Authorization = `Basic ${basic()}`;
  if (language !== undefined) headers['Accept-Language'] = language;
  return headers;
}

/** Without permalinks, a WordPress site takes the path as a parameter: `/index.php?rest_route=/tribe/events/v1`. */
function addressOf(base: string, path: string, query?: URLSearchParams): URL {
  const [page = '', before] = base.split('?rest_route=');
  const address = new URL(before === undefined ? page + path : page);
  query?.forEach((value, name) => {
    address.searchParams.append(name, value);
  });
  if (before !== undefined) address.searchParams.set('rest_route', decodeURIComponent(before) + path);
  return address;
}

/** A promise that also ends when the caller gives up, although the work behind it is shared and continues. */
function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The one place that sends requests. The API is searched for once, with the first request. */
export function connect(options: ClientOptions): Call {
  const given = new URL(options.url).href;
  const send: typeof fetch = options.fetch ?? ((...request) => fetch(...request));
  const headers = headersOf(options);
  /** The entity tags of the records that were returned to the caller. */
  const tags = new WeakMap<object, string>();
  const known = namespaceIn(given);
  let base = known === undefined ? undefined : Promise.resolve(known);

  function find(): Promise<string> {
    base ??= discover(given, send).catch((error: unknown) => {
      base = undefined;
      throw error;
    });
    return base;
  }

  function condition(record: object | undefined): Record<string, string> {
    if (record === undefined) return {};
    const tag = tags.get(record);
    if (tag === undefined)
      throw new TypeError('"ifUnchanged" needs a whole record that this client has read with get()');
    return { 'If-Match': tag };
  }

  return async <T>({ method = 'GET', path, query, body, ifUnchanged, signal, ...rest }: Request): Promise<T> => {
    const own = { ...rest.headers, ...condition(ifUnchanged) };
    const isForm = body instanceof FormData;
    const url = addressOf(await unlessAborted(find(), signal), path, query);
    const answer = await send(url, {
      method,
      headers: { ...headers, ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }), ...own },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
      // A redirected POST would arrive as a GET: nothing would be written, but it would look like success.
      redirect: method === 'GET' ? 'follow' : 'manual',
    });
    const text = await answer.text();
    const retryAfter = answer.headers.get('Retry-After');
    let read: unknown;
    try {
      read = JSON.parse(text);
    } catch {
      throw new KalendsError(answer.status, text, retryAfter);
    }
    if (!answer.ok) throw new KalendsError(answer.status, read, retryAfter);
    if (read === null || typeof read !== 'object') throw new KalendsError(answer.status, text, retryAfter);
    const tag = answer.headers.get('ETag');
    // Part of a record has its own tag, which says nothing about the rest.
    if (tag && method === 'GET' && !query?.has('_fields')) tags.set(read as object, tag);
    return read as T;
  };
}
