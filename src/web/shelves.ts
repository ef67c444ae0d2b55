import type { FastifyInstance, FastifyRequest } from 'fastify';
import { writes } from '../access/rights.js';
import { Failure } from '../errors.js';
import type { EventRecord } from '../events/event.shape.js';
import { BY_SESSION } from '../http/session.js';
import type { OrganizerRecord } from '../organizers/organizer.shape.js';
import { plainText } from '../text/html.js';
import type { VenueRecord } from '../venues/venue.shape.js';
import { addressOf, PAGES_AROUND, pagesBody } from './bodies.js';
import {
  answerTo,
  isMissing,
  leadTo,
  pageIn,
  type Shown,
  sendMissing,
  sendTold,
  type Told,
  TRASH,
  tokenField,
  UNPUBLISHED,
  wayIn,
} from './frame.js';
import { escapeHtml } from './page.js';
import { hiddenMark, linkTo, siteLink, type Telling, tellingOf, timeOf } from './parts.js';
import { ANYTHING } from './sought.js';

/**
 * Lists of records that are not only upcoming events: all venues and organizers and, for those who write (E6), what is
 * not published, and the trash.
 */

type Plural = 'events' | 'venues' | 'organizers';
type Stored = EventRecord | VenueRecord | OrganizerRecord;

interface Shelf {
  path: string;
  title: string;
  kinds: readonly Plural[];
  /** The statuses of its records. Undefined: everybody has this list, with what they may see. */
  status?: string;
  /** Where those who write add one, and the key of what they read there. */
  adding?: readonly [path: string, text: string];
}

const KINDS = ['events', 'venues', 'organizers'] as const;
const SHELVES: readonly Shelf[] = [
  { path: '/venues', title: 'page.venues', kinds: ['venues'], adding: ['/venues/new', 'form.new-venue'] },
  {
    path: '/organizers',
    title: 'page.organizers',
    kinds: ['organizers'],
    adding: ['/organizers/new', 'form.new-organizer'],
  },
  { path: UNPUBLISHED, title: 'form.unpublished', kinds: KINDS, status: 'draft,pending,private,future' },
  { path: TRASH, title: 'form.trashed', kinds: KINDS, status: 'trash' },
];

const SINGULAR: Record<Plural, string> = { events: 'event', venues: 'venue', organizers: 'organizer' };
/** Events whatever their dates, and also those that are hidden from lists (B12). */
const FILTERS: Partial<Record<Plural, object>> = { events: { ends_after: '0001-01-01', context: 'edit' } };

const PER_PAGE = 50;
/** So many pages of the API are put in the order of their names; longer lists have its own order, the newest first. */
const MOST_SORTED = 10;

type Found = Record<Plural, Stored[]> & { total_pages: number };

async function byName(
  ask: (page: number | string) => Promise<Found | undefined>,
  asked: string,
  plural: Plural,
  language: string,
): Promise<Found | undefined> {
  const first = await ask(1);
  if (!first || first.total_pages > MOST_SORTED) return ask(asked);
  const all = [...first[plural]];
  for (let page = 2; page <= first.total_pages; page++) all.push(...((await ask(page))?.[plural] ?? []));
  const [page, pages] = [Number(asked), Math.ceil(all.length / PER_PAGE)];
  if (!Number.isInteger(page) || page < 1 || page > Math.max(pages, 1)) return undefined;
  const name = (one: Stored): string => plainText(nameOf(one));
  all.sort((one, other) => name(one).localeCompare(name(other), language, { numeric: true }));
  return { ...first, [plural]: all.slice((page - 1) * PER_PAGE, page * PER_PAGE), total_pages: pages };
}

function nameOf(one: Stored): string {
  if ('title' in one) return one.title;
  return 'venue' in one ? one.venue : one.organizer;
}

const timeIn = (one: Stored, telling: Telling): string => ('title' in one ? `${timeOf(one, telling)}<br>` : '');

function kept(one: Stored, telling: Telling): string {
  const address = 'venue' in one && !('title' in one) ? addressOf(one) : '';
  const name = `<strong>${linkTo(one.url, nameOf(one), telling)}</strong>${hiddenMark(one, telling)}`;
  return address ? `${name}<br>${address}` : name;
}

/** Nobody can open what is in the trash, so there is no link to it. */
function thrownAway(one: Stored, singular: string, token: string, { translate, prefix }: Telling): string {
  const [name, restore] = [plainText(nameOf(one)), translate('form.restore')];
  return `<strong dir="auto">${escapeHtml(name)}</strong>
<form method="post" action="${escapeHtml(prefix)}/${singular}/edit/${one.id}">${token}
<button name="restore" value="1" aria-label="${escapeHtml(`${restore}: ${name}`)}">${escapeHtml(restore)}</button></form>`;
}

export function serveShelves(app: FastifyInstance, site: Shown): void {
  for (const shelf of SHELVES) serveShelf(app, site, shelf);
}

function serveShelf(app: FastifyInstance, site: Shown, { path, title, kinds, status, adding }: Shelf): void {
  /** One kind on this page of the list; undefined: its list ends before. */
  const listed = (request: FastifyRequest, plural: Plural, language: string): Promise<Found | undefined> => {
    const statuses = status === undefined ? {} : { status };
    const ask = async (page: number | string): Promise<Found | undefined> => {
      const given = { ...FILTERS[plural], ...statuses, per_page: PER_PAGE, page };
      const found = await answerTo(site, request, `/${plural}`, given).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
      return found as Found | undefined;
    };
    return status === undefined ? byName(ask, pageIn(request), plural, language) : ask(pageIn(request));
  };
  const tell = async (request: FastifyRequest, telling: Telling): Promise<Told> => {
    const { translate } = telling;
    const token = tokenField(request.session ?? '', site);
    const page = pageIn(request);
    const parts: string[] = [];
    let [pages, isFound] = [1, false];
    for (const plural of kinds) {
      const found = await listed(request, plural, telling.language);
      isFound ||= found !== undefined;
      pages = Math.max(pages, found?.total_pages ?? 0);
      const items = (found?.[plural] ?? []).map((one) => {
        const body = status === 'trash' ? thrownAway(one, SINGULAR[plural], token, telling) : kept(one, telling);
        return `<li>${timeIn(one, telling)}${body}</li>`;
      });
      const heading = kinds.length > 1 ? `<h2>${escapeHtml(translate(`page.${plural}`))}</h2>` : '';
      if (items.length > 0) parts.push(`${heading}<ul class="events">${items.join('\n')}</ul>`);
    }
    if (!isFound) throw new Failure('rest_no_route');
    const add = adding && writes(request.caller ?? {}) ? `<p>${siteLink(...adding, telling)}</p>` : '';
    const body = parts.join('') || `<p>${escapeHtml(translate('form.nothing'))}</p>`;
    return {
      title: translate(title),
      body: add + body + pagesBody(ANYTHING, Number(page), pages, telling, PAGES_AROUND),
      api: '/',
      ...(status === undefined ? { canonical: `${site.address(request).home}${path}/`, page } : {}),
    };
  };
  app.get(path, BY_SESSION, async (request, reply) => {
    if (status === undefined) return sendTold(request, reply, site, tell);
    const { user } = request.caller ?? {};
    if (!user) return leadTo(reply, wayIn(path, tellingOf(request, site)), 303);
    if (!writes({ user })) return sendMissing(request, reply, site);
    reply.header('X-Robots-Tag', 'noindex');
    return sendTold(request, reply, site, tell);
  });
}
