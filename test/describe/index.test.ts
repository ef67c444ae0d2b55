import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from '../support/server.js';
import { ROUTES } from './specification.js';

/** The namespace root, OPTIONS and the roots above: the reference's section 6 and appendix A, to the letter. */

// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
type Json = any;
const NAMESPACE = 'calendar/events/v1';
const ALIAS = 'tribe/events/v1';
const LISBON = {
  KALENDS_LOG_LEVEL: 'silent',
  KALENDS_TIMEZONE: 'Pacific/Auckland',
  KALENDS_SITE_DESCRIPTION: 'A town.',
};
let server: TestServer;
let index: Json;
before(async () => {
  server = await startServer(LISBON);
  index = (await server.get('')).json;
});
after(() => server.close());

const pattern = (path: string): string => path.replace('{id}', '(?P<id>\\d+)').replace('{slug}', '(?P<slug>[^/]+)');
const keyOf = (path: string, namespace = NAMESPACE): string => `/${namespace}${pattern(path)}`;
const argsOf = (path: string, method: string): Json =>
  index.routes[keyOf(path)].endpoints.find((one: Json) => one.methods.includes(method)).args;

test('the root has its three members, and the routes of the reference first and in its order', () => {
  assert.deepEqual(Object.keys(index), ['namespace', 'routes', '_links']);
  assert.equal(index.namespace, NAMESPACE);
  assert.deepEqual(index._links, { up: [{ href: `${server.home}/api/` }] });
  assert.deepEqual(
    Object.keys(index.routes).slice(0, 15),
    ROUTES.map(([path]) => keyOf(path)),
  );
});

test('every route has its members in order; only those without a variable link to themselves', () => {
  for (const [key, route] of Object.entries<Json>(index.routes)) {
    const fixed = !key.includes('(?P<');
    assert.deepEqual(Object.keys(route), ['namespace', 'methods', 'endpoints', ...(fixed ? ['_links'] : [])], key);
    assert.equal(route.namespace, NAMESPACE);
    if (fixed) assert.deepEqual(route._links, { self: [{ href: `${server.home}/api${key}` }] });
    assert.deepEqual(
      route.methods,
      route.endpoints.flatMap((one: Json) => one.methods),
      key,
    );
    for (const one of route.endpoints) assert.deepEqual(Object.keys(one), ['methods', 'args'], key);
  }
});

test('methods split into endpoints as the reference splits them', () => {
  const split = (path: string): string[][] => index.routes[keyOf(path)].endpoints.map((one: Json) => one.methods);
  const updates = ['POST', 'PUT', 'PATCH'];
  for (const [path] of ROUTES.slice(2)) {
    const terms = /categories|tags/.test(path);
    const single = terms ? [['GET'], updates, ['DELETE']] : [['GET'], ['DELETE'], updates];
    assert.deepEqual(split(path), path.includes('{') ? single : [['GET'], ['POST']], path);
  }
  for (const path of ['', '/doc', '/users/me', '/openapi.json']) assert.deepEqual(split(path), [['GET']], path);
});

test('no parameters are an empty list, and required is the last member of each parameter', () => {
  for (const path of ['/doc', '/users/me', '/openapi.json']) assert.deepEqual(argsOf(path, 'GET'), [], path);
  for (const route of Object.values<Json>(index.routes))
    for (const { args } of route.endpoints)
      for (const [name, arg] of Object.entries<Json>(args)) {
        assert.equal(Object.keys(arg).at(-1), 'required', name);
        assert.equal(typeof arg.required, 'boolean', name);
      }
});

/** Appendix A: the members of a parameter, in the order in which it declares them. */
const ORDERS: [path: string, method: string, names: string, members: string][] = [
  ['', 'GET', 'namespace context', 'default required'],
  ['/events', 'GET', 'page per_page', 'default description type required'],
  ['/events', 'GET', 'start_date end_date strict_dates', 'default description required'],
  ['/events', 'GET', 'starts_before starts_after ends_before ends_after', 'description required'],
  ['/events', 'GET', 'search', 'description type required'],
  ['/events', 'GET', 'categories tags venue organizer include', 'description items required'],
  ['/events', 'GET', 'featured geoloc post_parent ticketed', 'type description required'],
  ['/events', 'GET', 'status geoloc_lat geoloc_lng', 'format description required'],
  ['/events', 'POST', 'author title slug image featured', 'type description required'],
  ['/events', 'POST', 'all_day', 'default type description required'],
  ['/events', 'POST', 'cost', 'description required'],
  ['/events', 'POST', 'website', 'default description required'],
  ['/events', 'POST', 'categories tags venue organizer', 'default items description required'],
  ['/venues', 'GET', 'search event', 'description type required'],
  ['/venues', 'GET', 'has_events', 'description required'],
  ['/venues', 'GET', 'only_with_upcoming', 'description default required'],
  ['/organizers', 'GET', 'status', 'format description required'],
  ['/venues', 'POST', 'venue status author', 'type description required'],
  ['/venues', 'POST', 'description show_map zip image', 'type default description required'],
  ['/organizers', 'POST', 'author organizer email image', 'type default description required'],
  ['/categories', 'GET', 'exclude include', 'description items required'],
  ['/categories', 'GET', 'order orderby parent post event slug', 'description type required'],
  ['/tags', 'GET', 'hide_empty', 'description type default required'],
  ['/categories', 'POST', 'name description slug parent', 'type description required'],
  ['/events/{id}', 'PATCH', 'id password title', 'type description required'],
  ['/tags/{id}', 'DELETE', 'id', 'type description required'],
];
test('the members of parameters stand in the order of the reference', () => {
  for (const [path, method, names, members] of ORDERS)
    for (const name of names.split(' '))
      assert.equal(Object.keys(argsOf(path, method)[name]).join(' '), members, `${method} ${path} ${name}`);
});

test('defaults have the types of the reference; the window is that of today in the zone of the site (B4)', async () => {
  const args = argsOf('/events', 'GET');
  assert.deepEqual([args.page.default, args.per_page.default, args.strict_dates.default], [1, '10', 'false']);
  assert.equal(argsOf('/tags', 'GET').hide_empty.default, '1');
  assert.equal(argsOf('/venues', 'GET').only_with_upcoming.default, false);
  assert.deepEqual(argsOf('', 'GET').namespace, { default: NAMESPACE, required: false });
  assert.deepEqual(argsOf('', 'GET').context, { default: 'view', required: false });
  // Around midnight the day may change between the two questions.
  const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Auckland' }).format(new Date());
  let day = '';
  let shown: Json;
  do {
    day = today();
    shown = (await server.get('')).json.routes[keyOf('/events')].endpoints[0].args;
  } while (day !== today());
  assert.equal(shown.start_date.default, `${day} 00:00:00`);
  const later = `${Number(day.slice(0, 4)) + 2}${day.slice(4)}`.replace('02-29', '02-28');
  assert.equal(shown.end_date.default, `${later} 23:59:59`);
});

test('per_page of the index is what the site has', async () => {
  const other = await startServer({ KALENDS_LOG_LEVEL: 'silent', KALENDS_PER_PAGE: '5' });
  try {
    const { routes } = (await other.get('')).json;
    for (const kind of ['/events', '/venues', '/organizers', '/categories', '/tags', '/media']) {
      assert.equal(routes[keyOf(kind)].endpoints[0].args.per_page.default, '5', kind);
      assert.match((await other.get(kind, {}, 'admin')).json.rest_url, /\bper_page=5\b/, kind);
    }
  } finally {
    await other.close();
  }
});

test('namespace and context: the own one is fine, any other is 404 rest_invalid_namespace', async () => {
  for (const query of [{ namespace: NAMESPACE }, { context: 'view' }, { context: 'edit' }]) {
    const reply = await server.get('', query);
    assert.equal(reply.status, 200, JSON.stringify(query));
    assert.deepEqual(Object.keys(reply.json.routes), Object.keys(index.routes));
  }
  for (const namespace of ['wp/v2', 'nope', ALIAS]) {
    const reply = await server.get('', { namespace });
    assert.deepEqual([reply.status, reply.json.code], [404, 'rest_invalid_namespace'], namespace);
  }
});

test('OPTIONS of a route is its entry in the index, for everybody', async () => {
  const venue = (await server.post('/venues', { venue: 'Hall' }, 'admin')).json;
  for (const key of Object.keys(index.routes)) {
    const at = key
      .slice(NAMESPACE.length + 1)
      .replace('(?P<id>\\d+)', `${venue.id}`)
      .replace('(?P<slug>[^/]+)', venue.slug);
    for (const as of [undefined, 'admin'] as const) {
      const reply = await server.ask('OPTIONS', at, { as });
      assert.equal(reply.status, 200, at);
      assert.deepEqual(reply.json, index.routes[key], at);
      assert.equal(JSON.stringify(reply.json), JSON.stringify(index.routes[key]), `${at}: order`);
      // Everybody may read what is specified; what is ours may be for some only.
      const open = as === 'admin' || ROUTES.some(([path]) => keyOf(path) === key);
      if (open) assert.ok(reply.headers.get('allow')?.startsWith('GET'), at);
    }
  }
  const allowed = await server.ask('OPTIONS', `/venues/${venue.id}`, { as: 'admin' });
  assert.equal(allowed.headers.get('allow'), 'GET, DELETE, POST, PUT, PATCH');
});

test('HEAD of the root has the headers of GET and no body', async () => {
  const get = await server.get('');
  const head = await server.ask('HEAD', '');
  assert.deepEqual([head.status, head.text], [200, '']);
  for (const name of ['etag', 'allow', 'link', 'content-type', 'content-language'])
    assert.equal(head.headers.get(name), get.headers.get(name), name);
});

test('under its alias the namespace calls itself and its routes by that name', async () => {
  const { json } = await server.get(`~/wp-json/${ALIAS}`);
  assert.equal(json.namespace, ALIAS);
  assert.deepEqual(
    Object.keys(json.routes).slice(0, 15),
    ROUTES.map(([path]) => keyOf(path, ALIAS)),
  );
  assert.deepEqual(json._links.up, [{ href: `${server.home}/wp-json/` }]);
  const { namespace, _links } = json.routes[keyOf('/events', ALIAS)];
  assert.deepEqual([namespace, _links.self[0].href], [ALIAS, `${server.home}/wp-json/${ALIAS}/events`]);
  assert.equal((await server.get(`~/wp-json/${ALIAS}`, { namespace: ALIAS })).status, 200);
  assert.equal((await server.get(`~/WP-JSON/Tribe/Events/V1/`)).json.namespace, ALIAS);
});

for (const [at, namespace, prefix] of [
  ['/api', NAMESPACE, '/api'],
  ['/wp-json', ALIAS, '/wp-json'],
  ['/de/api', NAMESPACE, '/de/api'],
  ['/ar/wp-json/', ALIAS, '/ar/wp-json'],
] as const) {
  test(`the root ${at} tells the site, its namespaces and how to sign in`, async () => {
    const reply = await server.get(`~${at}`);
    assert.equal(reply.status, 200);
    const { json } = reply;
    assert.deepEqual([json.name, json.description, json.url], ['Kalends', 'A town.', server.home]);
    assert.equal(json.timezone_string, 'Pacific/Auckland');
    assert.ok([12, 13].includes(json.gmt_offset));
    assert.deepEqual(json.namespaces, [namespace]);
    assert.equal(json.routes[`/${namespace}`]._links.self[0].href, `${server.home}${prefix}/${namespace}`);
    assert.ok(json.authentication['application-passwords']);
    assert.equal(reply.headers.get('link'), `<${server.home}${prefix}/>; rel="https://api.w.org/"`);
    const self = await server.ask('GET', json.routes[`/${namespace}`]._links.self[0].href);
    assert.equal(self.json.namespace, namespace);
    for (const { href } of [...json._links.help, ...json._links.describedby])
      assert.equal((await fetch(href)).status, 200, href);
  });
}
