import type { EventTable, OwnColumnsOf } from '../db/tables.js';
import { Failure, InvalidParams, invalidParam } from '../errors.js';
import { notOfType } from '../records/args.js';
import { flag } from '../records/post.rules.js';
import { cleanDescription, cleanHtml, cleanTitle, plainText } from '../text/html.js';
import { searchable } from '../text/search.js';
import { unescapeUrl } from '../text/url.js';
import { endOfDay, lastSecond, startOfDay } from '../time/clock.js';
import { parseMoment } from '../time/parse.js';
import { endInstant, findZone, toInstant, toWall, type Zone } from '../time/zone.js';
import type { EventValues } from './event.schema.js';

export type EventColumns = OwnColumnsOf<EventTable>;

/** When an event takes place: wall clock in its own zone, and the instants that result from it. */
export type Schedule = Pick<
  EventColumns,
  'timezone' | 'all_day' | 'start_local' | 'end_local' | 'start_utc' | 'end_utc'
>;

interface Point {
  local: string;
  utc: number;
}

function atWall(wall: string, zone: Zone): Point {
  const utc = toInstant(wall, zone);
  // In a daylight-saving gap the clock moves forward: store the time that exists (D4).
  return { local: toWall(utc, zone), utc };
}

/** Where the last hour of a day is skipped, its end is written 23:59:59 all the same, and comes before that. */
const wholeDays = (first: string, last: string, zone: Zone): { start: Point; end: Point } => ({
  start: atWall(startOfDay(first), zone),
  end: { local: endOfDay(last), utc: lastSecond(last, zone) },
});

/**
 * A date-time as sent: an instant, or a wall clock in the event's zone (D4). A wall clock equal to the stored one
 * (`before`) keeps the stored instant, even in the second of two identical hours: that is how the client read it.
 */
function atMoment(raw: string | number, zone: Zone, now: number, name: string, before: Point | undefined): Point {
  const moment = parseMoment(raw, { instant: now, zone, isNowIfBlank: before === undefined });
  if (!moment) throw invalidParam(name, 'reason.date');
  if ('instant' in moment) return { local: toWall(moment.instant, zone), utc: moment.instant };
  return moment.wall === before?.local ? before : atWall(moment.wall, zone);
}

/** The zone of an event: the given one, else the stored one, else the site's; `""` means the site's, too (D4, D6). */
function zoneFor(values: EventValues, before: Schedule | undefined, site: Zone): Zone {
  const name = values.timezone ?? before?.timezone ?? '';
  return name === '' ? site : (findZone(name) ?? site);
}

/**
 * The schedule after a write. Each of start, end, zone and all-day may be given alone (D2): a new zone keeps the wall
 * clock, and what is not affected keeps its exact instant.
 */
export function scheduled(values: EventValues, before: Schedule | undefined, site: Zone, now: number): Schedule {
  const zone = zoneFor(values, before, site);
  const moved = before === undefined || zone.name.toLowerCase() !== before.timezone.toLowerCase();
  const kept = (local: string, utc: number): Point => (moved ? atWall(local, zone) : { local, utc });
  let start = before && kept(before.start_local, before.start_utc);
  let end = before && kept(before.end_local, before.end_utc);
  if (values.start_date !== undefined) start = atMoment(values.start_date, zone, now, 'start_date', start);
  if (values.end_date !== undefined) end = atMoment(values.end_date, zone, now, 'end_date', end);
  if (!start) throw invalidParam('start_date', 'reason.date');
  if (!end) throw invalidParam('end_date', 'reason.date');
  const allDay = values.all_day ?? before?.all_day === 1;
  if (allDay) ({ start, end } = wholeDays(start.local, end.local, zone));
  // No longer: where its last hour was skipped, it ends at a time that exists.
  else if (before?.all_day) end = { local: toWall(end.utc, zone), utc: end.utc };
  if (end.utc < start.utc) end = { local: end.local, utc: endInstant(end.local, zone, start.utc) };
  if (end.utc < start.utc) {
    // A number that yields no valid end is reported as a wrong type, as in the reference (A6).
    if (typeof values.end_date === 'number')
      throw new InvalidParams(new Map([['end_date', notOfType('string').problem]]));
    throw invalidParam('end_date', 'reason.end_before_start');
  }
  return {
    timezone: zone.name,
    all_day: allDay ? 1 : 0,
    start_local: start.local,
    end_local: end.local,
    start_utc: start.utc,
    end_utc: end.utc,
  };
}

export type Times = Omit<Schedule, 'timezone' | 'all_day'>;

/** The times by today's zone rules, from the wall clock; undefined if they stay the same or the zone is unknown. */
export function rescheduled(before: Schedule): Times | undefined {
  const zone = findZone(before.timezone);
  if (!zone) return undefined;
  const today = (local: string, utc: number): Point =>
    toWall(utc, zone) === local ? { local, utc } : atWall(local, zone);
  const { start, end } = before.all_day
    ? wholeDays(before.start_local, before.end_local, zone)
    : { start: today(before.start_local, before.start_utc), end: today(before.end_local, before.end_utc) };
  const is = (point: Point, side: 'start' | 'end'): boolean =>
    point.local === before[`${side}_local`] && point.utc === before[`${side}_utc`];
  if (is(start, 'start') && is(end, 'end')) return undefined;
  // A new gap may have moved the start beyond the end.
  const last = end.utc < start.utc ? start : end;
  return { start_local: start.local, start_utc: start.utc, end_local: last.local, end_utc: last.utc };
}

const FLAGS = ['show_map', 'show_map_link', 'hide_from_listings', 'sticky', 'featured'] as const;
/** All columns: V8 copies a large object quickly, but takes long to add members to the copy. */
const NEW_EVENT: EventColumns = {
  title: '',
  description: '',
  excerpt: '',
  password_hash: null,
  image_id: null,
  cost: '[]',
  website: null,
  show_map: 0,
  show_map_link: 0,
  hide_from_listings: 0,
  sticky: 0,
  featured: 0,
  ticketed: 0,
  tickets: null,
  parent_id: null,
  custom_fields: null,
  lineage: null,
  timezone: '',
  all_day: 0,
  start_local: '',
  end_local: '',
  start_utc: 0,
  end_utc: 0,
};

/** Only the columns that were given; the schedule and the links are handled elsewhere. */
export function givenColumns(values: EventValues): Partial<EventColumns> {
  const columns: Partial<EventColumns> = {};
  if (values.title !== undefined) columns.title = cleanTitle(values.title);
  if (values.description !== undefined) columns.description = cleanDescription(values.description);
  if (values.excerpt !== undefined) columns.excerpt = cleanHtml(values.excerpt);
  if (values.cost !== undefined) columns.cost = JSON.stringify(values.cost);
  if (values.website !== undefined) columns.website = unescapeUrl(values.website);
  if (values.image !== undefined) columns.image_id = values.image;
  for (const name of FLAGS) {
    const value = values[name];
    if (value !== undefined) columns[name] = flag(value);
  }
  if (values.tickets !== undefined) {
    columns.tickets = JSON.stringify(values.tickets);
    columns.ticketed = flag(values.tickets.length > 0);
  }
  if (values.post_parent !== undefined) columns.parent_id = values.post_parent || null;
  return columns;
}

/** The title of an event that has none but says something (reference). */
const UNTITLED = 'Untitled';

/** All columns of a new event that are specific to events. */
export function newColumns(
  values: EventValues,
  schedule: Schedule,
  now: number,
  passwordHash: string | null,
): EventColumns & { modified_utc?: number } {
  const given = givenColumns(values);
  const isUntitled = !given.title || plainText(given.title) === '';
  if (isUntitled && !given.description && !given.excerpt) throw new Failure('empty_content');
  const columns: EventColumns = {
    ...NEW_EVENT,
    ...given,
    ...(isUntitled ? { title: UNTITLED } : {}),
    ...schedule,
    password_hash: passwordHash,
  };
  // An event created as sticky counts as saved twice: it was modified now, whatever its date.
  return columns.sticky === 1 ? { modified_utc: now, ...columns } : columns;
}

/** What its slug is made from: an event without a title has one made from its id. */
export const nameOf = ({ title = '' }: EventValues, columns: Pick<EventColumns, 'title'>): string =>
  columns.title === UNTITLED ? title : columns.title;

export const touchesSchedule = (values: EventValues): boolean =>
  values.start_date !== undefined ||
  values.end_date !== undefined ||
  values.timezone !== undefined ||
  values.all_day !== undefined;

const SEARCHED = ['title', 'description', 'excerpt', 'password_hash'] as const;

/** Whether the searchable text may have changed. */
export const touchesSearch = (given: Partial<EventColumns>, before: EventColumns): boolean =>
  SEARCHED.some((name) => given[name] !== undefined && given[name] !== before[name]);

/** Only the title of a protected event can be found: search must not reveal what the password hides (E4). */
export function searchTextOf(event: Pick<EventColumns, (typeof SEARCHED)[number]>): string {
  const parts = event.password_hash === null ? [event.title, event.description, event.excerpt] : [event.title];
  return searchable(parts.map(plainText));
}
