import type { FastifyInstance, FastifyRequest } from 'fastify';
import { writes } from '../access/rights.js';
import { Failure } from '../errors.js';
import type { EventRecord } from '../events/event.shape.js';
import { BY_SESSION } from '../http/session.js';
import type { OrganizerRecord } from '../organizers/organizer.shape.js';
import { plainText } from '../text/html.js';
import type { VenueRecord } from '../venues/venue.shape.js';
import { pagesBody } from './bodies.js';
import { answerTo, isMissing, leadTo, pageIn, type Shown, sendMissing, sendTold, tokenField, wayIn } from './frame.js';
import { escapeHtml } from './page.js';
import { hiddenMark, linkTo, type Telling, tellingOf, timeOf } from './parts.js';
import { ANYTHING } from './sought.js';

/** Lists for those who write (E6): the records that are not published, and those in the trash. */

type Plural = 'events' | 'venues' | 'organizers';
type Stored = EventRecord | VenueRecord | OrganizerRecord;

const SHELVES = [
  { path: '/events/unpublished', title: 'form.unpublished', status: 'draft,pending,private,future' },
  { path: '/events/trash', title: 'form.trashed', status: 'trash' },
] as const;

const KINDS: readonly { plural: Plural; singular: string; filters: Record<string, unknown> }[] = [
  // Whatever their dates, and also those that are hidden from lists (B12).
  { plural: 'events', singular: 'event', filters: { ends_after: '0001-01-01', context: 'edit' } },
  { plural: 'venues', singular: 'venue', filters: {} },
  { plural: 'organizers', singular: 'organizer', filters: {} },
];

const PER_PAGE = 50;

function nameOf(one: Stored): string {
  if ('title' in one) return one.title;
  return 'venue' in one ? one.venue : one.organizer;
}

const timeIn = (one: Stored, telling: Telling): string => ('title' in one ? `${timeOf(one, telling)}<br>` : '');

const kept = (one: Stored, telling: Telling): string =>
  `<strong>${linkTo(one.url, nameOf(one), telling)}</strong>${hiddenMark(one, telling)}`;

/** Nobody can open what is in the trash, so there is no link to it. */
function thrownAway(one: Stored, singular: string, token: string, { translate, prefix }: Telling): string {
  const [name, restore] = [plainText(nameOf(one)), translate('form.restore')];
  return `<strong dir="auto">${escapeHtml(name)}</strong>
<form method="post" action="${escapeHtml(prefix)}/${singular}/edit/${one.id}">${token}
<button name="restore" value="1" aria-label="${escapeHtml(`${restore}: ${name}`)}">${escapeHtml(restore)}</button></form>`;
}

export function serveShelves(app: FastifyInstance, site: Shown): void {
  for (const { path, title, status } of SHELVES) {
    /** One kind on this page of the list; undefined: its list ends before. */
    const listed = async (request: FastifyRequest, plural: Plural, filters: Record<string, unknown>) => {
      const given = { ...filters, status, per_page: PER_PAGE, page: pageIn(request) };
      const found = await answerTo(site, request, `/${plural}`, given).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
      return found as (Record<Plural, Stored[]> & { total_pages: number }) | undefined;
    };
    const tell = async (request: FastifyRequest, telling: Telling) => {
      const token = tokenField(request.session ?? '', site);
      const page = pageIn(request);
      const parts: string[] = [];
      let [pages, isFound] = [1, false];
      for (const { plural, singular, filters } of KINDS) {
        const found = await listed(request, plural, filters);
        isFound ||= found !== undefined;
        pages = Math.max(pages, found?.total_pages ?? 0);
        const items = (found?.[plural] ?? []).map((one) => {
          const body = status === 'trash' ? thrownAway(one, singular, token, telling) : kept(one, telling);
          return `<li>${timeIn(one, telling)}${body}</li>`;
        });
        if (items.length > 0)
          parts.push(
            `<h2>${escapeHtml(telling.translate(`page.${plural}`))}</h2><ul class="events">${items.join('\n')}</ul>`,
          );
      }
      if (!isFound) throw new Failure('rest_no_route');
      const body = parts.join('') || `<p>${escapeHtml(telling.translate('form.nothing'))}</p>`;
      return {
        title: telling.translate(title),
        body: body + pagesBody(ANYTHING, Number(page), pages, telling),
        api: '/',
      };
    };
    app.get(path, BY_SESSION, async (request, reply) => {
      const { user } = request.caller ?? {};
      if (!user) return leadTo(reply, wayIn(path, tellingOf(request, site)), 303);
      if (!writes({ user })) return sendMissing(request, reply, site);
      reply.header('X-Robots-Tag', 'noindex');
      return sendTold(request, reply, site, tell);
    });
  }
}
