import type { TermTable } from '../db/tables.js';
import { nameOrder, type Ordered } from '../records/term.store.js';
import type { LinkedIds } from './event.store.js';

/** The pieces of events and of their linked records, and how an event is assembled from them. */

interface Halves {
  head: Buffer;
  tail: Buffer;
}
export interface EventPiece {
  /** Up to the categories, and after the organizers; or everything, if a password hides the rest. */
  head: Buffer;
  tail: Buffer | undefined;
  /** schema.org, up to the venue and after the organizers: made only when the event is requested alone. */
  jsonLd: Halves | undefined;
  links: LinkedIds;
}
/** The parts around its schema.org, which only an event requested alone shows: here and in its own schema.org. */
export interface LinkedRecord extends Halves {
  jsonLd: Buffer;
}
/** Without a record: it exists, but not everybody may see it. */
export interface LinkedPiece {
  record: LinkedRecord | undefined;
}
/** As part of an event in a list, or of an event requested alone; or schema.org only. */
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

/** Where the pieces of one response are found. */
export interface LinkedPieces {
  venues: Of<LinkedPiece>;
  organizers: Of<LinkedPiece>;
  terms: Of<TermPiece>;
}
interface Of<P> {
  get(id: number): P | undefined;
}

/** The parts of one event, in wire order. */
export function together(event: EventPiece, { venues, organizers, terms }: LinkedPieces, alone: boolean): Buffer[] {
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

/** One object for one record, a list for several, an empty list for none (C1). */
function pushOneOrList(parts: Buffer[], records: readonly LinkedRecord[], form: Form): void {
  if (records.length !== 1) parts.push(OPEN);
  pushJoined(parts, records, form);
  if (records.length !== 1) parts.push(CLOSE);
}
