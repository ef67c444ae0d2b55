import { mayRead } from '../access/visibility.js';
import type { EventTable, OrganizerTable, VenueTable } from '../db/tables.js';
import { organizerJsonLd, organizerView } from '../organizers/organizer.view.js';
import type { Context } from '../records/context.js';
import { type ImageRows, imageOf, shownImage } from '../records/post.images.js';
import { datesOf, globalId, hasJsonLd, pageOf } from '../records/post.view.js';
import type { TermRow } from '../records/term.store.js';
import { embeddedTermView } from '../records/term.view.js';
import { shownCost } from '../text/cost.js';
import { excerptText, plainText, renderHtml, renderTitle } from '../text/html.js';
import { offerIn } from '../text/offer.js';
import { escapeUrl } from '../text/url.js';
import { details, toIso } from '../time/clock.js';
import { findZone, toWall, UTC, type Zone } from '../time/zone.js';
import { venueJsonLd, venueView } from '../venues/venue.view.js';
import type { EventRecord, Ticket } from './event.shape.js';
import { type EventRow, parentOf } from './event.store.js';
import { providersOf } from './event.tickets.js';

/** An event row with its linked records, as far as the caller may see them. */
export interface FullEvent {
  row: EventRow;
  venues: VenueTable[];
  organizers: OrganizerTable[];
  terms: TermRow[];
  images: ImageRows;
}

const eventPage = (row: EventTable, context: Context): string => pageOf(row, 'event', 'tribe_events', context);

const zoneOf = (row: EventTable, context: Context): Zone => findZone(row.timezone) ?? context.site.zone;

/** What is visible of an event without its password. `membersBefore` names each member: copying takes longer. */
function openMembers(row: EventTable, context: Context) {
  const id = globalId(row.id, context);
  const utcStart = toWall(row.start_utc, UTC);
  const utcEnd = toWall(row.end_utc, UTC);
  return {
    id: row.id,
    global_id: id,
    global_id_lineage: [id],
    author: String(row.author_id),
    status: row.status,
    dates: datesOf(row, context),
    url: eventPage(row, context),
    rest_url: `${context.address.api}/events/${row.id}`,
    title: renderTitle(row.title),
    slug: row.slug,
    start_date: row.start_local,
    start_date_details: details(row.start_local),
    end_date: row.end_local,
    end_date_details: details(row.end_local),
    utc_start_date: utcStart,
    utc_start_date_details: details(utcStart),
    utc_end_date: utcEnd,
    utc_end_date_details: details(utcEnd),
    timezone: row.timezone,
    timezone_abbr: zoneOf(row, context).abbreviationAt(row.start_utc),
  };
}

/** The members that a password hides. */
interface ClosedMembers {
  description: string;
  excerpt: string;
  image: EventRecord['image'];
  all_day: boolean | null;
  cost: Pick<EventRecord, 'cost' | 'cost_details'>;
  website: string;
  show_map: boolean | null;
  show_map_link: boolean | null;
  hide_from_listings: boolean | null;
  sticky: boolean | null;
  featured: boolean | null;
}

/** All members before the linked records, in wire order. */
const membersBefore = (open: ReturnType<typeof openMembers>, closed: ClosedMembers) => ({
  id: open.id,
  global_id: open.global_id,
  global_id_lineage: open.global_id_lineage,
  author: open.author,
  status: open.status,
  date: open.dates.date,
  date_utc: open.dates.date_utc,
  modified: open.dates.modified,
  modified_utc: open.dates.modified_utc,
  url: open.url,
  rest_url: open.rest_url,
  title: open.title,
  description: closed.description,
  excerpt: closed.excerpt,
  slug: open.slug,
  image: closed.image,
  all_day: closed.all_day,
  start_date: open.start_date,
  start_date_details: open.start_date_details,
  end_date: open.end_date,
  end_date_details: open.end_date_details,
  utc_start_date: open.utc_start_date,
  utc_start_date_details: open.utc_start_date_details,
  utc_end_date: open.utc_end_date,
  utc_end_date_details: open.utc_end_date_details,
  timezone: open.timezone,
  timezone_abbr: open.timezone_abbr,
  cost: closed.cost.cost,
  cost_details: closed.cost.cost_details,
  website: closed.website,
  show_map: closed.show_map,
  show_map_link: closed.show_map_link,
  hide_from_listings: closed.hide_from_listings,
  sticky: closed.sticky,
  featured: closed.featured,
});

/** One object for one venue, a list for several, an empty list for none (C1). */
const oneOrList = <T>(list: T[]): T | T[] => (list.length === 1 && list[0] !== undefined ? list[0] : list);

/** The venues of an event record as a list, whichever form `venue` has. */
export const venuesOf = ({ venue }: Pick<EventRecord, 'venue'>) => [venue].flat();

const ticketsOf = (row: EventTable): Ticket[] | undefined =>
  row.tickets === null ? undefined : (JSON.parse(row.tickets) as Ticket[]);

const costOf = (row: EventTable, { site }: Context) => shownCost(row.cost, site.currencySymbol);
const websiteOf = ({ website }: EventTable, page: string): string => (website === null ? page : escapeUrl(website));

/**
 * Whether a member was sent as it is shown: clients read a record, change one member and write all of it back. What is
 * shown may be less than what is stored (only the lowest and the highest of several costs) or differ from it (the
 * event's page if there is no website).
 */
export function isAsShown(name: 'cost' | 'website', given: unknown, row: EventTable, context: Context): boolean {
  return given === (name === 'cost' ? costOf(row, context).cost : websiteOf(row, eventPage(row, context)));
}

/** The event's own members, before and after those of its linked records. */
export function ownMembers({ row, images }: Pick<FullEvent, 'row' | 'images'>, context: Context) {
  const open = openMembers(row, context);
  const tickets = ticketsOf(row);
  const parent = parentOf(row);
  const before = membersBefore(open, {
    description: renderHtml(row.description),
    excerpt: renderHtml(row.excerpt),
    image: shownImage(row.image_id, images, context) ?? (false as const),
    all_day: row.all_day === 1,
    cost: costOf(row, context),
    website: websiteOf(row, open.url),
    show_map: row.show_map === 1,
    show_map_link: row.show_map_link === 1,
    hide_from_listings: row.hide_from_listings === 1,
    sticky: row.sticky === 1,
    featured: row.featured === 1,
  });
  const after = {
    custom_fields: [],
    ...(row.parent_id !== null && parent && mayRead(context.caller, parent) ? { post_parent: row.parent_id } : {}),
    ...(tickets ? { ticketed: tickets.length > 0 ? providersOf(tickets) : (false as const), tickets } : {}),
  };
  return { before, after };
}

export function eventView(event: FullEvent, context: Context, single: boolean): EventRecord {
  const { row } = event;
  const { before, after } = ownMembers(event, context);
  const terms = (kind: TermRow['kind']) =>
    event.terms.filter((term) => term.kind === kind).map((term) => embeddedTermView(term, context));
  return Object.assign(
    before,
    {
      categories: terms('category'),
      tags: terms('tag'),
      venue: oneOrList(event.venues.map((venue) => venueView(venue, context, single, event.images))),
      organizer: event.organizers.map((organizer) => organizerView(organizer, context, single, event.images)),
    },
    after,
    single && row.password_hash === null && hasJsonLd(row, context) ? { json_ld: eventJsonLd(event, context) } : {},
  );
}

/** A protected event in a list: its title, times, author and addresses, but nothing that the password hides (E4). */
export function redactedView(row: EventTable, context: Context): EventRecord {
  return {
    ...membersBefore(openMembers(row, context), CLOSED),
    categories: [],
    tags: [],
    venue: [],
    organizer: [],
    custom_fields: [],
  };
}

const CLOSED: ClosedMembers = {
  description: '',
  excerpt: '',
  image: false,
  all_day: null,
  cost: { cost: '', cost_details: { currency_symbol: '', currency_position: '', currency_code: '', values: [] } },
  website: '',
  show_map: null,
  show_map_link: null,
  hide_from_listings: null,
  sticky: null,
  featured: null,
};

/** schema.org for real consumers: plain text, numbers, ISO 8601 (C4). Members before and after the linked records. */
export function ownJsonLd({ row, images }: Pick<FullEvent, 'row' | 'images'>, context: Context) {
  const zone = zoneOf(row, context);
  const url = eventPage(row, context);
  const offers = offersOf(row, ticketsOf(row) ?? [], url, context);
  const before = {
    '@context': 'http://schema.org',
    '@type': 'Event',
    name: plainText(row.title),
    description: row.excerpt !== '' ? plainText(row.excerpt) : excerptText(row.description),
    ...imageOf(row.image_id, images, context),
    url,
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    eventStatus: 'https://schema.org/EventScheduled',
    startDate: toIso(row.start_utc, zone),
    endDate: toIso(row.end_utc, zone),
  };
  return { before, after: { ...(offers.length > 0 ? { offers: oneOrList(offers) } : {}), performer: 'Organization' } };
}

function eventJsonLd(event: FullEvent, context: Context): Record<string, unknown> {
  const { venues, organizers, images } = event;
  const { before, after } = ownJsonLd(event, context);
  return {
    ...before,
    ...(venues.length > 0 ? { location: oneOrList(venues.map((venue) => venueJsonLd(venue, context, images))) } : {}),
    ...(organizers.length > 0
      ? { organizer: oneOrList(organizers.map((one) => organizerJsonLd(one, context, images))) }
      : {}),
    ...after,
  };
}

function offersOf(row: EventTable, tickets: Ticket[], page: string, context: Context): Record<string, unknown>[] {
  const published = `${toWall(row.date_utc, UTC).slice(0, 10)}T00:00:00+00:00`;
  const offer = (price: number, currency: string, url: string, from: string) => ({
    '@type': 'Offer',
    price,
    priceCurrency: currency,
    url,
    category: 'primary',
    availability: 'inStock',
    validFrom: from,
  });
  if (tickets.length > 0) {
    return tickets.map((ticket) => ({
      ...offer(
        ticket.price ?? 0,
        ticket.currency ?? context.site.currencyCode,
        ticket.url ?? page,
        ticket.sale_starts ? `${ticket.sale_starts.replace(' ', 'T')}+00:00` : published,
      ),
      name: ticket.name,
      ...(ticket.sale_ends ? { validThrough: `${ticket.sale_ends.replace(' ', 'T')}+00:00` } : {}),
    }));
  }
  if (row.cost === '[]') return [];
  const { price, currency } = offerIn(row.cost, context.site.currencySymbol, context.site.currencyCode);
  return [offer(price, currency, page, published)];
}
