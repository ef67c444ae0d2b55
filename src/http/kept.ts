import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Current } from '../db/changes.js';
import type { Db } from '../db/database.js';
import { Lru } from '../lru.js';
import type { Basis, Kept, Ledger, Selected } from '../records/basis.js';
import { Bytes } from '../records/rendered.js';
import type { Selections } from '../records/selection.js';
import { Wanted } from '../records/wanted.js';
import { httpDate, isWithin, nowSeconds, steadyNow } from '../time/clock.js';
import type { Head } from './asked.js';
import { type Headers, inTurn } from './headers.js';
import { compressed, type Encoding, encodingOf, tagFor, tagMatches } from './negotiate.js';
import { besideOf, isForAll, type Known, keyOf, meant, type Sides, type Understood } from './question.js';

/** Answers to questions that anybody may ask, as bytes, until something changes: asking again costs next to nothing. */

export interface KeptAnswer {
  /** The state of the data that the answer was made from. */
  current: Current;
  /** What of it matters; absent: all of it. */
  basis?: Basis | undefined;
  /** Seconds since 1970 after which the question means something else. */
  until: number;
  /** Without those that describe the body. */
  headers: Headers;
  type: string;
  body: Bytes;
  /** Of the body as it is. */
  tag: string;
  /** Told to those who count and log. */
  route: string;
  /** Of a list: how many records there are in all. */
  total?: number | undefined;
  /** The same records when there are more or fewer in all. */
  retold?: Retold | undefined;
}

export interface Retold {
  /** Of the body that stands behind the records: so many bytes. */
  behind: number;
  /** The headers, and what then stands there. */
  anew: (total: number) => { headers: Headers; tail: Buffer; tag: string };
}

/** An answer without what belongs to the connection. */
export interface Reply {
  status: 200 | 304;
  /** Names and values in turn; the same list as long as the answer is the same. */
  head: string[];
  body: Bytes | undefined;
}

interface Variant {
  head: string[];
  /** Without what describes the body. */
  bareHead: string[];
  /** What the head tells of since when the answer stands. */
  date: number | undefined;
  body: Bytes;
  tag: string;
}
interface Entry extends KeptAnswer {
  /** When it was last found to be right, in the time of the ledger. */
  rightAt: number;
  /** Somebody is finding out whether it is right. */
  checking?: Promise<boolean> | undefined;
  /** Seconds since 1970: from then on it is told as the date of the last change. Moved on when it may have been another for a while. */
  settles: number;
  variants: Partial<Record<Encoding, Variant>>;
}

const MOST_BYTES = 12_000_000;
const MOST_ANSWERS = 10_000;
const MOST_ASKED = 10_000;
const MOST_ASKED_BYTES = 2_000_000;

/**
 * In seconds. A date says less than a tag: much can happen within its second, clocks differ, what others write is seen
 * late, and caches on the way show what is half a minute old. So an answer is dated only when it has stood for longer
 * than all of these together, and a date that a client has counts only where it lies that far from both ends of the
 * time in which this very answer stood. Then it stood on every instance, and is what the client has.
 */
const SETTLES_AFTER = 60;

export interface AnswersOptions extends Sides {
  /** Whether memory is known to hold what the database does. */
  isSure: () => boolean;
  /** What changed when. */
  ledger: Ledger;
  selections: Selections;
  /** Reads with what memory holds; false when it holds something else than the reader sees. */
  remembering: (look: (db: Db, kept: Kept) => Promise<boolean>) => Promise<boolean>;
  /** Sees every answer that was given from here. */
  note: (request: Head, route: string, status: number, started: number) => void;
}

/** After a doubt: whether it is right, told of another total where only that has changed. */
function isStill(entry: Entry, { isSame, total }: Selected, at: number): boolean {
  if (!isSame) return false;
  if (total !== entry.total && !isRetold(entry, total)) return false;
  entry.rightAt = at;
  // It may have been another for a while, so that its date begins anew.
  entry.settles = nowSeconds() + SETTLES_AFTER;
  return true;
}

function isRetold(entry: Entry, total: number): boolean {
  const { retold, body } = entry;
  if (!retold) return false;
  // The records stay where they are.
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
  /** Who walks through everything, once, takes no room from what many ask for. */
  private readonly asked = new Wanted(MOST_ASKED_BYTES, MOST_ASKED);

  constructor(private readonly options: AnswersOptions) {}

  /** Answers from memory; false when it cannot. `otherwise`: called later, when it could not after all. */
  serve(request: IncomingMessage, response: ServerResponse, otherwise: () => void): boolean {
    if (this.known.size === 0) return false;
    const key = keyOf(request, this.options);
    const entry = key === undefined ? undefined : this.entryAt(key);
    if (!entry) return false;
    const now = nowSeconds();
    const judged = this.judge(entry, now);
    if (judged === 'right') this.answer(entry, request, response, now);
    else if (judged === 'wrong') this.known.delete(key as string);
    else {
      entry.checking ??= this.isRight(entry);
      const told = entry.checking.then((right) => {
        if (right) return this.answer(entry, request, response, nowSeconds());
        if (this.known.get(key as string) === entry) this.known.delete(key as string);
        otherwise();
      });
      told.catch(() => response.destroy());
    }
    return judged !== 'wrong';
  }

  private entryAt(key: string): Entry | undefined {
    return this.options.isSure() ? this.known.get(key) : undefined;
  }

  private judge(entry: Entry, now: number): 'right' | 'wrong' | 'doubtful' {
    const { basis, current, rightAt, until } = entry;
    if (now >= until) return 'wrong';
    if (!basis) return current.holds() ? 'right' : 'wrong';
    const { ledger, selections } = this.options;
    const judged = ledger.judge(basis, rightAt);
    if (judged === 'wrong') return judged;
    if (judged === 'doubtful') {
      const selected = basis.selects?.known(selections);
      if (!selected) return 'doubtful';
      return isStill(entry, selected, ledger.now) ? 'right' : 'wrong';
    }
    entry.rightAt = ledger.now;
    return 'right';
  }

  /** Asks the data; a question that cannot be asked is not answered from here. */
  private isRight(entry: Entry): Promise<boolean> {
    const { ledger, remembering } = this.options;
    return remembering(async (db, kept) => {
      const { now } = ledger;
      const { basis, rightAt } = entry;
      if (!basis?.selects || ledger.judge(basis, rightAt) === 'wrong') return false;
      const selected = await basis.selects.asked(db, kept);
      return kept.current.holds() && isStill(entry, selected, now);
    })
      .catch(() => false)
      .finally(() => {
        entry.checking = undefined;
      });
  }

  private answer(entry: Entry, request: IncomingMessage, response: ServerResponse, now: number): void {
    const started = steadyNow();
    const { status, head, body } = this.replyTo(entry, request.headers, now);
    response.writeHead(status, head);
    response.end(request.method === 'HEAD' ? undefined : body?.whole);
    this.options.note(request, entry.route, status, started);
  }

  private replyTo(entry: Entry, headers: IncomingHttpHeaders, now: number): Reply {
    const encoding = encodingOf(headers['accept-encoding'], entry.body.length);
    const variant = this.variantOf(entry, encoding, now < entry.settles ? undefined : entry.settles);
    const tags = headers['if-none-match'];
    // Whoever sends both is judged by the tag (RFC 9110, 13.1.3).
    const isKnown =
      tags === undefined
        ? isWithin(headers['if-modified-since'], entry.settles, now - SETTLES_AFTER)
        : tagMatches(tags, variant.tag);
    const { head, bareHead, body } = variant;
    return isKnown ? { status: 304, head: bareHead, body: undefined } : { status: 200, head, body };
  }

  /** What the head of a request means; undefined where that depends on who sends it. */
  understood(request: Head): Understood | undefined {
    const { headers, rawHeaders } = request;
    if (!isForAll(request) || headers['x-forwarded-host'] !== undefined) return undefined;
    return { headers, rawHeaders, beside: besideOf(request, this.options) };
  }

  /** The answer to GET with a head that is understood already, if it can be told at once, or there is a doubt only. */
  recall(head: Known): Reply | 'doubtful' | undefined {
    const key = meant(head.url) + head.beside;
    const entry = this.entryAt(key);
    if (!entry) return undefined;
    const now = nowSeconds();
    const judged = this.judge(entry, now);
    if (judged === 'doubtful') return judged;
    if (judged === 'wrong') {
      this.known.delete(key);
      return undefined;
    }
    const started = steadyNow();
    const reply = this.replyTo(entry, head.headers, now);
    this.options.note(head, entry.route, reply.status, started);
    return reply;
  }

  keep(request: Head, kept: KeptAnswer): void {
    const key = keyOf(request, this.options);
    if (key === undefined || request.method !== 'GET' || kept.body.length > MOST_BYTES / 20) return;
    // What was read before a change must not be told after it.
    if (!kept.current.holds()) return;
    const before = this.known.get(key);
    if (!before && !this.asked.isWanted(key)) return;
    const now = nowSeconds();
    // Made again, though nothing changed: somebody was not sure. What is there has its date and its compressed forms.
    if (before && this.judge(before, now) === 'right') return;
    // Of many parts that others hold as well, and may let go of.
    const body = new Bytes([kept.body.whole]);
    const entry: Entry = {
      ...kept,
      body,
      rightAt: this.options.ledger.now,
      settles: now + SETTLES_AFTER,
      variants: {},
    };
    // Room for the same in two other encodings.
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
