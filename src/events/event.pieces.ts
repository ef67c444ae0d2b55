import { mayShow } from '../access/visibility.js';
import type { EventTable, OrganizerTable, TermTable, VenueTable } from '../db/tables.js';
import { organizerView } from '../organizers/organizer.view.js';
import { type Kept, thing } from '../records/basis.js';
import type { Context } from '../records/context.js';
import { rowsByIds } from '../records/linked.store.js';
import type { Shelf } from '../records/pieces.js';
import { type ImageRows, imagesOf } from '../records/post.images.js';
import { joined, Rendered } from '../records/rendered.js';
import { nameOrder, type Ordered } from '../records/term.store.js';
import { embeddedTermView } from '../records/term.view.js';
import { venueView } from '../venues/venue.view.js';
import { byIds, type Found, type Links, linksOf, NO_LINKS } from './event.store.js';
import { ownMembers, redactedView } from './event.view.js';

/** The events of a list as anybody sees them, put together from what is kept of them and of what is linked to them. */

interface EventPiece {
  /** Up to the categories, and after the organizers; or all of it, when a password closes the rest. */
  head: Buffer;
  tail: Buffer | undefined;
  links: Links;
}
/** Undefined bytes: there is such a record, but not for everybody. */
interface LinkedPiece {
  bytes: Buffer | undefined;
}
interface TermPiece extends Ordered {
  bytes: Buffer;
  kind: TermTable['kind'];
}

const piece = (text: string): Buffer => Buffer.from(text);
const json = (value: unknown): Buffer => piece(JSON.stringify(value));
const TAGS = piece('],"tags":[');
const VENUE = piece('],"venue":');
const ORGANIZERS = piece(',"organizer":[');
const OPEN = piece('[');
const CLOSE = piece(']');

/** In a fixed number of statements however long the page is, and in fewer where pieces are there. */
export async function renderedList(context: Context, kept: Kept, page: Found): Promise<Rendered[]> {
  const { db } = context;
  const place = context.address.api;
  const events = new Kit(page.ids, kept.pieces.of<EventPiece>('event', place), kept);
  const terms = new Kit([], kept.pieces.of<TermPiece>('term', place), kept);
  const lacking = page.ids.filter((id) => !events.get(id)?.links.term.every((term) => terms.look(term)));

  const rows = events.missing.length === 0 ? [] : (page.rows ?? (await byIds(db, events.missing)));
  const linked = lacking.length === 0 ? undefined : await linksOf(db, lacking);
  for (const row of linked?.terms.values() ?? []) {
    const made = {
      bytes: json(embeddedTermView(row, context)),
      kind: row.kind,
      order: piece(row.name_key),
      id: row.id,
    };
    terms.put(row.id, made, made.bytes.length);
  }
  const links = new Map(page.ids.map((id) => [id, events.get(id)?.links ?? linked?.links.get(id) ?? NO_LINKS]));
  const all = (name: keyof Links): number[] => [...new Set([...links.values()].flatMap((one) => one[name]))];
  const venues = new Kit(all('venue'), kept.pieces.of<LinkedPiece>('venue', place), kept);
  const organizers = new Kit(all('organizer'), kept.pieces.of<LinkedPiece>('organizer', place), kept);
  const venueRows = await rowsByIds<VenueTable>(db, 'venue', venues.missing);
  const organizerRows = await rowsByIds<OrganizerTable>(db, 'organizer', organizers.missing);
  const images = await imagesOf(db, [...rows, ...venueRows, ...organizerRows]);

  for (const row of venueRows) putLinked(venues, row, context, () => venueView(row, context, false, images));
  for (const row of organizerRows)
    putLinked(organizers, row, context, () => organizerView(row, context, false, images));
  for (const row of rows) {
    if (events.get(row.id)) continue;
    const made = eventPiece(row, links.get(row.id) ?? NO_LINKS, images, context);
    events.put(row.id, made, made.head.length + (made.tail?.length ?? 0));
  }
  kept.basis = { things: shownThings(links) };
  return page.ids.flatMap((id) => {
    const event = events.get(id);
    return event ? [together(event, { venues, organizers, terms })] : [];
  });
}

/** Everything that shows of some events, also what would if it were not hidden. */
export const shownThings = (links: ReadonlyMap<number, Links>): string[] => [
  ...new Set(
    [...links].flatMap(([id, { venue, organizer, term }]) => [
      thing('event', id),
      ...venue.map((one) => thing('venue', one)),
      ...organizer.map((one) => thing('organizer', one)),
      ...term.map((one) => thing('term', one)),
    ]),
  ),
];

/** Pieces that one answer needs: those that are kept, and those that are made for it. */
class Kit<P> {
  private readonly found = new Map<number, P>();
  readonly missing: number[] = [];

  constructor(
    ids: readonly number[],
    private readonly shelf: Shelf<P>,
    private readonly kept: Kept,
  ) {
    for (const id of ids) if (!this.look(id)) this.missing.push(id);
  }

  look(id: number): P | undefined {
    const known = this.found.get(id) ?? this.shelf.get(id);
    if (known) this.found.set(id, known);
    return known;
  }

  get(id: number): P | undefined {
    return this.found.get(id);
  }

  put(id: number, made: P, bytes: number): void {
    this.found.set(id, made);
    if (this.kept.current.holds()) this.shelf.set(id, made, bytes);
  }
}

function eventPiece(row: EventTable, links: Links, images: ImageRows, context: Context): EventPiece {
  if (row.password_hash !== null) return { head: json(redactedView(row, context)), tail: undefined, links: NO_LINKS };
  const { before, after } = ownMembers({ row, images }, context);
  return {
    head: piece(`${JSON.stringify(before).slice(0, -1)},"categories":[`),
    tail: piece(`,${JSON.stringify(after).slice(1)}`),
    links,
  };
}

function putLinked(
  kit: Kit<LinkedPiece>,
  row: VenueTable | OrganizerTable,
  context: Context,
  view: () => unknown,
): void {
  const bytes = mayShow(context.caller, row) ? json(view()) : undefined;
  kit.put(row.id, { bytes }, bytes?.length ?? 0);
}

interface Kits {
  venues: Kit<LinkedPiece>;
  organizers: Kit<LinkedPiece>;
  terms: Kit<TermPiece>;
}

function together({ head, tail, links }: EventPiece, { venues, organizers, terms }: Kits): Rendered {
  if (!tail) return new Rendered([head]);
  const shown = (kit: Kit<LinkedPiece>, ids: number[]): Buffer[][] =>
    ids.flatMap((id) => {
      const bytes = kit.get(id)?.bytes;
      return bytes ? [[bytes]] : [];
    });
  const carried = links.term.flatMap((id) => terms.get(id) ?? []).sort(nameOrder);
  const named = (kind: TermTable['kind']) =>
    joined(carried.filter((term) => term.kind === kind).map(({ bytes }) => [bytes]));
  const places = shown(venues, links.venue);
  // One object for one venue, a list for several, an empty list for none (C1).
  const venue = places.length === 1 ? joined(places) : [OPEN, ...joined(places), CLOSE];
  const people = joined(shown(organizers, links.organizer));
  const labels = [...named('category'), TAGS, ...named('tag')];
  return new Rendered([head, ...labels, VENUE, ...venue, ORGANIZERS, ...people, CLOSE, tail]);
}
