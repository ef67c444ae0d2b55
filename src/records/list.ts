import { type TSchema, Type } from 'typebox';
import { arg } from './args.js';
import type { Context, Describing } from './context.js';
import { positiveInteger } from './readers.js';

/** The shape of all lists. Lists of terms have their links before the records, others after; nothing else differs. */
export const listShape = (plural: string, item: TSchema): TSchema =>
  Type.Object({
    [plural]: Type.Array(Type.Ref((item as { $id?: string }).$id ?? ''), { description: 'shape.list.items' }),
    rest_url: Type.String({ description: 'shape.list.rest_url', format: 'uri' }),
    next_rest_url: Type.Optional(Type.String({ description: 'shape.list.next_rest_url', format: 'uri' })),
    previous_rest_url: Type.Optional(Type.String({ description: 'shape.list.previous_rest_url', format: 'uri' })),
    total: Type.Integer({ description: 'shape.list.total', examples: [42] }),
    total_pages: Type.Integer({ description: 'shape.list.total_pages', examples: [5] }),
  });

export interface ListAnswer {
  body: Record<string, unknown>;
  total: number;
  totalPages: number;
  next?: string | undefined;
  previous?: string | undefined;
  /** Until when the same parameters mean the same selection, in seconds since 1970. */
  until?: number;
  /** The same response without its records, for a new total. */
  retold?: (total: number) => ListAnswer;
}

/** The effective filters of a list, in the order in which links show them. */
export type EffectiveFilters = [name: string, value: string | number | boolean | undefined][];

export interface Paging {
  page: number;
  perPage: number;
  /** How many records precede the page. */
  skip: number;
}

export function pagingOf(values: { page?: number; per_page?: number }, context: Context): Paging {
  const perPage = Math.min(values.per_page ?? context.site.perPage, context.site.perPageMost);
  const page = values.page ?? 1;
  return { page, perPage, skip: (page - 1) * perPage };
}

/** A string, because the namespace index shows it as one. */
const defaultPerPage = (context: Describing): string => String(context.site.perPage);

/** Every list has these. A `per_page` above the site's maximum counts as the maximum. */
export const pagingArgs = {
  page: arg({ default: 1, description: 'arg.page', type: 'integer' }, positiveInteger, { limits: { minimum: 1 } }),
  per_page: arg({ default: defaultPerPage, description: 'arg.per_page', type: 'integer' }, positiveInteger, {
    limits: { minimum: 1, maximum: ({ site }) => site.perPageMost },
  }),
};

export const pagesOf = (total: number, perPage: number): number => Math.ceil(total / perPage);

/** `a=b&c=d`, percent-encoded (A10), with blanks as `+` as in the reference. */
function query(shown: EffectiveFilters): string {
  return shown
    .filter((pair): pair is [string, string | number | boolean] => pair[1] !== undefined)
    .map(([name, value]) => {
      const text = value === true ? '1' : value === false ? '0' : String(value);
      return `${name}=${encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2C', ',')}`;
    })
    .join('&');
}

export interface ListLinks {
  own: string;
  next: string | undefined;
  previous: string | undefined;
}

/**
 * Links that lead to the same selection (B2). `page` stands first in a list's own link and last in the others, and is
 * left out of the link back to page 1, as clients expect.
 */
export function links(collection: string, paging: Paging, totalPages: number, filters: EffectiveFilters): ListLinks {
  const rest = query([['per_page', paging.perPage], ...filters]);
  const to = (page: number): string => `${collection}?${rest}${page > 1 ? `&page=${page}` : ''}`;
  return {
    own: `${collection}?page=${paging.page}&${rest}`,
    next: paging.page < totalPages ? to(paging.page + 1) : undefined,
    previous: paging.page > 1 ? to(paging.page - 1) : undefined,
  };
}

/** Links of a list that begins at any offset. On page 1 there is no link back, whatever the offset (reference). */
export function offsetLinks(collection: string, paging: Paging, total: number, filters: EffectiveFilters): ListLinks {
  const { page, perPage, skip } = paging;
  const to = (offset: number): string =>
    `${collection}?${query([['per_page', perPage], ...filters, ['offset', offset || undefined]])}`;
  return {
    own: to(skip),
    next: skip + perPage < total ? to(skip + perPage) : undefined,
    previous: page > 1 && skip > 0 ? to(Math.max(0, skip - perPage)) : undefined,
  };
}

/** A page in the order that clients expect: records, links, totals. */
export function listAnswer(
  plural: string,
  records: unknown[],
  link: ListLinks,
  total: number,
  totalPages: number,
): ListAnswer {
  const { own, next, previous } = link;
  const body: Record<string, unknown> = { [plural]: records, rest_url: own };
  if (next) body.next_rest_url = next;
  if (previous) body.previous_rest_url = previous;
  body.total = total;
  body.total_pages = totalPages;
  return { body, total, totalPages, next, previous };
}
