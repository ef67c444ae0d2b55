import { editsOthers } from '../access/rights.js';
import type { PostColumns } from '../db/tables.js';
import { toWall, UTC } from '../time/zone.js';
import type { Context } from './context.js';

/** Members that are alike in events, venues and organizers. */

export function datesOf(row: PostColumns, context: Context) {
  const { zone } = context.site;
  return {
    date: toWall(row.date_utc, zone),
    date_utc: toWall(row.date_utc, UTC),
    modified: toWall(row.modified_utc, zone),
    modified_utc: toWall(row.modified_utc, UTC),
  };
}

/** `word`: what the path of the pages of a kind begins with. */
export const pageAt = (home: string, word: string, slug: string): string => `${home}/${word}/${slug}/`;

/** The page of a record. Only published and private records have an address by slug. */
export function pageOf(row: PostColumns, word: string, type: string, context: Context): string {
  const { home } = context.address;
  return row.status === 'publish' || row.status === 'private'
    ? pageAt(home, word, row.slug)
    : `${home}/?post_type=${type}&p=${row.id}`;
}

/** Private records have `json_ld` only for callers who may read everything private; their author is not enough. */
export const hasJsonLd = (row: PostColumns, { caller }: Context): boolean =>
  row.status !== 'private' || editsOthers(caller);

export const globalId = (id: number, context: Context): string => `${context.address.global}?id=${id}`;

/** Venues and organizers omit empty members; "0" counts as empty there (C1). */
export function withoutEmpty<M extends object>(members: M): { [K in keyof M]?: NonNullable<M[K]> } {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members))
    if (value !== '' && value !== '0' && value !== undefined && value !== null) kept[name] = value;
  return kept as { [K in keyof M]?: NonNullable<M[K]> };
}
