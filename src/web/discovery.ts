import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Address } from '../records/context.js';
import { DAY, toIso } from '../time/clock.js';
import { UTC } from '../time/zone.js';
import type { Paging } from './cookbook.js';

/** Small files for machines: crawlers, language models, API catalogues, security researchers. */
export interface Discovered {
  siteName: string;
  siteDescription: string;
  paging: Paging;
  address: (request: FastifyRequest) => Address;
  now: () => number;
}

export function serveDiscovery(app: FastifyInstance, about: Discovered): void {
  const text = (path: string, type: string, make: (address: Address) => string): void => {
    app.get(path, async (request, reply) => {
      reply.header('X-Content-Type-Options', 'nosniff');
      return reply.type(type).send(make(about.address(request)));
    });
  };
  text(
    '/robots.txt',
    'text/plain; charset=utf-8',
    ({ home }) => `User-agent: *\nAllow: /\n\nSitemap: ${home}/sitemap.xml\n`,
  );
  text('/llms.txt', 'text/plain; charset=utf-8', (address) => llms(about, address));
  // RFC 9727: where the APIs of this host are described.
  text('/.well-known/api-catalog', 'application/linkset+json', (address) =>
    JSON.stringify({
      linkset: [
        {
          anchor: `${address.api}/`,
          'service-desc': [{ href: `${address.api}/openapi.json`, type: 'application/json' }],
          'service-doc': [{ href: `${address.home}/docs`, type: 'text/html' }],
          status: [{ href: `${address.home}/readyz`, type: 'text/plain' }],
        },
      ],
    }),
  );
  text('/.well-known/security.txt', 'text/plain; charset=utf-8', (address) => security(about, address));
}

const YEAR = 365 * DAY;

/** RFC 9116. Reports about the site go to its own address; SECURITY.md says how to report faults of the program. */
function security(about: Discovered, address: Address): string {
  const expires = toIso(about.now() + YEAR, UTC);
  return `Contact: ${address.home}/\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${address.home}/.well-known/security.txt\n`;
}

function llms(about: Discovered, { api, home }: Address): string {
  return `# ${about.siteName}

> ${about.siteDescription || 'An event calendar.'} Events, venues, organizers, categories and tags as JSON over HTTP. Reading what is published needs no credentials.

- [OpenAPI 3.1](${api}/openapi.json): every route, parameter, answer and error code
- [Upcoming events](${api}/events): follow \`next_rest_url\` to the end; \`per_page\` up to ${about.paging.perPageMost}
- [Upcoming events as iCalendar](${home}/events/?ical=1): every page of an event, venue, organizer, category or tag has one
- [Documentation with examples](${home}/docs)

Useful filters: \`start_date\`, \`end_date\` (contained), \`starts_before\` with \`ends_after\` (overlap), \`search\`, \`categories\`, \`tags\`, \`venue\`, \`geoloc_lat\` with \`geoloc_lng\` and \`geoloc_distance\` (km). \`_fields=total,events.title,events.start_date\` keeps answers small. Dates are local to the event; \`utc_start_date\` is UTC.
`;
}
