import type { FastifyRequest } from 'fastify';
import type { EventRecord } from '../events/event.shape.js';
import { venuesOf } from '../events/event.view.js';
import type { Routed } from '../http/address.js';
import { LANGUAGES, type Language, ownName } from '../i18n/languages.js';
import type { Translate } from '../i18n/translate.js';
import type { Address } from '../records/context.js';
import { plainText } from '../text/html.js';
import { isByClocksOf, isWholeDays, machineTime, shownTime } from '../time/shown.js';
import type { Zone } from '../time/zone.js';
import { escapeHtml, sitePath } from './page.js';
import { ANYTHING, queryOf } from './sought.js';

/** HTML fragments that several pages share. */

export interface Telling {
  language: Language;
  translate: Translate;
  /** The time zone of the site. */
  zone: Zone;
  /** The prefix of every path on this site. */
  site: string;
  /** The prefix of the paths of pages: the same, and the language if the reader's address names one. */
  prefix: string;
}

interface Spoken {
  address: (request: FastifyRequest) => Address;
  translate: (request: FastifyRequest) => Translate;
  zone: Zone;
}

export function tellingOf(request: FastifyRequest, { address, translate, zone }: Spoken): Telling {
  const site = sitePath(address(request).home);
  const chosen = (request.raw as Routed).placed?.language;
  const prefix = chosen === undefined ? site : `${site}/${chosen}`;
  return { language: request.language ?? 'en', translate: translate(request), zone, site, prefix };
}

/** The attributes of a field that was filled in wrongly; the message is above it. */
export const TOLD_WRONG = ' aria-describedby="problem" aria-invalid="true"';

/** The API parameters for all events that are not over yet, and for the others. */
export const NOT_OVER = { ends_after: 'now', strict_dates: 'true' };
export const OVER = { ends_before: 'now', strict_dates: 'true' };

/** The path to a page of this site, so that readers keep the host name and the language of their address. */
export function pathTo(url: string, { site, prefix }: Telling): string {
  const { pathname, search } = new URL(url);
  return prefix + pathname.slice(site.length) + search;
}

export const linkTo = (url: string, html: string, telling: Telling): string =>
  `<a href="${escapeHtml(pathTo(url, telling))}" dir="auto">${escapeHtml(plainText(html))}</a>`;

/** Whether everybody finds a record, and if not, why. */
export interface Findable {
  status: string;
  hide_from_listings?: boolean | null;
}

/** Marks records that others do not find, for those who may see them. */
export function hiddenMark({ status, hide_from_listings: isHidden }: Findable, { translate }: Telling): string {
  const marks = [status === 'publish' ? '' : `form.status.${status}`, isHidden ? 'page.hidden' : ''].filter(Boolean);
  return marks.length === 0 ? '' : ` <small>(${marks.map((one) => escapeHtml(translate(one))).join(', ')})</small>`;
}

/** The parameter that asks for a page as a calendar file, as other calendars of this family name it. */
export const CALENDAR = 'ical';

/** The address of a page's calendar file, in the language of the reader. */
export const calendarAt = (page: string, telling: Telling, sought = ANYTHING): string =>
  new URL(page).origin + pathTo(page, telling) + queryOf(sought, { [CALENDAR]: '1' });

const calendarLink = (address: string, text: string): string =>
  `<a rel="nofollow" href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;

/** The link that adds an event to the reader's own calendar. */
export const addLink = (event: string, telling: Telling): string =>
  calendarLink(calendarAt(event, telling), telling.translate('page.add'));

/** The links to subscribe to a list, or to download it once. */
export const subscribeLinks = (address: string, { translate }: Telling): string =>
  `<p class="ways">${calendarLink(address.replace(/^https?:/, 'webcal:'), translate('page.subscribe'))}
${calendarLink(address, translate('page.download'))}</p>`;

/** For those who go by keyboard or by ear: past the links at the top of a page. */
export const skipLink = (to: string, { translate }: Telling): string =>
  `<a class="skip" href="#${to}">${escapeHtml(translate('page.skip'))}</a>`;

/** A link to another page of this site, in the language of the reader; `text`: its key. */
export const siteLink = (path: string, text: string, { translate, prefix }: Telling): string =>
  `<a href="${escapeHtml(prefix + path)}">${escapeHtml(translate(text))}</a>`;

/** Where readers go. */
const WAYS = [
  ['/events/', 'home.upcoming'],
  ['/events/month/', 'page.month'],
  ['/venues/', 'page.venues'],
  ['/organizers/', 'page.organizers'],
] as const;

/** Links to the front page, unless this is it, and to the lists. */
export function siteLinks(siteName: string | undefined, telling: Telling): string {
  const home =
    siteName === undefined ? '' : `<a href="${escapeHtml(telling.prefix)}/" dir="auto">${escapeHtml(siteName)}</a>`;
  const lists = WAYS.map(([path, text]) => siteLink(path, text, telling));
  return `<nav>${[home, ...lists].filter(Boolean).join('\n')}</nav>`;
}

/** Links to the same page in each language, by the language's own name; `path`: below the site. */
export function languageLinks(path: string, { language, translate, site }: Telling): string {
  const links = LANGUAGES.map((one) => {
    const here = one === language ? ' aria-current="true"' : '';
    const href = escapeHtml(`${site}/${one}${path}`);
    return `<a href="${href}" lang="${one}" hreflang="${one}"${here}>${escapeHtml(ownName(one))}</a>`;
  });
  return `<nav aria-label="${escapeHtml(translate('docs.languages'))}">${links.join(' ')}</nav>`;
}

/** `zoned`: with the time zone, which goes without saying where it is that of the site. */
export function timeOf(event: EventRecord, { language, zone }: Telling, zoned = !isByClocksOf(zone, event)): string {
  const { start_date, end_date, utc_start_date, timezone } = event;
  const isAllDay = isWholeDays(event);
  const shown = shownTime(language, start_date, end_date, isAllDay);
  const named = isAllDay || !zoned ? '' : ` <small dir="ltr">${escapeHtml(timezone)}</small>`;
  const machine = isAllDay ? start_date.slice(0, 10) : machineTime(utc_start_date);
  return `<time datetime="${machine}">${escapeHtml(shown)}</time>${named}`;
}

interface Listed {
  /** The venue whose page this is; it need not be named again under each event. */
  here?: unknown;
  /** The message for an empty list. */
  none?: string;
}

export function eventList(events: readonly EventRecord[], telling: Telling, { here, none }: Listed = {}): string {
  if (events.length === 0) return `<p>${escapeHtml(telling.translate(none ?? 'home.none'))}</p>`;
  return `<ul class="events">${events.map((event) => item(event, telling, here)).join('\n')}</ul>`;
}

/** The path of one of our pictures: like that of a page, it leads to the host of the reader's address. */
export const pictureAt = (url: string): string => escapeHtml(new URL(url).pathname);

/** Decoration: the page of the event shows the whole picture and says what it shows. */
function thumbnail({ image }: EventRecord): string {
  if (!image) return '';
  const { url } = image.sizes?.thumbnail ?? image;
  return `<img class="thumbnail" src="${pictureAt(url)}" alt="" loading="lazy">`;
}

function item(event: EventRecord, telling: Telling, here: unknown): string {
  const others = venuesOf(event).filter(({ id }) => id !== here);
  const places = others.map(({ venue }) => `<bdi>${escapeHtml(plainText(venue))}</bdi>`);
  const where = places.length > 0 ? `<br>${places.join(', ')}` : '';
  return `<li>${thumbnail(event)}${timeOf(event, telling)}<br><strong>${linkTo(event.url, event.title, telling)}</strong>${hiddenMark(event, telling)}${where}</li>`;
}

/** A list of facts, without those that are empty; each value is HTML. */
export function facts(rows: readonly [label: string, html: string][]): string {
  const told = rows.filter(([, html]) => html !== '');
  if (told.length === 0) return '';
  return `<dl>${told.map(([label, html]) => `<dt>${escapeHtml(label)}</dt><dd>${html}</dd>`).join('\n')}</dl>`;
}

/** A link to another site, whose address is as the API returns it. */
export function outward(told: string | undefined, text?: string): string {
  const url = plainText(told ?? '');
  if (!/^https?:/.test(url)) return '';
  return `<a href="${escapeHtml(url)}" rel="noopener nofollow">${escapeHtml(text ?? url)}</a>`;
}
