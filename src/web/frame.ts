import type { FastifyReply, FastifyRequest } from 'fastify';
import { writes } from '../access/rights.js';
import { Failure, InvalidParams } from '../errors.js';
import type { EventRecord } from '../events/event.shape.js';
import { isOutsideApi, type Namespaces, type Routed } from '../http/address.js';
import { STATUS } from '../http/answers.js';
import type { Question, ToldInside } from '../http/api.js';
import { NOT_KEPT, waitOf } from '../http/headers.js';
import type { Translate } from '../i18n/translate.js';
import type { Contents, Edition } from '../ical/calendar.js';
import type { Address, Target } from '../records/context.js';
import type { TermRecord } from '../records/shape.js';
import { plainText } from '../text/html.js';
import type { Zone } from '../time/zone.js';
import { missingBody } from './bodies.js';
import type { Calendars } from './calendars.js';
import { escapeHtml, sendPage } from './page.js';
import {
  calendarAt,
  languageLinks,
  siteLink,
  siteLinks,
  skipLink,
  subscribeLinks,
  type Telling,
  tellingOf,
} from './parts.js';
import { ANYTHING, lastIn, queryOf, type Sought } from './sought.js';

/** What the frame around a page needs, whether it shows records or an error. */
export interface Framed {
  siteName: string;
  address: (request: FastifyRequest) => Address;
  crawled: (request: FastifyRequest) => Address;
  translate: (request: FastifyRequest) => Translate;
  /** The time zone of the site, which decides what day it is. */
  zone: Zone;
  /** The token in our forms: it proves that the form came from a page sent to the holder of this secret. */
  tokenFor: (secret: string) => string;
  isTokenFor: (secret: string, token: string) => boolean;
}

/** Pages show what the API returns. */
export interface Shown extends Framed {
  /** Calls the API on behalf of the signed-in user, or anonymously. */
  inquire: (request: FastifyRequest, question: Question) => Promise<ToldInside>;
  /** The editions of events that the API has returned. */
  editions: (request: FastifyRequest, ids: number[]) => Promise<Edition[]>;
  lastChange: (request: FastifyRequest) => Promise<number>;
  calendars: Calendars;
}

/** What the API returns to the reader of a page. */
export const answerTo = async (
  site: Shown,
  request: FastifyRequest,
  path: string,
  given: Record<string, unknown>,
  target?: Target,
): Promise<unknown> => (await site.inquire(request, { path, given, target })).told;

/** A page of the event list, with the members that web pages use. */
export interface EventPage {
  events: EventRecord[];
  total: number;
  total_pages: number;
}

/** A list for a page. Those who write also find what they have hidden from the lists of others (B12). */
export const eventsFor = async (
  site: Shown,
  request: FastifyRequest,
  given: Record<string, unknown>,
): Promise<EventPage> => {
  const more = writes(request.caller ?? {}) ? { context: 'edit' } : {};
  return (await answerTo(site, request, '/events', { ...more, ...given })) as EventPage;
};

/** What the API returns to the reader of a page, from so many pages of a list, of 50 records if it allows as many. */
export async function listOf<R>(
  site: Shown,
  request: FastifyRequest,
  plural: 'categories' | 'venues' | 'organizers',
  filters: Record<string, unknown>,
  mostPages: number,
): Promise<R[]> {
  const all: R[] = [];
  for (let page = 1, pages = 1; page <= Math.min(pages, mostPages); page++) {
    const found = await answerTo(site, request, `/${plural}`, { ...filters, per_page: 50, page });
    const { [plural]: records, total_pages } = found as Record<typeof plural, R[]> & { total_pages: number };
    all.push(...records);
    pages = total_pages;
  }
  return all;
}

/** A thousand categories. */
const MOST_PAGES = 20;
export const categoriesOf = (
  site: Shown,
  request: FastifyRequest,
  filters: Record<string, unknown>,
): Promise<TermRecord[]> => listOf(site, request, 'categories', filters, MOST_PAGES);

/** What differs from page to page. */
export interface Told {
  /** 200 if absent. */
  status?: number;
  title: string;
  body: string;
  /** The path of the same content in the API, below the API's address. */
  api: string;
  /** Where the language links lead, if not to the path of this page. */
  elsewhere?: string;
  /** For a list: what was searched for, and which page of the results this is. */
  sought?: Sought;
  page?: string;
  /** The canonical address; for a list, that of its first page. */
  canonical?: string | undefined;
  summary?: string | undefined;
  picture?: string | undefined;
  json_ld?: unknown;
  /** The events for a calendar file: those on the page and, if it is a list, further ones. */
  calendar?: () => AsyncIterable<Contents>;
  /** This is the sign-in page, which needs no link to itself. */
  isWayIn?: boolean;
}

export type Tell = (request: FastifyRequest, telling: Telling) => Promise<Told>;

export const pageIn = (request: FastifyRequest): string => lastIn(request, 'page') || '1';

const NUMBERED = new Map<string, Numbered['plural']>([
  ['tribe_events', 'events'],
  ['tribe_venue', 'venues'],
  ['tribe_organizer', 'organizers'],
]);

export interface Numbered {
  type: string;
  plural: 'events' | 'venues' | 'organizers';
  id: number;
}

const pathOf = (request: FastifyRequest): string => (request.raw as Routed).placed?.url.split('?', 1)[0] ?? '';

/** The record in an address of the form that unpublished records have: the front page with the record's id. */
export function numberedIn(request: FastifyRequest): Numbered | undefined {
  const { post_type, p } = request.query as { post_type?: unknown; p?: unknown };
  const type = String(post_type);
  const plural = pathOf(request) === '/' ? NUMBERED.get(type) : undefined;
  return plural !== undefined && /^[1-9]\d{0,15}$/.test(String(p)) ? { type, plural, id: Number(p) } : undefined;
}

/** The path and query of this page below the site, without the language. */
export function here(request: FastifyRequest, sought = ANYTHING): string {
  const numbered = numberedIn(request);
  if (numbered) return `/?post_type=${numbered.type}&p=${numbered.id}`;
  const page = pageIn(request);
  return pathOf(request).replace(/\/?$/, '/') + queryOf(sought, { page: Number(page) > 1 ? page : '' });
}

/**
 * The record may be hidden or not exist, so the sign-in link leads back to this path. An arbitrary path is not repeated
 * in a link: only plain characters and the percent-encoded letters of slugs.
 */
const simply = (path: string): string => (/^([\w/?=&-]|%[89a-f][\da-f])+$/i.test(path) ? path : '/');

export const [UNPUBLISHED, TRASH] = ['/events/unpublished', '/events/trash'] as const;

/** Where those who write go. */
const WRITERS_WAYS = [
  ['/events/new', 'form.new'],
  [UNPUBLISHED, 'form.unpublished'],
  [TRASH, 'form.trashed'],
] as const;

export function writersLinks({ caller = {} }: FastifyRequest, telling: Telling): string {
  if (!writes(caller)) return '';
  const links = WRITERS_WAYS.map(([path, text]) => siteLink(path, text, telling));
  return `<nav aria-label="${escapeHtml(telling.translate('form.edit'))}">${links.join('\n')}</nav>`;
}

const DONE = ['saved', 'trashed', 'removed', 'restored'] as const;

/** The page to go to after something was done, which says so there. */
export function withDone(path: string, done: (typeof DONE)[number]): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${done}`;
}

function doneBody(request: FastifyRequest, { translate }: Telling): string {
  const done = DONE.find((one) => one === textIn(request.query, 'done'));
  // Others have done nothing, whatever address they were given.
  if (!done || request.method !== 'GET' || !writes(request.caller ?? {})) return '';
  return `<p role="status">${escapeHtml(translate(`form.done.${done}`))}</p>`;
}

/** The link to sign in, or the user's name and the button to sign out. `back`: the path below the site to return to. */
export function accountBody(request: FastifyRequest, site: Framed, back: string, telling: Telling): string {
  const { translate, prefix } = telling;
  const { session, caller: { user } = {} } = request;
  if (!user || session === undefined) {
    return `<p><a rel="nofollow" href="${escapeHtml(wayIn(back, telling))}">${escapeHtml(translate('page.sign-in'))}</a></p>`;
  }
  // Isolated from the text direction around it.
  const name = `\u2068${user.username}\u2069`;
  return `<form method="post" action="${escapeHtml(prefix)}/sign-out">${tokenField(session, site)}
<p>${escapeHtml(translate('page.signed-in', { name }))} <button>${escapeHtml(translate('page.sign-out'))}</button></p></form>`;
}

/** To the sign-in page, and from there back; `back`: below the site. */
export const wayIn = (back: string, { prefix }: Telling): string =>
  `${prefix}/sign-in?${new URLSearchParams({ to: prefix + back })}`;

/** One field of a form or of a query; '' unless it is a text. */
export function textIn(given: unknown, name: string): string {
  const value = (given as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

/** Whether a form came from a page of ours that was sent to the holder of this secret. */
export const isOurs = (request: FastifyRequest, secret: string | undefined, { isTokenFor }: Framed): secret is string =>
  secret !== undefined && isTokenFor(secret, textIn(request.body, 'token'));

export const tokenField = (secret: string, site: Framed): string =>
  `<input type="hidden" name="token" value="${escapeHtml(site.tokenFor(secret))}">`;

/** Whether a browser asks for a page, outside the API, or submits one of our forms. */
export function isForPeople({ method, base, headers, routeOptions }: FastifyRequest): boolean {
  const asks = method === 'GET' || method === 'HEAD' || (method === 'POST' && routeOptions.config.bySession === true);
  return asks && base === undefined && (headers.accept?.includes('text/html') ?? false);
}

/** Outside the API, what is missing is a page, whatever the client accepts: it says where the API is (reference). */
export const hasMissingPage = ({ method, originalUrl }: FastifyRequest, namespaces: Namespaces): boolean =>
  (method === 'GET' || method === 'HEAD') && isOutsideApi(originalUrl, namespaces);

/** Redirects to another page of this site. Not cached, since others may be sent elsewhere. */
export const leadTo = (reply: FastifyReply, path: string, status: 302 | 303): FastifyReply =>
  reply.header('Cache-Control', NOT_KEPT).redirect(path, status);

/** Sends the 404 page. */
export const sendMissing = (request: FastifyRequest, reply: FastifyReply, site: Framed): Promise<unknown> =>
  sendTold(request, reply, site, async () => {
    throw new Failure('rest_no_route');
  });

/** The page for a server error, a bad request or a refusal. It needs nothing from the API or the database, which may be down. */
export function sendTrouble(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Framed,
  { status, message, retryAfter }: { status: number; message: string; retryAfter?: number | undefined },
): Promise<unknown> {
  reply.code(status).header('Cache-Control', NOT_KEPT);
  const wait = waitOf(status, retryAfter);
  if (wait !== undefined) reply.header('Retry-After', String(wait));
  // What a form was sent to need not exist as a page in other languages.
  const elsewhere = request.method === 'POST' ? { elsewhere: '/' } : {};
  return sendTold(request, reply, site, async () => ({ title: message, body: '', api: '/', ...elsewhere }));
}

function withPage(address: string, page: string): string {
  const url = new URL(address);
  url.searchParams.set('page', page);
  return url.href;
}

export async function sendTold(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Framed,
  tell: Tell,
): Promise<unknown> {
  const address = site.address(request);
  const telling = tellingOf(request, site);
  const told = await tell(request, telling).catch((error: unknown) => refusal(error, telling));
  if (told.status !== undefined) reply.code(told.status);
  if (request.method === 'POST') reply.header('Cache-Control', NOT_KEPT);
  const title = plainText(told.title);
  const page = Number(told.page ?? 1) > 1 ? told.page : undefined;
  // Search results do not belong in search engines.
  if (Object.values(told.sought ?? ANYTHING).some((one) => one !== '')) reply.header('X-Robots-Tag', 'noindex');
  const path = told.elsewhere ?? here(request);
  const calendar = told.calendar && told.canonical && calendarAt(told.canonical, telling, told.sought);
  const back = told.status === 404 ? simply(here(request)) : path;
  return sendPage(reply, {
    language: telling.language,
    title: [title, page].filter(Boolean).join(' – '),
    siteName: site.siteName,
    address,
    crawled: site.crawled(request),
    path: told.api,
    canonical: told.canonical && page ? withPage(told.canonical, page) : told.canonical,
    summary: told.summary,
    picture: told.picture,
    json_ld: told.json_ld,
    calendar,
    styles: ['/docs/assets/docs.css'],
    scripts: [],
    showsPictures: true,
    body: `${skipLink('main', telling)}
<header>${siteLinks(site.siteName, telling)}${writersLinks(request, telling)}<h1 dir="auto">${escapeHtml(title)}</h1>${doneBody(request, telling)}</header>
<main id="main" tabindex="-1">${told.body && `<section>${told.body}${calendar && told.page !== undefined ? subscribeLinks(calendar, telling) : ''}</section>`}</main>
<footer>${languageLinks(path, telling)}${told.isWayIn ? '' : accountBody(request, site, back, telling)}</footer>`,
  });
}

/** An address with invalid parameters, or of something forbidden, is treated like one that does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof InvalidParams || (error instanceof Failure && [400, 403, 404, 410].includes(STATUS[error.code]));

/** Turns a refusal into the 404 page; server errors are handled elsewhere. */
function refusal(error: unknown, telling: Telling): Told {
  if (!isMissing(error)) throw error;
  const title = telling.translate('page.missing');
  return { status: 404, title, body: missingBody(telling), api: '/', elsewhere: '/events/' };
}
