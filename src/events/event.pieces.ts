import { mayRead } from '../access/visibility.js';
import type { EventTable, OrganizerTable, VenueTable } from '../db/tables.js';
import { organizerView } from '../organizers/organizer.view.js';
import type { Context, Kept } from '../records/context.js';
import { rowsByIds } from '../records/linked.store.js';
import { imagesOf } from '../records/post.images.js';
import { joined, Rendered } from '../records/rendered.js';
import type { TermRow } from '../records/term.store.js';
import { embeddedTermView } from '../records/term.view.js';
import { venueView } from '../venues/venue.view.js';
import { byIds, linksOf } from './event.store.js';
import { ownMembers, redactedView } from './event.view.js';

/** The events of a list as anybody sees them, put together from what is kept of them and of what is linked to them. */

interface EventPiece {
  /** Up to the categories, and after the organizers; or all of it, when a password closes the rest. */
  head: Buffer;
  tail: Buffer | undefined;
  links: { venue: number[]; organizer: number[]; term: number[] };
}
/** Undefined bytes: there is such a record, but not for everybody. */
interface LinkedPiece {
  bytes: Buffer | undefined;
}
interface TermPiece {
  bytes: Buffer;
  kind: TermRow['kind'];
  order: string;
  id: number;
}

const piece = (text: string): Buffer => Buffer.from(text);
const json = (value: unknown): Buffer => piece(JSON.stringify(value));
const TAGS = piece('],"tags":[');
const VENUE = piece('],"venue":');
const ORGANIZERS = piece(',"organizer":[');
const OPEN = piece('[');
const CLOSE = piece(']');

export async function renderedList(context: Context, kept: Kept, ids: number[]): Promise<Rendered[]> {
  const events = await eventPieces(context, kept, ids);
  const all = (name: 'venue' | 'organizer' | 'term'): number[] => [
    ...new Set([...events.values()].flatMap(({ links }) => links[name])),
  ];
  const venues = await linkedPieces<VenueTable>(context, kept, 'venue', all('venue'), venueView);
  const organizers = await linkedPieces<OrganizerTable>(context, kept, 'organizer', all('organizer'), organizerView);
  const terms = await termPieces(context, kept, all('term'));

  const shown = (pieces: Map<number, LinkedPiece>, linked: number[]): Buffer[][] =>
    linked.flatMap((id) => {
      const bytes = pieces.get(id)?.bytes;
      return bytes ? [[bytes]] : [];
    });
  return ids.flatMap((id) => {
    const event = events.get(id);
    if (!event) return [];
    if (!event.tail) return [new Rendered([event.head])];
    const carried = event.links.term.flatMap((term) => terms.get(term) ?? []).sort(byName);
    const named = (kind: TermRow['kind']) => joined(carried.filter((term) => term.kind === kind).map((t) => [t.bytes]));
    const places = shown(venues, event.links.venue);
    // One object for one venue, a list for several, an empty list for none (C1).
    const venue = places.length === 1 ? joined(places) : [OPEN, ...joined(places), CLOSE];
    const people = joined(shown(organizers, event.links.organizer));
    return [
      new Rendered([
        event.head,
        ...named('category'),
        TAGS,
        ...named('tag'),
        VENUE,
        ...venue,
        ORGANIZERS,
        ...people,
        CLOSE,
        event.tail,
      ]),
    ];
  });
}

const byName = (a: TermPiece, b: TermPiece): number => (a.order < b.order ? -1 : a.order > b.order ? 1 : a.id - b.id);

async function eventPieces(context: Context, kept: Kept, ids: number[]): Promise<Map<number, EventPiece>> {
  const shelf = kept.pieces.of<EventPiece>('event', context.address.api);
  const { found, missing } = sorted(ids, shelf);
  if (missing.length === 0) return found;
  const rows = await byIds(context.db, missing);
  const links = await linksOf(context.db, missing);
  const images = await imagesOf(context.db, rows);
  for (const row of rows) {
    const own = { venue: [], organizer: [], term: [], ...links.get(row.id) };
    const made: EventPiece =
      row.password_hash === null
        ? { ...openPiece(row, images, context), links: own }
        : { head: json(redactedView(row, context)), tail: undefined, links: { venue: [], organizer: [], term: [] } };
    found.set(row.id, made);
    if (kept.current.holds()) shelf.set(row.id, made, made.head.length + (made.tail?.length ?? 0));
  }
  return found;
}

function openPiece(row: EventTable, images: Awaited<ReturnType<typeof imagesOf>>, context: Context) {
  const { before, after } = ownMembers({ row, images }, context);
  return {
    head: piece(`${JSON.stringify(before).slice(0, -1)},"categories":[`),
    tail: piece(`,${JSON.stringify(after).slice(1)}`),
  };
}

async function linkedPieces<Row extends VenueTable | OrganizerTable>(
  context: Context,
  kept: Kept,
  kind: 'venue' | 'organizer',
  ids: number[],
  view: (row: Row, context: Context, single: boolean, images: Awaited<ReturnType<typeof imagesOf>>) => unknown,
): Promise<Map<number, LinkedPiece>> {
  const shelf = kept.pieces.of<LinkedPiece>(kind, context.address.api);
  const { found, missing } = sorted(ids, shelf);
  if (missing.length === 0) return found;
  const rows = await rowsByIds<Row>(context.db, kind, missing);
  const images = await imagesOf(context.db, rows);
  for (const row of rows) {
    const visible = row.status !== 'trash' && mayRead(context.caller, row);
    const made = { bytes: visible ? json(view(row, context, false, images)) : undefined };
    found.set(row.id, made);
    if (kept.current.holds()) shelf.set(row.id, made, made.bytes?.length ?? 0);
  }
  return found;
}

async function termPieces(context: Context, kept: Kept, ids: number[]): Promise<Map<number, TermPiece>> {
  const shelf = kept.pieces.of<TermPiece>('term', context.address.api);
  const { found, missing } = sorted(ids, shelf);
  if (missing.length === 0) return found;
  for (const row of await rowsByIds<TermRow>(context.db, 'term', missing)) {
    const made = { bytes: json(embeddedTermView(row, context)), kind: row.kind, order: row.name_key, id: row.id };
    found.set(row.id, made);
    if (kept.current.holds()) shelf.set(row.id, made, made.bytes.length);
  }
  return found;
}

/** What is there, and what is not. */
function sorted<P>(ids: number[], shelf: { get(id: number): P | undefined }) {
  const found = new Map<number, P>();
  const missing: number[] = [];
  for (const id of ids) {
    const known = shelf.get(id);
    if (known) found.set(id, known);
    else missing.push(id);
  }
  return { found, missing };
}
