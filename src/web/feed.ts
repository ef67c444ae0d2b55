import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventRecord } from '../events/event.shape.js';
import { NOT_KEPT } from '../http/headers.js';
import { type Contents, calendarText } from '../ical/calendar.js';
import { plainText } from '../text/html.js';
import { beginOfUtcDay, nowSeconds, utcDayOf } from '../time/clock.js';
import { answerTo, type EventPage, isMissing, type Shown, sendMissing, sendTold, type Tell } from './frame.js';
import { sendBytes } from './page.js';
import { CALENDAR, tellingOf } from './parts.js';
import { lastIn } from './sought.js';

/** What a page shows, as a calendar file: to import once, or to subscribe to. */

export const asksForCalendar = (request: FastifyRequest): boolean => !['', '0'].includes(lastIn(request, CALENDAR));

/** Recent events stay in the file, so that they do not vanish from the calendars of those who attended. */
const DAYS_BACK = 31;
const MOST_EVENTS = 500;
const PER_PAGE = 50;

export async function* only(site: Shown, request: FastifyRequest, event: EventRecord): AsyncGenerator<Contents> {
  yield { events: [event], editions: await site.editions(request, [event.id]) };
}

/** Upcoming events, page by page, then recent ones, the latest first, as there may not be room for all. */
export async function* gathered(
  site: Shown,
  request: FastifyRequest,
  given: Record<string, unknown>,
): AsyncGenerator<Contents> {
  const now = nowSeconds();
  // Only published events, whoever asks: a file is easily passed on to people who may see no others.
  const asked = { strict_dates: 'true', ends_after: String(now), ...given, status: 'publish', per_page: PER_PAGE };
  const seen = new Set<number>();
  /** Leaves out events that came before: a write between two requests may shift the pages. */
  const told = async ({ events }: EventPage): Promise<Contents> => {
    const fresh = events.filter(({ id }) => !seen.has(id)).slice(0, MOST_EVENTS - seen.size);
    for (const { id } of fresh) seen.add(id);
    const ids = fresh.map(({ id }) => id);
    return { events: fresh, editions: await site.editions(request, ids) };
  };
  const ask = async (question: object, page: number): Promise<EventPage | undefined> =>
    (await answerTo(site, request, '/events', { ...question, page }).catch((error: unknown) => {
      // The page is gone: there were more events when they were counted.
      if (page === 1 || !isMissing(error)) throw error;
    })) as EventPage | undefined;
  for (let page = 1, pages = 1; page <= pages && seen.size < MOST_EVENTS; page++) {
    const found = await ask(asked, page);
    if (!found) break;
    pages = found.total_pages;
    yield told(found);
  }
  if (given.ends_after !== undefined) return;
  const since = String(beginOfUtcDay(utcDayOf(now) - DAYS_BACK));
  const past = { ...asked, ends_after: since, ends_before: String(now + 1) };
  const first = await ask(past, 1);
  for (let page = first?.total_pages ?? 0; page >= 1 && seen.size < MOST_EVENTS; page--) {
    const found = page === 1 ? first : await ask(past, page);
    if (found) yield told({ ...found, events: found.events.reverse() });
  }
}

/** The last part of the page's path, if every system accepts it as a file name. */
function fileName(page: string): string {
  const name = new URL(page).pathname.split('/').filter(Boolean).at(-1) ?? '';
  return `${/^[\w-]+$/.test(name) ? name : 'events'}.ics`;
}

/** Sends a page, or a calendar file of what it shows. */
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
  const make = async () => Buffer.from(await calendarText({ name, url, contents: calendar() }));
  const key = request.caller?.user ? undefined : JSON.stringify([url, name, sought]);
  const bytes = await site.calendars.of(key, await site.lastChange(request), request.ip, make);
  return sendCalendar(request, reply, fileName(url), bytes);
}

function sendCalendar(request: FastifyRequest, reply: FastifyReply, file: string, bytes: Buffer): unknown {
  const isOwn = request.caller?.user !== undefined;
  return sendBytes(request, reply, bytes, {
    type: 'text/calendar; charset=utf-8',
    headers: {
      Vary: 'Accept-Language, Accept-Encoding, Cookie',
      ...(isOwn ? { 'Cache-Control': NOT_KEPT } : {}),
      'X-Robots-Tag': 'noindex',
      'Content-Disposition': `attachment; filename="${file}"`,
      // Scripts of other sites may read what is public.
      ...(isOwn ? {} : { 'Access-Control-Allow-Origin': '*' }),
    },
  });
}
