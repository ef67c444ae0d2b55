import { type Static, Type } from 'typebox';
import type { Image } from '../media/image.shape.js';
import { STATUSES } from './readers.js';

/** Output shapes that records share. Descriptions are keys of the message catalogues. */

const text = (description: string, more: object = {}) => Type.String({ description, ...more });

const WALL_CLOCK = '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$';
export const dateTime = (description: string) =>
  text(description, { pattern: WALL_CLOCK, examples: ['2027-03-09 19:30:00'] });

/** One of a few words. */
export const oneOf = <const W extends string>(words: readonly W[], description: string) =>
  Type.Unsafe<W>({ type: 'string', enum: words, description });

const status = oneOf(STATUSES, 'shape.status');

export const DateDetails = Type.Object(
  {
    year: text('shape.details.year', { examples: ['2027'] }),
    month: text('shape.details.month', { examples: ['03'] }),
    day: text('shape.details.day', { examples: ['09'] }),
    hour: text('shape.details.hour', { examples: ['19'] }),
    minutes: text('shape.details.minutes', { examples: ['30'] }),
    seconds: text('shape.details.seconds', { examples: ['00'] }),
  },
  { $id: 'DateDetails', description: 'shape.details' },
);

export const imageRef = Type.Unsafe<Static<typeof Image>>(Type.Ref('Image'));

/** The first members of events, venues and organizers. */
export const postShape = {
  id: Type.Integer({ description: 'shape.id', examples: [42] }),
  author: text('shape.author', { pattern: '^\\d+$', examples: ['1'] }),
  status,
  date: dateTime('arg.date'),
  date_utc: dateTime('arg.date_utc'),
  modified: dateTime('shape.modified'),
  modified_utc: dateTime('shape.modified_utc'),
  url: text('shape.url', { format: 'uri' }),
};
export const globalShape = {
  global_id: text('shape.global_id', { examples: ['example.org?id=42'] }),
  global_id_lineage: Type.Array(Type.String(), { description: 'shape.global_id_lineage' }),
};
export const jsonLdShape = Type.Record(Type.String(), Type.Unknown(), { description: 'shape.json_ld' });

export const TermUrls = Type.Object(
  {
    self: text('shape.term.urls.self', { format: 'uri' }),
    collection: text('shape.term.urls.collection', { format: 'uri' }),
    up: Type.Optional(text('shape.term.urls.up', { format: 'uri' })),
  },
  { $id: 'TermUrls', description: 'shape.term.urls' },
);
const urls = Type.Unsafe<Static<typeof TermUrls>>(Type.Ref('TermUrls'));

const taxonomy = oneOf(['tribe_events_cat', 'post_tag'], 'shape.term.taxonomy');

/** A category or tag on its own. */
export const Term = Type.Object(
  {
    id: Type.Integer({ description: 'shape.id', examples: [7] }),
    count: Type.Integer({ description: 'shape.term.count', examples: [12] }),
    description: text('arg.term.description'),
    name: text('arg.term.name', { examples: ['Music'] }),
    slug: text('arg.slug', { examples: ['music'] }),
    taxonomy,
    parent: Type.Optional(Type.Integer({ description: 'arg.term.parent', examples: [0] })),
    meta: Type.Array(Type.Unknown(), { description: 'shape.term.meta' }),
    url: text('shape.url', { format: 'uri' }),
    urls,
    _links: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'shape.links' })),
    _embedded: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'shape.embedded' })),
  },
  { $id: 'Term', description: 'shape.term' },
);

/** A category or tag inside an event, which differs from one on its own. */
export const EventTerm = Type.Object(
  {
    name: text('arg.term.name', { examples: ['Music'] }),
    slug: text('arg.slug', { examples: ['music'] }),
    term_group: Type.Integer({ description: 'shape.term.group' }),
    term_taxonomy_id: Type.Integer({ description: 'shape.id' }),
    taxonomy,
    description: text('arg.term.description'),
    parent: Type.Integer({ description: 'arg.term.parent', examples: [0] }),
    count: Type.Integer({ description: 'shape.term.count', examples: [12] }),
    filter: text('shape.term.filter', { examples: ['raw'] }),
    id: Type.Integer({ description: 'shape.id', examples: [7] }),
    urls,
  },
  { $id: 'EventTerm', description: 'shape.term' },
);

export type TermRecord = Static<typeof Term>;
export type EventTermRecord = Static<typeof EventTerm>;
