import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Current } from '../db/changes.js';
import { Failure } from '../errors.js';
import type { Basis } from '../records/basis.js';
import { bytesOf } from '../records/rendered.js';
import { type Answer, type Endpoint, type Method, methodsOf } from '../records/routes.js';
import { errorAnswer } from './answers.js';
import { readingOf, type Served, targetOf } from './context.js';
import { onlyFields } from './fields.js';
import { apiHeaders, corsHeaders } from './headers.js';
import { compressed, encodingOf, tagFor, tagMatches } from './negotiate.js';
import { members, parseQuery, queryText } from './params.js';

/** Answers and failures on their way out: headers, envelope, body. */

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

/** Members of the body that no field takes are ignored, and the sender is told which. */
export function noteIgnored(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): void {
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

/** What was done, with all that its answer tells. */
export interface Done {
  answer: Answer;
  allow: Method[];
  current?: Current | undefined;
  basis?: Basis | undefined;
}

export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  served: Served,
  { answer, allow, current, basis }: Done,
): unknown {
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
  if (answer.location) reply.header('Location', answer.location);
  if (answer.replayed) reply.header('Idempotency-Replayed', 'true');
  const body = onlyFields(answer.body, query._fields, answer.kept);
  if (current === undefined || caller.user || query.password !== undefined || Object.hasOwn(query, '_envelope')) {
    return sendJson(request, reply, answer.status, body, query);
  }
  const bytes = bytesOf(body);
  const tag = tagOf(bytes);
  if (answer.until !== undefined && answer.status === 200) {
    reply.header('Cache-Control', PUBLIC);
    served.answers.keep(request.raw, {
      current,
      basis,
      until: answer.until,
      headers: [...Object.entries(reply.getHeaders()), ['content-type', JSON_TYPE]].map(([k, v]) => [
        String(k),
        String(v),
      ]),
      body: bytes,
      tag,
      route: request.routeOptions.url ?? 'none',
      url: request.originalUrl,
    });
  }
  return sendBytes(request, reply, answer.status, bytes, tag);
}

/** Anybody's answer may be kept on the way for a moment, and shown for a while longer while a newer one is fetched. */
const PUBLIC = 'public, max-age=1, stale-while-revalidate=30';
/** That there is nothing to see may be kept, too: else caches go on showing what was there before. */
const PUBLIC_REFUSAL = 'public, max-age=1';

export const tagOf = (bytes: Buffer): string => `"${createHash('sha1').update(bytes).digest('base64url')}"`;

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
  return sendBytes(request, reply, status, bytesOf(body));
}

function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  bytes: Buffer,
  known?: string,
): unknown {
  const encoding = encodingOf(request.headers['accept-encoding'], bytes.length);
  if (status === 200 && (request.method === 'GET' || request.method === 'HEAD')) {
    const tag = known ?? tagOf(bytes);
    reply.header('ETag', tagFor(tag, encoding));
    if (tagMatches(request.headers['if-none-match'], tag)) return reply.code(304).send();
  }
  reply.code(status).type(JSON_TYPE);
  if (encoding === 'identity') return reply.send(bytes);
  return reply.header('Content-Encoding', encoding).send(compressed(bytes, encoding));
}

const JSON_TYPE = 'application/json; charset=UTF-8';

const headerName = (name: string): string =>
  name.startsWith('x-tec-')
    ? name.replace('x-tec-total', 'X-TEC-Total').replace('pages', 'Pages')
    : name.replace(/(^|-)[a-z]/g, (c) => c.toUpperCase());

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
  if (isForAnybody(request, status)) reply.header('Cache-Control', PUBLIC_REFUSAL);
  const wait = error instanceof Failure ? error.extra.retryAfter : undefined;
  if (wait !== undefined || status === 503) reply.header('Retry-After', String(wait ?? 2));
  return sendJson(request, reply, status, body, { ...(asksForEnvelope(request) ? { _envelope: '1' } : {}) });
}

/** Whether anybody who reads this is told that it is not, or no longer, there. What a word opens is nobody else's. */
function isForAnybody({ method, caller, raw }: FastifyRequest, status: number): boolean {
  if (!['GET', 'HEAD'].includes(method) || ![403, 404, 410].includes(status)) return false;
  const names = [...new URLSearchParams(queryText(raw.url ?? '')).keys()];
  return caller !== undefined && !caller.user && !names.some((name) => /^(_envelope|password)\b/.test(name));
}

/** Without reading the rest of the address, which may be what was wrong. */
const asksForEnvelope = (request: FastifyRequest): boolean =>
  /(^|&)_envelope(=|&|$)/.test(queryText(request.raw.url ?? ''));

/** Errors of a known path tell what may be done there; an unknown method, what the path has (A1). */
async function allowedOnError(error: unknown, request: FastifyRequest, served: Served): Promise<Method[] | undefined> {
  const { route } = request.routeOptions.config;
  if (!route || !request.caller) return undefined;
  if (error instanceof Failure && error.code === 'rest_no_route') return methodsOf(route);
  if (error instanceof Failure && error.code === 'service-unavailable') return undefined;
  const { caller } = request;
  return served.database.read((db) => route.allowed(db, caller, targetOf(request)), readingOf(caller));
}
