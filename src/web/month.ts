import { Failure } from '../errors.js';
import type { EventRecord } from '../events/event.shape.js';
import { addHours, endOfDay, nowSeconds, startOfDay } from '../time/clock.js';
import { dayAfter, isMonth, monthLater, weeksOf } from '../time/month.js';
import { isByClocksOf, isWholeDays, machineTime, shownAs, shownDay } from '../time/shown.js';
import { toWall } from '../time/zone.js';
import { gathered } from './feed.js';
import { type EventPage, eventsFor, type Shown, type Tell } from './frame.js';
import { escapeHtml } from './page.js';
import { hiddenMark, linkTo, type Telling } from './parts.js';
import { ANYTHING, queryOf } from './sought.js';

/** A month like a wall calendar; each event is shown at the local time of its own place. */

/** How many events of a day are shown, and how many of those that begin on it are read; for more there is a list. */
const SHOWN = 5;
const LOOKED_AT = 10;
/** How many of those that last longer are read. */
const LASTING = 50;
/** An event that ends before this hour still belongs to the evening before. */
const EARLIEST_HOUR = 6;

interface Day {
  date: string;
  events: EventRecord[];
  /** There are more events than were read. */
  isFull: boolean;
}

type Ask = (given: Record<string, string | number>) => Promise<EventPage>;

/** The API counts in days of the site, but events have local dates: so one more day is read on each side. */
async function daysOf(dates: readonly string[], ask: Ask): Promise<Map<string, Day>> {
  const found = new Map<number, EventRecord>();
  const full = new Set<string>();
  const note = (page: EventPage, days: readonly string[]): void => {
    for (const event of page.events) found.set(event.id, event);
    if (page.total > page.events.length) for (const date of days) full.add(date);
  };
  const asked = new Set(dates.flatMap((date) => [dayAfter(date, -1), date, dayAfter(date, 1)]));
  const [first = ''] = asked;
  const midnight = startOfDay(first);
  const goesOn = { starts_before: midnight, ends_after: midnight, strict_dates: 'true', per_page: LASTING };
  note(await ask(goesOn), dates);
  for (const date of asked) {
    const begins = { start_date: date, starts_before: date };
    note(await ask(begins), [date]);
    // Long events must not get lost among the many that begin on the same day.
    if (full.has(date)) note(await ask({ ...begins, ends_after: date, per_page: LASTING }), [date]);
  }
  const events = [...found.values()].sort((one, other) => (one.start_date < other.start_date ? -1 : 1));
  return new Map(dates.map((date) => [date, { date, events: onDay(date, events), isFull: full.has(date) }]));
}

/** The last day on which an event is shown: one that ends late at night belongs to the evening. */
const lastDayOf = ({ end_date }: EventRecord): string => addHours(end_date, -EARLIEST_HOUR).slice(0, 10);

/** Events that begin on a day come first, so that those that go on for weeks do not crowd them out. */
function onDay(date: string, events: readonly EventRecord[]): EventRecord[] {
  const begins = ({ start_date }: EventRecord): boolean => start_date.startsWith(date);
  const goesOn = (event: EventRecord): boolean => event.start_date < date && lastDayOf(event) >= date;
  return [...events.filter(begins), ...events.filter(goesOn)];
}

/** The page of a month. Like a calendar file it takes many API calls, so it is queued and cached with those. */
export const monthTeller =
  (site: Shown): Tell =>
  async (request, telling) => {
    const now = toWall(nowSeconds(), site.zone);
    const { month = now.slice(0, 7) } = request.params as { month?: string };
    if (!isMonth(month)) throw new Failure('rest_no_route');
    const { language, prefix } = telling;
    const weeks = weeksOf(month, language);
    const [first = '', last = ''] = [`${month}-01`, datesIn(weeks).at(-1)];
    const ask: Ask = (given) => eventsFor(site, request, { per_page: LOOKED_AT, ...given });
    const make = async (): Promise<Buffer> => {
      const ways = await waysFrom(month, first, last, ask, telling);
      const days = await daysOf(datesIn(weeks), ask);
      return Buffer.from(ways + grid(weeks, days, now, telling));
    };
    const key = request.caller?.user ? undefined : JSON.stringify([month, language, prefix, now.slice(0, 10)]);
    const body = await site.calendars.of(key, await site.lastChange(request), request.ip, make);
    return {
      title: shownDay(language, first, 'month'),
      body: body.toString(),
      api: '/',
      canonical: `${site.address(request).home}/events/month/${month}/`,
      calendar: () => gathered(site, request, { ends_after: startOfDay(first), starts_before: endOfDay(last) }),
    };
  };

type Weeks = readonly (string | undefined)[][];

const datesIn = (weeks: Weeks): string[] => weeks.flat().filter((date) => date !== undefined);

/** Links to the months beside it, if there are events that way: otherwise crawlers would never come to an end. */
async function waysFrom(month: string, first: string, last: string, ask: Ask, telling: Telling): Promise<string> {
  const earlier = await ask({ starts_before: startOfDay(first), strict_dates: 'true', per_page: 1 });
  const later = await ask({ ends_after: last, per_page: 1 });
  const ways = [
    earlier.total > 0 ? wayTo(monthLater(month, -1), 'prev', telling) : '',
    later.total > 0 ? wayTo(monthLater(month, 1), 'next', telling) : '',
  ].filter(Boolean);
  const name = escapeHtml(telling.translate('page.month'));
  return ways.length > 0 ? `<nav aria-label="${name}">${ways.join(' ')}</nav>` : '';
}

function grid(weeks: Weeks, days: ReadonlyMap<string, Day>, now: string, telling: Telling): string {
  const isEmpty = [...days.values()].every(({ events }) => events.length === 0);
  const none = isEmpty ? `<p>${escapeHtml(telling.translate('page.month-none'))}</p>` : '';
  const rows = weeks.map((week) => {
    const cells = week.map((date) => cell(days.get(date ?? ''), now, telling));
    return `<tr>${cells.join('')}</tr>`;
  });
  return `${none}<table class="month">${weekdaysRow(weeks, telling)}<tbody>${rows.join('\n')}</tbody></table>`;
}

const pathOf = (month: string, { prefix }: Telling): string => `${prefix}/events/month/${month && `${month}/`}`;

/** The link from a list to the month of its first day; the current month is in the navigation of every page. */
export const monthLink = (day: string, telling: Telling): string =>
  day &&
  `<p><a href="${escapeHtml(pathOf(day.slice(0, 7), telling))}">${escapeHtml(telling.translate('page.month'))}</a></p>`;

function wayTo(month: string | undefined, rel: 'prev' | 'next', telling: Telling): string {
  if (month === undefined) return '';
  const name = shownDay(telling.language, `${month}-01`, 'month');
  return `<a rel="${rel}" href="${escapeHtml(pathOf(month, telling))}">${escapeHtml(name)}</a>`;
}

/** Any complete week gives the names of the weekdays. */
function weekdaysRow(weeks: Weeks, { language }: Telling): string {
  const week = weeks.find((one) => !one.includes(undefined)) ?? [];
  const names = week.map((day = '') => {
    const [short, long] = [shownDay(language, day, 'shortWeekday'), shownDay(language, day, 'weekday')];
    return `<th scope="col"><abbr title="${escapeHtml(long)}">${escapeHtml(short)}</abbr></th>`;
  });
  return `<thead><tr>${names.join('')}</tr></thead>`;
}

/** Days of other months are blank. */
function cell(day: Day | undefined, now: string, telling: Telling): string {
  if (!day) return '<td></td>';
  const { date, events, isFull } = day;
  const today = now.startsWith(date) ? ' aria-current="date"' : '';
  const weekday = shownDay(telling.language, date, 'weekday');
  const label = `<time datetime="${date}"><span class="weekday">${escapeHtml(weekday)} </span>${Number(date.slice(8))}</time>`;
  if (events.length === 0 && !isFull) return `<td class="free"${today}>${label}</td>`;
  const items = events.slice(0, SHOWN).map((event) => {
    const hour = event.start_date.startsWith(date) ? hourOf(event, telling) : '';
    return `<li>${hour}${linkTo(event.url, event.title, telling)}${hiddenMark(event, telling)}</li>`;
  });
  const rest = isFull || events.length > SHOWN ? more(date, telling) : '';
  return `<td${today}>${label}<ul>${items.join('\n')}</ul>${rest}</td>`;
}

/** The local time of the event; if it is not the time of the site, with its time zone. */
function hourOf(event: EventRecord, { language, zone }: Telling): string {
  if (isWholeDays(event)) return '';
  const hour = escapeHtml(shownAs('hour', language, event.start_date));
  const clock = isByClocksOf(zone, event) ? '' : ` <small dir="ltr">${escapeHtml(event.timezone_abbr)}</small>`;
  return `<time datetime="${machineTime(event.utc_start_date)}">${hour}</time>${clock} `;
}

function more(date: string, { language, translate, prefix }: Telling): string {
  const text = translate('page.more');
  const label = `${text}: ${shownDay(language, date)}`;
  const href = `${prefix}/events/${queryOf({ ...ANYTHING, from: date }, {})}`;
  return `<p><a rel="nofollow" href="${escapeHtml(href)}" aria-label="${escapeHtml(label)}">${escapeHtml(text)}</a></p>`;
}
