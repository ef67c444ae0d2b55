import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Current } from '../db/changes.js';
import { Lru } from '../lru.js';
import type { Basis, Held, Ledger, Selected } from '../records/basis.js';
import { Bytes } from '../records/rendered.js';
import type { Selections } from '../records/selection.js';
import { ownBytes } from '../records/slab.js';
import { Wanted } from '../records/wanted.js';
import { httpDate, isWithin, nowSeconds, steadyNow } from '../time/clock.js';
import type { Head } from './asked.js';
import { type Headers, inTurn } from './headers.js';
import { compressed, type Encoding, encodingOf, tagFor, tagMatches } from './negotiate.js';
import { besideOf, isForAll, type Known, keyOf, meant, type Sides, type Understood } from './question.js';

/** Cached public responses, as bytes, valid until something changes: repeating a request costs next to nothing. */

export interface KeptAnswer {
  /** The state of the data from which the response was made. */
  current: Current;
  /** The part of the data that it depends on; absent: all of it. */
  basis?: Basis | undefined;
  /** Seconds since 1970 after which the request means something else. */
  until: number;
  /** Without those that describe the body. */
  headers: Headers;
  type: string;
  body: Bytes;
  /** Of the uncompressed body. */
  tag: string;
  /** For metrics and logs. */
  route: string;
  /** Of a list: the total number of records. */
  total?: number | undefined;
  /** How to rebuild the response for the same records when only the total has changed. */
  retold?: Retold | undefined;
}

export interface Retold {
  /** How many bytes of the body come after the records. */
  behind: number;
  /** The headers and that last part for a new total. */
  anew: (total: number) => { headers: Headers; tail: Buffer; tag: string };
}

/** A response without what belongs to the connection. */
export interface Reply {
  status: 200 | 304;
  /** Names and values in turn; the same array as long as the response is the same. */
  head: string[];
  body: Bytes | undefined;
}

interface Variant {
  head: string[];
  /** Without the headers that describe the body. */
  bareHead: string[];
  /** The `Last-Modified` date in the head, if any. */
  date: number | undefined;
  body: Bytes;
  tag: string;
}
interface Entry extends Omit<KeptAnswer, 'basis'> {
  basis: Held | undefined;
  /** When it was last found valid, in the time of the ledger. */
  rightAt: number;
  /** Seconds since 1970: from then on its `Last-Modified`. Postponed when it may have been another for a while. */
  settles: number;
  variants: Partial<Record<Encoding, Variant>>;
}

const MOST_BYTES = 12_000_000;
const MOST_ANSWERS = 10_000;
/** For remembering what was requested once. */
const PLACES_OF_ASKED = 32_768;

/**
 * In seconds. A date says less than a tag: much can happen within its second, clocks differ, writes of other instances
 * are seen late, and caches on the way serve what is half a minute old. So a response gets a date only when it has been
 * the same for longer than all of these together, and a client's date counts only if it lies that far from both ends of
 * the period in which this very response was valid. Then it was valid on every instance, and it is the one that the
 * client has.
 */
const SETTLES_AFTER = 60;

export interface AnswersOptions extends Sides {
  /** Whether memory is known to be up to date with the database. */
  isSure: () => boolean;
  /** Something if memory is up to date in a moment, with all writes before this call; undefined: it will not be. */
  knownSoon: () => Promise<object | undefined> | undefined;
  /** The same, after the selections that were asked for have been brought up to date. */
  knownAgain: () => Promise<object | undefined> | undefined;
  /** What changed when. */
  ledger: Ledger;
  selections: Selections;
  /** Called for every response from here. */
  note: (request: Head, route: string, status: number, started: number) => void;
}

/** What happens after a request. */
interface Then {
  /** Called just before the response is sent, which may be later than the request. */
  ready: () => void;
  answered: () => void;
  otherwise: () => void;
}

/** Settles a doubt: whether the response is still valid, rebuilt with the new total if only that has changed. */
function isStill(entry: Entry, { isSame, total }: Selected, at: number): boolean {
  if (!isSame) return false;
  if (total !== entry.total && !isRetold(entry, total)) return false;
  entry.rightAt = at;
  // It may have been another response for a while, so its date starts anew.
  entry.settles = nowSeconds() + SETTLES_AFTER;
  return true;
}

function isRetold(entry: Entry, total: number): boolean {
  const { retold, body } = entry;
  if (!retold) return false;
  // The bytes of the records are reused.
  const [first = body.whole, tailBefore] = body.parts;
  const records = tailBefore ? first : first.subarray(0, first.length - retold.behind);
  const { headers, tail, tag } = retold.anew(total);
  Object.assign(entry, { total, headers, body: new Bytes([records, tail]), tag, variants: {} });
  retold.behind = tail.length;
  return true;
}

const inForm = (body: Bytes, encoding: Encoding): Bytes =>
  encoding === 'identity' ? body : new Bytes([compressed(body.whole, encoding)]);

export class Answers {
  private readonly known = new Lru<string, Entry>(MOST_BYTES, MOST_ANSWERS);
  /** A client that walks through everything once takes no room from what many ask for. */
  private readonly asked = new Wanted(PLACES_OF_ASKED);

  constructor(private readonly options: AnswersOptions) {}

  /** Responds from the cache, at once or later; or calls `otherwise`, if it cannot. */
  serve(request: IncomingMessage, response: ServerResponse, { ready, answered, otherwise }: Then): void {
    const key = this.known.size > 0 ? keyOf(request, this.options) : undefined;
    if (key === undefined || !this.known.get(key)) return void otherwise();
    const started = steadyNow();
    const { isSure, knownSoon, knownAgain } = this.options;
    const helps = isSure() ? [knownAgain] : [knownSoon, knownAgain];
    const help = (): void => {
      const helped = helps.shift()?.();
      if (helped) helped.then((known) => (known ? answer() : otherwise())).catch(() => response.destroy());
      else otherwise();
    };
    const answer = (): void => {
      const entry = this.judged(key, nowSeconds());
      if (entry === 'doubtful') help();
      else if (entry) {
        ready();
        this.answer(entry, request, response, started);
        answered();
      } else otherwise();
    };
    if (isSure()) answer();
    else help();
  }

  /** The entry, if it is valid. Memory is up to date. */
  private judged(key: string, now: number): Entry | 'doubtful' | undefined {
    const entry = this.known.get(key);
    const judged = entry && this.judge(entry, now);
    if (judged === 'wrong') this.known.delete(key);
    return judged === 'right' ? entry : judged === 'doubtful' ? judged : undefined;
  }

  private judge(entry: Entry, now: number): 'right' | 'wrong' | 'doubtful' {
    const { basis, current, rightAt, until } = entry;
    if (now >= until) return 'wrong';
    if (!basis) return current.holds() ? 'right' : 'wrong';
    const { ledger, selections } = this.options;
    const judged = ledger.judge(basis, rightAt);
    if (judged === 'wrong') return judged;
    if (judged === 'doubtful') {
      const selected = basis.selects?.(selections);
      if (!selected) return 'doubtful';
      return isStill(entry, selected, ledger.now) ? 'right' : 'wrong';
    }
    entry.rightAt = ledger.now;
    return 'right';
  }

  private answer(entry: Entry, request: IncomingMessage, response: ServerResponse, started: number): void {
    const { status, head, body } = this.replyTo(entry, request.headers, nowSeconds());
    response.writeHead(status, head);
    response.end(request.method === 'HEAD' ? undefined : body?.whole);
    this.options.note(request, entry.route, status, started);
  }

  private replyTo(entry: Entry, headers: IncomingHttpHeaders, now: number): Reply {
    const encoding = encodingOf(headers['accept-encoding'], entry.body.length);
    const variant = this.variantOf(entry, encoding, now < entry.settles ? undefined : entry.settles);
    const tags = headers['if-none-match'];
    // If a client sends both, the tag decides (RFC 9110, 13.1.3).
    const isKnown =
      tags === undefined
        ? isWithin(headers['if-modified-since'], entry.settles, now - SETTLES_AFTER)
        : tagMatches(tags, variant.tag);
    const { head, bareHead, body } = variant;
    return isKnown ? { status: 304, head: bareHead, body: undefined } : { status: 200, head, body };
  }

  /** What the head of a request means; undefined if that depends on who sends it. */
  understood(request: Head): Understood | undefined {
    const { headers, rawHeaders } = request;
    if (!isForAll(request) || headers['x-forwarded-host'] !== undefined) return undefined;
    return { headers, rawHeaders, beside: besideOf(request, this.options) };
  }

  /** The response to a GET with a known head, if valid; 'doubtful' if it must be checked first. */
  recall(head: Known): Reply | 'doubtful' | undefined {
    const key = meant(head.url) + head.beside;
    if (!this.known.get(key)) return undefined;
    if (!this.options.isSure()) return this.options.knownSoon() ? 'doubtful' : undefined;
    const now = nowSeconds();
    const entry = this.judged(key, now);
    if (entry === 'doubtful' || !entry) return entry;
    const started = steadyNow();
    const reply = this.replyTo(entry, head.headers, now);
    this.options.note(head, entry.route, reply.status, started);
    return reply;
  }

  /** Where to keep the response to this request; undefined: it is not worth keeping. Records the request. */
  wanted(request: Head, length: number): string | undefined {
    const key = keyOf(request, this.options);
    if (key === undefined || request.method !== 'GET' || length > MOST_BYTES / 20) return undefined;
    return this.known.get(key) || this.asked.isWanted(key) ? key : undefined;
  }

  /** `key`: from `wanted`. */
  keep(key: string, kept: KeptAnswer): void {
    // What was read before a change must not be served after it.
    if (!kept.current.holds()) return;
    const before = this.known.get(key);
    const now = nowSeconds();
    // Rebuilt although nothing changed, since memory was not known to be up to date then. The existing entry has its
    // date and its compressed forms.
    if (before && this.judge(before, now) === 'right') return;
    const { basis } = kept;
    const entry: Entry = {
      ...kept,
      basis: basis && { things: basis.things(), selects: basis.selects },
      // In one piece: the parts belong to other caches, too, which may drop them.
      body: new Bytes([ownBytes(kept.body.whole)]),
      rightAt: this.options.ledger.now,
      settles: now + SETTLES_AFTER,
      variants: {},
    };
    // Leaves room for two more encodings.
    this.known.set(key, entry, kept.body.length * 1.5 + key.length + 4500);
  }

  private variantOf(entry: Entry, encoding: Encoding, date: number | undefined): Variant {
    const known = entry.variants[encoding];
    if (known && known.date === date) return known;
    const body = known?.body ?? inForm(entry.body, encoding);
    const tag = tagFor(entry.tag, encoding);
    const bareHead = [...inTurn(entry.headers), 'ETag', tag];
    if (date !== undefined) bareHead.push('Last-Modified', httpDate(date));
    const head = [...bareHead, 'Content-Type', entry.type];
    if (encoding !== 'identity') head.push('Content-Encoding', encoding);
    head.push('Content-Length', String(body.length));
    const made = { head, bareHead, date, body, tag };
    entry.variants[encoding] = made;
    return made;
  }
}
