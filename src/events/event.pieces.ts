import { createHash } from 'node:crypto';
import { mayRead, mayShow } from '../access/visibility.js';
import type { OrganizerTable, VenueTable } from '../db/tables.js';
import { organizerView } from '../organizers/organizer.view.js';
import { type Kept, thing } from '../records/basis.js';
import { asksToEdit, type Context, type Target } from '../records/context.js';
import type { PieceKind, Shelf } from '../records/pieces.js';
import { type ImageRows, imagesOf } from '../records/post.images.js';
import { Rendered } from '../records/rendered.js';
import { embeddedTermView } from '../records/term.view.js';
import { slugOfAddress } from '../text/slug.js';
import { venueView } from '../venues/venue.view.js';
import {
  type EventPiece,
  JSON_LD_TEXT,
  type LinkedPiece,
  type LinkedPieces,
  type LinkedRecord,
  piece,
  type TermPiece,
  together,
} from './event.parts.js';
import { byIds, type EventRow, type Found, type LinkedIds, linkedRows, linksIn, NO_LINKS } from './event.store.js';
import { ownJsonLd, ownMembers, redactedView } from './event.view.js';

/** Events as anonymous callers see them, assembled from cached pieces of the events and of their linked records. */

/** A whole event as lists show it, and what it depends on. */
interface ListedPiece {
  bytes: Buffer;
  digest: Buffer;
  things: string[];
}

const json = (value: unknown): Buffer => piece(JSON.stringify(value));
/** JSON of an object to which members will be added, and of the members added to such an object. */
const begun = (value: object, more = ''): Buffer => piece(JSON.stringify(value).slice(0, -1) + more);
const continued = (value: object): Buffer => piece(`,${JSON.stringify(value).slice(1)}`);

/** Whether the response is assembled from pieces: only if every anonymous caller would get the same. */
export const isMadeOfPieces = (context: Context): boolean =>
  !context.caller.user && context.given.password === undefined && !asksToEdit(context);

/** Takes a fixed number of statements, however long the page is, and fewer where pieces are cached. */
export async function renderedList(context: Context, kept: Kept, page: Found): Promise<Rendered[]> {
  const listed = new Kit(page.ids, shelfOf<ListedPiece>(context, kept, 'listed'), kept);
  if (listed.missing.length > 0) await putListed(context, kept, listed, page.rows);
  const things: string[] = [];
  const rendered: Rendered[] = [];
  for (const id of page.ids) {
    const event = listed.get(id);
    if (!event) continue;
    for (const one of event.things) things.push(one);
    rendered.push(new Rendered([event.bytes], event.digest));
  }
  kept.basis = { things };
  return rendered;
}

/** Builds the missing events from their pieces. */
async function putListed(context: Context, kept: Kept, listed: Kit<ListedPiece>, known?: EventRow[]): Promise<void> {
  const events = new Kit(listed.missing, shelfOf<EventPiece>(context, kept, 'event'), kept);
  const rows = events.missing.length === 0 ? [] : (known ?? (await byIds(context.db, events.missing)));
  const kits = await completed(context, kept, events, rows, false);
  for (const id of listed.missing) {
    const event = events.get(id);
    if (!event) continue;
    const bytes = Buffer.concat(together(event, kits, false));
    const digest = createHash('sha1').update(bytes).digest();
    const piece = { bytes, digest, things: event.things };
    listed.put(id, piece, bytes.length + event.things.length * 20, standsAlone(event));
  }
}

/** Events with a parent are not cached: whether they show it depends on the parent, whose children are unknown here. */
const standsAlone = ({ links }: EventPiece): boolean => links.event.length === 0;

/** The cached piece of an event, provided that it suffices to show the event alone. */
const aloneOf = (event: EventPiece | undefined): EventPiece | undefined => (event?.jsonLd ? event : undefined);

/** A public event from cached pieces, without reading its row; undefined: the row must be read. */
export async function keptEvent(context: Context, kept: Kept, target: Target): Promise<Rendered | undefined> {
  const slug = target.by === 'slug' ? slugOfAddress(target.slug) : undefined;
  const id = target.by === 'id' ? target.id : shelfOf<number>(context, kept, 'slug').get(slug ?? '');
  if (id === undefined) return undefined;
  const events = new Kit([id], shelfOf<EventPiece>(context, kept, 'event'), kept);
  const event = aloneOf(events.get(id));
  // The slug may have been that of another event when it was cached.
  if (!event || (slug !== undefined && event.slug !== slug)) return undefined;
  return renderedAlone(context, kept, events, id, []);
}

/** The same, from the event's row. */
export async function renderedEvent(
  context: Context,
  kept: Kept,
  row: EventRow,
  { by }: Target,
): Promise<Rendered | undefined> {
  if (row.password_hash !== null || !mayRead({}, row)) return undefined;
  const events = new Kit([row.id], shelfOf<EventPiece>(context, kept, 'event'), kept);
  if (by === 'slug' && row.slug !== '' && kept.current.holds())
    shelfOf<number>(context, kept, 'slug').set(row.slug, row.id, row.slug.length);
  return renderedAlone(context, kept, events, row.id, aloneOf(events.get(row.id)) ? [] : [row]);
}

async function renderedAlone(context: Context, kept: Kept, events: Kit<EventPiece>, id: number, rows: EventRow[]) {
  const kits = await completed(context, kept, events, rows, true);
  const event = events.get(id);
  if (!event) return undefined;
  kept.basis = { things: event.things };
  return new Rendered(together(event, kits, true));
}

function shelfOf<P>(context: Context, kept: Kept, kind: PieceKind): Shelf<P> {
  return kept.pieces.of<P>(kind, context.address.api);
}

/** The pieces that one response needs: cached ones, and those made for it. */
class Kit<P> {
  private readonly found = new Map<number, P>();
  readonly missing: number[] = [];

  constructor(
    ids: Iterable<number>,
    private readonly shelf: Shelf<P>,
    private readonly kept: Kept,
  ) {
    for (const id of ids) {
      const known = this.found.get(id) ?? this.shelf.get(id);
      if (known) this.found.set(id, known);
      else this.missing.push(id);
    }
  }

  get(id: number): P | undefined {
    return this.found.get(id);
  }

  values(): Iterable<P> {
    return this.found.values();
  }

  /** `forGood`: it changes only with its own record, so it may be cached. */
  put(id: number, made: P, bytes: number, forGood = true): void {
    this.found.set(id, made);
    if (forGood && this.kept.current.holds()) this.shelf.set(id, made, bytes);
  }
}

/** Makes the pieces of these rows and of all records linked to the events. `alone`: for single events, not lists. */
async function completed(
  context: Context,
  kept: Kept,
  events: Kit<EventPiece>,
  rows: readonly EventRow[],
  alone: boolean,
): Promise<LinkedPieces> {
  const { db } = context;
  const missing = rows.filter((row) => !(alone ? aloneOf(events.get(row.id)) : events.get(row.id)));
  const ownLinks = new Map(missing.map((row) => [row, row.password_hash === null ? linksIn(row) : NO_LINKS]));
  const shown = [...[...events.values()].map(({ links }) => links), ...ownLinks.values()];
  const all = (name: keyof LinkedIds): Set<number> => new Set(shown.flatMap((links) => links[name]));

  const terms = new Kit(all('term'), shelfOf<TermPiece>(context, kept, 'term'), kept);
  const venues = new Kit(all('venue'), shelfOf<LinkedPiece>(context, kept, 'venue'), kept);
  const organizers = new Kit(all('organizer'), shelfOf<LinkedPiece>(context, kept, 'organizer'), kept);
  const found = await linkedRows(db, { term: terms.missing, venue: venues.missing, organizer: organizers.missing });
  const images = await imagesOf(db, [...missing, ...found.venues, ...found.organizers]);

  for (const row of found.terms) {
    const { id, kind } = row;
    const made = { bytes: json(embeddedTermView(row, context)), kind, order: piece(row.name_key), id };
    terms.put(id, made, made.bytes.length);
  }
  for (const row of found.venues) putLinked(venues, row, context, () => venueView(row, context, true, images));
  for (const row of found.organizers)
    putLinked(organizers, row, context, () => organizerView(row, context, true, images));
  for (const [row, links] of ownLinks) {
    const made = eventPiece(row, links, images, context, alone);
    const { head, tail, jsonLd } = made;
    const bytes = head.length + (tail?.length ?? 0) + (jsonLd ? jsonLd.head.length + jsonLd.tail.length : 0);
    events.put(row.id, made, bytes + made.things.length * 20, standsAlone(made));
  }
  return { venues, organizers, terms };
}

/** Everything that an event shows, including linked records that are hidden at present. */
export const shownThings = (id: number, { event, venue, organizer, term }: LinkedIds): string[] => [
  ...[id, ...event].map((one) => thing('event', one)),
  ...venue.map((one) => thing('venue', one)),
  ...organizer.map((one) => thing('organizer', one)),
  ...term.map((one) => thing('term', one)),
];

function eventPiece(row: EventRow, links: LinkedIds, images: ImageRows, context: Context, alone: boolean): EventPiece {
  const things = shownThings(row.id, links);
  if (row.password_hash !== null) {
    return {
      slug: row.slug,
      head: json(redactedView(row, context)),
      tail: undefined,
      jsonLd: undefined,
      links,
      things,
    };
  }
  const { before, after } = ownMembers({ row, images }, context);
  const own = alone ? ownJsonLd({ row, images }, context) : undefined;
  return {
    slug: row.slug,
    head: begun(before, ',"categories":['),
    tail: continued(after),
    jsonLd: own && { head: begun(own.before), tail: continued(own.after) },
    links,
    things,
  };
}

function putLinked(
  kit: Kit<LinkedPiece>,
  row: VenueTable | OrganizerTable,
  context: Context,
  view: () => { json_ld?: unknown },
): void {
  const record = mayShow(context.caller, row) ? linkedRecord(view()) : undefined;
  kit.put(row.id, { record }, record ? record.head.length + record.jsonLd.length + record.tail.length : 0);
}

function linkedRecord(shown: { json_ld?: unknown }): LinkedRecord {
  const [text, jsonLd] = [JSON.stringify(shown), JSON.stringify(shown.json_ld)];
  // User text cannot contain this: its quotes are escaped.
  const at = text.indexOf(JSON_LD_TEXT);
  const tail = text.slice(at + JSON_LD_TEXT.length + jsonLd.length);
  return { head: piece(text.slice(0, at)), jsonLd: piece(jsonLd), tail: piece(tail) };
}
