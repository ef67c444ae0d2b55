import type { TermTable } from '../db/tables.js';
import { nameOrder, type Ordered } from '../records/term.store.js';
import type { LinkedIds } from './event.store.js';

/** The pieces of events and of their linked records, and how an event is assembled from them. */

// As texts, which are put together and made bytes once: V8 takes longer to clean up after many buffers.

interface Halves {
  head: string;
  tail: string;
}
export interface EventPiece {
  slug: string;
  /** Up to the categories, and after the organizers; or everything, if a password hides the rest. */
  head: string;
  tail: string | undefined;
  /** schema.org, up to the venue and after the organizers: made only when the event is requested alone. */
  jsonLd: Halves | undefined;
  links: LinkedIds;
}
/** The parts around its schema.org, which only an event requested alone shows: here and in its own schema.org. */
export interface LinkedRecord extends Halves {
  /** Made only when such an event shows it. */
  jsonLd: string | undefined;
}
/** Without a record: it exists, but not everybody may see it. */
export interface LinkedPiece {
  record: LinkedRecord | undefined;
}
/** As part of an event in a list, or of an event requested alone; or schema.org only. */
type Form = 'listed' | 'alone' | 'jsonLd';
export interface TermPiece extends Ordered {
  text: string;
  kind: TermTable['kind'];
}

export const JSON_LD = ',"json_ld":';

/** Where the pieces of one response are found. */
export interface LinkedPieces {
  venues: Of<LinkedPiece>;
  organizers: Of<LinkedPiece>;
  terms: Of<TermPiece>;
}
interface Of<P> {
  get(id: number): P | undefined;
}

/** The whole event. */
export function together(event: EventPiece, { venues, organizers, terms }: LinkedPieces, alone: boolean): string {
  const { head, tail, links, jsonLd } = event;
  if (tail === undefined) return head;
  const carried = links.term.flatMap((id) => terms.get(id) ?? []);
  if (carried.length > 1) carried.sort(nameOrder);
  const places = links.venue.flatMap((id) => venues.get(id)?.record ?? []);
  const people = links.organizer.flatMap((id) => organizers.get(id)?.record ?? []);
  const form = alone ? 'alone' : 'listed';
  const text = `${head}${termsOf(carried, 'category')}],"tags":[${termsOf(carried, 'tag')}],"venue":${oneOrList(places, form)},"organizer":[${joined(people, form)}]`;
  if (!alone || !jsonLd) return text + tail;
  const location = places.length > 0 ? `,"location":${oneOrList(places, 'jsonLd')}` : '';
  const organizer = people.length > 0 ? `,"organizer":${oneOrList(people, 'jsonLd')}` : '';
  return `${text}${tail.slice(0, -1)}${JSON_LD}${jsonLd.head}${location}${organizer}${jsonLd.tail}}`;
}

function termsOf(carried: readonly TermPiece[], kind: TermTable['kind']): string {
  let text = '';
  for (const term of carried) {
    if (term.kind === kind) text += text === '' ? term.text : `,${term.text}`;
  }
  return text;
}

function joined(records: readonly LinkedRecord[], form: Form): string {
  let text = '';
  for (const { head, jsonLd, tail } of records) {
    if (text !== '') text += ',';
    text += form === 'jsonLd' ? jsonLd : form === 'alone' ? head + JSON_LD + jsonLd + tail : head + tail;
  }
  return text;
}

/** One object for one record, a list for several, an empty list for none (C1). */
const oneOrList = (records: readonly LinkedRecord[], form: Form): string =>
  records.length === 1 ? joined(records, form) : `[${joined(records, form)}]`;
