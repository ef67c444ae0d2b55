import type { TermTable } from '../db/tables.js';
import { nameOrder, type Ordered } from '../records/term.store.js';
import type { Links } from './event.store.js';

/** What is kept of events and of what is linked to them, and how one event is put together from it. */

interface Halves {
  head: Buffer;
  tail: Buffer;
}
export interface EventPiece {
  slug: string;
  /** Up to the categories, and after the organizers; or all of it, when a password closes the rest. */
  head: Buffer;
  tail: Buffer | undefined;
  /** schema.org, up to the venue and after the organizers: made for those who ask for this event alone. */
  jsonLd: Halves | undefined;
  links: Links;
  /** What shows in it, also what would if it were not hidden. */
  things: string[];
}
/** Around its schema.org, which shows in an event that is asked for alone, and there in that of the event, too. */
export interface LinkedRecord extends Halves {
  jsonLd: Buffer;
}
/** No record: there is one, but not for everybody. */
export interface LinkedPiece {
  record: LinkedRecord | undefined;
}
/** As a member of an event in a list, or of one that is asked for alone; or schema.org only. */
type Form = 'listed' | 'alone' | 'jsonLd';
export interface TermPiece extends Ordered {
  bytes: Buffer;
  kind: TermTable['kind'];
}

export const piece = (text: string): Buffer => Buffer.from(text);

const TAGS = piece('],"tags":[');
const VENUE = piece('],"venue":');
const ORGANIZERS = piece(',"organizer":[');
export const JSON_LD_TEXT = ',"json_ld":';
const JSON_LD = piece(JSON_LD_TEXT);
const LD_VENUE = piece(',"location":');
const LD_ORGANIZER = piece(',"organizer":');
const COMMA = piece(',');
const OPEN = piece('[');
const CLOSE = piece(']');
const END = piece('}');

/** Where the pieces of one answer are found. */
export interface Pieces {
  venues: Of<LinkedPiece>;
  organizers: Of<LinkedPiece>;
  terms: Of<TermPiece>;
}
interface Of<P> {
  get(id: number): P | undefined;
}

/** The parts of one event, in order. */
export function together(event: EventPiece, { venues, organizers, terms }: Pieces, alone: boolean): Buffer[] {
  const { head, tail, links, jsonLd } = event;
  const parts = [head];
  if (!tail) return parts;
  const carried = links.term.flatMap((id) => terms.get(id) ?? []);
  if (carried.length > 1) carried.sort(nameOrder);
  pushTerms(parts, carried, 'category');
  parts.push(TAGS);
  pushTerms(parts, carried, 'tag');
  const places = links.venue.flatMap((id) => venues.get(id)?.record ?? []);
  const people = links.organizer.flatMap((id) => organizers.get(id)?.record ?? []);
  const form = alone ? 'alone' : 'listed';
  parts.push(VENUE);
  pushOneOrList(parts, places, form);
  parts.push(ORGANIZERS);
  pushJoined(parts, people, form);
  parts.push(CLOSE);
  if (!alone || !jsonLd) {
    parts.push(tail);
    return parts;
  }
  parts.push(tail.subarray(0, -1), JSON_LD, jsonLd.head);
  for (const [name, records] of [
    [LD_VENUE, places],
    [LD_ORGANIZER, people],
  ] as const) {
    if (records.length === 0) continue;
    parts.push(name);
    pushOneOrList(parts, records, 'jsonLd');
  }
  parts.push(jsonLd.tail, END);
  return parts;
}

function pushTerms(parts: Buffer[], carried: readonly TermPiece[], kind: TermTable['kind']): void {
  let first = true;
  for (const term of carried) {
    if (term.kind !== kind) continue;
    if (!first) parts.push(COMMA);
    parts.push(term.bytes);
    first = false;
  }
}

function pushJoined(parts: Buffer[], records: readonly LinkedRecord[], form: Form): void {
  for (let at = 0; at < records.length; at++) {
    const { head, jsonLd, tail } = records[at] as LinkedRecord;
    if (at > 0) parts.push(COMMA);
    if (form === 'jsonLd') parts.push(jsonLd);
    else if (form === 'alone') parts.push(head, JSON_LD, jsonLd, tail);
    else parts.push(head, tail);
  }
}

/** One object for one, a list for several, an empty list for none (C1). */
function pushOneOrList(parts: Buffer[], records: readonly LinkedRecord[], form: Form): void {
  if (records.length !== 1) parts.push(OPEN);
  pushJoined(parts, records, form);
  if (records.length !== 1) parts.push(CLOSE);
}
