import { KalendsError } from './error.js';
import { type Call, queryOf } from './request.js';
import type { CallOptions, CreateOptions, Shape, WriteOptions } from './types.js';

/** The methods of one kind of record. */
export interface Records<Kind extends Shape> {
  /** One page of the list, with `total` and `total_pages` of the whole list. */
  list(params?: Kind['query'], options?: CallOptions): Promise<Kind['page']>;
  /** Page after page, from the first (or `page`) to the last. */
  pages(params?: Kind['query'], options?: CallOptions): AsyncGenerator<Kind['page'], void, undefined>;
  /**
   * Record after record, over all pages: `for await (const event of client.events.all())`. If you remove records, or
   * change them so that they leave the list, collect all of them first: later records move up a page.
   */
  all(params?: Kind['query'], options?: CallOptions): AsyncGenerator<Kind['one'], void, undefined>;
  /** One record, by its ID or `{ slug }`. */
  get(at: Kind['at'], options?: Kind['get'] & CallOptions): Promise<Kind['one']>;
  /** Creates a record and returns it as stored. */
  create(body: Kind['create'], options?: CreateOptions): Promise<Kind['one']>;
  /** Changes only the fields that are given; `''` or `[]` clears one. */
  update(at: Kind['at'], body: Kind['update'], options?: WriteOptions<Kind['one']>): Promise<Kind['one']>;
  /** Moves a record to the trash or, with `force`, removes it permanently. Categories and tags have no trash. */
  remove(at: Kind['at'], options?: Kind['remove'] & WriteOptions<Kind['one']>): Promise<Kind['one']>;
}

/**
 * The query of the next page. The values in the link are used, since the server has made them definite (`now` is a
 * time); filters that the link lacks are added, since the reference forgets some and would widen the list.
 */
function nextQuery(link: string, asked: URLSearchParams): URLSearchParams {
  // Only its query is used, so the link may be relative.
  const next = new URL(link, 'http://anywhere').searchParams;
  const named = new Set([...next.keys()].map((name) => name.replace(/\[.*/, '')));
  next.delete('rest_route');
  asked.forEach((value, name) => {
    if (!named.has(name.replace(/\[.*/, ''))) next.append(name, value);
  });
  return next;
}

export const keyed = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'Idempotency-Key': key };

export function records<Kind extends Shape>(call: Call, name: string): Records<Kind> {
  const path = `/${name}`;
  const pathOf = (at: Kind['at']): string => {
    const word = typeof at === 'object' ? at.slug : `${at}`;
    // An empty word, or dots, would lead to another address: to the list, where an update would create.
    if (/^(\.|%2e)*$/i.test(word)) throw new TypeError(`"${word}" names no record`);
    // Slugs in other scripts are percent-encoded in the records themselves: they must not be encoded twice.
    const encoded = encodeURIComponent(word).replace(/%25(?=[\da-f]{2})/gi, '%');
    return `${path}/${typeof at === 'object' ? 'by-slug/' : ''}${encoded}`;
  };

  async function* pages(params: Kind['query'] = {}, { signal }: CallOptions = {}) {
    const asked = queryOf(params as object);
    const fields = asked.get('_fields');
    // If the caller wants only some fields, following the pages needs one more.
    if (fields) asked.set('_fields', `${fields},next_rest_url`);
    let query = asked;
    for (;;) {
      let page: Kind['page'];
      try {
        page = await call<Kind['page']>({ path, query, signal });
      } catch (error) {
        // The list has become shorter since the page before, so that was the last one.
        if (query !== asked && error instanceof KalendsError && error.status === 404) return;
        throw error;
      }
      yield page;
      if (!page.next_rest_url) return;
      query = nextQuery(page.next_rest_url, asked);
    }
  }

  return {
    pages,
    async *all(params, options) {
      for await (const page of pages(params, options))
        yield* (page as unknown as Record<string, Kind['one'][]>)[name] ?? [];
    },
    list: (params = {}, { signal } = {}) => call({ path, query: queryOf(params as object), signal }),
    get: async (at, { signal, ...query } = {} as Kind['get'] & CallOptions) =>
      call({ path: pathOf(at), query: queryOf(query), signal }),
    create: (body, { signal, idempotencyKey, onlyIfNew } = {}) => {
      const headers = { ...keyed(idempotencyKey), ...(onlyIfNew ? { 'If-None-Match': '*' } : {}) };
      return call({ method: 'POST', path, body, headers, signal });
    },
    update: async (at, body, { signal, ifUnchanged } = {}) =>
      call({ method: 'POST', path: pathOf(at), body, ifUnchanged, signal }),
    remove: async (at, { signal, ifUnchanged, ...query } = {} as Kind['remove'] & WriteOptions<Kind['one']>) =>
      call({ method: 'DELETE', path: pathOf(at), query: queryOf(query), ifUnchanged, signal }),
  };
}
