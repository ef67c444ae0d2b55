import { hash } from 'node:crypto';
import { mayRead, mayShow } from '../access/visibility.js';
import type { Change } from '../db/changes.js';
import type { OrganizerTable, VenueTable } from '../db/tables.js';
import { organizerView } from '../organizers/organizer.view.js';
import { type Kept, thing } from '../records/basis.js';
import { asksToEdit, type Context, type Target } from '../records/context.js';
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
  type LinkedRecord,
  type TermPiece,
  together,
} from './event.parts.js';
import { byIds, type EventRow, type Found, type LinkedIds, linkedRows, linksIn, NO_LINKS } from './event.store.js';
import { ownJsonLd, ownMembers, redactedView } from './event.view.js';

/** Events as anonymous callers see them, cached whole, and assembled from pieces of them and of their linked records. */

/** JSON of an object to which members will be added, and of the members added to such an object. */
const begun = (value: object): string => JSON.stringify(value).slice(0, -1);
const continued = (value: object): string => `,${JSON.stringify(value).slice(1)}`;

/** Whether the response is assembled from pieces: only if every anonymous caller would get the same. */
export const isMadeOfPieces = (context: Context): boolean =>
  !context.caller.user && context.given.password === undefined && !asksToEdit(context);

/** Takes a fixed number of statements, however long the page is, and fewer where events are cached. */
export async function renderedList(context: Context, kept: Kept, page: Found): Promise<Rendered[]> {
  const shelf = wholesOf(context, kept, 'listed');
  const found = new Map<number, Whole>();
  const missing: number[] = [];
  for (const id of page.ids) {
    const known = shelf.get(id);
    if (known) found.set(id, known);
    else missing.push(id);
  }
  if (missing.length > 0) {
    const rows = page.rows?.filter(({ id }) => !found.has(id)) ?? (await byIds(context.db, missing));
    for (const [id, made] of await built(context, kept, rows, 'listed')) found.set(id, made);
  }
  const things: string[] = [];
  const rendered: Rendered[] = [];
  for (const id of page.ids) {
    const event = found.get(id);
    if (!event) continue;
    for (const one of event.things) things.push(one);
    rendered.push(shown(event));
  }
  kept.basis = { things };
  return rendered;
}

/** A public event from the cache, without reading its row; undefined: the row must be read. */
export function keptEvent(context: Context, kept: Kept, target: Target): Rendered | undefined {
  const slug = target.by === 'slug' ? slugOfAddress(target.slug) : undefined;
  const id = target.by === 'id' ? target.id : shelfOf<number>(context, kept, 'slug').get(slug ?? '');
  const event = id === undefined ? undefined : wholesOf(context, kept, 'alone').get(id);
  // The slug may have been that of another event when it was cached.
  if (!event || (slug !== undefined && event.slug !== slug)) return undefined;
  kept.basis = { things: event.things };
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
  const event = (await built(context, kept, [row], 'alone')).get(row.id);
  if (!event) return undefined;
  kept.basis = { things: event.things };
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
  ) {
    for (const id of ids) {
      const known = this.shelf.get(id);
      if (known) this.found.set(id, known);
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

/** Builds whole events from their rows and all records linked to them. */
async function built(
  context: Context,
  kept: Kept,
  rows: readonly EventRow[],
  kind: WholeKind,
): Promise<Map<number, Whole>> {
  const { db } = context;
  const linked = rows.map((row) => (row.password_hash === null ? linksIn(row) : NO_LINKS));
  const kitOf = <P>(kind: 'venue' | 'organizer' | 'term') =>
    new Kit<P>(new Set(linked.flatMap((links) => links[kind])), kind, shelfOf<P>(context, kept, kind), kept);
  const terms = kitOf<TermPiece>('term');
  const venues = kitOf<LinkedPiece>('venue');
  const organizers = kitOf<LinkedPiece>('organizer');
  const found = await linkedRows(db, { term: terms.missing, venue: venues.missing, organizer: organizers.missing });
  const images = await imagesOf(db, [...rows, ...found.venues, ...found.organizers]);

  for (const row of found.terms) {
    const { id, kind } = row;
    const made = { text: JSON.stringify(embeddedTermView(row, context)), kind, order: Buffer.from(row.name_key), id };
    terms.put(id, made, made.text.length);
  }
  for (const row of found.venues) putLinked(venues, row, context, () => venueView(row, context, true, images));
  for (const row of found.organizers)
    putLinked(organizers, row, context, () => organizerView(row, context, true, images));

  const isAlone = kind === 'alone';
  const shelf = wholesOf(context, kept, kind);
  const made = new Map<number, Whole>();
  for (const [at, row] of rows.entries()) {
    const links = linked[at] ?? NO_LINKS;
    const event = eventPiece(row, links, images, context, isAlone);
    const bytes = Buffer.from(together(event, { venues, organizers, terms }, isAlone));
    const digest = hash('sha1', bytes, 'buffer');
    const whole = { bytes, digest, slug: row.slug, things: shownThings(row.id, links) };
    made.set(row.id, whole);
    if (kept.current.holds()) shelf.set(row.id, whole);
  }
  return made;
}

/** Everything that an event shows, including linked records that are hidden at present. */
export const shownThings = (id: number, { event, venue, organizer, term }: LinkedIds): string[] => [
  ...[id, ...event].map((one) => thing('event', one)),
  ...venue.map((one) => thing('venue', one)),
  ...organizer.map((one) => thing('organizer', one)),
  ...term.map((one) => thing('term', one)),
];

function eventPiece(row: EventRow, links: LinkedIds, images: ImageRows, context: Context, alone: boolean): EventPiece {
  if (row.password_hash !== null)
    return { head: JSON.stringify(redactedView(row, context)), tail: undefined, jsonLd: undefined, links };
  const { before, after } = ownMembers({ row, images }, context);
  const own = alone ? ownJsonLd({ row, images }, context) : undefined;
  return {
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
  kit.put(row.id, { record }, record ? record.head.length + record.jsonLd.length + record.tail.length : 0);
}

function linkedRecord(shown: { json_ld?: unknown }): LinkedRecord {
  const [text, jsonLd] = [JSON.stringify(shown), JSON.stringify(shown.json_ld)];
  // User text cannot contain this: its quotes are escaped.
  const at = text.indexOf(JSON_LD);
  return { head: text.slice(0, at), jsonLd, tail: text.slice(at + JSON_LD.length + jsonLd.length) };
}
