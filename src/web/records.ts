import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, InvalidParams } from '../errors.js';
import type { EventRecord } from '../events/event.shape.js';
import type { Routed } from '../http/address.js';
import { STATUS } from '../http/answers.js';
import { BACK_SOON } from '../http/headers.js';
import type { Translate } from '../i18n/translate.js';
import type { OrganizerRecord } from '../organizers/organizer.shape.js';
import type { Address, Target } from '../records/context.js';
import type { TermRecord } from '../records/shape.js';
import { plainText } from '../text/html.js';
import type { VenueRecord } from '../venues/venue.shape.js';
import {
  closedBody,
  eventBody,
  missingBody,
  organizerBody,
  pagesBody,
  queryOf,
  searchForm,
  summaryOf,
  termBody,
  venueBody,
} from './bodies.js';
import { escapeHtml, sendPage } from './page.js';
import { eventList, languageLinks, NOT_OVER, pathTo, type Telling, tellingOf } from './parts.js';

/** The pages that `url` of a record leads to (C5): what the interface tells a stranger, for people to read. */
export interface Shown {
  siteName: string;
  address: (request: FastifyRequest) => Address;
  crawled: (request: FastifyRequest) => Address;
  translate: (request: FastifyRequest) => Translate;
  /** A question to the interface, asked by nobody in particular. */
  ask: (request: FastifyRequest, path: string, given: Record<string, unknown>, target?: Target) => Promise<unknown>;
}

/** What stands around a page. */
type Framed = Omit<Shown, 'ask'>;

interface EventPage {
  events: EventRecord[];
  total_pages: number;
}

/** What differs from page to page. */
interface Told {
  /** 200 unless said otherwise. */
  status?: number;
  title: string;
  body: string;
  /** What is asked of the interface for the same, below its address. */
  api: string;
  /** Where other languages lead to, if not to the path of this page. */
  elsewhere?: string;
  canonical?: string | undefined;
  summary?: string | undefined;
  json_ld?: unknown;
}

type Tell = (request: FastifyRequest, telling: Telling) => Promise<Told>;

const pageIn = (request: FastifyRequest): string => String((request.query as { page?: unknown }).page ?? '1');

/** What the page of all events is asked to look for; of several, as in the interface, the last. */
const searchIn = ({ query }: FastifyRequest): string =>
  String([(query as { search?: unknown }).search ?? ''].flat().at(-1)).trim();

/** The address of this page below the site, whatever its language. */
function here(request: FastifyRequest, search = ''): string {
  const path = (request.raw as Routed).placed?.url.split('?', 1)[0] ?? '';
  const page = Number(pageIn(request));
  return path.replace(/\/?$/, '/') + (page > 1 || search !== '' ? queryOf(search, page) : '');
}

export function serveRecords(app: FastifyInstance, site: Shown): void {
  /** Below a category the others are only on the way. */
  const slugIn = (request: FastifyRequest): Extract<Target, { by: 'slug' }> => {
    const { slug, '*': path } = request.params as { slug?: string; '*'?: string };
    return { by: 'slug', slug: slug ?? path?.split('/').at(-1) ?? '' };
  };
  /** Events that are not over, with the way to the pages before and after. */
  const events = async (
    request: FastifyRequest,
    telling: Telling,
    given: Record<string, unknown>,
    search = '',
  ): Promise<string> => {
    const page = pageIn(request);
    const asked = { ...NOT_OVER, ...given, ...(search === '' ? {} : { search }), page };
    const found = (await site.ask(request, '/events', asked)) as EventPage;
    const none = search === '' ? 'home.none' : 'page.unfound';
    const list = eventList(found.events, telling, { here: given.venue, none });
    return list + pagesBody(search, Number(page), found.total_pages, telling);
  };
  const all: Tell = async (request, telling) => {
    const search = searchIn(request);
    const body = searchForm(search, telling) + (await events(request, telling, {}, search));
    return { title: telling.translate('home.upcoming'), body, api: '/', elsewhere: here(request, search) };
  };
  const term =
    (plural: 'categories' | 'tags'): Tell =>
    async (request, telling) => {
      const { slug } = slugIn(request);
      const termOf = async (asked: string): Promise<TermRecord | undefined> => {
        const found = await site.ask(request, `/${plural}`, { slug: asked, hide_empty: 'false' });
        return (found as Record<string, TermRecord[]>)[plural]?.[0];
      };
      // Letters may be those of a slug that was given encoded, or typed by somebody who does not know that it has none.
      const one = (await termOf(encodeURIComponent(slug))) ?? (await termOf(slug));
      if (!one) throw new Failure('rest_no_route');
      const body = termBody(one) + (await events(request, telling, { [plural]: one.id }));
      // There a number is an id, and not the name of a year.
      const named = /^\d+$/.test(one.slug) ? one.id : one.slug;
      return { title: one.name, body, api: `/events/?${plural}=${named}`, canonical: one.url };
    };

  /** A venue or an organizer, and what is on there. */
  const linked =
    <R extends VenueRecord | OrganizerRecord>(
      kind: 'venue' | 'organizer',
      tell: (one: R) => { title: string; body: (one: R, telling: Telling) => string; api: string },
    ): Tell =>
    async (request, telling) => {
      const one = (await site.ask(request, `/${kind}s/by-slug/:slug`, {}, slugIn(request))) as R;
      const { body, ...told } = tell(one);
      const shown = body(one, telling) + (await events(request, telling, { [kind]: one.id }));
      return { ...told, body: shown, canonical: one.url, summary: summaryOf(one), json_ld: one.json_ld };
    };

  const closed = async (request: FastifyRequest, telling: Telling, id: number): Promise<Told> => {
    const event = await listed(request, site, id);
    const title = event?.title ?? telling.translate('page.protected');
    return { status: 403, title, body: closedBody(event, request.method === 'POST', telling), api: '/' };
  };
  const single: Tell = async (request, telling) => {
    const { password } = (request.body ?? {}) as { password?: unknown };
    const given = typeof password === 'string' ? { password } : {};
    try {
      const event = (await site.ask(request, '/events/by-slug/:slug', given, slugIn(request))) as EventRecord;
      const { title, url, json_ld } = event;
      const told = { title, canonical: url, summary: summaryOf(event), json_ld };
      return { ...told, body: eventBody(event, telling), api: `/events/${event.id}` };
    } catch (error) {
      const id = idOfProtected(error);
      if (id === undefined) throw error;
      return closed(request, telling, id);
    }
  };
  const pages: [path: string, tell: Tell][] = [
    ['/event/:slug', single],
    [
      '/venue/:slug',
      linked<VenueRecord>('venue', (one) => ({ title: one.venue, body: venueBody, api: `/events/?venue=${one.id}` })),
    ],
    [
      '/organizer/:slug',
      linked<OrganizerRecord>('organizer', (one) => ({ title: one.organizer, body: organizerBody, api: '/' })),
    ],
    ['/events/category/*', term('categories')],
    ['/tag/:slug', term('tags')],
    ['/events', all],
    [
      '/events/featured',
      async (request, telling) => ({
        title: telling.translate('page.featured'),
        body: await events(request, telling, { featured: 'true' }),
        api: '/events/?featured=1',
      }),
    ],
  ];
  for (const [path, tell] of pages) app.get(path, (request, reply) => sendTold(request, reply, site, tell));
  // A word does not belong into an address, which is kept in many places.
  app.post('/event/:slug', (request, reply) => sendTold(request, reply, site, single));
}

/** Who looks for a page with a browser, and not below the interface. */
export const isForPeople = ({ method, base, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && base === undefined && (headers.accept?.includes('text/html') ?? false);

const NUMBERED = new Map([
  ['tribe_events', 'events'],
  ['tribe_venue', 'venues'],
  ['tribe_organizer', 'organizers'],
]);

/** The record in an address such as records have before they are published. */
export function numberedIn({ query }: FastifyRequest): { plural: string; id: number } | undefined {
  const { post_type, p } = query as { post_type?: unknown; p?: unknown };
  const plural = NUMBERED.get(String(post_type));
  return plural !== undefined && /^[1-9]\d{0,15}$/.test(String(p)) ? { plural, id: Number(p) } : undefined;
}

/** The event as a list shows it, if one does: of protected ones, too, it tells that they are, and when (E4). */
async function listed(request: FastifyRequest, site: Shown, id: number): Promise<EventRecord | undefined> {
  const list = (await site.ask(request, '/events', { include: id })) as EventPage;
  return list.events[0];
}

/** Leads to the page of the record, once it has one (C5). */
export async function sendNumbered(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Shown,
  { plural, id }: { plural: string; id: number },
): Promise<unknown> {
  const asked =
    plural === 'events' ? listed(request, site, id) : site.ask(request, `/${plural}/:id`, {}, { by: 'id', id });
  const found = (await asked.catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  })) as { url: string } | undefined;
  return found ? reply.redirect(pathTo(found.url, tellingOf(request, site)), 302) : sendMissing(request, reply, site);
}

/** There is no such page. */
export const sendMissing = (request: FastifyRequest, reply: FastifyReply, site: Framed): Promise<unknown> =>
  sendTold(request, reply, site, async () => {
    throw new Failure('rest_no_route');
  });

/** Trouble of the server. Nothing is asked of it for this. */
export function sendTrouble(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Framed,
  { status, message }: { status: number; message: string },
): Promise<unknown> {
  reply.code(status).header('Cache-Control', 'private, no-store');
  if (status === 503) reply.header('Retry-After', String(BACK_SOON));
  return sendTold(request, reply, site, async () => ({ title: message, body: '', api: '/' }));
}

async function sendTold(request: FastifyRequest, reply: FastifyReply, site: Framed, tell: Tell): Promise<unknown> {
  const address = site.address(request);
  const telling = tellingOf(request, site);
  const prefix = escapeHtml(telling.prefix);
  const told = await tell(request, telling).catch((error: unknown) => refusal(error, telling));
  if (told.status !== undefined) reply.code(told.status);
  if (request.method === 'POST') reply.header('Cache-Control', 'private, no-store');
  const title = plainText(told.title);
  return sendPage(reply, {
    language: telling.language,
    title: `${title} – ${site.siteName}`,
    address,
    crawled: site.crawled(request),
    path: told.api,
    canonical: told.canonical,
    summary: told.summary,
    json_ld: told.json_ld,
    styles: ['/docs/assets/docs.css'],
    scripts: [],
    showsPictures: true,
    body: `<header><nav><a href="${prefix}/" dir="auto">${escapeHtml(site.siteName)}</a>
<a href="${prefix}/events/">${escapeHtml(telling.translate('home.upcoming'))}</a></nav><h1 dir="auto">${escapeHtml(title)}</h1></header>
<main>${told.body && `<section>${told.body}</section>`}</main>
<footer>${languageLinks(told.elsewhere ?? here(request), telling)}</footer>`,
  });
}

/** An address that asks for what cannot be is as good as one that leads nowhere. */
const isMissing = (error: unknown): boolean =>
  error instanceof InvalidParams || (error instanceof Failure && [400, 403, 404, 410].includes(STATUS[error.code]));

/** What cannot be shown is told as a page, too; trouble of the server is not for here. */
function refusal(error: unknown, telling: Telling): Told {
  if (!isMissing(error)) throw error;
  const title = telling.translate('page.missing');
  return { status: 404, title, body: missingBody(telling), api: '/', elsewhere: '/events/' };
}

/** The event that a failure says to be protected. */
const idOfProtected = (error: unknown): number | undefined =>
  error instanceof Failure && error.code === 'event-password-protected' ? Number(error.extra.values?.id) : undefined;
