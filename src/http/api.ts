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
  givenTo,
  type Prepared,
  queryOf,
  readingOf,
  type Served,
  targetOf,
  writingContextOf,
} from './context.js';
import { type Keep, keyOf, once } from './idempotency.js';
import { tagMatches, tagOf } from './negotiate.js';
import { type Done, deliver, outgoing } from './send.js';

/** Serves the route table: credentials, parameters, the operation in its transaction, the answer. */

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

/** A route as it is served: where, and by which name it is counted. */
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
    const allow = await served.database.read((db) => route.allowed(db, caller, target), readingOf(caller));
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

/** What is to be written, in one transaction, once for each key. */
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
      // Only now: what would be refused anyway is refused for that. The transaction takes back what was done.
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

/** What is asked for, from one view of the data. */
export async function readDone(
  asked: Asked,
  route: Route,
  endpoint: Endpoint,
  target: Target | undefined,
  given: Record<string, unknown>,
  served: Served,
): Promise<Done> {
  const caller = asked.caller ?? {};
  const context = contextOf(asked, given, caller, served);
  const run = async (db: Context['db'], kept?: Context['kept']): Promise<Done> => {
    // The same object however often it is tried: the engine is slow to copy one that has functions in it.
    const answer = await endpoint.run(Object.assign(context, { db, kept }), target);
    return { answer, allow: await route.allowed(db, caller, target), current: kept?.current, basis: kept?.basis };
  };
  try {
    return await remembering(run, caller, served);
  } finally {
    await context.countGuess();
  }
}

/** What was waited for may be outdated when it comes; then the reader does without. */
const MOST_WAITED_FOR = 4;

/** Reads with what memory holds, where that is what the reader would see. */
async function remembering<T>(
  run: (db: Context['db'], kept?: Context['kept']) => Promise<T>,
  caller: Caller,
  served: Served,
): Promise<T> {
  const reading = readingOf(caller);
  let maySkip = served.remembers && !reading.fresh;
  for (let waited = 0; ; ) {
    const remembers = served.remembers && waited < MOST_WAITED_FOR;
    const kept = remembers && maySkip ? served.keptNow() : undefined;
    try {
      // Begins with what memory holds, and asks the data only for what is not there.
      if (kept)
        return await lazily(
          served.database.builds,
          () => served.viewFor(kept, reading),
          (db) => run(db, kept),
        );
      return await served.database.read(
        async (db) => run(db, remembers ? await served.keptFor(db) : undefined),
        reading,
      );
    } catch (error) {
      if (error instanceof BeingMade) {
        // What could not be made is done without, too.
        waited = await error.made.then(
          () => waited + 1,
          () => MOST_WAITED_FOR,
        );
      } else if (kept && !isAnswer(error)) maySkip = false;
      else throw error;
    }
  }
}

/** Also that the data cannot be had: it was waited for. What else goes wrong is tried once more, in a view of its own. */
const isAnswer = (error: unknown): boolean => error instanceof Failure || error instanceof InvalidParams;

/** `If-Match`: only if the record is still the one that the caller has seen. */
async function isUnchanged(
  route: Route,
  request: FastifyRequest,
  context: Context,
  target: Target | undefined,
): Promise<boolean> {
  const wanted = request.headers['if-match'];
  const read = route.endpoints.find((one) => one.methods.includes('GET'));
  // What is not there at all is told by the write itself.
  if (wanted === undefined || wanted.trim() === '*' || target === undefined || !read) return true;
  const { password } = context.given;
  // As it is shown to readers, or to those who edit: the caller may have seen either.
  for (const seen of [{ password }, { password, context: 'edit' }]) {
    const shown = await read.run({ ...context, given: seen }, target).catch((error: unknown) => {
      // What the caller cannot read now is not what it has seen; trouble is trouble.
      if (error instanceof Failure && error.code !== 'service-unavailable') return undefined;
      throw error;
    });
    if (shown !== undefined && tagMatches(wanted, tagOf(bytesOf(shown.body).whole))) return true;
  }
  return false;
}

/**
 * `If-None-Match: *`: only if there is no such record yet, under the address or the slug that is asked for. The write
 * goes first, so that whoever may not do it learns no more than ever; the transaction takes back what it did.
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
    // A term that has the name, too, is refused anyway.
    throw isThere && error instanceof Failure && error.code === 'term_exists' ? new Failure(UNMET) : error;
  });
  if (isThere) throw new Failure(UNMET);
  return answer;
}

const UNMET = 'precondition-failed';

/** Pictures that a write brought along are kept only if the write was. */
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

/** A question, or something to be written, that comes from inside. */
export interface Question {
  /** GET unless said otherwise. */
  method?: Method;
  path: string;
  given: Record<string, unknown>;
  target?: Target | undefined;
}

/** What is told inside: also which version it is, and what else the caller may do there. */
export interface ToldInside {
  told: unknown;
  tag: () => string;
  allow: readonly Method[];
}

/** What pages show, and what people write there, is what the interface would answer. */
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

/** Whether the address has a route, and the route the method. */
export function isServed(request: FastifyRequest): boolean {
  const { route } = request.routeOptions.config;
  // Who asks what there is to do gets an answer everywhere.
  if (!route) return request.method === 'OPTIONS';
  const { method } = request;
  if (method === 'HEAD' || method === 'OPTIONS') return true;
  return route.endpoints.some(({ methods }) => methods.includes(method as Method));
}
