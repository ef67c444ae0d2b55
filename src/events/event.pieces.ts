import { hash } from 'node:crypto';
import { mayRead, mayShow } from '../access/visibility.js';
import type { Change } from '../db/changes.js';
import type { OrganizerTable, VenueTable } from '../db/tables.js';
import { organizerView } from '../organizers/organizer.view.js';
import { type Kept, thing } from '../records/basis.js';
import type { Context, Target } from '../records/context.js';
import type { PieceKind, Shelf, WholeKind } from '../records/pieces.js';
import { type ImageRows, imagesOf } from '../records/post.images.js';
import { Rendered, type Whole } from '../records/rendered.js';
import { embeddedTermView } from '../records/term.view.js';
import { slugOfAddress } from '../text/slug.js';
import { venueView } from '../venues/venue.view.js';
import {
  type EventPiece,
  JSON_LD,
  type LinkedPiece,
  type LinkedPieces,
  type LinkedRecord,
  type TermPiece,
  together,
} from './event.parts.js';
import { byIds, type EventRow, type Found, type LinkedIds, linkedRows, linksIn, NO_LINKS } from './event.store.js';
import { ownJsonLd, ownMembers, redactedView } from './event.view.js';

/** Events as anonymous callers see them, cached whole, and built from pieces of their own and of their linked records. */

/** JSON of an object to which members will be added, and of the members added to such an object. */
const begun = (value: object): string => JSON.stringify(value).slice(0, -1);
const continued = (value: object): string => `,${JSON.stringify(value).slice(1)}`;

/** Takes a fixed number of statements, however long the page is, and fewer where events are cached. */
export async function renderedList(context: Context, kept: Kept, page: Found): Promise<Rendered[]> {
  const found = wholesOf(context, kept, 'listed').all(page.ids);
  const missing = page.ids.filter((id) => !found.has(id));
  if (missing.length > 0)
    for (const [id, made] of await built(context, kept, missing, 'listed', page.rows)) found.set(id, made);
  const events = page.ids.flatMap((id) => found.get(id) ?? []);
  kept.basis = { things: () => events.flatMap(({ things }) => things) };
  return events.map(shown);
}

/** A public event from the cache, without reading its row; undefined: the row must be read. */
export async function keptEvent(context: Context, kept: Kept, target: Target): Promise<Rendered | undefined> {
  const slug = target.by === 'slug' ? slugOfAddress(target.slug) : undefined;
  const id = target.by === 'id' ? target.id : shelfOf<number>(context, kept, 'slug').get(slug ?? '');
  if (id === undefined) return undefined;
  const event = wholesOf(context, kept, 'alone').get(id) ?? (await built(context, kept, [id], 'alone', [])).get(id);
  // The slug may have been that of another event when it was cached.
  if (!event || (slug !== undefined && event.slug !== slug)) return undefined;
  kept.basis = { things: () => event.things };
  return shown(event);
}

/** The same, from the event's row. */
export async function renderedEvent(
  context: Context,
  kept: Kept,
  row: EventRow,
  { by }: Target,
): Promise<Rendered | undefined> {
  if (row.password_hash !== null || !mayRead({}, row)) return undefined;
  if (by === 'slug' && row.slug !== '' && kept.current.holds())
    shelfOf<number>(context, kept, 'slug').set(row.slug, row.id, row.slug.length, []);
  const event = (await built(context, kept, [row.id], 'alone', [row])).get(row.id);
  if (!event) return undefined;
  kept.basis = { things: () => event.things };
  return shown(event);
}

const shown = ({ bytes, digest }: Whole): Rendered => new Rendered([bytes], digest);

const shelfOf = <P>({ address }: Context, { pieces }: Kept, kind: PieceKind): Shelf<P> =>
  pieces.of<P>(kind, address.api);
const wholesOf = ({ address }: Context, { pieces }: Kept, kind: WholeKind) => pieces.wholes(kind, address.api);

/** The linked records that one response needs: cached ones, and those made for it. */
class Kit<P> {
  private readonly found = new Map<number, P>();
  readonly missing: number[] = [];

  constructor(
    ids: Iterable<number>,
    private readonly kind: PieceKind & Change['kind'],
    private readonly shelf: Shelf<P>,
    private readonly kept: Kept,
    isWhole: (piece: P) => boolean = () => true,
  ) {
    for (const id of ids) {
      const known = this.shelf.get(id);
      if (known && isWhole(known)) this.found.set(id, known);
      else this.missing.push(id);
    }
  }

  get(id: number): P | undefined {
    return this.found.get(id);
  }

  put(id: number, made: P, bytes: number): void {
    this.found.set(id, made);
    if (this.kept.current.holds()) this.shelf.set(id, made, bytes, [thing(this.kind, id)]);
  }
}

/**
 * Builds whole events, from their own pieces if these are cached, otherwise from their rows (`known`: those that were
 * read already), and from all records linked to them.
 */
async function built(
  context: Context,
  kept: Kept,
  ids: readonly number[],
  kind: WholeKind,
  known?: readonly EventRow[],
): Promise<Map<number, Whole>> {
  const isAlone = kind === 'alone';
  const own = shelfOf<EventPiece>(context, kept, 'event');
  const events = new Map<number, EventPiece>();
  const missing: number[] = [];
  for (const id of ids) {
    const event = own.get(id);
    if (event && (event.jsonLd || !isAlone)) events.set(id, event);
    else missing.push(id);
  }
  const rows = known ? known.filter(({ id }) => missing.includes(id)) : await byIds(context.db, missing);
  const linked = new Map(rows.map((row) => [row, row.password_hash === null ? linksIn(row) : NO_LINKS]));
  const links = [...[...events.values()].map((event) => event.links), ...linked.values()];
  const { kits, images } = await linkedPieces(context, kept, rows, links, isAlone);
  const shelf = wholesOf(context, kept, kind);
  for (const [row, its] of linked) {
    const event = eventPiece(row, its, images, context, isAlone);
    events.set(row.id, event);
    // Memory has room for the event, but what is linked to it changes: next time only that need be made.
    if (kept.current.holds() && shelf.isHeld(row.id)) {
      const { head, tail = '', jsonLd } = event;
      const size = heldBytes(head, tail, jsonLd?.head ?? '', jsonLd?.tail ?? '');
      own.set(row.id, event, size, shownThings(row.id, { ...NO_LINKS, event: its.event }));
    }
  }
  const made = new Map<number, Whole>();
  for (const [id, event] of events) {
    const bytes = Buffer.from(together(event, kits, isAlone));
    const digest = hash('sha1', bytes, 'buffer');
    const whole = { bytes, digest, slug: event.slug, things: shownThings(id, event.links) };
    made.set(id, whole);
    if (kept.current.holds()) shelf.set(id, whole);
  }
  return made;
}

/** The records linked to events, and the pictures of these and of the rows. */
async function linkedPieces(
  context: Context,
  kept: Kept,
  rows: readonly EventRow[],
  links: readonly LinkedIds[],
  isAlone: boolean,
): Promise<{ kits: LinkedPieces; images: ImageRows }> {
  const { db } = context;
  const kitOf = <P>(kind: 'venue' | 'organizer' | 'term', isWhole?: (piece: P) => boolean) =>
    new Kit<P>(new Set(links.flatMap((one) => one[kind])), kind, shelfOf<P>(context, kept, kind), kept, isWhole);
  const suits = ({ record }: LinkedPiece): boolean => !isAlone || !record || record.jsonLd !== undefined;
  const terms = kitOf<TermPiece>('term');
  const venues = kitOf<LinkedPiece>('venue', suits);
  const organizers = kitOf<LinkedPiece>('organizer', suits);
  const found = await linkedRows(db, { term: terms.missing, venue: venues.missing, organizer: organizers.missing });
  const images = await imagesOf(db, [...rows, ...found.venues, ...found.organizers]);

  for (const row of found.terms) {
    const { id, kind } = row;
    const text = JSON.stringify(embeddedTermView(row, context));
    terms.put(id, { text, kind, order: Buffer.from(row.name_key), id }, heldBytes(text));
  }
  for (const row of found.venues) putLinked(venues, row, context, () => venueView(row, context, isAlone, images));
  for (const row of found.organizers)
    putLinked(organizers, row, context, () => organizerView(row, context, isAlone, images));
  return { kits: { venues, organizers, terms }, images };
}

const WIDE = /[^\0-\xff]/;
/** What texts take in memory: one character that is not Latin makes all of a text twice as large. */
const heldBytes = (...texts: string[]): number =>
  texts.reduce((sum, text) => sum + text.length * (WIDE.test(text) ? 2 : 1), 0);

/** Everything that an event shows, including linked records that are hidden at present. */
export const shownThings = (id: number, { event, venue, organizer, term }: LinkedIds): string[] => [
  ...[id, ...event].map((one) => thing('event', one)),
  ...venue.map((one) => thing('venue', one)),
  ...organizer.map((one) => thing('organizer', one)),
  ...term.map((one) => thing('term', one)),
];

function eventPiece(row: EventRow, links: LinkedIds, images: ImageRows, context: Context, alone: boolean): EventPiece {
  if (row.password_hash !== null)
    return {
      slug: row.slug,
      head: JSON.stringify(redactedView(row, context)),
      tail: undefined,
      jsonLd: undefined,
      links,
    };
  const { before, after } = ownMembers({ row, images }, context);
  const own = alone ? ownJsonLd({ row, images }, context) : undefined;
  return {
    slug: row.slug,
    head: `${begun(before)},"categories":[`,
    tail: continued(after),
    jsonLd: own && { head: begun(own.before), tail: continued(own.after) },
    links,
  };
}

function putLinked(
  kit: Kit<LinkedPiece>,
  row: VenueTable | OrganizerTable,
  context: Context,
  view: () => { json_ld?: unknown },
): void {
  const record = mayShow(context.caller, row) ? linkedRecord(view()) : undefined;
  // The halves are slices of one text.
  kit.put(row.id, { record }, record ? heldBytes(record.head + record.tail, record.jsonLd ?? '') : 0);
}

function linkedRecord(shown: { json_ld?: unknown }): LinkedRecord {
  if (shown.json_ld === undefined) return { head: JSON.stringify(shown), jsonLd: undefined, tail: '' };
  const text = JSON.stringify({ ...shown, json_ld: 0 });
  // User text cannot contain this: its quotes are escaped.
  const at = text.indexOf(JSON_LD);
  return { head: text.slice(0, at), jsonLd: JSON.stringify(shown.json_ld), tail: text.slice(at + JSON_LD.length + 1) };
}
