import type { EventRecord } from '../events/event.shape.js';
import { plainLines, plainText } from '../text/html.js';
import { addDays, compact, fromUtc } from '../time/clock.js';
import { isWholeDays } from '../time/shown.js';
import { findZone, onlyInstant, type Zone } from '../time/zone.js';
import { addressLine } from '../venues/venue.view.js';
import { line, text } from './lines.js';
import { zoneBlock } from './zone.js';

/** Events as iCalendar (RFC 5545, 7986), for the calendars of people and for programs that collect them. */

/** What stays the same of an event whatever becomes of it, and how often it was changed. */
export interface Edition {
  id: number;
  uid: string;
  revision: number;
}

export interface Contents {
  events: readonly EventRecord[];
  editions: readonly Edition[];
}

export interface Calendar extends Contents {
  name: string;
  /** The page that shows the same. */
  url: string;
}

/** Some calendars take no more than a megabyte; what begins last is left out then. */
const MOST_BYTES = 1_000_000;
/** Whoever wants to read more goes to the page. */
const MOST_TEXT = 8_000;
/** How often it is worth asking again. */
const REFRESH = 'PT1H';

const utc = (wall: string): string => `${compact(wall)}Z`;

/** Zones of places are told along with the events; others are told to nobody but by their distance from UTC. */
const placeOf = ({ timezone }: EventRecord): Zone | undefined =>
  timezone.includes('/') ? findZone(timezone) : undefined;

/** By the clock of the place, unless programs disagree on what it means: in the hour that comes twice. */
function moment(name: string, zone: Zone | undefined, wall: string, inUtc: string): string {
  return zone && onlyInstant(wall, zone) === fromUtc(inUtc)
    ? line(`${name};TZID=${zone.name}`, compact(wall))
    : line(name, utc(inUtc));
}

function times(event: EventRecord): string {
  const { start_date, end_date, utc_start_date, utc_end_date } = event;
  if (isWholeDays(event)) {
    const day = (wall: string): string => compact(wall).slice(0, 8);
    // The end is the day after.
    return line('DTSTART;VALUE=DATE', day(start_date)) + line('DTEND;VALUE=DATE', day(addDays(end_date, 1)));
  }
  const zone = placeOf(event);
  const start = moment('DTSTART', zone, start_date, utc_start_date);
  // What takes no time has no end.
  return utc_start_date === utc_end_date ? start : start + moment('DTEND', zone, end_date, utc_end_date);
}

function shortened(words: string): string {
  return words.length <= MOST_TEXT ? words : `${words.slice(0, MOST_TEXT).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Who invites is told as somebody to ask, and not as an organizer: that is for meetings that one is invited to. */
const contact = ({ organizer, phone, email }: EventRecord['organizer'][number]): string =>
  [organizer, phone, email]
    .map((one) => plainText(one ?? ''))
    .filter(Boolean)
    .join(', ');

function eventBlock(event: EventRecord, { uid, revision }: Edition): string {
  const venues = [event.venue].flat();
  const [place] = venues;
  const told = (name: string, value: string): string => (value === '' ? '' : line(name, text(value)));
  const where = venues.map((venue) => [plainText(venue.venue), addressLine(venue)].filter(Boolean).join(', '));
  return [
    line('BEGIN', 'VEVENT'),
    line('UID', uid),
    line('DTSTAMP', utc(event.modified_utc)),
    line('CREATED', utc(event.date_utc)),
    line('LAST-MODIFIED', utc(event.modified_utc)),
    line('SEQUENCE', String(revision)),
    times(event),
    told('SUMMARY', plainText(event.title)),
    told('DESCRIPTION', shortened(plainLines(event.description))),
    line('URL', event.url),
    told('LOCATION', where.join('; ')),
    place?.geo_lat === undefined || place.geo_lng === undefined ? '' : line('GEO', `${place.geo_lat};${place.geo_lng}`),
    ...event.organizer.map((one) => told('CONTACT', contact(one))),
    event.categories.length > 0
      ? line('CATEGORIES', event.categories.map(({ name }) => text(plainText(name))).join(','))
      : '',
    event.image ? line('ATTACH', event.image.url) : '',
    line('END', 'VEVENT'),
  ].join('');
}

/** Of those that are written, the zones, with the first and the last moment in them. */
function zoneBlocks(events: readonly EventRecord[]): string {
  const used = new Map<string, { zone: Zone; first: number; last: number }>();
  for (const event of events) {
    const zone = isWholeDays(event) ? undefined : placeOf(event);
    if (!zone) continue;
    const [start, end] = [fromUtc(event.utc_start_date), fromUtc(event.utc_end_date)];
    const { first, last } = used.get(zone.name) ?? { first: start, last: end };
    used.set(zone.name, { zone, first: Math.min(first, start), last: Math.max(last, end) });
  }
  return [...used.values()].map(({ zone, first, last }) => zoneBlock(zone, first, last)).join('');
}

export function calendarText({ name, url, events, editions }: Calendar): string {
  const edition = new Map(editions.map((one) => [one.id, one]));
  const written: EventRecord[] = [];
  const blocks: string[] = [];
  let bytes = 0;
  for (const event of events) {
    const known = edition.get(event.id);
    // Removed while it was looked for.
    if (!known) continue;
    const block = eventBlock(event, known);
    bytes += Buffer.byteLength(block);
    if (bytes > MOST_BYTES) break;
    blocks.push(block);
    written.push(event);
  }
  return [
    line('BEGIN', 'VCALENDAR'),
    line('VERSION', '2.0'),
    line('PRODID', '-//Kalends//Kalends//EN'),
    line('CALSCALE', 'GREGORIAN'),
    line('NAME', text(name)),
    line('X-WR-CALNAME', text(name)),
    line('URL', url),
    line('REFRESH-INTERVAL;VALUE=DURATION', REFRESH),
    line('X-PUBLISHED-TTL', REFRESH),
    zoneBlocks(written),
    ...blocks,
    line('END', 'VCALENDAR'),
  ].join('');
}
