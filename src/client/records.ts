import { KalendsError } from './error.js';
import { type Call, queryOf } from './request.js';
import type { CallOptions, CreateOptions, Shape, WriteOptions } from './types.js';

/** The methods of one kind of record. */
export interface Records<Kind extends Shape> {
  /** One page of the list, with `total` and `total_pages` of the whole. */
  list(params?: Kind['query'], options?: CallOptions): Promise<Kind['page']>;
  /** Page after page, from the first (or `page`) to the last. */
  pages(params?: Kind['query'], options?: CallOptions): AsyncGenerator<Kind['page'], void, undefined>;
  /**
   * Record after record, over all pages: `for await (const event of client.events.all())`. Whoever removes records, or
   * changes them so that the list has them no more, collects them first: what comes after moves up a page.
   */
  all(params?: Kind['query'], options?: CallOptions): AsyncGenerator<Kind['one'], void, undefined>;
  /** One record, by its ID or `{ slug }`. */
  get(at: Kind['at'], options?: Kind['get'] & CallOptions): Promise<Kind['one']>;
  /** Makes a record; the answer is the record as stored. */
  create(body: Kind['create'], options?: CreateOptions): Promise<Kind['one']>;
  /** Changes the fields that are given and no other; `''` or `[]` empties one. */
  update(at: Kind['at'], body: Kind['update'], options?: WriteOptions<Kind['one']>): Promise<Kind['one']>;
  /** Moves a record to the trash, or with `force` removes it for good. Categories and tags have no trash. */
  remove(at: Kind['at'], options?: Kind['remove'] & WriteOptions<Kind['one']>): Promise<Kind['one']>;
}

/**
 * The query of the next page. Its own values are taken from the link, since there the server has made them definite
 * (`now` is a time); what the link lacks is added, since the reference forgets some filters and would widen the list.
 */
function nextQuery(link: string, asked: URLSearchParams): URLSearchParams {
  // Where it leads does not matter, nor whether it says so.
  const next = new URL(link, 'http://anywhere').searchParams;
  const named = new Set([...next.keys()].map((name) => name.replace(/\[.*/, '')));
  next.delete('rest_route');
  asked.forEach((value, name) => {
    if (!named.has(name)) next.set(name, value);
  });
  return next;
}

export const keyed = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'Idempotency-Key': key };

export function records<Kind extends Shape>(call: Call, name: string): Records<Kind> {
  const path = `/${name}`;
  const pathOf = (at: Kind['at']): string => {
    const word = typeof at === 'object' ? at.slug : `${at}`;
    // Nothing, or dots, would lead to another address: to the list, where an update would create.
    if (/^(\.|%2e)*$/i.test(word)) throw new TypeError(`"${word}" names no record`);
    // Slugs of other scripts are percent-encoded in the records themselves: they must not be encoded twice.
    const encoded = encodeURIComponent(word).replace(/%25(?=[\da-f]{2})/gi, '%');
    return `${path}/${typeof at === 'object' ? 'by-slug/' : ''}${encoded}`;
  };

  async function* pages(params: Kind['query'] = {}, { signal }: CallOptions = {}) {
    const asked = queryOf(params as object);
    const fields = asked.get('_fields');
    // Whoever wants a few members only wants them of all pages.
    if (fields) asked.set('_fields', `${fields},next_rest_url`);
    let query = asked;
    for (;;) {
      let page: Kind['page'];
      try {
        page = await call<Kind['page']>({ path, query, signal });
      } catch (error) {
        // The list has become shorter since the page before, so that was the last.
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
