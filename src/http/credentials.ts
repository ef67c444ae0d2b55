import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../access/rights.js';
import { namedIn } from '../accounts/accounts.js';
import { Failure } from '../errors.js';
import type { Routed } from './address.js';
import { isServed } from './api.js';
import type { Served } from './context.js';
import { queryText } from './params.js';

/** Credentials come first: a wrong one ends the request on every route, public ones too (A3, A8). */
export function refuseWrongCredentials(app: FastifyInstance, served: Served): void {
  app.addHook('onRequest', async (request) => {
    const { placed } = request.raw as Routed;
    const guarded = placed?.base ?? placed?.root ?? placed?.url.toLowerCase().startsWith('/media/');
    if (!guarded) return;
    request.caller = await callerOf(request, served);
    const query = queryText(request.raw.url ?? '');
    // There are no cookie sessions here yet, so no nonce can be a good one. Who is known by other means needs none.
    const hasNonce = request.headers['x-wp-nonce'] !== undefined || /(^|&)_wpnonce=/.test(query);
    if (hasNonce && !request.caller.user) {
      throw new Failure('rest_cookie_invalid_nonce');
    }
    // The route comes before the body (A3): what has none is not read.
    if (request.base !== undefined && !isServed(request)) throw new Failure('rest_no_route');
  });
}

async function callerOf(request: FastifyRequest, served: Served): Promise<Caller> {
  const { authorization } = request.headers;
  // Who sends no credentials is never held up by those who send wrong ones.
  if (authorization === undefined) return {};
  const who = `${request.ip} ${namedIn(authorization)}`;
  served.signIns.check(who);
  try {
    return await served.identify(authorization, (db) => served.signIns.look(db, who));
  } catch (error) {
    if (error instanceof Failure && error.code === 'incorrect_password') await served.signIns.countForAll(who);
    throw error;
  }
}
