import type { FastifyRequest } from 'fastify';
import type { EventRecord } from '../events/event.shape.js';
import { venuesOf } from '../events/event.view.js';
import type { Routed } from '../http/address.js';
import { LANGUAGES, type Language, ownName } from '../i18n/languages.js';
import type { Translate } from '../i18n/translate.js';
import type { Address } from '../records/context.js';
import { plainText } from '../text/html.js';
import { isWholeDays, machineTime, shownTime } from '../time/shown.js';
import { escapeHtml, sitePath } from './page.js';
import { ANYTHING, queryOf } from './sought.js';

/** Pieces that several pages show alike, as HTML. */

export interface Telling {
  language: Language;
  translate: Translate;
  /** What stands before every path on this site. */
  site: string;
  /** What stands before the paths of pages: the same, and the language if the reader's address names one. */
  prefix: string;
}

interface Spoken {
  address: (request: FastifyRequest) => Address;
  translate: (request: FastifyRequest) => Translate;
}

export function tellingOf(request: FastifyRequest, { address, translate }: Spoken): Telling {
  const site = sitePath(address(request).home);
  const chosen = (request.raw as Routed).placed?.language;
  const prefix = chosen === undefined ? site : `${site}/${chosen}`;
  return { language: request.language ?? 'en', translate: translate(request), site, prefix };
}

/** Of a field that was filled in wrongly; what is wrong is told above it. */
export const TOLD_WRONG = ' aria-describedby="problem" aria-invalid="true"';

/** What is asked of the interface for all that is not over yet. */
export const NOT_OVER = { ends_after: 'now', strict_dates: 'true' };

/** To a page of this site, by its path alone: whoever comes by another name of the site, or in a language, stays there. */
export function pathTo(url: string, { site, prefix }: Telling): string {
  const { pathname, search } = new URL(url);
  return prefix + pathname.slice(site.length) + search;
}

export const linkTo = (url: string, html: string, telling: Telling): string =>
  `<a href="${escapeHtml(pathTo(url, telling))}" dir="auto">${escapeHtml(plainText(html))}</a>`;

/** What strangers do not see is marked for those who do. */
export const hiddenMark = ({ status }: { status: string }, { translate }: Telling): string =>
  status === 'publish' ? '' : ` <small>(${escapeHtml(translate('page.not-public'))})</small>`;

/** What asks for a page as a calendar, by the name that others of this family know it by. */
export const CALENDAR = 'ical';

/** The address of the calendar of a page, in the language of its reader. */
export const calendarAt = (page: string, telling: Telling, sought = ANYTHING): string =>
  new URL(page).origin + pathTo(page, telling) + queryOf(sought, { [CALENDAR]: '1' });

const calendarLink = (address: string, text: string): string =>
  `<a rel="nofollow" href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;

/** What an event can be put into one's own calendar by. */
export const addLink = (event: string, telling: Telling): string =>
  calendarLink(calendarAt(event, telling), telling.translate('page.add'));

/** What a list can be had by: followed from then on, or once. */
export const subscribeLinks = (address: string, { translate }: Telling): string =>
  `<p class="ways">${calendarLink(address.replace(/^https?:/, 'webcal:'), translate('page.subscribe'))}
${calendarLink(address, translate('page.download'))}</p>`;

/** To the front door, and to all that is on. */
export const siteLinks = (siteName: string, { translate, prefix }: Telling): string =>
  `<nav><a href="${escapeHtml(prefix)}/" dir="auto">${escapeHtml(siteName)}</a>
<a href="${escapeHtml(prefix)}/events/">${escapeHtml(translate('home.upcoming'))}</a></nav>`;

/** To the same page in each language, which is named in itself; `path`: below the site. */
export function languageLinks(path: string, { language, translate, site }: Telling): string {
  const links = LANGUAGES.map((one) => {
    const here = one === language ? ' aria-current="true"' : '';
    const href = escapeHtml(`${site}/${one}${path}`);
    return `<a href="${href}" lang="${one}" hreflang="${one}"${here}>${escapeHtml(ownName(one))}</a>`;
  });
  return `<nav aria-label="${escapeHtml(translate('docs.languages'))}">${links.join(' ')}</nav>`;
}

export function timeOf(event: EventRecord, { language }: Telling): string {
  const { start_date, end_date, utc_start_date, timezone } = event;
  const isAllDay = isWholeDays(event);
  const shown = shownTime(language, start_date, end_date, isAllDay);
  const zone = isAllDay ? '' : ` <small dir="ltr">${escapeHtml(timezone)}</small>`;
  const machine = isAllDay ? start_date.slice(0, 10) : machineTime(utc_start_date);
  return `<time datetime="${machine}">${escapeHtml(shown)}</time>${zone}`;
}

interface Listed {
  /** The venue whose page it is, which need not be named again under each event. */
  here?: unknown;
  /** What is said where there are none. */
  none?: string;
}

export function eventList(events: readonly EventRecord[], telling: Telling, { here, none }: Listed = {}): string {
  if (events.length === 0) return `<p>${escapeHtml(telling.translate(none ?? 'home.none'))}</p>`;
  return `<ul class="events">${events.map((event) => item(event, telling, here)).join('\n')}</ul>`;
}

function item(event: EventRecord, telling: Telling, here: unknown): string {
  const others = venuesOf(event).filter(({ id }) => id !== here);
  const places = others.map(({ venue }) => `<bdi>${escapeHtml(plainText(venue))}</bdi>`);
  const where = places.length > 0 ? `<br>${places.join(', ')}` : '';
  return `<li>${timeOf(event, telling)}<br><strong>${linkTo(event.url, event.title, telling)}</strong>${hiddenMark(event, telling)}${where}</li>`;
}

/** Of a list of facts about something, those that say anything; each value is HTML. */
export function facts(rows: readonly [label: string, html: string][]): string {
  const told = rows.filter(([, html]) => html !== '');
  if (told.length === 0) return '';
  return `<dl>${told.map(([label, html]) => `<dt>${escapeHtml(label)}</dt><dd>${html}</dd>`).join('\n')}</dl>`;
}

/** To another site, by its address as the interface tells it. */
export function outward(told: string | undefined, text?: string): string {
  const url = plainText(told ?? '');
  if (!/^https?:/.test(url)) return '';
  return `<a href="${escapeHtml(url)}" rel="noopener nofollow">${escapeHtml(text ?? url)}</a>`;
}
