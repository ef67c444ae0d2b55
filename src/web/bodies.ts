import { type Caller, mayEdit, type Subject } from '../access/rights.js';
import type { EventRecord, Ticket } from '../events/event.shape.js';
import { venuesOf } from '../events/event.view.js';
import { shownAmount, shownPrice } from '../i18n/money.js';
import type { Translate } from '../i18n/translate.js';
import type { OrganizerRecord } from '../organizers/organizer.shape.js';
import type { EventTermRecord, TermRecord } from '../records/shape.js';
import { FREE, RANGE } from '../text/cost.js';
import { excerptText, plainText, renderHtml } from '../text/html.js';
import { isEmail } from '../text/url.js';
import { isOver, isWholeDays, shownTime } from '../time/shown.js';
import type { VenueRecord } from '../venues/venue.shape.js';
import { addressLine } from '../venues/venue.view.js';
import { escapeHtml } from './page.js';
import {
  addLink,
  type Findable,
  facts,
  hiddenMark,
  linkTo,
  outward,
  pictureAt,
  siteLink,
  type Telling,
  TOLD_WRONG,
  timeOf,
} from './parts.js';
import { queryOf, type Sought } from './sought.js';

/** The contents of record pages, as HTML. Texts of records were sanitized when they were rendered. */

type Pictured = Pick<EventRecord, 'image'> | Pick<VenueRecord, 'image'>;

function picture({ image }: Pictured): string {
  if (!image) return '';
  const { url, width = 0, height = 0, alt_text = '', sizes = {} } = image;
  // Only sizes that show the whole picture: some are cropped to a square.
  const whole = Object.values(sizes).filter((one) => Math.abs((one.height * width) / one.width - height) < width / 100);
  const choice = [...whole, { url, width }].map((one) => `${pictureAt(one.url)} ${one.width}w`).join(', ');
  const sources = whole.length > 0 ? ` srcset="${choice}" sizes="(max-width: 62rem) 100vw, 62rem"` : '';
  const size = width && height ? ` width="${width}" height="${height}"` : '';
  return `<img class="picture" src="${pictureAt(url)}"${sources} alt="${escapeHtml(alt_text)}"${size}>`;
}

/** An amount beside a currency sign; what is beside it may also be words. */
const PRICE = /^(\D*)(\d+(?:\.\d+)?)(\D*)$/;
/** Between an amount and a word. */
const WORD_BESIDE = /(?<=\p{L}\.?)(?=\d)|(?<=\d)(?=\p{L})/gu;
const isSign = (text: string): boolean => /\p{Sc}|^[A-Z]{3}$/u.test(text.trim());

/** The word for "free" is the program's own, or exactly the same word typed by a user, so it can be translated. */
function costOf({ cost }: EventRecord, { language, translate }: Telling): string {
  const shown = plainText(cost)
    .split(RANGE)
    .map((part) => {
      if (part === FREE) return translate('page.free');
      const [, before = '', amount, after = ''] = PRICE.exec(part) ?? [];
      const sign = (before + after).trim();
      if (amount === undefined) return part;
      return isSign(sign) ? shownPrice(language, Number(amount), sign) : part.replace(WORD_BESIDE, '\u00a0');
    });
  return `<bdi>${escapeHtml(shown.join(RANGE))}</bdi>`;
}

/** A price without a currency is a mere number: the seller's need not be that of the site. */
function offerOf({ name, url, price, currency }: Ticket, { language, translate }: Telling): string {
  const shown = outward(url, name) || escapeHtml(name);
  if (price === undefined) return shown;
  const amount = price === 0 ? translate('page.free') : shownAmount(language, price, currency);
  return `${shown}: <bdi>${escapeHtml(amount)}</bdi>`;
}

const textBody = (html: string | undefined): string => (html ? `<div class="text" dir="auto">${html}</div>` : '');

/** The beginning of the text, for search engines and link previews. */
export function summaryOf({ excerpt, description }: { excerpt?: string; description?: string }): string {
  return excerptText(excerpt || description || '', 30);
}

/** The time and the places of an event, as plain text. */
export const whenAndWhere = (event: EventRecord, { language }: Telling): string =>
  [
    shownTime(language, event.start_date, event.end_date, isWholeDays(event)),
    ...venuesOf(event).map(({ venue }) => plainText(venue)),
  ].join(', ');

function mapOf({ geo_lat, geo_lng, show_map_link }: VenueRecord, translate: Translate): string {
  if (!show_map_link || geo_lat === undefined || geo_lng === undefined) return '';
  const at = `${geo_lat}/${geo_lng}`;
  return outward(`https://www.openstreetmap.org/?mlat=${geo_lat}&mlon=${geo_lng}#map=17/${at}`, translate('page.map'));
}

/** Numbers and addresses run from left to right in every language. */
const leftToRight = (text: string): string => `<bdi dir="ltr">${escapeHtml(text)}</bdi>`;

function phone(one: { phone?: string | undefined }): string {
  const text = plainText(one.phone ?? '');
  const number = text.replace(/[^+\d]/g, '');
  // If there are two numbers, or words, it is unclear what to dial.
  if (!/^[\d\s()/.+-]{3,25}$/.test(text) || number.length < 3) return text && leftToRight(text);
  return `<a href="tel:${number}">${leftToRight(text)}</a>`;
}

function email(one: { email?: string | undefined }): string {
  const text = plainText(one.email ?? '');
  if (!isEmail(text)) return text && leftToRight(text);
  return `<a href="mailto:${escapeHtml(text)}">${leftToRight(text)}</a>`;
}

const lines = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('<br>');

/** Apart from what surrounds it, so that its numbers stay in their places in every language. */
export const addressOf = (venue: VenueRecord): string => {
  const address = addressLine(venue);
  return address && `<bdi>${escapeHtml(address)}</bdi>`;
};

/** A venue of which only the name is known may be new, or a name that was typed wrongly: its writers are led on. */
const addressMissing = ({ id, author, status }: VenueRecord, caller: Caller, telling: Telling): string =>
  mayEdit(caller, { author_id: Number(author), status, status_before_trash: null } as Subject)
    ? `<small>${siteLink(`/venue/edit/${id}`, 'form.add-address', telling)}</small>`
    : '';

const place = (venue: VenueRecord, caller: Caller, telling: Telling): string =>
  lines([
    linkTo(venue.url, venue.venue, telling) + hiddenMark(venue, telling),
    addressOf(venue) || addressMissing(venue, caller, telling),
    mapOf(venue, telling.translate),
  ]);

const person = (one: OrganizerRecord, telling: Telling): string =>
  linkTo(one.url, one.organizer, telling) + hiddenMark(one, telling);

function terms(path: string, some: readonly EventTermRecord[]): string {
  return some
    .map(({ slug, name }) => `<a href="${escapeHtml(`${path}${slug}/`)}" dir="auto">${escapeHtml(plainText(name))}</a>`)
    .join(', ');
}

/** `isOpen`: everybody may have it as a calendar file. */
export function eventBody(event: EventRecord, caller: Caller, telling: Telling, isOpen: boolean): string {
  const { translate, prefix } = telling;
  const offers = (event.tickets ?? []).map((one) => offerOf(one, telling));
  // For events without a website, the API returns the address of their own page.
  const website = event.website === event.url ? undefined : event.website;
  const over = isOver(event.utc_end_date) ? `<p role="note">${escapeHtml(translate('page.over'))}</p>` : '';
  return `${over}${picture(event)}${facts([
    [translate('page.when'), lines([timeOf(event, telling, true), isOpen ? addLink(event.url, telling) : ''])],
    [translate('page.where'), lines(venuesOf(event).map((venue) => place(venue, caller, telling)))],
    [translate('page.organizer'), lines(event.organizer.map((one) => person(one, telling)))],
    [translate('page.cost'), event.cost && costOf(event, telling)],
    [translate('page.tickets'), lines(offers)],
    [translate('page.website'), outward(website)],
  ])}${textBody(event.description)}${facts([
    [translate('page.categories'), terms(`${prefix}/events/category/`, event.categories)],
    [translate('page.tags'), terms(`${prefix}/tag/`, event.tags)],
  ])}`;
}

export function venueBody(venue: VenueRecord, { translate }: Telling): string {
  return `${picture(venue)}${facts([
    [translate('page.where'), lines([addressOf(venue), mapOf(venue, translate)])],
    [translate('page.phone'), phone(venue)],
    [translate('page.website'), outward(venue.website)],
  ])}${textBody(venue.description)}${upcoming(translate)}`;
}

export function organizerBody(organizer: OrganizerRecord, { translate }: Telling): string {
  return `${picture(organizer)}${facts([
    [translate('page.phone'), phone(organizer)],
    [translate('page.email'), email(organizer)],
    [translate('page.website'), outward(organizer.website)],
  ])}${textBody(organizer.description)}${upcoming(translate)}`;
}

/** Tells those who may see the record that it is not public, or is in no list. */
export function hiddenBody(one: Findable, telling: Telling): string {
  const mark = hiddenMark(one, telling);
  const closed = one.status === 'publish' ? '' : `<strong>${escapeHtml(telling.translate('page.not-public'))}</strong>`;
  return mark && `<p role="note">${closed}${mark}</p>`;
}

/** For users who may edit the record. A copy of an event saves typing where something takes place again (`copies`). */
export function editLinks(
  kind: 'event' | 'venue' | 'organizer' | 'category' | 'tag',
  id: number,
  telling: Telling,
  copies = false,
): string {
  const copy = copies ? ` ${siteLink(`/events/new?copy=${id}`, 'form.copy', telling)}` : '';
  return `<p class="edit">${siteLink(`/${kind}/edit/${id}`, 'form.edit', telling)}${copy}</p>`;
}

/** `above`: the category that this one is part of. */
export function termBody({ name, description }: TermRecord, above: TermRecord | undefined, telling: Telling): string {
  const way = above
    ? `<p>${linkTo(above.url, above.name, telling)} › <bdi>${escapeHtml(plainText(name))}</bdi></p>`
    : '';
  return way + textBody(description && renderHtml(description));
}

/** So many categories can be looked through at a glance; more would push the events down. */
const MOST_SEEN = 30;

/** Where readers can go on who look for something of a kind. */
export function categoriesBody(some: readonly TermRecord[], telling: Telling): string {
  const label = telling.translate('page.categories');
  const links = some
    .map(({ url, name, slug }) => linkTo(url, plainText(name).trim() === '' ? slug : name, telling))
    .join(', ');
  if (some.length <= MOST_SEEN) return facts([[label, links]]);
  return `<details><summary>${escapeHtml(label)} (${some.length})</summary><p>${links}</p></details>`;
}

const upcoming = (translate: Translate): string => `<h2>${escapeHtml(translate('home.upcoming'))}</h2>`;

const EVENTS_AROUND = { prev: 'page.previous', next: 'page.next' };
export const PAGES_AROUND = { prev: 'page.page-before', next: 'page.page-after' };

/** Links to the previous and the next page. */
export function pagesBody(
  sought: Sought,
  page: number,
  pages: number,
  { translate }: Telling,
  texts = EVENTS_AROUND,
): string {
  const to = (n: number, rel: 'prev' | 'next'): string =>
    n < 1 || n > pages
      ? ''
      : `<a rel="${rel}" href="${escapeHtml(queryOf(sought, { page: String(n) }))}">${escapeHtml(translate(texts[rel]))}</a>`;
  const links = [to(page - 1, 'prev'), to(page + 1, 'next')].filter(Boolean);
  return links.length > 0
    ? `<nav aria-label="${page}/${pages}">${links.join(' ')}<span>${page}/${pages}</span></nav>`
    : '';
}

/** Without an action, the form leads to its own page and so keeps the language. */
export const searchForm = ({ search, from, past }: Sought, { translate }: Telling): string =>
  `<form role="search">${past && '<input type="hidden" name="past" value="1">'}<label>${escapeHtml(translate('page.search'))}
<input type="search" name="search" value="${escapeHtml(search)}" maxlength="1000" dir="auto"></label>
<label>${escapeHtml(translate('page.from'))}
<input type="date" name="from" value="${escapeHtml(from)}"></label>
<button>${escapeHtml(translate('page.find'))}</button></form>`;

/** Whoever looks for something may not know that it is over. */
export const pastLink = ({ search, from, past }: Sought, { translate }: Telling): string =>
  past || from
    ? ''
    : `<p><a rel="nofollow" href="${escapeHtml(queryOf({ search, from, past: '1' }, {}))}">${escapeHtml(translate('page.past'))}</a></p>`;

export const missingBody = (telling: Telling): string =>
  `<p>${escapeHtml(telling.translate('page.gone'))}</p>
<p>${siteLink('/events/', 'page.all', telling)}</p>`;

/** A protected event: what a list shows of it (E4), and the form for the password. */
export function closedBody(event: EventRecord | undefined, isWrong: boolean, telling: Telling): string {
  const form = passwordForm(isWrong, telling.translate);
  if (!event) return form;
  return `<p>${timeOf(event, telling, true)}</p><p>${escapeHtml(telling.translate('page.protected'))}</p>${form}`;
}

const passwordForm = (isWrong: boolean, translate: Translate): string =>
  `${isWrong ? `<p role="alert" id="problem">${escapeHtml(translate('page.wrong'))}</p>` : ''}
<form method="post"><label>${escapeHtml(translate('page.password'))}
<input type="password" name="password" autocomplete="off" required${isWrong ? `${TOLD_WRONG} autofocus` : ''}></label>
<button>${escapeHtml(translate('page.open'))}</button></form>`;
