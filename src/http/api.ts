import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/rights.js';
import { BeingMade, lazily } from '../db/lazily.js';
import { Failure, InvalidParams } from '../errors.js';
import type { Language } from '../i18n/languages.js';
import type { Context, Target } from '../records/context.js';
import { bytesOf } from '../records/rendered.js';
import type { Answer, Endpoint, Method, Route } from '../records/routes.js';
import type { Routed } from './address.js';
import type { Asked } from './asked.js';
import {
  contextOf,
  freshnessFor,
  givenTo,
  type Prepared,
  queryOf,
  type Served,
  targetOf,
  writingContextOf,
} from './context.js';
import { type Keep, keyOf, once } from './idempotency.js';
import { tagMatches, tagOf } from './negotiate.js';
import { type Done, deliver, outgoing } from './send.js';
import { timeForOne } from './turns.js';

/** Serves the route table: credentials, parameters, the operation in its transaction, the response. */

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route;
  }
  interface FastifyRequest {
    caller?: Caller;
    /** The namespace path that the caller used. */
    base?: string | undefined;
    /** The language of the response. */
    language?: Language;
  }
}

/** A route with its full path, which is also its name in metrics. */
export interface ServedRoute {
  route: Route;
  at: string;
}

export const servedAt = (prefix: string, route: Route): ServedRoute => ({
  route,
  at: prefix + route.path.replace(':id', ':id(^\\d+$)'),
});

export function serveRoutes(app: FastifyInstance, prefix: string, routes: Route[], served: Served): void {
  for (const route of routes) {
    const one = servedAt(prefix, route);
    app.all(
      one.at,
      { config: { route, uploads: route.endpoints.some((endpoint) => endpoint.uploads) } },
      (request, reply) => handle(one, request, reply, served),
    );
  }
}

async function handle(
  { route, at }: ServedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  served: Served,
): Promise<unknown> {
  const { failed } = request.raw as Routed;
  if (failed !== undefined) throw failed;
  const target = targetOf(request);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const caller = request.caller ?? {};
  const query = () => queryOf(request.raw.url ?? '');
  if (method === 'OPTIONS') {
    const context = contextOf(request, {}, caller, served);
    const allow = await served.database.read((db) => route.allowed(db, caller, target), freshnessFor(caller));
    const answer = { status: 200, body: served.describe(route, context) };
    return deliver(reply, outgoing(request, served, { answer, allow }, query(), at));
  }
  const endpoint = route.endpoints.find((one) => one.methods.includes(method as Method));
  if (!endpoint) throw new Failure('rest_no_route');
  const given = givenTo(endpoint, request);
  if (!endpoint.writes) {
    const done = await readDone(request, route, endpoint, target, given, served);
    return deliver(reply, outgoing(request, served, done, given, at));
  }
  const done = await writeDone(request, route, endpoint, target, given, served);
  return deliver(reply, outgoing(request, served, done, { ...query(), _fields: given._fields }, at, endpoint));
}

/** Performs a write in one transaction, and only once for each idempotency key. */
async function writeDone(
  request: FastifyRequest,
  route: Route,
  endpoint: Endpoint,
  target: Target | undefined,
  given: Record<string, unknown>,
  served: Served,
): Promise<Done> {
  const caller = request.caller ?? {};
  served.writes.count(caller.user ? `user ${caller.user.id}` : request.ip);
  const work = async (keep: Keep): Promise<Done> => {
    const context = await writingContextOf(endpoint, request, given, caller, served);
    const run = async (db: Context['db']): Promise<Done> => {
      const inside = Object.assign(context, { db });
      const isAsSeen = await isUnchanged(route, request, inside, target);
      const answer = await onlyIfNew(endpoint, request, inside, target);
      // Only now, so that a write which would be refused anyway is refused for that reason. The transaction is rolled
      // back.
      if (!isAsSeen) throw new Failure(UNMET);
      const done = { answer, allow: await route.allowed(db, caller, target) };
      await keep(db, done);
      return done;
    };
    return written(run, context, served).finally(context.countGuess);
  };
  const done = await once(await keyOf(endpoint, request, given, served.secretKey), served.database, work);
  await done.answer.afterwards?.();
  return done;
}

/** Performs a read, in one snapshot of the data. */
export async function readDone(
  asked: Asked,
  route: Route,
  endpoint: Endpoint,
  target: Target | undefined,
  given: Record<string, unknown>,
  served: Served,
): Promise<Done> {
  await timeForOne();
  const caller = asked.caller ?? {};
  const context = contextOf(asked, given, caller, served);
  const run = async (db: Context['db'], kept?: Context['kept']): Promise<Done> => {
    // The same object for every attempt: V8 is slow to copy an object that has functions.
    const answer = await endpoint.run(Object.assign(context, { db, kept }), target);
    return { answer, allow: await route.allowed(db, caller, target), current: kept?.current, basis: kept?.basis };
  };
  try {
    return await remembering(run, caller, served);
  } finally {
    await context.countGuess();
  }
}

/** What a reader waited for may be outdated when it is ready; after so many times the reader does without it. */
const MOST_WAITED_FOR = 4;

/** Reads with what memory holds, if that is the state which the reader would see. */
async function remembering<T>(
  run: (db: Context['db'], kept?: Context['kept']) => Promise<T>,
  caller: Caller,
  served: Served,
): Promise<T> {
  const freshness = freshnessFor(caller);
  let maySkip = served.remembers && !freshness.fresh;
  for (let waited = 0; ; ) {
    const remembers = served.remembers && waited < MOST_WAITED_FOR;
    const kept = remembers && maySkip ? (served.keptNow() ?? (await served.keptSoon())) : undefined;
    try {
      // Starts with what memory holds, and opens a snapshot only for what is missing there.
      if (kept)
        return await lazily(
          served.database.builds,
          () => served.viewFor(kept, freshness),
          (db) => run(db, kept),
        );
      return await served.database.read(
        async (db) => run(db, remembers ? await served.keptFor(db) : undefined),
        freshness,
      );
    } catch (error) {
      if (error instanceof BeingMade) {
        // If it could not be made, the reader does without it, too.
        waited = await error.made.then(
          () => waited + 1,
          () => MOST_WAITED_FOR,
        );
      } else if (kept && !isFinal(error)) maySkip = false;
      else throw error;
    }
  }
}

/** Failures are final, even "unavailable", which took its time. Other errors get one retry, in a new snapshot. */
const isFinal = (error: unknown): boolean => error instanceof Failure || error instanceof InvalidParams;

/** `If-Match`: only if the record is still the version that the caller has seen. */
async function isUnchanged(
  route: Route,
  request: FastifyRequest,
  context: Context,
  target: Target | undefined,
): Promise<boolean> {
  const wanted = request.headers['if-match'];
  const read = route.endpoints.find((one) => one.methods.includes('GET'));
  // If the record does not exist, the write itself reports it.
  if (wanted === undefined || wanted.trim() === '*' || target === undefined || !read) return true;
  const { password } = context.given;
  // In the view of readers or in that of editors: the caller may have seen either.
  for (const seen of [{ password }, { password, context: 'edit' }]) {
    const shown = await read.run({ ...context, given: seen }, target).catch((error: unknown) => {
      // What the caller cannot read now is not what it has seen; an unavailable database is reported.
      if (error instanceof Failure && error.code !== 'service-unavailable') return undefined;
      throw error;
    });
    if (shown !== undefined && tagMatches(wanted, tagOf(bytesOf(shown.body).whole))) return true;
  }
  return false;
}

/**
 * `If-None-Match: *`: only if there is no such record yet, at the given address or with the given slug. The write runs
 * first, so that a caller without the right to it learns nothing new; the transaction is rolled back.
 */
async function onlyIfNew(
  endpoint: Endpoint,
  request: FastifyRequest,
  context: Context,
  target: Target | undefined,
): Promise<Answer> {
  const { db, given } = context;
  if (request.headers['if-none-match']?.trim() !== '*') return endpoint.run(context, target);
  const isThere = target !== undefined || (await endpoint.slugTaken?.(db, String(given.slug ?? '')));
  const answer = await endpoint.run(context, target).catch((error: unknown) => {
    // For a term with this slug, the write itself fails when the name is taken, too; the precondition takes precedence.
    throw isThere && error instanceof Failure && error.code === 'term_exists' ? new Failure(UNMET) : error;
  });
  if (isThere) throw new Failure(UNMET);
  return answer;
}

const UNMET = 'precondition-failed';

/** Pictures that came with a write are kept only if it was committed. */
async function written<T>(run: (db: Context['db']) => Promise<T>, context: Prepared, served: Served): Promise<T> {
  let committed = false;
  try {
    const answer = await served.database.write(run);
    committed = true;
    return answer;
  } finally {
    await context.images?.settle(committed);
  }
}

/** A read or a write that comes from our own pages. */
export interface Question {
  /** GET by default. */
  method?: Method;
  path: string;
  given: Record<string, unknown>;
  target?: Target | undefined;
}

/** The result for our own pages: also the version (tag), and which methods the caller may use there. */
export interface ToldInside {
  told: unknown;
  tag: () => string;
  allow: readonly Method[];
}

/** Pages show what the API would return, and their forms write through it. */
export async function askFromWithin(
  routes: readonly Route[],
  request: FastifyRequest,
  { method = 'GET', path, given, target }: Question,
  served: Served,
): Promise<ToldInside> {
  const route = routes.find((one) => one.path === path);
  const endpoint = route?.endpoints.find(({ methods }) => methods.includes(method));
  if (!route || !endpoint) throw new Error(`No route ${method} ${path}`);
  const act = endpoint.writes ? writeDone : readDone;
  const { answer, allow } = await act(request, route, endpoint, target, given, served);
  const bytes = bytesOf(answer.body).whole;
  return { told: JSON.parse(bytes.toString()), tag: () => tagOf(bytes), allow };
}

/** Whether the address has a route, and the route has the method. */
export function isServed(request: FastifyRequest): boolean {
  const { route } = request.routeOptions.config;
  // OPTIONS is answered everywhere.
  if (!route) return request.method === 'OPTIONS';
  const { method } = request;
  if (method === 'HEAD' || method === 'OPTIONS') return true;
  return route.endpoints.some(({ methods }) => methods.includes(method as Method));
}
