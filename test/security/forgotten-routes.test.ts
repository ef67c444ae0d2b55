import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { SCHEMA } from '../support/engine.js';
import { startServer, type TestServer } from '../support/server.js';
import { Findings, WHO } from './support.js';

/** Rows "forgotten routes" and "schema operations": what the server really serves, route by route, against a table. */

/** May anonymous callers read it; which methods it has; how it refuses, and what is posted in particular, unless as the interface does. Whoever adds a route says so here. */
const READ = ['GET'];
const FULL = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'];
const TABLE: Record<string, { methods: string[]; open: boolean; refuses?: number; posted?: number }> = {
  // A POST brings the word of a protected event, and writes nothing.
  '/': { methods: ['GET', 'POST'], open: true },
  '/event/:slug': { methods: ['GET', 'POST'], open: true },
  '/venue/:slug': { methods: READ, open: true },
  '/organizer/:slug': { methods: READ, open: true },
  '/tag/:slug': { methods: READ, open: true },
  '/events': { methods: READ, open: true },
  '/venues': { methods: READ, open: true },
  '/organizers': { methods: READ, open: true },
  '/events/featured': { methods: READ, open: true },
  '/events/month': { methods: READ, open: true },
  '/events/month/:month(^\\d{4}-\\d\\d$)': { methods: READ, open: true },
  '/events/category/*': { methods: READ, open: true },
  // Leads on who comes by an address of former days.
  '/events/*': { methods: READ, open: true },
  // Write for whoever is signed in, with a token of the form alone; others are led to where they sign in, or told to.
  '/events/new': { methods: ['GET', 'POST'], open: false, refuses: 303, posted: 403 },
  '/venues/new': { methods: ['GET', 'POST'], open: false, refuses: 303, posted: 403 },
  '/organizers/new': { methods: ['GET', 'POST'], open: false, refuses: 303, posted: 403 },
  '/event/edit/:id(^\\d{1,15}$)': { methods: ['GET', 'POST'], open: false, refuses: 303, posted: 403 },
  '/venue/edit/:id(^\\d{1,15}$)': { methods: ['GET', 'POST'], open: false, refuses: 303, posted: 403 },
  '/organizer/edit/:id(^\\d{1,15}$)': { methods: ['GET', 'POST'], open: false, refuses: 303, posted: 403 },
  '/category/edit/:id(^\\d{1,15}$)': { methods: ['GET', 'POST'], open: false, refuses: 303, posted: 403 },
  '/tag/edit/:id(^\\d{1,15}$)': { methods: ['GET', 'POST'], open: false, refuses: 303, posted: 403 },
  '/events/unpublished': { methods: READ, open: false, refuses: 303 },
  '/events/trash': { methods: READ, open: false, refuses: 303 },
  // Writes sessions, with a token of the form alone.
  '/sign-in': { methods: ['GET', 'POST'], open: true, refuses: 403 },
  '/sign-out': { methods: ['POST'], open: true, refuses: 303 },
  '/livez': { methods: READ, open: true },
  '/readyz': { methods: READ, open: true },
  '/metrics': { methods: READ, open: true },
  '/media/:name': { methods: READ, open: true },
  '/docs': { methods: READ, open: true },
  '/docs/assets/swagger-ui-bundle.js': { methods: READ, open: true },
  '/docs/assets/swagger-ui.css': { methods: READ, open: true },
  '/docs/assets/docs.js': { methods: READ, open: true },
  '/docs/assets/docs.css': { methods: READ, open: true },
  '/docs/assets/icon.svg': { methods: READ, open: true },
  '/robots.txt': { methods: READ, open: true },
  '/sitemap.xml': { methods: READ, open: true },
  '/sitemap-:table(^(?:event|venue|organizer)$)-:part(^(?:0|[1-9]\\d{0,9})$).xml': { methods: READ, open: true },
  '/llms.txt': { methods: READ, open: true },
  '/.well-known/api-catalog': { methods: READ, open: true },
  '/.well-known/security.txt': { methods: READ, open: true },
  '/api': { methods: ['GET', 'OPTIONS'], open: true },
  '/wp-json': { methods: ['GET', 'OPTIONS'], open: true },
  '{api}/': { methods: READ, open: true },
  '{api}/doc': { methods: READ, open: true },
  '{api}/openapi.json': { methods: READ, open: true },
  '{api}/users/me': { methods: READ, open: true },
  '{api}/events': { methods: ['GET', 'POST'], open: true },
  '{api}/events/:id': { methods: FULL, open: true },
  '{api}/events/by-slug/:slug': { methods: FULL, open: true },
  '{api}/venues': { methods: ['GET', 'POST'], open: true },
  '{api}/venues/:id': { methods: FULL, open: true },
  '{api}/venues/by-slug/:slug': { methods: FULL, open: true },
  '{api}/organizers': { methods: ['GET', 'POST'], open: true },
  '{api}/organizers/:id': { methods: FULL, open: true },
  '{api}/organizers/by-slug/:slug': { methods: FULL, open: true },
  '{api}/categories': { methods: ['GET', 'POST'], open: true },
  '{api}/categories/:id': { methods: FULL, open: true },
  '{api}/tags': { methods: ['GET', 'POST'], open: true },
  '{api}/tags/:id': { methods: FULL, open: true },
  '{api}/media': { methods: ['GET', 'POST'], open: false },
  '{api}/media/:id': { methods: FULL, open: false },
};

interface Registered {
  url: string;
  methods: string[];
  /** The methods of the interface's own table; others are answered 404. */
  served: string[];
}
const registered = new Map<string, Registered>();
const BASE = '/api/calendar/events/v1';

/** Fastify announces every instance that is made: nothing of ours has to help, and nothing can hide. */
function listen(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ url, method, config }) => {
    const at = url.startsWith(BASE) ? `{api}${url.slice(BASE.length) || '/'}`.replace('(^\\d+$)', '') : url;
    const methods = [method]
      .flat()
      .map(String)
      .filter((one) => one !== 'HEAD');
    const route = (config as { route?: { endpoints: { methods: string[] }[] } } | undefined)?.route;
    const served = route ? route.endpoints.flatMap((one) => one.methods) : methods;
    const known = registered.get(at);
    registered.set(at, {
      url,
      methods: [...(known?.methods ?? []), ...methods],
      served: [...(known?.served ?? []), ...served],
    });
  });
}

describe('forgotten routes', () => {
  let s: TestServer;
  before(async () => {
    subscribe('fastify.initialization', listen);
    s = await startServer({ KALENDS_LOG_LEVEL: 'silent' });
  });
  after(() => s.close());

  test('every registered route stands in the table, with its methods, and no other', () => {
    const found = Object.fromEntries(
      [...registered].map(([at, { served }]) => [at, [...new Set(served)].sort()]).sort(),
    );
    const wanted = Object.fromEntries(
      Object.entries(TABLE)
        .map(([at, { methods }]) => [at, methods])
        .sort(),
    );
    assert.deepEqual(found, wanted);
  });

  test('anonymous callers read what the table says, and write nothing', async () => {
    const found = new Findings();
    const state = () =>
      s.database.read((db) =>
        db.all(
          sql`SELECT value FROM counter UNION ALL SELECT count(*) FROM record UNION ALL SELECT count(*) FROM session`,
        ),
      );
    const before = await state();
    for (const [at, { methods, open, refuses = 401, posted = refuses }] of Object.entries(TABLE)) {
      const url = (at.startsWith('{api}') ? s.api + at.slice(5) : s.home + at)
        .replace(/:id(\(.*\))?/, '1')
        .replace(/:month(\(.*\))?/, '2031-05')
        .replace(/:slug|:name/, 'x');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status } = await s.ask(method, url, method === 'GET' ? {} : { json: {} });
        const refused =
          method === 'GET' && open
            ? [200, 404]
            : methods.includes(method)
              ? [method === 'POST' ? posted : refuses, 400, 404]
              : [404];
        found.check(refused.includes(status), () => `${method} ${at}: ${status}`);
        if (method === 'GET' && !open) found.check(status === refuses, () => `GET ${at}: ${status}`);
      }
    }
    assert.deepEqual(await state(), before);
    found.end(100);
  });

  test('what other systems forgot is not here, for nobody', async () => {
    const found = new Findings();
    const names = [
      '/debug',
      '/_debug',
      '/admin',
      '/wp-admin',
      '/wp-login.php',
      '/xmlrpc.php',
      '/.env',
      '/.git/config',
      '/phpinfo.php',
      '/server-status',
      '/graphql',
      '/console',
      '/actuator',
      '/actuator/env',
      '/swagger',
      '/docs/json',
      '/documentation',
      '/install',
      '/setup',
      '/migrate',
      '/backup',
      '/kalends.db',
      '/data/kalends.db',
      '/media',
      '/media/',
      '/docs/assets',
      '/docs/assets/',
      '/metrics/reset',
      '/config',
      '/test',
      '/__test__',
      '/healthz/db',
      '/package.json',
      '/dist/main.js',
      '/src/main.ts',
      '/.well-known',
      '/users',
      '/sql',
    ];
    const inner = [
      '/users',
      '/users/1',
      '/settings',
      '/schema',
      '/migrate',
      '/tables',
      '/tables/event',
      '/sql',
      '/query',
      '/backup',
      '/restore',
      '/export',
      '/import',
      '/debug',
      '/_debug',
      '/test',
      '/tokens',
      '/passwords',
      '/credentials',
      '/check',
      '/demo',
      '/reset',
      '/events/by-slug',
      '/events/by-slug/',
      '/aggregator',
      '/batch',
      '/cost',
    ];
    for (const at of [...names.map((name) => `~${name}`), ...inner]) {
      for (const who of WHO) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const { status } = await s.ask(method, at, {
            as: who,
            ...(method === 'POST' ? { json: { sql: 'DROP TABLE event' } } : {}),
          });
          found.check(status === 404, () => `${method} ${at} as ${who}: ${status}`);
        }
      }
    }
    for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'DEBUG', 'PURGE', 'LOCK']) {
      const reply = await s.ask('POST', '/events', {
        headers: { 'x-http-method-override': method },
        json: {},
        as: 'subscriber',
      });
      found.check(reply.status === 404, () => `override ${method}: ${reply.status}`);
    }
    found.end(1000);
  });

  test('no request of an administrator changes the schema', async () => {
    const schema = () => s.database.read((db) => db.all(SCHEMA));
    const before = await schema();
    s.sqlSeen();
    for (const [at, { methods }] of Object.entries(TABLE)) {
      if (!at.startsWith('{api}')) continue;
      const url = (s.api + at.slice(5)).replace(':id', '1').replace(':slug', 'x');
      for (const method of methods)
        await s.ask(method, url, {
          as: 'admin',
          ...(method === 'GET' ? {} : { json: { name: 'x', title: 'x', venue: 'x', organizer: 'x' } }),
        });
    }
    assert.deepEqual(
      s.sqlSeen().filter((text) => /^\s*(create|drop|alter|attach|detach|vacuum|reindex|pragma)\b/i.test(text)),
      [],
    );
    assert.deepEqual(await schema(), before);
  });
});
