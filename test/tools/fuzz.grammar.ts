import type { Endpoint, Method, Route } from '../../src/records/routes.js';
import { apiRoutes } from '../../src/routes.js';
import { LONE, TEXTS } from './fuzz.corpus.js';
import { idFor } from './fuzz.fixtures.js';
import { type Asked, baseOf, encoded, MOST_TARGET, pairsOf, roleFor } from './fuzz.request.js';
import { anyText, hostile, plausible } from './fuzz.values.js';
import type { Random } from './random.js';

/** Requests made from our own route table: every route, method and parameter there is, and a few that are not. */

const routes: Route[] = apiRoutes({ siteName: 'Fuzz', version: '0' }, async () => {});
const known: { route: Route; endpoint: Endpoint; method: Method }[] = routes.flatMap((route) =>
  route.endpoints.flatMap((endpoint) => endpoint.methods.map((method) => ({ route, endpoint, method }))),
);

/** Parameters of the protocol, and names that mean something to the language we are written in. */
const OTHERS = [
  '_fields',
  '_envelope',
  '_embed',
  '_locale',
  '_pretty',
  'context',
  'id',
  'slug',
  'force',
  'rest_route',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  'role',
  'user_id',
];
const PAGES = [
  '/',
  '/docs',
  '/livez',
  '/readyz',
  '/metrics',
  '/api',
  '/wp-json',
  '/robots.txt',
  '/llms.txt',
  '/.well-known/api-catalog',
  '/x',
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LINK'];
const IDS = ['0', '1', '-1', '1.0', '01', '1e1', '999999999', '9007199254740993', '9'.repeat(40), '%31', '１', 'x', ''];

/** `index` is how far the run is: new records have higher ids. */
export function grammatical(random: Random, index: number): Asked {
  if (random.chance(0.03)) return page(random);
  let chosen = random.pick(known);
  // Seldom: what is removed cannot be asked for again.
  if (chosen.method === 'DELETE' && random.chance(0.7)) chosen = random.pick(known);
  const { route, endpoint, method } = chosen;
  const asked: Asked = {
    kind: 'grammar',
    method: random.chance(0.03) ? random.pick(METHODS) : method === 'GET' && random.chance(0.05) ? 'HEAD' : method,
    target: baseOf(random) + pathOf(random, route, index),
    headers: [],
    as: roleFor(random, endpoint.writes),
  };
  const given = argsFor(random, endpoint);
  if (endpoint.uploads && random.chance(0.7)) return withQuery(random, asked, given);
  if (!endpoint.writes || random.chance(0.08)) return withQuery(random, asked, given);
  return withBody(random, asked, given);
}

function page(random: Random): Asked {
  const path = random.pick([
    ...PAGES,
    `/media/${'0123456789abcdef'.repeat(2)}${random.pick(['.png', '-medium.png', '.svg', '', '/x'])}`,
    `/media/${encoded(random.pick(TEXTS).slice(0, 100))}`,
    `/docs/assets/${random.pick(['docs.css', 'docs.js', '..%2f..%2fpackage.json', '../../package.json'])}`,
    `/${encoded(anyText(random))}`,
    `/api/${encoded(anyText(random))}/events/v1/events`,
  ]);
  return { kind: 'grammar', method: random.pick(METHODS), target: path, headers: [], as: roleFor(random, false) };
}

function pathOf(random: Random, route: Route, index: number): string {
  const id = random.chance(0.9) ? String(idFor(random, route.path, index)) : random.pick(IDS);
  const slug = random.chance(0.75)
    ? slugFor(random, route.path)
    : encoded(random.pick([...TEXTS, ...LONE])).slice(0, 3000);
  const path = route.path.replace(':id', id).replace(':slug', slug);
  if (random.chance(0.97)) return random.chance(0.05) ? `${path}/` : path;
  return random.pick([
    `${path}//`,
    `/${path}`,
    `${path}/..`,
    `${path}%00`,
    `${path}/extra`,
    `${path};a=b`,
    `${path}%2f`,
  ]);
}

/** `/venues/by-slug/:slug` → `venue-7` */
const slugFor = (random: Random, path: string): string =>
  `${/^\/([a-z]+)s\//.exec(path)?.[1]}-${random.int(1, 14)}${random.chance(0.1) ? random.pick(['-2', '__trashed']) : ''}`;

/** What is required mostly, the rest now and then; good values mostly, so that something gets as far as the database. */
function argsFor(random: Random, { args, writes }: Endpoint): [string, unknown][] {
  const names = Object.keys(args);
  const share = random.pick([0, 0.1, 0.25, names.length > 12 ? 0.4 : 0.6]);
  const bad = random.pick([0, 0, 0, 0.1, 0.5]);
  const tame = bad === 0 && random.chance(0.7);
  const given: [string, unknown][] = [];
  for (const name of names) {
    const wanted = args[name]?.required ? random.chance(0.95) : random.chance(/password/.test(name) ? 0.03 : share);
    if (wanted) given.push([name, random.chance(bad) ? hostile(random) : fitting(random, name, writes, tame)]);
  }
  if (random.chance(0.15)) {
    const name = random.chance(0.8) ? random.pick(OTHERS) : random.pick(TEXTS).slice(0, 200);
    given.push([name, random.chance(0.5) ? plausible(random, name, false) : hostile(random)]);
  }
  return given;
}

/** Dates of a new event must agree, or nearly all of them are refused. */
function fitting(random: Random, name: string, writes: boolean, tame: boolean): unknown {
  if (writes && (tame || random.chance(0.7))) {
    if (name === 'start_date') return `203${random.int(0, 1)}-0${random.int(1, 9)}-1${random.int(0, 9)} 10:00:00`;
    if (name === 'end_date') return `203${random.int(2, 5)}-01-01 12:00:00`;
    if (/^(title|name|venue|organizer)$/.test(name) && random.chance(0.5)) return `Words ${random.int(1, 4000)}`;
  }
  return plausible(random, name, tame);
}

function withQuery(random: Random, asked: Asked, given: [string, unknown][]): Asked {
  let query = given.flatMap(([name, value]) => pairsOf(random, name, value)).join('&');
  if (random.chance(0.05)) query = query.replace(/=/g, random.pick(['=%', '==', '', '=%zz', '=%ff', '=+']));
  if (random.chance(0.02))
    query += random.pick(['&', '&&&=', '&=x', '?a=b', '&a', '&[]=1', '&[x]=1', '&%5B__proto__%5D=1']);
  const target = `${asked.target}${query === '' ? '' : '?'}${query}`;
  return { ...asked, target: target.slice(0, MOST_TARGET) };
}

const objectOf = (given: [string, unknown][]): Record<string, unknown> => {
  const made: Record<string, unknown> = {};
  // As a member of its own, not as the prototype.
  for (const [name, value] of given)
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  return made;
};

function withBody(random: Random, asked: Asked, given: [string, unknown][]): Asked {
  const way = random.weighed({ json: 75, form: 15, multipart: 10 });
  if (way === 'json') {
    return {
      ...asked,
      headers: [...asked.headers, ['Content-Type', 'application/json']],
      body: Buffer.from(JSON.stringify(objectOf(given))),
    };
  }
  const pairs = given.flatMap(([name, value]) => pairsOf(random, name, value));
  if (way === 'form') {
    return {
      ...asked,
      headers: [...asked.headers, ['Content-Type', 'application/x-www-form-urlencoded']],
      body: Buffer.from(pairs.join('&')),
    };
  }
  const mark = `----b${random.int(1, 1e9)}`;
  const parts = pairs.map((pair) => {
    const [name = '', value = ''] = pair.split('=', 2).map((text) => decoded(text));
    return `--${mark}\r\nContent-Disposition: form-data; name="${name.replace(/["\r\n]/g, '_')}"\r\n\r\n${value}\r\n`;
  });
  return {
    ...asked,
    headers: [...asked.headers, ['Content-Type', `multipart/form-data; boundary=${mark}`]],
    body: Buffer.from(`${parts.join('')}--${mark}--\r\n`),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
