import type { FastifyInstance } from 'fastify';
import { BY_SESSION } from '../http/session.js';
import { asksForCalendar } from './feed.js';
import { accountBody, eventsFor, numberedIn, type Shown, sendMissing, writersLinks } from './frame.js';
import { escapeHtml, sendPage } from './page.js';
import {
  calendarAt,
  eventList,
  languageLinks,
  NOT_OVER,
  siteLink,
  siteLinks,
  skipLink,
  subscribeLinks,
  tellingOf,
} from './parts.js';
import { categoriesIn, sendAll, sendNumbered } from './records.js';

/** The front page: the next events, and a link to the documentation of the API. */
export interface Home extends Shown {
  siteDescription: string;
}

export function serveHome(app: FastifyInstance, site: Home): void {
  app.get('/', BY_SESSION, async (request, reply) => {
    const numbered = numberedIn(request);
    if (numbered) return sendNumbered(request, reply, site, numbered);
    if (asksForCalendar(request)) return sendAll(request, reply, site);
    const address = site.address(request);
    const telling = tellingOf(request, site);
    const calendar = calendarAt(`${address.home}/events/`, telling);
    const { language, translate } = telling;
    const { events } = await eventsFor(site, request, NOT_OVER);
    const intro = site.siteDescription === '' ? '' : `<p dir="auto">${escapeHtml(site.siteDescription)}</p>`;
    return sendPage(reply, {
      language,
      title: site.siteName,
      siteName: site.siteName,
      address,
      crawled: site.crawled(request),
      path: '/',
      canonical: `${address.home}/`,
      summary: site.siteDescription,
      calendar,
      styles: ['/docs/assets/docs.css'],
      scripts: [],
      body: `${skipLink('main', telling)}
<header>${siteLinks(undefined, telling)}${writersLinks(request, telling)}<h1 dir="auto">${escapeHtml(site.siteName)}</h1>${intro}</header>
<main id="main" tabindex="-1"><section aria-labelledby="upcoming"><h2 id="upcoming">${escapeHtml(translate('home.upcoming'))}</h2>
${await categoriesIn(request, site, telling)}${eventList(events, telling)}
<p>${siteLink('/events/', 'page.all', telling)}</p>
${subscribeLinks(calendar, telling)}
<p><a href="${escapeHtml(telling.site)}/${language}/docs">${escapeHtml(translate('docs.title', { site: site.siteName }))}</a></p></section></main>
<footer>${languageLinks('/', telling)}${accountBody(request, site, '/', telling)}</footer>`,
    });
  });
  // Takes the password of a protected event that has no other page yet.
  app.post('/', BY_SESSION, async (request, reply) => {
    const numbered = numberedIn(request);
    return numbered ? sendNumbered(request, reply, site, numbered) : sendMissing(request, reply, site);
  });
}
