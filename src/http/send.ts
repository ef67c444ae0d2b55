import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Current } from '../db/changes.js';
import { Failure } from '../errors.js';
import type { Basis } from '../records/basis.js';
import type { ListAnswer } from '../records/list.js';
import { Bytes, bytesOf, Rendered } from '../records/rendered.js';
import { type Answer, type Endpoint, type Method, methodsOf } from '../records/routes.js';
import { errorAnswer } from './answers.js';
import type { Asked } from './asked.js';
import { freshnessFor, type Served, targetOf } from './context.js';
import { onlyFields } from './fields.js';
import { addCorsHeaders, apiHeaders, type Headers, JSON_TYPE, NOT_KEPT, waitOf } from './headers.js';
import type { Retold } from './kept.js';
import { compressed, encodingOf, tagBy, tagFor, tagMatches, tagOf } from './negotiate.js';
import { members, queryText } from './params.js';

/** Responses and failures on their way out: headers, envelope, body. */

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
  'rest_route',
]);

/** What came with a write. */
interface Sent {
  body?: unknown;
  passedOver?: string | undefined;
}

/** Members and files in the body that no field takes: they are ignored, and the response names them. */
function ignoredIn(endpoint: Endpoint, { body, passedOver }: Sent): string | undefined {
  const unknown = Object.keys(members(body)).filter(
    (name) => !Object.hasOwn(endpoint.args, name) && !PROTOCOL.has(name),
  );
  const ignored = [...new Set(passedOver ? [...unknown, passedOver] : unknown)];
  if (ignored.length === 0) return undefined;
  return ignored
    .slice(0, 20)
    .map((name) => encodeURIComponent(name.slice(0, 60).replace(/\p{Cs}/gu, '')))
    .join(', ');
}

/** The result of an operation, with everything that its response needs. */
export interface Done {
  answer: Answer;
  allow: Method[];
  current?: Current | undefined;
  basis?: Basis | undefined;
}

/** A response without what belongs to the connection. */
export interface Outgoing {
  status: number;
  headers: Headers;
  body?: Bytes;
}

function headersFor(asked: Asked, served: Served, isPersonal: boolean): Headers {
  const headers = apiHeaders(asked.language, served.address(asked).root, isPersonal);
  addCorsHeaders(headers, asked, served.allowedOrigins);
  if (hasCookie(asked) && !isPersonal) headers['Cache-Control'] = NOT_KEPT;
  return headers;
}

/** What other origins may read of a response depends on cookies, and caches do not take those into account (`Vary`). */
const hasCookie = ({ headers }: Pick<Asked, 'headers'>): boolean => headers.cookie !== undefined;

/** `given`: the parameters in the address; `route`: its name for metrics and logs. */
export function outgoing(
  asked: Asked & Sent,
  served: Served,
  { answer, allow, current, basis }: Done,
  given: Readonly<Record<string, unknown>>,
  route: string,
  endpoint?: Endpoint,
): Outgoing {
  const signedIn = asked.caller?.user !== undefined;
  const headers = headersFor(asked, served, signedIn);
  headers.Allow = allow.join(', ');
  const { list } = answer;
  const unlisted = list?.retold ? { ...headers } : undefined;
  if (list) addListHeaders(headers, list);
  if (answer.location) headers.Location = answer.location;
  if (answer.replayed) headers['Idempotency-Replayed'] = 'true';
  const ignored = endpoint ? ignoredIn(endpoint, asked) : undefined;
  if (ignored !== undefined) headers['X-Kalends-Ignored'] = ignored;
  const body = onlyFields(answer.body, given._fields, answer.kept);
  const indent = Object.hasOwn(given, '_pretty') ? INDENT : 0;
  if (Object.hasOwn(given, '_envelope')) return enveloped(answer.status, headers, body, indent);
  const bytes = bytesOf(body);
  if (indent > 0) {
    return withBytes(asked, answer.status, headers, jsonOf(body, indent), tagOf(bytes.whole));
  }
  if (current === undefined || signedIn || hasCookie(asked) || given.password !== undefined) {
    return withBytes(asked, answer.status, headers, bytes);
  }
  const records = list && body === answer.body ? digestsOf(list) : undefined;
  // Everything after the records is in the last part.
  const tail = bytes.parts.at(-1) as Buffer;
  const digest = body instanceof Rendered ? body.digest : undefined;
  const tag = digest ? tagBy(digest) : records ? tagOf(tail, records) : tagOf(bytes.whole);
  if (answer.until !== undefined && answer.status === 200) {
    headers['Cache-Control'] = PUBLIC;
    const { until } = answer;
    const { answers } = served;
    const key = answers.wanted(asked.raw, bytes.length);
    if (key !== undefined) {
      const told = { headers: { ...headers }, type: JSON_TYPE, body: bytes, tag };
      const anew = list?.retold && records && unlisted && anewBy(list.retold, records, unlisted);
      const retold = anew && { behind: tail.length, anew };
      answers.keep(key, { current, basis, until, ...told, route, total: list?.total, retold });
    }
  }
  return withBytes(asked, answer.status, headers, bytes, tag);
}

function addListHeaders(headers: Headers, { total, totalPages, previous, next }: ListAnswer): void {
  headers['X-TEC-Total'] = String(total);
  headers['X-TEC-TotalPages'] = String(totalPages);
  if (previous) headers.Link += `, <${previous}>; rel="prev"`;
  if (next) headers.Link += `, <${next}>; rel="next"`;
}

/** Stands for the records of a list, which were rendered before: hashing all of their bytes again would take longer. */
function digestsOf({ body }: ListAnswer): Buffer | undefined {
  const [records] = Object.values(body);
  if (!Array.isArray(records) || records.length === 0) return undefined;
  const digests: Buffer[] = [];
  for (const one of records) {
    if (!(one instanceof Rendered) || !one.digest) return undefined;
    digests.push(one.digest);
  }
  return Buffer.concat(digests);
}

/** The part of the body after the records, which come first. */
function tailOf({ body }: ListAnswer): Buffer {
  const [records = ''] = Object.keys(body);
  return Buffer.from(`,${JSON.stringify({ ...body, [records]: undefined }).slice(1)}`);
}

/** `headers`: without those of lists. */
const anewBy =
  (retold: (total: number) => ListAnswer, records: Buffer, headers: Headers): Retold['anew'] =>
  (total) => {
    const list = retold(total);
    const told = { ...headers };
    addListHeaders(told, list);
    told['Cache-Control'] = PUBLIC;
    const tail = tailOf(list);
    return { headers: told, tail, tag: tagOf(tail, records) };
  };

/** A public response may be cached on the way for a moment, and served a while longer during revalidation. */
export const PUBLIC = 'public, max-age=1, stale-while-revalidate=30';
/** "Not found" may be cached, too: otherwise caches go on serving what was there before. */
const PUBLIC_REFUSAL = 'public, max-age=1';

/** `_pretty`: for people to read; indented as by the reference. */
export const INDENT = 4;

/** Headers about the response itself, which go into the envelope; all others stay where they are. */
const OWN = [
  'X-TEC-Total',
  'X-TEC-TotalPages',
  'Location',
  'Allow',
  'Retry-After',
  'Idempotency-Replayed',
  'X-Kalends-Ignored',
];

/**
 * The whole response as a body, for clients that cannot see its status and headers (A2): counts are numbers, and if
 * there are no headers, the member is an empty list.
 */
function enveloped(status: number, headers: Headers, body: unknown, indent: number): Outgoing {
  const own = OWN.filter((name) => headers[name] !== undefined);
  const told = own.map((name) => [name, /^X-TEC-/.test(name) ? Number(headers[name]) : headers[name]]);
  const outer = Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
  const envelope = { body, status, headers: own.length > 0 ? Object.fromEntries(told) : [] };
  return { status: 200, headers: { ...outer, 'Content-Type': JSON_TYPE }, body: jsonOf(envelope, indent) };
}

const jsonOf = (body: unknown, indent: number): Bytes => new Bytes([Buffer.from(JSON.stringify(body, null, indent))]);

function withBytes(asked: Asked, status: number, headers: Headers, bytes: Bytes, known?: string): Outgoing {
  const encoding = encodingOf(asked.headers['accept-encoding'], bytes.length);
  if (status === 200 && (asked.method === 'GET' || asked.method === 'HEAD')) {
    const tag = known ?? tagOf(bytes.whole);
    headers.ETag = tagFor(tag, encoding);
    if (tagMatches(asked.headers['if-none-match'], tag)) return { status: 304, headers };
  }
  headers['Content-Type'] = JSON_TYPE;
  if (encoding === 'identity') return { status, headers, body: bytes };
  headers['Content-Encoding'] = encoding;
  return { status, headers, body: new Bytes([compressed(bytes.whole, encoding)]) };
}

export function deliver(reply: FastifyReply, { status, headers, body }: Outgoing): unknown {
  return reply.code(status).headers(headers).send(body?.whole);
}

/** A preflight on an unknown path succeeds, so that the browser sends the real request and gets the reason there. */
export async function sendNoRoute(request: FastifyRequest, reply: FastifyReply, served: Served): Promise<unknown> {
  if (request.method !== 'OPTIONS' || request.base === undefined)
    return sendError(new Failure('rest_no_route'), request, reply, served);
  const headers = headersFor(request, served, request.caller?.user !== undefined);
  return deliver(reply, withBytes(request, 200, headers, jsonOf([], 0)));
}

export async function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  served: Served,
): Promise<unknown> {
  const signedIn = request.caller?.user !== undefined;
  const allow = await allowedOnError(error, request, served);
  const { status, body } = errorAnswer(error, served.translate(request), signedIn);
  const isPersonal = signedIn || status === 401 || isRefusedNonce(error);
  const headers = headersFor(request, served, isPersonal);
  if (allow) headers.Allow = allow.join(', ');
  if (!isPersonal && !hasCookie(request) && mayKeepRefusal(request, status)) headers['Cache-Control'] = PUBLIC_REFUSAL;
  const wait = waitOf(status, error instanceof Failure ? error.extra.retryAfter : undefined);
  if (wait !== undefined) headers['Retry-After'] = String(wait);
  const indent = asksFor('_pretty', request) ? INDENT : 0;
  return deliver(
    reply,
    asksFor('_envelope', request)
      ? enveloped(status, headers, body, indent)
      : withBytes(request, status, headers, jsonOf(body, indent)),
  );
}

/** Never public: caches cannot tell callers with a nonce from others, and would send them this refusal. */
const isRefusedNonce = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'rest_cookie_invalid_nonce';

/** Whether everybody would get this refusal of a missing or hidden record. What a password opens is personal. */
function mayKeepRefusal({ method, caller, raw }: FastifyRequest, status: number): boolean {
  if (!['GET', 'HEAD'].includes(method) || ![403, 404, 410].includes(status)) return false;
  const names = [...new URLSearchParams(queryText(raw.url ?? '')).keys()];
  return caller !== undefined && !names.some((name) => /^(_envelope|password)\b/.test(name));
}

/** Without parsing the rest of the query, which may be what was wrong. */
const asksFor = (name: '_envelope' | '_pretty', request: FastifyRequest): boolean =>
  queryText(request.raw.url ?? '')
    .split('&')
    .some((pair) => pair.split('=', 1)[0] === name);

/** Errors on a known path list what the caller may do there; for an unknown method, all methods of the path (A1). */
async function allowedOnError(error: unknown, request: FastifyRequest, served: Served): Promise<Method[] | undefined> {
  const { route } = request.routeOptions.config;
  if (!route || !request.caller || isRefusedNonce(error)) return undefined;
  if (error instanceof Failure && error.code === 'rest_no_route') return methodsOf(route);
  if (error instanceof Failure && error.code === 'service-unavailable') return undefined;
  const { caller } = request;
  const allowed = served.database.read((db) => route.allowed(db, caller, targetOf(request)), freshnessFor(caller));
  // What is wrong with the request can be reported without the database.
  return allowed.catch(() => undefined);
}
