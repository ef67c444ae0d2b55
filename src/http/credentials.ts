import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../access/rights.js';
import { guessedName, namedIn } from '../accounts/accounts.js';
import type { First } from '../accounts/lookup.js';
import { Failure } from '../errors.js';
import type { Routed } from './address.js';
import { isServed } from './api.js';
import type { Served } from './context.js';
import { members, queryText } from './params.js';
import { cookieIn } from './session.js';

/** Credentials are checked first: wrong ones end the request on every route, also on public ones (A3, A8). */
export function refuseWrongCredentials(app: FastifyInstance, served: Served): void {
  app.addHook('onRequest', async (request) => {
    const { placed } = request.raw as Routed;
    const asked = placed?.base ?? placed?.root;
    if (asked !== undefined || placed?.url.toLowerCase().startsWith('/media/')) {
      request.caller = await callerOf(request, served);
      const query = queryText(request.raw.url ?? '');
      refuseNonce(request, request.headers['x-wp-nonce'] !== undefined || /(^|&)_wpnonce=/.test(query));
    }
    // The route comes before the body (A3): without a route, the body is not read.
    if (request.base !== undefined && !isServed(request)) throw new Failure('rest_no_route');
    if (asked !== undefined || !(request.routeOptions.config.bySession || request.is404)) return;
    request.session = cookieIn(request.headers.cookie, served.address(request).home, 'session');
    // An expired session is not a wrong credential: its holder goes on anonymously.
    if (request.session !== undefined && !request.caller?.user)
      request.caller = await served.sessions.callerOf(request.session);
  });
  app.addHook('preHandler', async (request) => {
    if (request.base !== undefined && FORM.test(request.headers['content-type'] ?? ''))
      refuseNonce(request, '_wpnonce' in members(request.body));
  });
}

const FORM = /^(application\/x-www-form-urlencoded|multipart\/)/i;

/** The API accepts no cookies, so no nonce can be valid. Callers who are authenticated otherwise need none. */
function refuseNonce({ caller }: FastifyRequest, hasNonce: boolean): void {
  if (hasNonce && !caller?.user) throw new Failure('rest_cookie_invalid_nonce');
}

async function callerOf(request: FastifyRequest, served: Served): Promise<Caller> {
  const { authorization } = request.headers;
  // Callers without credentials are never held up by those with wrong ones.
  if (authorization === undefined) return {};
  return counted(request, namedIn(authorization), served, (first) => served.identify(authorization, first));
}

/** Begins a session for pages. It is a write, and counts as one of the client's address. */
export async function signIn(
  request: FastifyRequest,
  username: string,
  password: string,
  served: Served,
): Promise<string> {
  served.writes.count(request.ip);
  return counted(request, guessedName(username), served, (first) => served.sessions.begin(username, password, first));
}

/**
 * After too many wrong passwords, those of the same name from the same address are not looked up any more. Tokens name
 * nobody, and nobody can guess one: each is looked up, so that a wrong one holds up no valid one.
 */
async function counted<T>(
  { ip }: FastifyRequest,
  name: string,
  { signIns }: Served,
  look: (first: First) => Promise<T>,
): Promise<T> {
  const who = `${ip} ${name}`;
  const isNamed = name !== '';
  if (isNamed) signIns.check(who);
  try {
    return await look(async (db) => {
      if (isNamed) await signIns.look(db, who);
    });
  } catch (error) {
    if (error instanceof Failure && error.code === 'incorrect_password') await signIns.countForAll(who);
    throw error;
  }
}
