import { type Static, Type } from 'typebox';
import type { OrganizerRecord } from '../organizers/organizer.shape.js';
import {
  type DateDetails,
  dateTime,
  type EventTermRecord,
  globalShape,
  imageRef,
  jsonLdShape,
  oneOf,
  postShape,
} from '../records/shape.js';
import type { VenueRecord } from '../venues/venue.shape.js';

const text = (description: string, example: string) => Type.String({ description, examples: [example] });
const details = Type.Unsafe<Static<typeof DateDetails>>(Type.Ref('DateDetails'));
const venueRef = Type.Unsafe<VenueRecord>(Type.Ref('Venue'));
const organizerRef = Type.Unsafe<OrganizerRecord>(Type.Ref('Organizer'));
const termRef = Type.Unsafe<EventTermRecord>(Type.Ref('EventTerm'));

/** `null` if the event is protected and its password was not sent (E4). */
const flag = (description: string) => Type.Union([Type.Boolean(), Type.Null()], { description });

export const CostDetails = Type.Object(
  {
    currency_symbol: text('shape.cost.symbol', '$'),
    currency_code: text('shape.cost.code', ''),
    currency_position: oneOf(['prefix', 'postfix', ''], 'shape.cost.position'),
    values: Type.Array(Type.String(), { description: 'shape.cost.values', examples: [['10', '20']] }),
  },
  { $id: 'CostDetails', description: 'shape.cost' },
);
const costRef = Type.Unsafe<Static<typeof CostDetails>>(Type.Ref('CostDetails'));

export const TicketShape = Type.Object(
  {
    name: text('arg.ticket.name', 'Seat'),
    provider: text('arg.ticket.provider', 'box office'),
    price: Type.Optional(Type.Number({ description: 'arg.ticket.price', examples: [15] })),
    currency: Type.Optional(text('arg.ticket.currency', 'EUR')),
    url: Type.Optional(Type.String({ description: 'arg.ticket.url', format: 'uri' })),
    capacity: Type.Optional(Type.Integer({ description: 'arg.ticket.capacity', examples: [120] })),
    sale_starts: Type.Optional(dateTime('arg.ticket.sale_starts')),
    sale_ends: Type.Optional(dateTime('arg.ticket.sale_ends')),
  },
  { $id: 'Ticket', description: 'shape.ticket' },
);
/** Tickets are stored in this form, too. */
export type Ticket = Static<typeof TicketShape>;
const ticketRef = Type.Unsafe<Ticket>(Type.Ref('Ticket'));

/** An event as it is sent; the members are in wire order (C1). */
export const Event = Type.Object(
  {
    id: postShape.id,
    ...globalShape,
    author: postShape.author,
    status: postShape.status,
    date: postShape.date,
    date_utc: postShape.date_utc,
    modified: postShape.modified,
    modified_utc: postShape.modified_utc,
    url: postShape.url,
    rest_url: Type.String({ description: 'shape.rest_url', format: 'uri' }),
    title: text('arg.event.title', 'Fado by candlelight'),
    description: text('arg.event.description', '<p>Two guitars, one voice.</p>'),
    excerpt: text('arg.event.excerpt', '<p>Two guitars, one voice.</p>'),
    slug: text('arg.slug', 'fado-by-candlelight'),
    image: Type.Union([Type.Literal(false), imageRef], { description: 'shape.event.image' }),
    all_day: flag('arg.event.all_day'),
    start_date: dateTime('shape.event.start_date'),
    start_date_details: details,
    end_date: dateTime('shape.event.end_date'),
    end_date_details: details,
    utc_start_date: dateTime('shape.event.utc_start_date'),
    utc_start_date_details: details,
    utc_end_date: dateTime('shape.event.utc_end_date'),
    utc_end_date_details: details,
    timezone: text('arg.event.timezone', 'Europe/Lisbon'),
    timezone_abbr: text('shape.event.timezone_abbr', 'WET'),
    cost: text('shape.event.cost', '$10 – $20'),
    cost_details: costRef,
    website: text('arg.website', 'https://harbour-music.example/fado'),
    show_map: flag('arg.event.show_map'),
    show_map_link: flag('arg.event.show_map_link'),
    hide_from_listings: flag('arg.event.hide_from_listings'),
    sticky: flag('arg.event.sticky'),
    featured: flag('arg.event.featured'),
    categories: Type.Array(termRef, { description: 'shape.event.categories' }),
    tags: Type.Array(termRef, { description: 'shape.event.tags' }),
    venue: Type.Union([venueRef, Type.Array(venueRef)], { description: 'shape.event.venue' }),
    organizer: Type.Array(organizerRef, { description: 'shape.event.organizer' }),
    custom_fields: Type.Union([Type.Array(Type.Unknown()), Type.Record(Type.String(), Type.Unknown())], {
      description: 'shape.event.custom_fields',
    }),
    post_parent: Type.Optional(Type.Integer({ description: 'arg.event.post_parent' })),
    ticketed: Type.Optional(
      Type.Union([Type.Literal(false), Type.Array(Type.String())], { description: 'shape.event.ticketed' }),
    ),
    tickets: Type.Optional(Type.Array(ticketRef, { description: 'arg.event.tickets' })),
    json_ld: Type.Optional(jsonLdShape),
  },
  { $id: 'Event', description: 'shape.event' },
);
export type EventRecord = Static<typeof Event>;
