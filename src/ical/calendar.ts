import { setImmediate as breath } from 'node:timers/promises';
import type { EventRecord } from '../events/event.shape.js';
import { venuesOf } from '../events/event.view.js';
import { plainLines, plainText } from '../text/html.js';
import { addDays, compact, fromUtc, yearsAhead } from '../time/clock.js';
import { isWholeDays } from '../time/shown.js';
import { findZone, onlyInstant, spelt, type Zone } from '../time/zone.js';
import { addressLine } from '../venues/venue.view.js';
import { line, text } from './lines.js';
import { zoneBlock } from './zone.js';

/** Events as iCalendar (RFC 5545, 7986), for people's calendars and for programs that collect events. */

/** The identifier that an event keeps whatever changes, and how often it was changed. */
export interface Edition {
  id: number;
  uid: string;
  revision: number;
}

/** Part of what a calendar is to contain; the most important parts come first. */
export interface Contents {
  events: readonly EventRecord[];
  editions: readonly Edition[];
}

export interface Calendar {
  name: string;
  /** The page that shows the same. */
  url: string;
  contents: AsyncIterable<Contents>;
}

/** Some calendar programs accept no more than a megabyte; the last events are left out then. */
const MOST_BYTES = 1_000_000;
/** The page has the full text. Markup is longer than the text in it. */
const MOST_TEXT = 8_000;
const MOST_MARKUP = 4 * MOST_TEXT;
/** Zones are described only for years near the present, for which they are known and have few changes. */
const YEARS_BACK = 2;
const YEARS_AHEAD = 6;
/** The approximate size of such a description. */
const ZONE_BYTES = 2_500;
/** How many events are written in one go; with more, other requests would notice the delay. */
const AT_ONCE = 10;
/** How often subscribers should ask for changes. */
const REFRESH = 'PT1H';

const utc = (wall: string): string => `${compact(wall)}Z`;

/**
 * The zone that local times refer to, described in the file; undefined: times are in UTC, as the zone is not that of a
 * place or the event is too far from the present.
 */
function placeOf(event: EventRecord): Zone | undefined {
  const { timezone, start_date, end_date } = event;
  const isNear = yearsAhead(start_date) >= -YEARS_BACK && yearsAhead(end_date) <= YEARS_AHEAD;
  return isNear && timezone.includes('/') && !isWholeDays(event) ? findZone(spelt(timezone)) : undefined;
}

/** The zones in use, with the first and the last instant in them. */
class Zones {
  private readonly used = new Map<string, { zone: Zone; first: number; last: number }>();

  note(zone: Zone, start: number, end: number): void {
    const known = this.used.get(zone.name) ?? { zone, first: start, last: end };
    this.used.set(zone.name, { ...known, first: Math.min(known.first, start), last: Math.max(known.last, end) });
  }

  get bytes(): number {
    return this.used.size * ZONE_BYTES;
  }

  blocks(): string {
    return [...this.used.values()].map(({ zone, first, last }) => zoneBlock(zone, first, last)).join('');
  }
}

/** Local time, unless programs disagree on what it means, as in the hour that comes twice: then UTC. */
function moment(name: string, zone: Zone | undefined, wall: string, inUtc: string): string {
  return zone && onlyInstant(wall, zone) === fromUtc(inUtc)
    ? line(`${name};TZID=${zone.name}`, compact(wall))
    : line(name, utc(inUtc));
}

function times(event: EventRecord, zones: Zones): string {
  const { start_date, end_date, utc_start_date, utc_end_date } = event;
  if (isWholeDays(event)) {
    const day = (wall: string): string => compact(wall).slice(0, 8);
    const start = line('DTSTART;VALUE=DATE', day(start_date));
    // The end is the day after, but there is none after the last day that can be written.
    const after = addDays(end_date, 1);
    return after === end_date ? start : start + line('DTEND;VALUE=DATE', day(after));
  }
  const zone = placeOf(event);
  if (zone) zones.note(zone, fromUtc(utc_start_date), fromUtc(utc_end_date));
  const start = moment('DTSTART', zone, start_date, utc_start_date);
  // An event without duration has no end.
  return utc_start_date === utc_end_date ? start : start + moment('DTEND', zone, end_date, utc_end_date);
}

function cut(words: string, most: number): string {
  return words.length <= most ? words : words.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/** Of a long text, only as much markup is parsed as can be shown, without a tag or entity that the cut would split. */
function textOf(html: string): string {
  const begun = html.length <= MOST_MARKUP ? html : cut(html, MOST_MARKUP).replace(/<[^<>]*$|&[^&;\s]{0,10}$/, '');
  const lines = plainLines(begun);
  const shown = cut(lines, MOST_TEXT);
  return shown === lines && begun === html ? shown : `${shown}…`;
}

/** Organizers become CONTACT: ORGANIZER in iCalendar is for meetings to which the reader is invited. */
const contact = ({ organizer, phone, email }: EventRecord['organizer'][number]): string =>
  [organizer, phone, email]
    .map((one) => plainText(one ?? ''))
    .filter(Boolean)
    .join(', ');

function eventBlock(event: EventRecord, { uid, revision }: Edition, zones: Zones): string {
  const venues = venuesOf(event);
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
    times(event, zones),
    told('SUMMARY', plainText(event.title)),
    told('DESCRIPTION', textOf(event.description)),
    line('URL', event.url),
    told('LOCATION', where.join('; ')),
    place?.geo_lat === undefined || place.geo_lng === undefined
      ? ''
      : line('GEO', `${place.geo_lat.toFixed(6)};${place.geo_lng.toFixed(6)}`),
    ...event.organizer.map((one) => told('CONTACT', contact(one))),
    event.categories.length > 0
      ? line('CATEGORIES', event.categories.map(({ name }) => text(plainText(name))).join(','))
      : '',
    event.image ? line('ATTACH', event.image.url) : '',
    line('END', 'VEVENT'),
  ].join('');
}

export async function calendarText({ name, url, contents }: Calendar): Promise<string> {
  const zones = new Zones();
  const blocks: string[] = [];
  let bytes = 0;
  fill: for await (const { events, editions } of contents) {
    const edition = new Map(editions.map((one) => [one.id, one]));
    for (const [at, event] of events.entries()) {
      if (at % AT_ONCE === 0) await breath();
      const known = edition.get(event.id);
      // It was removed after it was found.
      if (!known) continue;
      const block = eventBlock(event, known, zones);
      bytes += Buffer.byteLength(block);
      if (bytes + zones.bytes > MOST_BYTES) break fill;
      blocks.push(block);
    }
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
    zones.blocks(),
    ...blocks,
    line('END', 'VCALENDAR'),
  ].join('');
}
