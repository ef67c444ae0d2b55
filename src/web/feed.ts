import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventRecord } from '../events/event.shape.js';
import { NOT_KEPT } from '../http/headers.js';
import { compressed, encodingOf, tagFor, tagMatches, tagOf } from '../http/negotiate.js';
import { type Contents, calendarText } from '../ical/calendar.js';
import { plainText } from '../text/html.js';
import { beginOfUtcDay, nowSeconds, utcDayOf } from '../time/clock.js';
import { isMissing, type Shown, sendMissing, sendTold, type Tell } from './frame.js';
import { CALENDAR, tellingOf } from './parts.js';

/** What a page shows, as a file for calendars: to be put into one's own once, or subscribed to. */

export function asksForCalendar({ query }: FastifyRequest): boolean {
  const { [CALENDAR]: asked } = query as Record<string, unknown>;
  return asked !== undefined && asked !== '' && asked !== '0';
}

/** What was on lately stays, lest it vanishes from the calendars of those who were there. */
const DAYS_BACK = 31;
const MOST_EVENTS = 500;
const PER_PAGE = 50;

export const contentsOf = async (
  site: Shown,
  request: FastifyRequest,
  events: readonly EventRecord[],
): Promise<Contents> => ({
  events,
  editions: await site.editions(
    request,
    events.map(({ id }) => id),
  ),
});

/** All that is to come, and a little of what was, page by page. */
export async function gathered(
  site: Shown,
  request: FastifyRequest,
  given: Record<string, unknown>,
): Promise<Contents> {
  const since = String(beginOfUtcDay(utcDayOf(nowSeconds()) - DAYS_BACK));
  const asked = { ends_after: since, strict_dates: 'true', ...given, per_page: PER_PAGE };
  // By id: while they are read, others may be written before them.
  const events = new Map<number, EventRecord>();
  for (let page = 1, pages = 1; page <= pages && events.size < MOST_EVENTS; page++) {
    const found = (await site.ask(request, '/events', { ...asked, page }).catch((error: unknown) => {
      if (page === 1 || !isMissing(error)) throw error;
    })) as { events: EventRecord[]; total_pages: number } | undefined;
    if (!found) break;
    for (const event of found.events) events.set(event.id, event);
    pages = found.total_pages;
  }
  return contentsOf(site, request, [...events.values()]);
}

/** By what the page is called in its address, as far as every system can write it. */
const fileName = (page: string): string => `${/([\w-]+)\/?$/.exec(new URL(page).pathname)?.[1] ?? 'events'}.ics`;

/** A page, or the calendar of what it shows. */
export async function sendWanted(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Shown,
  tell: Tell,
): Promise<unknown> {
  if (!asksForCalendar(request)) return sendTold(request, reply, site, tell);
  const told = await tell(request, tellingOf(request, site)).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  if (!told) return sendMissing(request, reply, site);
  const { calendar, canonical: url, title, sought } = told;
  if (!calendar || url === undefined) return sendTold(request, reply, site, async () => told);
  const name = [plainText(title), site.siteName].join(' – ');
  const make = async () => Buffer.from(calendarText({ name, url, ...(await calendar()) }));
  // Where a database is read from several places, one of them may be a little behind with its number.
  const minute = Math.floor(nowSeconds() / 60);
  const key = request.caller?.user
    ? undefined
    : JSON.stringify([await site.lastChange(request), minute, url, name, sought]);
  return sendCalendar(request, reply, fileName(url), await site.calendars.of(key, make));
}

function sendCalendar(request: FastifyRequest, reply: FastifyReply, file: string, bytes: Buffer): unknown {
  const encoding = encodingOf(request.headers['accept-encoding'], bytes.length);
  const tag = tagOf(bytes);
  const isOwn = request.caller?.user !== undefined;
  reply.headers({
    ETag: tagFor(tag, encoding),
    Vary: 'Accept-Language, Accept-Encoding, Cookie',
    'Cache-Control': isOwn ? NOT_KEPT : 'public, max-age=60, stale-while-revalidate=600',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex',
    'Content-Disposition': `attachment; filename="${file}"`,
    // Scripts of other sites may read what anybody may.
    ...(isOwn ? {} : { 'Access-Control-Allow-Origin': '*' }),
  });
  if (tagMatches(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding);
  return reply.type('text/calendar; charset=utf-8').send(compressed(bytes, encoding));
}
