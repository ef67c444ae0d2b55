import type { PostColumns } from '../db/tables.js';
import { Failure, type FailureCode } from '../errors.js';
import { renderHtml } from '../text/html.js';
import { fold } from '../text/search.js';
import { slugify, withSuffix } from '../text/slug.js';
import { arg, ok, type Reader, type Values } from './args.js';
import { thing } from './basis.js';
import type { Context } from './context.js';
import * as store from './linked.store.js';
import { type ListAnswer, links, listAnswer, pagesOf, pagingArgs, pagingOf } from './list.js';
import { defaultStatuses, linkedStatuses, readableEvent } from './post.args.js';
import { type ImageRows, imagesOf } from './post.images.js';
import type { OwnColumns, PostValues } from './post.js';
import { publicationDate, scaledStatus, scheduledStatus } from './post.rules.js';
import { slugTaken } from './post.store.js';
import { isTruthy, search, truthy } from './readers.js';
import { shownRecords } from './shown.js';
import { RESERVED } from './slug.js';

/** What venues and organizers share: lists, and finding the record that a name refers to. */

/** A flag in any wording. Links repeat it if it was sent as text, and otherwise show what it was read as (B2). */
const flagAsAsked: Reader<{ is: boolean; asked: string }> = (raw) => {
  const is = isTruthy(raw);
  return ok({ is, asked: typeof raw === 'string' ? raw : String(is) });
};

export const linkedListArgs = {
  ...pagingArgs,
  search: arg({ description: 'arg.linked.search', type: 'string' }, search),
  event: arg({ description: 'arg.linked.event', type: 'integer' }, readableEvent),
  has_events: arg({ description: 'arg.linked.has_events' }, flagAsAsked),
  only_with_upcoming: arg({ description: 'arg.linked.only_with_upcoming', default: false }, truthy),
  status: arg({ format: 'string', description: 'arg.status.filter' }, linkedStatuses, { list: true }),
};

export async function listOf<Row extends PostColumns>(
  context: Context,
  tables: store.LinkedTables,
  plural: string,
  pageNotFound: FailureCode,
  values: Values<typeof linkedListArgs>,
  view: (row: Row, images: ImageRows) => unknown,
): Promise<ListAnswer> {
  const paging = pagingOf(values, context);
  const statuses = values.status ?? defaultStatuses(context.caller);
  const filters: store.LinkedFilters = {
    statuses: statuses.statuses,
    words: values.search?.words,
    event: values.event,
    hasEvents: values.has_events?.is,
    upcomingFrom: values.only_with_upcoming ? context.now : undefined,
  };
  const page = await store.listLinked<Row>(context, tables, filters, paging);
  const { total } = page;
  if (page.ids.length === 0 && paging.page > 1) throw new Failure(pageNotFound);
  const totalPages = pagesOf(total, paging.perPage);
  const link = links(`${context.address.api}/${plural}/`, paging, totalPages, [
    ['event', values.event],
    ['has_events', values.has_events?.asked],
    ['status', statuses.shown],
    ['search', values.search?.text],
    ['only_with_upcoming', values.only_with_upcoming || undefined],
  ]);
  const records = await shownRecords(context, page, {
    kind: `${tables.table} record`,
    rows: (ids) => store.rowsByIds<Row>(context.db, tables.table, ids),
    view: async (rows) => {
      const images = await imagesOf(context.db, [...rows]);
      return (row) => view(row, images);
    },
    things: (id) => [thing(tables.table, id)],
  });
  const until = values.only_with_upcoming ? context.now : Number.POSITIVE_INFINITY;
  if (context.kept) context.kept.basis = { things: () => store.kindsBehind(tables, filters) };
  return { ...listAnswer(plural, records, link, total, totalPages), until };
}

/**
 * A record that already has every given field (D9). Names and descriptions are compared ignoring case, as in the
 * reference; all other fields must be equal, or what was sent would be lost.
 */
export async function sameRecord(
  context: Context,
  tables: store.LinkedTables,
  name: string,
  values: PostValues,
  own: OwnColumns,
): Promise<PostColumns | undefined> {
  const same = (row: PostColumns): boolean => {
    if (values.author !== undefined && values.author !== row.author_id) return false;
    const date = publicationDate(values, context.site.zone, row.date_utc);
    if (date !== undefined && date !== row.date_utc) return false;
    // A caller who may not publish gets `pending` for `publish`, but a record that is published already matches, too.
    const { status } = values;
    const statuses = status && [status, scaledStatus(context.caller, status)];
    if (statuses && !statuses.some((one) => scheduledStatus(one, row.date_utc, context.now) === row.status))
      return false;
    const columns = row as unknown as Record<string, string | number | null>;
    return Object.entries(own).every(([column, value]) => {
      const stored = columns[column];
      if (value === stored || column === 'name') return true;
      if (column !== 'description' || typeof value !== 'string' || typeof stored !== 'string') return false;
      return fold(value) === fold(stored) || isShownAs(stored, value);
    });
  };
  const found = (await store.namesakes(context.db, tables, context.caller, name)).filter(same);
  if (values.slug === undefined) return found[0];
  const slug = slugify(values.slug);
  const exact = found.find((row) => row.slug === slug);
  if (exact) return exact;
  // A record also matches if it got a numbered slug because the requested one is reserved or taken by another record.
  const numbered = found.find((row) => row.slug === withSuffix(slug, Number(/\d+$/.exec(row.slug)?.[0])));
  if (!numbered || RESERVED.has(slug)) return numbered;
  return (await slugTaken(context.db, tables.table, slug, numbered.id)) ? numbered : undefined;
}

/** Longer descriptions take long to render, and many records may share a name. */
const MOST_RENDERED = 10_000;
const PARAGRAPHS = /<\/?p>|<br \/>|\s+/g;

/** Whether the description was sent back as it is shown, i.e. divided into paragraphs. */
const isShownAs = (stored: string, sent: string): boolean =>
  Math.max(sent.length, stored.length) <= MOST_RENDERED &&
  sent.replace(PARAGRAPHS, '') === stored.replace(PARAGRAPHS, '') &&
  renderHtml(sent) === renderHtml(stored);
