import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/rights.js';
import type { First } from '../accounts/accounts.js';
import { hashOfWord, LONGEST_WORD } from '../accounts/secrets.js';
import type { Sessions } from '../accounts/sessions.js';
import type { Database, Db, Reading } from '../db/database.js';
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

/** What every request finds here, and what an operation sees of one. */

export interface Served {
  database: Database;
  /** Whether anything is kept between requests. */
  remembers: boolean;
  /** What memory holds, where that is what this view of the data shows. */
  keptFor: (db: Db) => Promise<Kept | undefined>;
  /** The same without looking, where memory is sure. */
  keptNow: () => Kept | undefined;
  /** A view that shows just that; fails where the data has moved on. */
  viewFor: (kept: Kept, reading: Reading) => Promise<View>;
  answers: Answers;
  site: Site;
  secretKey: string;
  allowedOrigins: ReadonlySet<string>;
  media: Media;
  /** Wrong credentials, by address and user; wrong event passwords, by address. */
  signIns: SharedLimit;
  /** Writes, by user or address. */
  writes: SharedLimit;
  translate: (asked: Asked) => Translate;
  identify: (header: string | undefined, first: First) => Promise<Caller>;
  /** Of people who signed in on pages. */
  sessions: Sessions;
  /** A route as the namespace index shows it. */
  describe: (route: Route, describing: Describing) => unknown;
  address: (asked: Asked) => Address;
}

/**
 * Who writes is signed in, and whoever is signed in is told the newest: so everybody reads what it wrote before, on
 * whichever instance. Strangers may be told what was true a moment ago.
 */
export const readingOf = (caller: Caller): Reading => ({ fresh: caller.user !== undefined });

export const ANYBODY = readingOf({});

export function targetOf(request: FastifyRequest): Target | undefined {
  const { id, slug } = request.params as { id?: string; slug?: string };
  if (id !== undefined) return { by: 'id', id: Number(id) };
  return slug === undefined ? undefined : { by: 'slug', slug };
}

/** What the address carries. */
export const queryOf = (url: string, endpoint?: Endpoint): Record<string, unknown> =>
  parseQuery(queryText(url), (name) => endpoint?.args[name]?.list === true);

export function givenTo(endpoint: Endpoint, request: FastifyRequest): Record<string, unknown> {
  const query = queryOf(request.raw.url ?? '', endpoint);
  if (!endpoint.writes) return query;
  // What is not given in the body may be in the query, and null is not given (A5).
  const body = Object.entries(members(request.body)).filter(([, value]) => value !== null);
  return { ...query, ...Object.fromEntries(body) };
}

/** All but the transaction. */
export interface Prepared extends Omit<Context, 'db'> {
  /** Afterwards, and not within a read that would hold up others: counts the event password that was wrong. */
  countGuess(): Promise<void>;
}

export function contextOf(asked: Asked, given: Record<string, unknown>, caller: Caller, served: Served): Prepared {
  const word = given.password;
  let guessed = false;
  let opened: Promise<string> | undefined;
  // Guessing the word of an event is guessing, too.
  const guesser = (): string => `${asked.ip} word`;
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
        // Many may have been wrong by the time it is this one's turn.
        opened = hashOfWord(word, served.secretKey, () => served.signIns.check(guesser()));
        // Slow on purpose: nobody waits for it with a view of the data in hand.
        throw new BeingMade(opened.then(() => {}));
      }
      return opened;
    },
  };
}

const isWord = (raw: unknown): raw is string => typeof raw === 'string' && raw !== '' && raw.length <= LONGEST_WORD;

/** With what a write needs before its transaction begins. */
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
    // Within a transaction nobody waits for a word; who may not write needs none either.
    passwordHash: async () => opened,
    images: await served.media.prepare(given, caller, context.address.home, request.upload),
    newPasswordHash: isNew ? await hashOfWord(secret, served.secretKey) : undefined,
  });
}
