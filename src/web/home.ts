import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Translate } from '../i18n/translate.js';
import type { Address } from '../records/context.js';
import { plainText } from '../text/html.js';
import { escapeHtml, prefixOf, sendPage } from './page.js';

/** The front door: what is on next, and where the interface is described. Calendar pages proper come later. */
export interface Home {
  siteName: string;
  siteDescription: string;
  address: (request: FastifyRequest) => Address;
  translate: (request: FastifyRequest) => Translate;
  upcoming: (request: FastifyRequest) => Promise<Upcoming[]>;
}

export interface Upcoming {
  title: string;
  start_date: string;
  all_day: boolean;
  timezone: string;
  place: string;
}

export function serveHome(app: FastifyInstance, site: Home): void {
  app.get('/', async (request, reply) => {
    const address = site.address(request);
    const translate = site.translate(request);
    const language = request.language ?? 'en';
    const events = await site.upcoming(request);
    const intro = site.siteDescription === '' ? '' : `<p>${escapeHtml(site.siteDescription)}</p>`;
    return sendPage(reply, {
      language,
      title: site.siteName,
      home: address.home,
      apiAddress: `${address.api}/`,
      styles: ['/docs/assets/docs.css'],
      scripts: [],
      body: `<header><h1>${escapeHtml(site.siteName)}</h1>${intro}</header>
<main><section aria-labelledby="upcoming"><h2 id="upcoming">${escapeHtml(translate('home.upcoming'))}</h2>
${listOf(events, translate)}
<p><a href="${prefixOf(address.home)}/${language}/docs">${escapeHtml(translate('docs.title', { site: site.siteName }))}</a></p></section></main>`,
    });
  });
}

function listOf(events: Upcoming[], translate: Translate): string {
  if (events.length === 0) return `<p>${escapeHtml(translate('home.none'))}</p>`;
  return `<ul class="events">${events.map(item).join('\n')}</ul>`;
}

function item(event: Upcoming): string {
  const place = event.place === '' ? '' : `, ${escapeHtml(event.place)}`;
  const when = event.start_date.slice(0, event.all_day ? 10 : 16);
  return `<li><time datetime="${when.replace(' ', 'T')}">${when}</time> <strong>${escapeHtml(plainText(event.title))}</strong>${place} <small>${escapeHtml(event.timezone)}</small></li>`;
}
