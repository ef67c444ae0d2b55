import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressOf, type Namespaces, rootsOf } from '../http/address.js';
import { onlyFields } from '../http/fields.js';
import { addCorsHeaders, apiHeaders, JSON_TYPE } from '../http/headers.js';
import { parseQuery, queryText } from '../http/params.js';
import { INDENT } from '../http/send.js';
import type { Address } from '../records/context.js';
import type { Zone } from '../time/zone.js';

/** `GET /api` (and `/wp-json`): the site, its namespaces and how to authenticate, as clients of this API expect. */
export interface Site {
  siteName: string;
  siteDescription: string;
  zone: Zone;
  address: (request: FastifyRequest) => Address;
  now: () => number;
  allowedOrigins: ReadonlySet<string>;
}

export function serveRoots(app: FastifyInstance, namespaces: Namespaces, site: Site): void {
  for (const root of rootsOf(namespaces)) {
    const bases = namespaces.all.filter((base) => base.toLowerCase().startsWith(`${root.toLowerCase()}/`));
    app.route({
      method: ['GET', 'OPTIONS'],
      url: root,
      async handler(request, reply) {
        const { home } = site.address(request);
        const prefix = (request.raw as { placed?: { language?: string } }).placed?.language;
        const at = bases.map((base) => addressOf(home, prefix === undefined ? base : `/${prefix}${base}`));
        const here = at[0]?.root ?? home + root;
        const headers = apiHeaders(request.language, here, request.caller?.user !== undefined);
        addCorsHeaders(headers, request, site.allowedOrigins);
        const told = request.method === 'OPTIONS' ? description(here) : index(site, home, at);
        const { _fields, _pretty } = parseQuery(queryText(request.raw.url ?? ''), () => false);
        const body = onlyFields(told, _fields, '_links');
        reply.headers({ ...headers, Allow: 'GET' });
        return reply.type(JSON_TYPE).send(JSON.stringify(body, null, _pretty === undefined ? 0 : INDENT));
      },
    });
  }
}

const description = (here: string): Record<string, unknown> => ({
  namespace: '',
  methods: ['GET'],
  endpoints: [{ methods: ['GET'], args: { context: { default: 'view', required: false } } }],
  _links: { self: [{ href: `${here}/` }] },
});

function index(site: Site, home: string, at: Address[]): Record<string, unknown> {
  return {
    name: site.siteName,
    description: site.siteDescription,
    url: home,
    home,
    gmt_offset: site.zone.offsetAt(site.now()) / 3600,
    timezone_string: site.zone.name,
    namespaces: at.map((address) => address.namespace),
    authentication: {
      'application-passwords': {
        scheme: 'basic',
        help: 'HTTP Basic with a user name and an application password, made by "kalends password create".',
      },
      'api-tokens': { scheme: 'bearer', help: 'A bearer token, made by "kalends token create".' },
    },
    routes: Object.fromEntries(
      at.map((address) => [
        `/${address.namespace}`,
        { namespace: address.namespace, methods: ['GET'], _links: { self: [{ href: address.api }] } },
      ]),
    ),
    _links: {
      help: [{ href: `${home}/docs` }],
      describedby: at.map((address) => ({ href: `${address.api}/openapi.json`, type: 'application/json' })),
    },
  };
}
