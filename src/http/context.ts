import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/rights.js';
import type { First } from '../accounts/lookup.js';
import { hashOfWord, LONGEST_WORD } from '../accounts/secrets.js';
import type { Sessions } from '../accounts/sessions.js';
import type { Database, Db, Freshness } from '../db/database.js';
import { BeingMade, type View } from '../db/lazily.js';
import type { Translate } from '../i18n/translate.js';
import type { Media } from '../media/media.js';
import type { Kept } from '../records/basis.js';
import type { Address, Context, Describing, Site, Target } from '../records/context.js';
import type { Endpoint, Route } from '../records/routes.js';
import { nowSeconds } from '../time/clock.js';
import type { Asked } from './asked.js';
import type { Answers } from './kept.js';
import { members, parseQuery, queryText } from './params.js';
import type { SharedLimit } from './shared-limits.js';

/** What all requests share, and what an operation sees of a request. */

export interface Served {
  database: Database;
  /** Whether anything is held in memory between requests. */
  remembers: boolean;
  /** What memory holds, if that is the state which this snapshot shows. */
  keptFor: (db: Db) => Promise<Kept | undefined>;
  /** The same without reading the change log, if memory is known to be up to date. */
  keptNow: () => Kept | undefined;
  /** The same in a moment, if the log is being read just now. */
  keptSoon: () => Promise<Kept | undefined>;
  /** A snapshot of exactly that state; fails if the data has changed. */
  viewFor: (kept: Kept, freshness: Freshness) => Promise<View>;
  answers: Answers;
  site: Site;
  secretKey: string;
  allowedOrigins: ReadonlySet<string>;
  media: Media;
  /** Limits wrong credentials, by address and user, and wrong event passwords, by address. */
  signIns: SharedLimit;
  /** Limits writes, by user or address. */
  writes: SharedLimit;
  translate: (asked: Asked) => Translate;
  identify: (header: string | undefined, first: First) => Promise<Caller>;
  /** Sessions of people who signed in on pages. */
  sessions: Sessions;
  /** A route as the namespace index shows it. */
  describe: (route: Route, describing: Describing) => unknown;
  address: (asked: Asked) => Address;
}

/**
 * Writers are signed in, and signed-in callers read the newest data: so all of them see their own earlier writes, on
 * every instance. Anonymous callers may get data that is a moment old.
 */
export const freshnessFor = (caller: Caller): Freshness => ({ fresh: caller.user !== undefined });

export function targetOf(request: FastifyRequest): Target | undefined {
  const { id, slug } = request.params as { id?: string; slug?: string };
  if (id !== undefined) return { by: 'id', id: Number(id) };
  return slug === undefined ? undefined : { by: 'slug', slug };
}

/** The parameters in the query string. */
export const queryOf = (url: string, endpoint?: Endpoint): Record<string, unknown> =>
  parseQuery(queryText(url), (name) => endpoint?.args[name]?.list === true);

export function givenTo(endpoint: Endpoint, request: FastifyRequest): Record<string, unknown> {
  const query = queryOf(request.raw.url ?? '', endpoint);
  if (!endpoint.writes) return query;
  // A parameter that the body does not give may be in the query, and null counts as not given (A5).
  const body = Object.entries(members(request.body)).filter(([, value]) => value !== null);
  return { ...query, ...Object.fromEntries(body) };
}

/** Everything but the transaction. */
export interface Prepared extends Omit<Context, 'db'> {
  /** Counts a wrong event password; called after the read, which would otherwise hold up others. */
  countGuess(): Promise<void>;
}

export function contextOf(asked: Asked, given: Record<string, unknown>, caller: Caller, served: Served): Prepared {
  const word = given.password;
  let guessed = false;
  let opened: Promise<string> | undefined;
  // Guessing the password of an event is limited like guessing credentials.
  // No user can have this name.
  const guesser = (): string => `${asked.ip} event:password`;
  return {
    caller,
    given,
    site: served.site,
    address: served.address(asked),
    translate: served.translate(asked),
    now: nowSeconds(),
    scheme: asked.headers.authorization?.trim().split(/\s+/)[0]?.toLowerCase(),
    wrongPassword: () => {
      guessed = true;
    },
    countGuess: async () => {
      if (guessed) await served.signIns.countForAll(guesser());
    },
    passwordHash: async (db) => {
      if (typeof word !== 'string' || word === '') return undefined;
      if (!opened) {
        await served.signIns.look(db, guesser());
        // Many guesses may have been counted as wrong by the time this one is hashed.
        opened = hashOfWord(word, served.secretKey, () => served.signIns.check(guesser()));
        // Hashing is slow on purpose: nobody waits for it while holding a snapshot.
        throw new BeingMade(opened.then(() => {}));
      }
      return opened;
    },
  };
}

const isWord = (raw: unknown): raw is string => typeof raw === 'string' && raw !== '' && raw.length <= LONGEST_WORD;

/** Adds what a write needs before its transaction begins. */
export async function writingContextOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  given: Record<string, unknown>,
  caller: Caller,
  served: Served,
): Promise<Prepared> {
  const context = contextOf(request, given, caller, served);
  const secret = endpoint.secret === undefined ? undefined : given[endpoint.secret];
  const word = given.password;
  const opens = caller.user && request.headers['if-match'] !== undefined && isWord(word);
  const opened = opens ? await hashOfWord(word, served.secretKey) : undefined;
  const isNew = caller.user && isWord(secret);
  return Object.assign(context, {
    // Nobody hashes a password within a transaction, and a caller who may not write needs no hash.
    passwordHash: async () => opened,
    images: await served.media.prepare(given, caller, context.address.home, request.upload),
    newPasswordHash: isNew ? await hashOfWord(secret, served.secretKey) : undefined,
  });
}
