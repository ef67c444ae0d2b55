import { isDeepStrictEqual } from 'node:util';
import { mayEdit, writes } from '../access/rights.js';
import { mayRead, mayShow } from '../access/visibility.js';
import { sameSecret } from '../accounts/secrets.js';
import type { Db } from '../db/database.js';
import type { EventTable, PostColumns, Status } from '../db/tables.js';
import { Failure, invalidParam } from '../errors.js';
import { organizerTables } from '../organizers/organizer.js';
import type { Values } from '../records/args.js';
import { asksToEdit, type Context, type Target } from '../records/context.js';
import { defineKind } from '../records/kind.js';
import { type LinkedTables, linksOf, setLinks } from '../records/linked.store.js';
import { contextArgs, forceArgs } from '../records/post.args.js';
import { imagesOf } from '../records/post.images.js';
import * as post from '../records/post.js';
import { MOST_ELEMENTS } from '../records/readers.js';
import { isForAnybody } from '../records/shown.js';
import { addToCounts, nameOrder, setTerms, type TermRow, termsOf } from '../records/term.store.js';
import { plainText } from '../text/html.js';
import { venueTables } from '../venues/venue.js';
import { resolveOrganizers, resolveTerms, resolveVenues } from './event.links.js';
import { eventList } from './event.list.js';
import { keptEvent, renderedEvent, renderedList, shownThings } from './event.pieces.js';
import {
  givenColumns,
  nameOf,
  newColumns,
  scheduled,
  searchTextOf,
  touchesSchedule,
  touchesSearch,
} from './event.rules.js';
import { type EventValues, eventCreateArgs, eventListArgs, eventUpdateArgs, passwordArgs } from './event.schema.js';
import { Event } from './event.shape.js';
import {
  byIds,
  descendants,
  type EventRow,
  eventAt,
  type LinkedIds,
  linkedRows,
  linksIn,
  NO_LINKS,
} from './event.store.js';
import { eventView, type FullEvent, isAsShown, redactedView } from './event.view.js';

export const eventPost: post.PostKind = {
  table: 'event',
  codes: { notFound: 'rest-event-not-found', notAccessible: 'event-not-accessible', inTrash: 'event-is-in-trash' },
  draftsHaveSlugs: false,
};

/** Rows with their linked records, in a fixed number of queries. */
async function complete(context: Context, rows: EventRow[]): Promise<FullEvent[]> {
  const { db, caller } = context;
  const links = new Map(rows.map((row) => [row.id, linksIn(row)]));
  const all = (name: keyof LinkedIds): number[] => [...new Set([...links.values()].flatMap((one) => one[name]))];
  const asked = { term: all('term'), venue: all('venue'), organizer: all('organizer') };
  const { terms: carried, venues, organizers } = await linkedRows(db, asked);
  const terms = new Map(carried.map((term) => [term.id, term]));
  const images = await imagesOf(db, [...rows, ...venues, ...organizers]);
  if (context.kept) context.kept.basis = { things: () => [...links].flatMap(([id, one]) => shownThings(id, one)) };
  // In the order in which they were linked; records in the trash or invisible to this caller are left out (D15).
  const shownOf = <Row extends PostColumns>(found: Row[]): ((ids: number[]) => Row[]) => {
    const visible = new Map(found.filter((one) => mayShow(caller, one)).map((one) => [one.id, one]));
    return (ids) => ids.flatMap((id) => visible.get(id) ?? []);
  };
  const [venuesOf, organizersOf] = [shownOf(venues), shownOf(organizers)];
  return rows.map((row) => {
    const { venue, organizer, term } = links.get(row.id) ?? NO_LINKS;
    return {
      row,
      images,
      venues: venuesOf(venue),
      organizers: organizersOf(organizer),
      terms: term
        .flatMap((id) => terms.get(id) ?? [])
        .map((one) => ({ one, id: one.id, order: Buffer.from(one.name_key) }))
        .sort(nameOrder)
        .map(({ one }) => one),
    };
  });
}

/**
 * Tells which events are open: those without a password, those opened by the one that was sent, and those that the
 * caller may edit and asked for with `context=edit` (E3, E4). A password that opens at least one of them is no wrong
 * guess; one that opens none is.
 */
async function openOf(rows: EventTable[], context: Context): Promise<(row: EventTable) => boolean> {
  const locked = rows.filter(
    (row) => row.password_hash !== null && !(asksToEdit(context) && mayEdit(context.caller, row)),
  );
  const sent = locked.length > 0 ? await context.passwordHash(context.db) : undefined;
  const closed = new Set(locked.filter((row) => sent === undefined || !sameSecret(sent, row.password_hash ?? '')));
  if (sent !== undefined && closed.size === locked.length) context.wrongPassword();
  return (row) => !closed.has(row);
}

/** In full, for the caller who has just written the event. */
async function shownInFull(context: Context, row: EventRow | undefined): Promise<unknown> {
  const [full] = row ? await complete(context, [row]) : [];
  return full && eventView(full, context, false);
}

/** The event as it is stored now. */
const shown = async (context: Context, { id }: EventTable): Promise<unknown> =>
  shownInFull(context, await eventAt(context.db, { by: 'id', id }));

interface Carried {
  status: Status;
  terms: number[];
}

/** Must follow every write of an event: updates the counts of its terms, in which only published events count. */
async function recount(db: Db, was: Carried | undefined, is: Carried | undefined): Promise<void> {
  const counted = (event: Carried | undefined): number[] => (event?.status === 'publish' ? event.terms : []);
  const [before, after] = [counted(was), counted(is)];
  await addToCounts(
    db,
    before.filter((term) => !after.includes(term)),
    -1,
  );
  await addToCounts(
    db,
    after.filter((term) => !before.includes(term)),
    1,
  );
}

const ownTerms = async (db: Db, id: number): Promise<TermRow[]> => (await termsOf(db, [id])).get(id) ?? [];
const idsOf = (terms: TermRow[]): number[] => terms.map((term) => term.id);

/**
 * The caller could not name linked records that it was not shown (in the trash or invisible to it), so they keep their
 * places (D15). But an empty list removes all of them, unless the caller was shown none.
 */
function withHidden(ids: number[], known: { id: number; isShown: boolean }[]): number[] {
  if (ids.length === 0) return ids;
  const all = [...ids];
  for (const [at, { id, isShown }] of known.entries())
    if (!isShown && !ids.includes(id) && all.length < MOST_ELEMENTS) all.splice(at, 0, id);
  return all;
}

/** `before`: undefined for a new event. Also updates the counts of its terms. */
async function storeLinks(
  context: Context,
  event: { id: number; status: Status },
  before: { status: Status } | undefined,
  values: EventValues,
): Promise<void> {
  const { db } = context;
  const { id, status } = event;
  const link = async (tables: LinkedTables, ids: number[]): Promise<void> => {
    const known = before ? await linksOf(db, tables, context.caller, id) : [];
    const shown = known.filter(({ isShown }) => isShown).map((one) => one.id);
    if (before && isDeepStrictEqual(ids, shown)) return;
    const isMove = tables === venueTables && shown.length <= 1 && ids.length === 1;
    await setLinks(db, tables, id, isMove ? ids : withHidden(ids, known));
  };
  if (values.venue) await link(venueTables, await resolveVenues(context, values.venue));
  if (values.organizer) await link(organizerTables, await resolveOrganizers(context, values.organizer));
  const given = values.categories !== undefined || values.tags !== undefined;
  if (!given && (before === undefined || before.status === status)) return;
  const known = before ? await ownTerms(db, id) : [];
  const terms = idsOf(known);
  const was = before && { status: before.status, terms };
  if (!given) return recount(db, was, { status, terms });
  const kept = (kind: 'category' | 'tag') => idsOf(known.filter((term) => term.kind === kind));
  const categories = values.categories ? await resolveTerms(context, 'category', values.categories) : kept('category');
  const tags = values.tags ? await resolveTerms(context, 'tag', values.tags) : kept('tag');
  await setTerms(db, id, [...categories, ...tags]);
  await recount(db, was, { status, terms: [...categories, ...tags] });
}

async function createEvent(context: Context, values: EventValues): Promise<EventTable> {
  // An end before the start is an invalid parameter, and those are reported before missing rights (A3, D3).
  const schedule = scheduled(values, undefined, context.site.zone, context.now);
  if (!writes(context.caller)) post.forbid();
  const columns = newColumns(values, schedule, context.now, context.newPasswordHash ?? null);
  const row = await post.create(context, eventPost, values, nameOf(values, columns), { ...columns });
  await context.db.dialect.setSearchText(context.db, 'event_search', row.id, searchTextOf(columns));
  await storeLinks(context, row, undefined, values);
  return { ...row, ...columns };
}

/** Leaves out fields that the client has only read and written back. */
function changesIn(context: Context, row: EventTable, values: EventValues): EventValues {
  const changes = { ...values };
  if (values.slug === '') {
    if (row.slug !== '') throw invalidParam('slug', 'reason.filled');
    delete changes.slug;
  }
  for (const name of ['cost', 'website'] as const)
    if (values[name] !== undefined && isAsShown(name, context.given[name], row, context)) delete changes[name];
  return changes;
}

async function changeEvent(context: Context, row: EventTable, written: EventValues): Promise<void> {
  const values = changesIn(context, row, written);
  const given = givenColumns(values);
  if (given.title !== undefined && plainText(given.title) === '') throw new Failure('empty_content');
  if (touchesSchedule(values)) Object.assign(given, scheduled(values, row, context.site.zone, context.now));
  if (values.new_password !== undefined) given.password_hash = context.newPasswordHash ?? null;
  if (given.parent_id && (await descendants(context.db, row.id)).includes(given.parent_id)) {
    throw invalidParam('post_parent', 'reason.event.loop');
  }
  const status = await post.update(context, eventPost, row, values, given.title ?? row.title, { ...given });
  if (touchesSearch(given, row)) {
    const text = searchTextOf({ ...row, ...given });
    await context.db.dialect.setSearchText(context.db, 'event_search', row.id, text);
  }
  await storeLinks(context, { id: row.id, status }, row, values);
}

/** Publishes a scheduled event whose time has come, and counts it for its terms. */
export async function publishEvent(db: Db, id: number): Promise<void> {
  if (await post.publish(db, eventPost, id))
    await recount(db, undefined, { status: 'publish', terms: idsOf(await ownTerms(db, id)) });
}

/** Moves an event to the trash, or removes it for good; returns true if it was removed for good. */
async function removeEvent(context: Context, row: EventTable, values: Values<typeof forceArgs>): Promise<boolean> {
  const terms = idsOf(await ownTerms(context.db, row.id));
  const gone = await post.remove(context, eventPost, row, values);
  await recount(context.db, { status: row.status, terms }, undefined);
  return gone;
}

async function readEvent(context: Context, target: Target): Promise<unknown> {
  const kept = isForAnybody(context) ? context.kept : undefined;
  const known = kept && (await keptEvent(context, kept, target));
  if (known) return known;
  const row = await eventAt(context.db, target);
  if (!row) throw post.notFound(eventPost, target);
  const rendered = kept && (await renderedEvent(context, kept, row, target));
  if (rendered) return rendered;
  if (row.status === 'trash') throw new Failure('event-no-longer-available');
  if (!mayRead(context.caller, row)) throw new Failure('event-not-accessible');
  const isOpen = await openOf([row], context);
  // With its id: the page of the event shows what a list would show of it.
  if (!isOpen(row)) throw new Failure('event-password-protected', { values: { id: row.id } });
  const [full] = await complete(context, [row]);
  return full && eventView(full, context, true);
}

export const eventKind = defineKind({
  singular: 'event',
  plural: 'events',
  slugs: true,
  list: {
    args: eventListArgs,
    run: (context, values) =>
      eventList(context, values, async (page) => {
        if (context.kept && isForAnybody(context)) return renderedList(context, context.kept, page);
        const rows = page.rows ?? (await byIds(context.db, page.ids));
        const isOpen = await openOf(rows, context);
        const full = await complete(context, rows);
        return full.map((event) =>
          isOpen(event.row) ? eventView(event, context, false) : redactedView(event.row, context),
        );
      }),
  },
  create: {
    args: eventCreateArgs,
    secret: 'password',
    run: async (context, values) => {
      const row = await createEvent(context, values);
      const { venue, organizer, categories, tags, post_parent } = values;
      if (venue || organizer || categories || tags || post_parent) return shown(context, row);
      return shownInFull(context, { venue_ids: null, organizer_ids: null, term_ids: null, parent: null, ...row });
    },
  },
  read: { args: { ...passwordArgs, ...contextArgs }, run: readEvent },
  update: {
    args: { ...passwordArgs, ...eventUpdateArgs },
    secret: 'new_password',
    run: async (context, target: Target, values) => {
      const row = await post.loadEditable<EventTable>(context, eventPost, target);
      await changeEvent(context, row, values);
      return shown(context, row);
    },
  },
  remove: {
    args: { ...passwordArgs, ...forceArgs },
    run: async (context, target: Target, values) => {
      const row = await post.loadEditable<EventTable>(context, eventPost, target);
      const before = (await shown(context, row)) as object;
      // The response says `trash` even if the event was removed for good (reference).
      return (await removeEvent(context, row, values)) ? { ...before, status: 'trash' } : shown(context, row);
    },
  },
  shape: Event,
  failures: {
    list: ['event-archive-page-not-found'],
    create: ['empty_content', 'could-not-create-venue', 'could-not-create-organizer'],
    read: ['rest-event-not-found', 'event-not-accessible', 'event-no-longer-available', 'event-password-protected'],
    update: [
      'rest-event-not-found',
      'event-is-in-trash',
      'empty_content',
      'could-not-create-venue',
      'could-not-create-organizer',
    ],
    remove: ['rest-event-not-found', 'event-is-in-trash'],
  },
  slugTaken: (db, asked) => post.slugTaken(db, eventPost, asked),
  mayCreate: writes,
  maySend: (db, caller, target) => post.maySend(db, eventPost, caller, target),
});
