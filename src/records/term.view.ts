import { managesTerms } from '../access/rights.js';
import { renderTermDescription, renderTermName } from '../text/html.js';
import type { Context } from './context.js';
import type { EventTermRecord, TermRecord } from './shape.js';
import type { TermKindName, TermRow } from './term.store.js';

/** The names of the two kinds of term on the wire; clients know the taxonomy names (C6). */
const WORDS: Record<TermKindName, { plural: string; taxonomy: TermRecord['taxonomy']; page: string }> = {
  category: { plural: 'categories', taxonomy: 'tribe_events_cat', page: 'events/category' },
  tag: { plural: 'tags', taxonomy: 'post_tag', page: 'tag' },
};

function urls(row: Pick<TermRow, 'id' | 'kind' | 'parent_id'>, context: Context): TermRecord['urls'] {
  const collection = `${context.address.api}/${WORDS[row.kind].plural}`;
  return {
    self: `${collection}/${row.id}`,
    collection,
    ...(row.parent_id !== null ? { up: `${collection}/${row.parent_id}` } : {}),
  };
}

/** A term on its own. `path`: the slugs from the top of the tree. */
export function termView(row: TermRow, path: string[], context: Context): TermRecord {
  const words = WORDS[row.kind];
  return {
    id: row.id,
    count: row.count,
    description: renderTermDescription(row.description),
    name: renderTermName(row.name),
    slug: row.slug,
    taxonomy: words.taxonomy,
    ...(row.kind === 'category' ? { parent: row.parent_id ?? 0 } : {}),
    meta: [],
    url: `${context.address.home}/${words.page}/${path.join('/')}/`,
    urls: urls(row, context),
  };
}

/** Links into our own API (C6). */
export function termLinks(row: TermRow, context: Context): Record<string, unknown> {
  const { self, collection, up } = urls(row, context);
  const allow = managesTerms(context.caller, row.kind) ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : ['GET'];
  return {
    self: [{ href: self, targetHints: { allow } }],
    collection: [{ href: collection }],
    ...(up ? { up: [{ embeddable: true, href: up }] } : {}),
    'wp:post_type': [{ href: `${context.address.api}/events?${WORDS[row.kind].plural}=${row.id}` }],
    curies: [{ name: 'wp', href: 'https://api.w.org/{rel}', templated: true }],
  };
}

/** A term inside an event, which differs from one on its own. */
export function embeddedTermView(row: TermRow, context: Context): EventTermRecord {
  return {
    name: renderTermName(row.name),
    slug: row.slug,
    term_group: 0,
    term_taxonomy_id: row.id,
    taxonomy: WORDS[row.kind].taxonomy,
    description: renderTermDescription(row.description),
    parent: row.parent_id ?? 0,
    count: row.count,
    filter: 'raw',
    id: row.id,
    urls: urls(row, context),
  };
}
