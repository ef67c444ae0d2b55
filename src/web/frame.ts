import type { FastifyReply, FastifyRequest } from 'fastify';
import { writes } from '../access/rights.js';
import { Failure, InvalidParams } from '../errors.js';
import type { EventRecord } from '../events/event.shape.js';
import type { Routed } from '../http/address.js';
import { STATUS } from '../http/answers.js';
import type { Question, ToldInside } from '../http/api.js';
import { NOT_KEPT, waitOf } from '../http/headers.js';
import type { Translate } from '../i18n/translate.js';
import type { Contents, Edition } from '../ical/calendar.js';
import type { Address, Target } from '../records/context.js';
import { plainText } from '../text/html.js';
import type { Zone } from '../time/zone.js';
import { missingBody } from './bodies.js';
import type { Calendars } from './calendars.js';
import { escapeHtml, sendPage } from './page.js';
import { calendarAt, languageLinks, siteLinks, subscribeLinks, type Telling, tellingOf } from './parts.js';
import { ANYTHING, lastIn, queryOf, type Sought } from './sought.js';

/** What stands around the pages of records, and those that are shown in their place. */
export interface Framed {
  siteName: string;
  address: (request: FastifyRequest) => Address;
  crawled: (request: FastifyRequest) => Address;
  translate: (request: FastifyRequest) => Translate;
  /** What a form brings back to show that it was on a page of ours, which was given to whoever holds this secret. */
  tokenFor: (secret: string) => string;
}

/** What pages show is what the interface tells. */
export interface Shown extends Framed {
  /** A question to the interface, asked by whoever is signed in, or by nobody in particular. */
  inquire: (request: FastifyRequest, question: Question) => Promise<ToldInside>;
  /** Of events that it told. */
  editions: (request: FastifyRequest, ids: number[]) => Promise<Edition[]>;
  lastChange: (request: FastifyRequest) => Promise<number>;
  calendars: Calendars;
  /** Whose days are those of the site. */
  zone: Zone;
}

/** What the interface tells whoever looks at a page. */
export const answerTo = async (
  site: Shown,
  request: FastifyRequest,
  path: string,
  given: Record<string, unknown>,
  target?: Target,
): Promise<unknown> => (await site.inquire(request, { path, given, target })).told;

/** A page of events, as far as pages look at it. */
export interface EventPage {
  events: EventRecord[];
  total: number;
  total_pages: number;
}

/** What differs from page to page. */
export interface Told {
  /** 200 unless said otherwise. */
  status?: number;
  title: string;
  body: string;
  /** What is asked of the interface for the same, below its address. */
  api: string;
  /** Where other languages lead to, if not to the path of this page. */
  elsewhere?: string;
  /** Of a list: what is looked for, and which page of it this is. */
  sought?: Sought;
  page?: string;
  /** Where its first page is at home. */
  canonical?: string | undefined;
  summary?: string | undefined;
  picture?: string | undefined;
  json_ld?: unknown;
  /** The events that it shows, and more of them if it is a list, for a calendar. */
  calendar?: () => AsyncIterable<Contents>;
  /** It is here that people sign in. */
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

/** The record in an address such as records have before they are published: that of the front page, with its number. */
export function numberedIn(request: FastifyRequest): Numbered | undefined {
  const { post_type, p } = request.query as { post_type?: unknown; p?: unknown };
  const type = String(post_type);
  const plural = pathOf(request) === '/' ? NUMBERED.get(type) : undefined;
  return plural !== undefined && /^[1-9]\d{0,15}$/.test(String(p)) ? { type, plural, id: Number(p) } : undefined;
}

/** The address of this page below the site, whatever its language. */
export function here(request: FastifyRequest, sought = ANYTHING): string {
  const numbered = numberedIn(request);
  if (numbered) return `/?post_type=${numbered.type}&p=${numbered.id}`;
  const page = pageIn(request);
  return pathOf(request).replace(/\/?$/, '/') + queryOf(sought, { page: Number(page) > 1 ? page : '' });
}

/** It may be hidden, or not be there: what could be anything is not repeated in a link, but for letters of a slug. */
const simply = (path: string): string => (/^([\w/?=&-]|%[89a-f][\da-f])+$/i.test(path) ? path : '/');

/** For those who edit: the way in, or who they are and the way out. `back`: below the site, where they come from. */
export function accountBody(request: FastifyRequest, site: Framed, back: string, telling: Telling): string {
  const { translate, prefix } = telling;
  const { session, caller: { user } = {} } = request;
  if (!user || session === undefined) {
    const to = new URLSearchParams({ to: prefix + back });
    return `<p><a rel="nofollow" href="${escapeHtml(`${prefix}/sign-in?${to}`)}">${escapeHtml(translate('page.sign-in'))}</a></p>`;
  }
  const addEvent = writes({ user })
    ? `<a href="${escapeHtml(prefix)}/events/new">${escapeHtml(translate('form.new'))}</a> `
    : '';
  // Apart from the direction of what is around it.
  const name = `\u2068${user.username}\u2069`;
  return `<form method="post" action="${escapeHtml(prefix)}/sign-out">${tokenField(session, site)}
<p>${addEvent}${escapeHtml(translate('page.signed-in', { name }))} <button>${escapeHtml(translate('page.sign-out'))}</button></p></form>`;
}

export const tokenField = (secret: string, site: Framed): string =>
  `<input type="hidden" name="token" value="${escapeHtml(site.tokenFor(secret))}">`;

/** Who looks at a page with a browser, and not below the interface; or sends a form of ours. */
export function isForPeople({ method, base, headers, routeOptions }: FastifyRequest): boolean {
  const asks = method === 'GET' || method === 'HEAD' || (method === 'POST' && routeOptions.config.bySession === true);
  return asks && base === undefined && (headers.accept?.includes('text/html') ?? false);
}

/** To another page of this site: what leads there may not be for everybody. */
export const leadTo = (reply: FastifyReply, path: string, status: 302 | 303): FastifyReply =>
  reply.header('Cache-Control', NOT_KEPT).redirect(path, status);

/** There is no such page. */
export const sendMissing = (request: FastifyRequest, reply: FastifyReply, site: Framed): Promise<unknown> =>
  sendTold(request, reply, site, async () => {
    throw new Failure('rest_no_route');
  });

/** Trouble of the server, or with what was sent. Nothing is asked of it for this. */
export function sendTrouble(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Framed,
  { status, message, retryAfter }: { status: number; message: string; retryAfter?: number | undefined },
): Promise<unknown> {
  reply.code(status).header('Cache-Control', NOT_KEPT);
  const wait = waitOf(status, retryAfter);
  if (wait !== undefined) reply.header('Retry-After', String(wait));
  // What was sent has no page in other languages.
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
  const { search, from } = told.sought ?? ANYTHING;
  // Nobody keeps a list of what others have looked for.
  if (search !== '' || from !== '') reply.header('X-Robots-Tag', 'noindex');
  const path = told.elsewhere ?? here(request);
  const calendar = told.calendar && told.canonical && calendarAt(told.canonical, telling, told.sought);
  const back = told.status === 404 ? simply(here(request)) : path;
  return sendPage(reply, {
    language: telling.language,
    title: [title, search, page, site.siteName].filter(Boolean).join(' – '),
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
    body: `<header>${siteLinks(site.siteName, telling)}<h1 dir="auto">${escapeHtml(title)}</h1></header>
<main>${told.body && `<section>${told.body}${calendar && told.page !== undefined ? subscribeLinks(calendar, telling) : ''}</section>`}</main>
<footer>${languageLinks(path, telling)}${told.isWayIn ? '' : accountBody(request, site, back, telling)}</footer>`,
  });
}

/** An address that asks for what cannot be is as good as one that leads nowhere. */
export const isMissing = (error: unknown): boolean =>
  error instanceof InvalidParams || (error instanceof Failure && [400, 403, 404, 410].includes(STATUS[error.code]));

/** What cannot be shown is told as a page, too; trouble of the server is not for here. */
function refusal(error: unknown, telling: Telling): Told {
  if (!isMissing(error)) throw error;
  const title = telling.translate('page.missing');
  return { status: 404, title, body: missingBody(telling), api: '/', elsewhere: '/events/' };
}
