import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/rights.js';
import { hashOfWord } from '../accounts/secrets.js';
import type { Database } from '../db/database.js';
import { Failure } from '../errors.js';
import type { Language } from '../i18n/languages.js';
import type { Translate } from '../i18n/translate.js';
import type { Media } from '../media/media.js';
import type { Address, Context, Describing, Site, Target } from '../records/context.js';
import type { Answer, Endpoint, Method, Route } from '../records/routes.js';
import { nowSeconds } from '../time/clock.js';
import { errorAnswer } from './answers.js';
import { onlyFields } from './fields.js';
import { apiHeaders, corsHeaders } from './headers.js';
import type { Limit } from './limits.js';
import { members, parseQuery, queryText } from './params.js';

/** Serves the route table: credentials, parameters, the operation in its transaction, the answer. */

export interface Served {
  database: Database;
  site: Site;
  secretKey: string;
  allowedOrigins: ReadonlySet<string>;
  media: Media;
  /** Wrong credentials and event passwords, by address. */
  signIns: Limit;
  /** Writes, by user or address. */
  writes: Limit;
  translate: (request: FastifyRequest) => Translate;
  identify: (header: string | undefined) => Promise<Caller>;
  /** A route as the namespace index shows it. */
  describe: (route: Route, describing: Describing) => unknown;
  address: (request: FastifyRequest) => Address;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route;
  }
  interface FastifyRequest {
    caller?: Caller;
    /** The namespace path that the caller used. */
    base?: string | undefined;
    /** The language of the answer. */
    language?: Language;
  }
}

/** Parameters that belong to the protocol and not to a route. */
const PROTOCOL = new Set([
  '_method',
  '_fields',
  '_envelope',
  '_embed',
  '_locale',
  '_wpnonce',
  '_pretty',
  'context',
  'id',
  'slug',
  'password',
  'force',
  'rest_route',
]);

export function serveRoutes(app: FastifyInstance, prefix: string, routes: Route[], served: Served): void {
  for (const route of routes) {
    app.all(
      prefix + route.path.replace(':id', ':id(^\\d+$)'),
      { config: { route, uploads: route.endpoints.some((endpoint) => endpoint.uploads) } },
      (request, reply) => handle(route, request, reply, served),
    );
  }
}

function targetOf(request: FastifyRequest): Target | undefined {
  const { id, slug } = request.params as { id?: string; slug?: string };
  if (id !== undefined) return { by: 'id', id: Number(id) };
  return slug === undefined ? undefined : { by: 'slug', slug };
}

async function handle(route: Route, request: FastifyRequest, reply: FastifyReply, served: Served): Promise<unknown> {
  const target = targetOf(request);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const caller = request.caller ?? {};
  const allow = () => served.database.read((db) => route.allowed(db, caller, target));
  if (method === 'OPTIONS') {
    const context = await contextOf(undefined, request, {}, caller, served);
    return send(request, reply, served, { status: 200, body: served.describe(route, context) }, await allow());
  }
  const endpoint = route.endpoints.find((one) => one.methods.includes(method as Method));
  if (!endpoint) throw new Failure('rest_no_route');
  const given = givenTo(endpoint, request);
  if (endpoint.writes) served.writes.count(caller.user ? `user ${caller.user.id}` : request.ip);
  const context = await contextOf(endpoint, request, given, caller, served);
  const run = (db: Context['db']) => endpoint.run({ ...context, db }, target);
  const answer = await (endpoint.writes ? written(run, context, served) : served.database.read(run));
  await answer.afterwards?.();
  noteIgnored(endpoint, request, reply);
  return send(request, reply, served, answer, await allow());
}

/** Pictures that a write brought along are kept only if the write was. */
async function written(
  run: (db: Context['db']) => Promise<Answer>,
  context: Omit<Context, 'db'>,
  served: Served,
): Promise<Answer> {
  let committed = false;
  try {
    const answer = await served.database.write(run);
    committed = true;
    return answer;
  } finally {
    await context.images?.settle(committed);
  }
}

/** An anonymous reader's question, asked from inside: what pages show is what the interface would answer. */
export async function askAnonymously(
  route: Route,
  request: FastifyRequest,
  given: Record<string, unknown>,
  served: Served,
): Promise<unknown> {
  const endpoint = route.endpoints[0];
  if (!endpoint) return undefined;
  const context = await contextOf(undefined, request, given, {}, served);
  return (await served.database.read((db) => endpoint.run({ ...context, db }, undefined))).body;
}

/** Errors of a known path tell what may be done there; an unknown method, what the path has (A1). */
async function allowedOnError(error: unknown, request: FastifyRequest, served: Served): Promise<Method[] | undefined> {
  const { route } = request.routeOptions.config;
  if (!route || !request.caller) return undefined;
  if (error instanceof Failure && error.code === 'rest_no_route') return methodsOf(route);
  if (error instanceof Failure && error.code === 'service-unavailable') return undefined;
  const { caller } = request;
  return served.database.read((db) => route.allowed(db, caller, targetOf(request)));
}

/** Whether the address has a route, and the route the method. */
export function isServed(request: FastifyRequest): boolean {
  const { route } = request.routeOptions.config;
  if (!route) return false;
  return ['HEAD', 'OPTIONS'].includes(request.method) || methodsOf(route).includes(request.method as Method);
}

const methodsOf = (route: Route): Method[] => route.endpoints.flatMap((endpoint) => endpoint.methods);

function givenTo(endpoint: Endpoint, request: FastifyRequest): Record<string, unknown> {
  const query = parseQuery(queryText(request.raw.url ?? ''), (name) => endpoint.args[name]?.list === true);
  return endpoint.writes ? { ...query, ...members(request.body) } : query;
}

async function contextOf(
  endpoint: Endpoint | undefined,
  request: FastifyRequest,
  given: Record<string, unknown>,
  caller: Caller,
  served: Served,
): Promise<Omit<Context, 'db'>> {
  const word = given.password;
  // Guessing the word of an event is guessing, too.
  const guesser = `${request.ip} word`;
  let opened: Promise<string> | undefined;
  const secret = endpoint?.secret === undefined ? undefined : given[endpoint.secret];
  return {
    caller,
    given,
    site: served.site,
    address: served.address(request),
    translate: served.translate(request),
    now: nowSeconds(),
    scheme: request.headers.authorization?.trim().split(/\s+/)[0]?.toLowerCase(),
    images: endpoint?.writes
      ? await served.media.prepare(given, caller, served.address(request).home, request.upload)
      : undefined,
    wrongPassword: () => served.signIns.count(guesser),
    passwordHash: async () => {
      if (typeof word !== 'string' || word === '') return undefined;
      served.signIns.check(guesser);
      opened ??= hashOfWord(word, served.secretKey);
      return opened;
    },
    newPasswordHash:
      caller.user && typeof secret === 'string' && secret !== '' && secret.length <= 255
        ? await hashOfWord(secret, served.secretKey)
        : undefined,
  };
}

/** Members of the body that no field takes are ignored, and the sender is told which. */
function noteIgnored(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): void {
  if (!endpoint.writes) return;
  const ignored = Object.keys(members(request.body)).filter(
    (name) => !Object.hasOwn(endpoint.args, name) && !PROTOCOL.has(name),
  );
  if (ignored.length > 0)
    reply.header(
      'X-Kalends-Ignored',
      ignored
        .slice(0, 20)
        .map((name) => encodeURIComponent(name.slice(0, 60).replace(/\p{Cs}/gu, '')))
        .join(', '),
    );
}

function send(request: FastifyRequest, reply: FastifyReply, served: Served, answer: Answer, allow: Method[]): unknown {
  const caller = request.caller ?? {};
  const query = parseQuery(queryText(request.raw.url ?? ''), () => false);
  apiHeaders(reply, served.address(request).root, caller.user !== undefined);
  corsHeaders(request, reply, served.allowedOrigins);
  reply.header('Allow', allow.join(', '));
  if (answer.list) {
    reply.header('X-TEC-Total', String(answer.list.total));
    reply.header('X-TEC-TotalPages', String(answer.list.totalPages));
    const links = [reply.getHeader('Link')];
    if (answer.list.previous) links.push(`<${answer.list.previous}>; rel="prev"`);
    if (answer.list.next) links.push(`<${answer.list.next}>; rel="next"`);
    reply.header('Link', links.join(', '));
  }
  if (answer.location) reply.header('Location', served.address(request).api + answer.location);
  const body = onlyFields(answer.body, query._fields, answer.kept);
  return sendJson(request, reply, answer.status, body, query);
}

function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  body: unknown,
  query: Record<string, unknown>,
): unknown {
  if (Object.hasOwn(query, '_envelope')) {
    const headers = Object.fromEntries(
      Object.entries(reply.getHeaders()).map(([name, value]) => [headerName(name), value]),
    );
    return reply.code(200).type(JSON_TYPE).send(JSON.stringify({ body, status, headers }));
  }
  const text = JSON.stringify(body);
  if (status === 200 && (request.method === 'GET' || request.method === 'HEAD')) {
    const tag = `"${createHash('sha1').update(text).digest('base64url')}"`;
    reply.header('ETag', tag);
    if (matches(request.headers['if-none-match'], tag)) return reply.code(304).send();
  }
  return reply.code(status).type(JSON_TYPE).send(text);
}

const JSON_TYPE = 'application/json; charset=UTF-8';

const headerName = (name: string): string =>
  name.startsWith('x-tec-')
    ? name.replace('x-tec-total', 'X-TEC-Total').replace('pages', 'Pages')
    : name.replace(/(^|-)[a-z]/g, (c) => c.toUpperCase());

const matches = (header: string | undefined, tag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag));

export async function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  served: Served,
): Promise<unknown> {
  const caller = request.caller ?? {};
  const allow = await allowedOnError(error, request, served);
  if (allow) reply.header('Allow', allow.join(', '));
  const { status, body } = errorAnswer(error, served.translate(request), caller.user !== undefined);
  apiHeaders(reply, served.address(request).root, caller.user !== undefined || status === 401);
  corsHeaders(request, reply, served.allowedOrigins);
  const wait = error instanceof Failure ? error.extra.retryAfter : undefined;
  if (wait !== undefined || status === 503) reply.header('Retry-After', String(wait ?? 2));
  return sendJson(request, reply, status, body, { ...(asksForEnvelope(request) ? { _envelope: '1' } : {}) });
}

/** Without reading the rest of the address, which may be what was wrong. */
const asksForEnvelope = (request: FastifyRequest): boolean =>
  /(^|&)_envelope(=|&|$)/.test(queryText(request.raw.url ?? ''));
