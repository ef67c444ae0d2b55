import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { managesTerms } from '../access/rights.js';
import { Failure } from '../errors.js';
import type { EventRecord } from '../events/event.shape.js';
import type { ToldInside } from '../http/api.js';
import { BY_SESSION } from '../http/session.js';
import type { OrganizerRecord } from '../organizers/organizer.shape.js';
import type { Target } from '../records/context.js';
import type { TermRecord } from '../records/shape.js';
import { shownDay } from '../time/shown.js';
import type { VenueRecord } from '../venues/venue.shape.js';
import {
  categoriesBody,
  closedBody,
  editLinks,
  eventBody,
  hiddenBody,
  organizerBody,
  PAGES_AROUND,
  pagesBody,
  pastLink,
  searchForm,
  summaryOf,
  termBody,
  venueBody,
  whenAndWhere,
} from './bodies.js';
import { asksForCalendar, gathered, only, sendWanted } from './feed.js';
import {
  answerTo,
  categoriesOf,
  type EventPage,
  eventsFor,
  here,
  isMissing,
  leadTo,
  type Numbered,
  numberedIn,
  pageIn,
  type Shown,
  sendMissing,
  sendTold,
  type Tell,
  type Told,
} from './frame.js';
import { monthLink, monthTeller } from './month.js';
import { escapeHtml } from './page.js';
import { CALENDAR, eventList, NOT_OVER, OVER, pathTo, type Telling, tellingOf } from './parts.js';
import { ANYTHING, filtersFor, formerly, lastIn, queryOf, soughtIn } from './sought.js';

/** The pages that `url` of a record leads to (C5): what the API returns to their reader, as HTML. */

/** What a page takes over from its list of events. */
type Listed = Required<Pick<Told, 'body' | 'page' | 'calendar'>>;

/** What search engines and link previews get to know about a record. `first`: before its text. */
const aboutRecord = (one: EventRecord | VenueRecord | OrganizerRecord, first = '') => ({
  canonical: one.url,
  summary: [first, summaryOf(one)].filter(Boolean).join(' · '),
  picture: one.image ? one.image.url : undefined,
  json_ld: one.json_ld,
});

/** In the path of a category, only the last slug counts; the others are its ancestors. */
function slugIn(request: FastifyRequest): string {
  const { slug, '*': path } = request.params as { slug?: string; '*'?: string };
  return slug ?? path?.split('/').at(-1) ?? '';
}

/**
 * Links to the categories right below another, or to the topmost ones, as far as something is published in them; for
 * those who manage them, to all.
 */
export async function categoriesIn(
  request: FastifyRequest,
  site: Shown,
  telling: Telling,
  parent = 0,
): Promise<string> {
  const hide_empty = String(!managesTerms(request.caller ?? {}, 'category'));
  return categoriesBody(await categoriesOf(site, request, { parent, hide_empty }), telling);
}

/**
 * A page of past events, from the latest on, while the API begins with the first. The rest that does not fill a page
 * comes with the page after it.
 */
async function latestFirst(ask: (page: number) => Promise<EventPage>, asked: string): Promise<EventPage> {
  const first = await ask(1);
  const { total, total_pages: last } = first;
  const rest = last > 1 && total % first.events.length > 0 ? 1 : 0;
  const [page, pages] = [Number(asked), Math.max(last - rest, 1)];
  if (!Number.isInteger(page) || page < 1 || page > pages) throw new Failure('rest_no_route');
  const events = last > 1 ? (await ask(pages - page + 1)).events : first.events;
  const latest = rest === 1 && page === 1 ? (await ask(last)).events : [];
  return { events: [...events, ...latest].reverse(), total, total_pages: pages };
}

/** The functions that make the contents of each page. */
function tellersOf(site: Shown) {
  const at = (request: FastifyRequest, path: string): string => site.address(request).home + path;
  /** The record that a page is about, found by its address. */
  const recordIn = (
    request: FastifyRequest,
    plural: string,
    given: Record<string, unknown> = {},
  ): Promise<ToldInside> => {
    const id = numberedIn(request)?.id;
    const target: Target = id === undefined ? { by: 'slug', slug: slugIn(request) } : { by: 'id', id };
    return site.inquire(request, { path: `/${plural}/${id === undefined ? 'by-slug/:slug' : ':id'}`, given, target });
  };
  /** Events that are not over, with links to the previous and the next page; or, if asked for, past ones. */
  const events = async (
    request: FastifyRequest,
    telling: Telling,
    filters: Record<string, unknown>,
    sought = ANYTHING,
  ): Promise<Listed> => {
    const page = pageIn(request);
    const given = { ...filters, ...filtersFor(sought) };
    const asked = { ...(sought.past ? OVER : NOT_OVER), ...given };
    const ask = (one: string | number) => eventsFor(site, request, { ...asked, page: one });
    const found = await (sought.past ? latestFirst(ask, page) : ask(page));
    const none = sought.past ? 'page.past-none' : sought.search === '' ? 'home.none' : 'page.unfound';
    const list = eventList(found.events, telling, { here: filters.venue, none });
    const texts = sought.past ? PAGES_AROUND : undefined;
    return {
      body: list + pagesBody(sought, Number(page), found.total_pages, telling, texts),
      page,
      calendar: () => gathered(site, request, given),
    };
  };
  const all: Tell = async (request, telling) => {
    const sought = soughtIn(request);
    const { calendar, ...list } = await events(request, telling, {}, sought);
    const day = sought.from && shownDay(telling.language, sought.from);
    const categories = sought.search || sought.past ? '' : await categoriesIn(request, site, telling);
    const title = sought.past ? 'page.past' : day ? 'page.from-day' : 'home.upcoming';
    return {
      ...list,
      // Nobody subscribes to what is over.
      ...(sought.past ? {} : { calendar }),
      title: [telling.translate(title, { day }), escapeHtml(sought.search)].filter(Boolean).join(': '),
      body: `${searchForm(sought, telling)}${monthLink(sought.from, telling)}${categories}${list.body}${pastLink(sought, telling)}`,
      api: '/',
      elsewhere: here(request, sought),
      sought,
      canonical: at(request, '/events/'),
    };
  };
  const aboveOf = async (request: FastifyRequest, { parent }: TermRecord): Promise<TermRecord | undefined> =>
    parent ? (await categoriesOf(site, request, { include: parent, hide_empty: 'false' }))[0] : undefined;
  const term =
    (kind: 'category' | 'tag', plural: 'categories' | 'tags'): Tell =>
    async (request, telling) => {
      const slug = slugIn(request);
      const termOf = async (asked: string): Promise<TermRecord | undefined> => {
        const found = await answerTo(site, request, `/${plural}`, { slug: asked, hide_empty: 'false' });
        return (found as Record<string, TermRecord[]>)[plural]?.[0];
      };
      // The path arrives decoded: first look for a slug that is stored percent-encoded, then for one that the reader
      // typed with letters that slugs do not have, such as accents.
      const one = (await termOf(encodeURIComponent(slug))) ?? (await termOf(slug));
      if (!one) throw new Failure('rest_no_route');
      const list = await events(request, telling, { [plural]: one.id });
      // In this parameter of the API, a number is an id, even if it is also a slug, such as a year.
      const named = /^\d+$/.test(one.slug) ? one.id : one.slug;
      const api = `/events/?${plural}=${named}`;
      const below = kind === 'category' ? await categoriesIn(request, site, telling, one.id) : '';
      const edit = managesTerms(request.caller ?? {}, kind) ? editLinks(kind, one.id, telling) : '';
      const body = edit + termBody(one, await aboveOf(request, one), telling) + below + list.body;
      return { ...list, title: one.name, body, api, canonical: one.url };
    };

  /** A venue or an organizer, with its upcoming events. */
  const linked =
    <R extends VenueRecord | OrganizerRecord>(
      kind: 'venue' | 'organizer',
      plural: 'venues' | 'organizers',
      tell: (one: R) => { title: string; body: (one: R, telling: Telling) => string; api: string },
    ): Tell =>
    async (request, telling) => {
      const found = await recordIn(request, plural);
      const one = found.told as R;
      const { body, ...told } = tell(one);
      const list = await events(request, telling, { [kind]: one.id });
      const edit = found.allow.includes('PATCH') ? editLinks(kind, one.id, telling) : '';
      const shown = hiddenBody(one, telling) + edit + body(one, telling) + list.body;
      return { ...list, ...told, ...aboutRecord(one), body: shown };
    };

  const closed = async (request: FastifyRequest, telling: Telling, id: number): Promise<Told> => {
    const event = await listed(request, site, id);
    const title = event?.title ?? telling.translate('page.protected');
    const hidden = event ? hiddenBody(event, telling) : '';
    return { status: 403, title, body: hidden + closedBody(event, request.method === 'POST', telling), api: '/' };
  };
  const single: Tell = async (request, telling) => {
    const { password } = (request.body ?? {}) as { password?: unknown };
    const given = typeof password === 'string' ? { password } : {};
    try {
      const { told, allow } = await recordIn(request, 'events', given);
      const event = told as EventRecord;
      // Calendar programs send no session and no password, so they are only offered what everybody may see.
      const isOpen = event.status === 'publish' && password === undefined;
      const calendar = isOpen ? { calendar: () => only(site, request, event) } : {};
      const edit = allow.includes('PATCH') ? editLinks('event', event.id, telling, password === undefined) : '';
      const body = hiddenBody(event, telling) + edit + eventBody(event, request.caller ?? {}, telling, isOpen);
      const about = aboutRecord(event, whenAndWhere(event, telling));
      return { ...about, ...calendar, title: event.title, body, api: `/events/${event.id}` };
    } catch (error) {
      const id = idOfProtected(error);
      if (id === undefined) throw error;
      return closed(request, telling, id);
    }
  };
  const featured: Tell = async (request, telling) => ({
    ...(await events(request, telling, { featured: 'true' })),
    title: telling.translate('page.featured'),
    api: '/events/?featured=1',
    canonical: at(request, '/events/featured/'),
  });
  return {
    events: single,
    venues: linked<VenueRecord>('venue', 'venues', (one) => ({
      title: one.venue,
      body: venueBody,
      api: `/events/?venue=${one.id}`,
    })),
    organizers: linked<OrganizerRecord>('organizer', 'organizers', (one) => ({
      title: one.organizer,
      body: organizerBody,
      api: '/',
    })),
    categories: term('category', 'categories'),
    tags: term('tag', 'tags'),
    all,
    featured,
    month: monthTeller(site),
  };
}

export function serveRecords(app: FastifyInstance, site: Shown): void {
  const tell = tellersOf(site);
  const pages: [path: string, tell: Tell][] = [
    ['/event/:slug', tell.events],
    ['/venue/:slug', tell.venues],
    ['/organizer/:slug', tell.organizers],
    ['/events/category/*', tell.categories],
    ['/tag/:slug', tell.tags],
    ['/events', tell.all],
    ['/events/featured', tell.featured],
    ['/events/month', tell.month],
    ['/events/month/:month(^\\d{4}-\\d\\d$)', tell.month],
  ];
  for (const [path, tell] of pages)
    app.get(path, BY_SESSION, (request, reply) => sendWanted(request, reply, site, tell));
  app.get<{ Params: { '*': string } }>('/events/*', BY_SESSION, (request, reply) => {
    const wanted = formerly(request.params['*']);
    if (!wanted) return reply.callNotFound();
    const sought = soughtIn(request);
    const asked = { [CALENDAR]: asksForCalendar(request) ? '1' : '' };
    const page = wanted.page || lastIn(request, 'page');
    const query = queryOf(wanted.from ? { ...sought, from: wanted.from, past: '' } : sought, { page, ...asked });
    return reply.redirect(`${tellingOf(request, site).prefix}/events/${query}`, 301);
  });
  // By POST, since a password does not belong in an address, which ends up in histories and logs.
  app.post('/event/:slug', BY_SESSION, (request, reply) => sendTold(request, reply, site, tell.events));
}

/** The calendar of all events. */
export const sendAll = (request: FastifyRequest, reply: FastifyReply, site: Shown): Promise<unknown> =>
  sendWanted(request, reply, site, tellersOf(site).all);

/** The event as a list shows it, if one does: lists show of protected events, too, that they exist, and when (E4). */
async function listed(request: FastifyRequest, site: Shown, id: number): Promise<EventRecord | undefined> {
  const list = (await answerTo(site, request, '/events', { include: id })) as EventPage;
  return list.events[0];
}

/** Redirects to the record's own page once it has one (C5); until then, shows it here to those who may see it. */
export async function sendNumbered(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Shown,
  { plural, id }: Numbered,
): Promise<unknown> {
  let isClosed = false;
  const asked = answerTo(site, request, `/${plural}/:id`, {}, { by: 'id', id });
  const found = (await asked.catch((error: unknown) => {
    isClosed = idOfProtected(error) !== undefined;
    if (isClosed) return listed(request, site, id);
    if (!isMissing(error)) throw error;
  })) as { url: string } | undefined;
  if (!found && !isClosed) return sendMissing(request, reply, site);
  // A protected event that no list shows is known only by its id, so it is shown here as well.
  if (!found || new URL(found.url).searchParams.has('p'))
    return sendTold(request, reply, site, tellersOf(site)[plural]);
  const query = asksForCalendar(request) ? queryOf(ANYTHING, { [CALENDAR]: '1' }) : '';
  return leadTo(reply, pathTo(found.url, tellingOf(request, site)) + query, 302);
}

/** The id of the event that a failure reports as password-protected. */
const idOfProtected = (error: unknown): number | undefined =>
  error instanceof Failure && error.code === 'event-password-protected' ? Number(error.extra.values?.id) : undefined;
