import { writes } from '../access/rights.js';
import { take } from '../db/counter.js';
import { type Args, ok, type Reader, type Reading, readArgs, readingOf } from '../records/args.js';
import * as bulk from '../records/bulk.store.js';
import type { Context } from '../records/context.js';
import { readableIds } from '../records/linked.store.js';
import * as post from '../records/post.js';
import { slugTaken } from '../records/post.store.js';
import { freeSlug } from '../records/slug.js';
import { addToCounts } from '../records/term.store.js';
import { eventPost } from './event.js';
import { type Ref, resolveOrganizers, resolveTerms, resolveVenues } from './event.links.js';
import { nameOf, newColumns, scheduled, searchTextOf } from './event.rules.js';
import { type EventValues, eventCreateArgs } from './event.schema.js';

/** Many new events in one transaction: the same readers, rules and columns as for single events, but few statements. */

export interface NewEvent {
  /** The parameters, as the API takes them. */
  given: Readonly<Record<string, unknown>>;
  /** Hash of the `password` in it: hashing is slow, so it is done before the transaction begins. */
  passwordHash?: string;
}

/** Returns the ids in the order of the events. If one is refused, none is created. */
export async function createEvents(context: Context, events: readonly NewEvent[]): Promise<number[]> {
  const { db, caller } = context;
  if (!writes(caller)) post.forbid();
  return db.dialect.inBulk(db, () => createAll(context, events));
}

async function createAll(context: Context, events: readonly NewEvent[]): Promise<number[]> {
  const { db, caller, site, now } = context;
  const reading = readingOf(context, true);
  const args = await argsFor(reading, events);
  const values: EventValues[] = [];
  for (const { given } of events) values.push(await readArgs(args, given, reading));

  const ids = await bulk.newIds(db, 'event', events.length);
  const firstChange = (await take(db, 'change', events.length)) - events.length + 1;
  const rows = values.map((one, n) => {
    const columns = newColumns(one, scheduled(one, undefined, site.zone, now), now, events[n]?.passwordHash ?? null);
    return { columns, row: post.newRow(context, one, { ...columns }), id: ids[n] as number, values: one };
  });
  const wanted = rows.map(
    ({ row, columns, id, values: one }) =>
      post.wantedSlug(eventPost, caller, row.status, one.slug, nameOf(one, columns)) ?? String(id),
  );
  const slugs = await uniqueSlugs(context, wanted);
  await bulk.insertRows(
    db,
    'event',
    rows.map(({ row, id }, n) => ({ id, slug: slugs[n], change_seq: firstChange + n, ...row })),
  );
  await db.dialect.addSearchTexts(
    db,
    'event_search',
    rows.map(({ id, columns }) => ({ id, text: searchTextOf(columns) })),
  );
  await storeLinks(context, rows);
  return ids;
}

/** Each wanted slug, or the next free one, as if the events had been created one after the other. */
async function uniqueSlugs({ db }: Context, wanted: readonly string[]): Promise<string[]> {
  const asked = new Set(wanted);
  const taken = await bulk.slugsTaken(db, 'event', [...asked]);
  const isTaken = async (slug: string): Promise<boolean> =>
    taken.has(slug) || (!asked.has(slug) && (await slugTaken(db, 'event', slug, undefined)));
  const slugs: string[] = [];
  for (const slug of wanted) {
    const free = slug === '' ? '' : await freeSlug(slug, isTaken);
    taken.add(free);
    slugs.push(free);
  }
  return slugs;
}

interface Made {
  id: number;
  row: { status: string };
  values: EventValues;
}

/** Like `storeLinks` for a single event; linked records that do not exist yet are created. */
async function storeLinks(context: Context, made: readonly Made[]): Promise<void> {
  const { db } = context;
  const venues: object[] = [];
  const organizers: object[] = [];
  const terms: object[] = [];
  const counts = new Map<number, number>();
  for (const { id, row, values } of made) {
    const venueIds = onlyIds(values.venue) ?? (await resolveVenues(context, values.venue ?? []));
    const organizerIds = onlyIds(values.organizer) ?? (await resolveOrganizers(context, values.organizer ?? []));
    const categoryIds =
      onlyIds(values.categories) ?? (await resolveTerms(context, 'category', values.categories ?? []));
    const tagIds = onlyIds(values.tags) ?? (await resolveTerms(context, 'tag', values.tags ?? []));
    for (const [position, venue_id] of venueIds.entries()) venues.push({ event_id: id, venue_id, position });
    for (const [position, organizer_id] of organizerIds.entries())
      organizers.push({ event_id: id, organizer_id, position });
    for (const term_id of [...categoryIds, ...tagIds]) {
      terms.push({ event_id: id, term_id });
      if (row.status === 'publish') counts.set(term_id, (counts.get(term_id) ?? 0) + 1);
    }
  }
  await bulk.insertRows(db, 'event_venue', venues);
  await bulk.insertRows(db, 'event_organizer', organizers);
  await bulk.insertRows(db, 'event_term', terms);
  const byCount = new Map<number, number[]>();
  for (const [term, count] of counts) byCount.set(count, [...(byCount.get(count) ?? []), term]);
  for (const [count, ids] of byCount) await addToCounts(db, ids, count);
}

/** The ids, if every reference is an id, as is nearly always so: then no queries are needed. */
function onlyIds(refs: readonly Ref<unknown>[] | undefined): number[] | undefined {
  const ids: number[] = [];
  for (const ref of refs ?? []) {
    if (!('id' in ref)) return undefined;
    if (!ids.includes(ref.id)) ids.push(ref.id);
  }
  return ids;
}

const plainIds = (raw: unknown): number[] =>
  (Array.isArray(raw) ? raw : [raw]).filter((one) => Number.isSafeInteger(one) && one > 0);

/** The readers of an event, given beforehand which of the ids in all the events exist. */
async function argsFor({ db, caller }: Reading, events: readonly NewEvent[]): Promise<typeof eventCreateArgs> {
  const asked = (name: string): number[] => [...new Set(events.flatMap(({ given }) => plainIds(given[name])))];
  const known: Record<string, Set<number>> = {
    venue: await readableIds(db, 'venue', caller, asked('venue')),
    organizer: await readableIds(db, 'organizer', caller, asked('organizer')),
    categories: await bulk.termIds(db, 'category', asked('categories')),
    tags: await bulk.termIds(db, 'tag', asked('tags')),
  };
  const args: Args = { ...eventCreateArgs };
  for (const [name, ids] of Object.entries(known)) {
    const one = args[name];
    if (one) args[name] = { ...one, read: knowing(ids, one.read as Reader<unknown>) };
  }
  return args as typeof eventCreateArgs;
}

const knowing =
  (known: ReadonlySet<number>, read: Reader<unknown>): Reader<unknown> =>
  (raw, reading) => {
    const all = Array.isArray(raw) ? raw : [raw];
    return all.length > 0 && all.length < 100 && all.every((one) => known.has(one))
      ? ok(all.map((id) => ({ id })))
      : read(raw, reading);
  };
