import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/rights.js';
import { hashOfWord } from '../accounts/secrets.js';
import type { Changes } from '../db/changes.js';
import type { Database } from '../db/database.js';
import type { Translate } from '../i18n/translate.js';
import type { Media } from '../media/media.js';
import type { Address, Context, Describing, Site, Target } from '../records/context.js';
import type { Endpoint, Route } from '../records/routes.js';
import type { Selections } from '../records/selection.js';
import { nowSeconds } from '../time/clock.js';
import type { Answers } from './kept.js';
import type { Limit } from './limits.js';
import { members, parseQuery, queryText } from './params.js';

/** What every request finds here, and what an operation sees of one. */

export interface Served {
  database: Database;
  changes: Changes;
  selections: Selections;
  answers: Answers;
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

export function targetOf(request: FastifyRequest): Target | undefined {
  const { id, slug } = request.params as { id?: string; slug?: string };
  if (id !== undefined) return { by: 'id', id: Number(id) };
  return slug === undefined ? undefined : { by: 'slug', slug };
}

export function givenTo(endpoint: Endpoint, request: FastifyRequest): Record<string, unknown> {
  const query = parseQuery(queryText(request.raw.url ?? ''), (name) => endpoint.args[name]?.list === true);
  return endpoint.writes ? { ...query, ...members(request.body) } : query;
}

export async function contextOf(
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
