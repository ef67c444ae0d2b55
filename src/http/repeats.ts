import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Lru } from '../lru.js';
import type { Bytes } from '../records/rendered.js';
import { httpDate, nowSeconds } from '../time/clock.js';
import type { Head } from './asked.js';
import { inTurn } from './headers.js';
import type { Reply } from './kept.js';
import type { Plainly } from './plain.js';
import type { Known, Understood } from './question.js';

/**
 * Parsing a request and creating Node's objects for it and its response costs more than many a response itself. A
 * client that sends another request on the same connection repeats its headers, and only the URL differs. So what Node
 * has parsed below the first line is remembered, by its bytes. Everything unusual is left to Node, as if this were not
 * here: heads that are new, requests that arrive in parts or several at once, or while a response is pending or not yet
 * read by the client; and, with the same bytes, every failure.
 */

export interface RepeatsOptions {
  /** What the head of this request means, whoever sends it. */
  understood: (request: Head) => Understood | undefined;
  /** The response to a GET, if cached and valid; `doubtful`: Node's path checks it first. */
  recall: (head: Known) => Reply | 'doubtful' | undefined;
  /** The response to a GET, if that is a plain read. */
  read: (head: Head) => Plainly | undefined;
  isLeaving: () => boolean;
}

interface Connection {
  /** `X-Forwarded-For` of the last request: a proxy that shares connections among clients does not repeat bytes. */
  sentFor: string;
  /** Set when bytes come here first. */
  watch?: Watch;
}

/** What was wrong with a request; it is reported on Node's path. */
export interface Failed {
  error: unknown;
}

const MOST_BYTES = 1_000_000;
const MOST_HEADS = 1000;
/** Of a request, in bytes. */
const LONGEST = 4096;
const LONGEST_SENT_FOR = 100;
/** After so many requests in a row which Node had to parse, a connection is left to Node for good. */
const PATIENCE = 20;
/** Far below 1000, from where on Node lists headers only in `rawHeaders`. */
const MOST_HEADERS = 100;

const NO_PARTS: readonly Buffer[] = [];

/** Only characters that everybody reads alike. */
const FIRST_LINE = /^GET (\/[\w\-.~:/?[\]@!$&'()*+,;=%]*) HTTP\/1\.1\r\n/;

export class Repeats {
  private readonly known = new Lru<string, Understood>(MOST_BYTES, MOST_HEADS);
  private readonly connections = new WeakMap<Socket, Connection>();
  /** Responses that are being made here. */
  private readonly open = new Set<Promise<void>>();
  private ending = { at: 0, text: '' };
  /** The failure, if any, that belongs to the bytes which Node is being given. */
  failed: Failed | undefined;

  constructor(
    private readonly server: Server,
    readonly options: RepeatsOptions,
  ) {}

  /** Called for each request as soon as Node has parsed it, which may be long before its turn. */
  parsed(request: IncomingMessage): void {
    this.connections.get(request.socket)?.watch?.parsed(request);
  }

  /** Called for each request parsed by Node that was answered from the cache, or as a plain read. */
  answered(request: IncomingMessage, response: ServerResponse): void {
    const { socket, method, headers } = request;
    // A response that waits behind another has no socket yet.
    if (method !== 'GET' || !response.writableEnded || response.socket !== socket || !isLasting(request, response))
      return;
    const sentFor = String(headers['x-forwarded-for'] ?? '').slice(0, LONGEST_SENT_FOR);
    const connection = this.connections.get(socket);
    if (!connection) this.connections.set(socket, { sentFor });
    else if (connection.watch) connection.watch.answered(request);
    else if (connection.sentFor !== sentFor) connection.sentFor = sentFor;
    else if (isBeingRead(socket)) {
      const [feed, ...more] = socket.listeners('data') as ((bytes: Buffer) => void)[];
      if (feed && more.length === 0) connection.watch = new Watch(socket, feed, this);
    }
  }

  /** The request, if these bytes are all of it and its head is known. */
  headIn(text: string, socket: Socket): Known | undefined {
    // Node slows down a client that does not read its responses.
    if (socket.writableNeedDrain || this.options.isLeaving()) return undefined;
    const [first, url] = FIRST_LINE.exec(text) ?? [];
    if (first === undefined || url === undefined) return undefined;
    const understood = this.known.get(text.slice(first.length));
    if (!understood) return undefined;
    const { headers, rawHeaders, beside } = understood;
    return { method: 'GET', url, headers, rawHeaders, socket, beside };
  }

  /** Remembers what Node has parsed from these bytes. */
  learn(text: string, request: IncomingMessage): void {
    const understood = this.options.understood(request);
    const head = text.slice(text.indexOf('\r\n') + 2);
    if (understood) this.known.set(head, understood, head.length * 6 + 1000);
  }

  send(socket: Socket, head: string, body: Bytes | undefined): void {
    socket.cork();
    socket.write(head + this.endOfHead(), 'latin1');
    const parts = body?.parts ?? NO_PARTS;
    for (let at = 0; at < parts.length; at++) socket.write(parts[at] as Buffer);
    socket.uncork();
  }

  /** The server waits for it before it closes. */
  begin(answer: Promise<void>): void {
    this.open.add(answer);
    void answer.finally(() => this.open.delete(answer));
  }

  /** Resolves when all responses that are being made here are sent; after so many milliseconds at the latest. */
  async settled(patience: number): Promise<void> {
    const late = new AbortController();
    await Promise.race([
      Promise.all(this.open),
      sleep(patience, undefined, { signal: late.signal, ref: false }).catch(() => {}),
    ]);
    late.abort();
  }

  /** The headers that Node adds: date and connection. */
  private endOfHead(): string {
    const now = nowSeconds();
    if (now !== this.ending.at) {
      const seconds = Math.floor(this.server.keepAliveTimeout / 1000);
      const text = `Date: ${httpDate(now)}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n`;
      this.ending = { at: now, text };
    }
    return this.ending.text;
  }
}

/** A connection whose bytes come here first. */
class Watch {
  private patience = PATIENCE;
  /**
   * What Node was given last, the last request that it found there, and the request that was answered last. If those
   * two are the same, Node owes no response: they are sent in the order of the requests.
   */
  private text = '';
  private request: IncomingMessage | undefined;
  private last: IncomingMessage | undefined;
  /** Node's requests have all been answered. */
  private isDone = false;
  /** Bytes that arrive while a response is being made here. */
  private waiting: Buffer[] | undefined;
  /** What Node does when the client has said everything. */
  private readonly ends: readonly (() => void)[];

  constructor(
    private readonly socket: Socket,
    private readonly feed: (bytes: Buffer) => void,
    private readonly repeats: Repeats,
  ) {
    socket.on('data', this.hear).removeListener('data', feed);
    this.ends = socket.listeners('end') as (() => void)[];
    socket.removeAllListeners('end').on('end', this.end);
  }

  /** Node closes the connection then, unless it owes a response itself: it does not know of those made here. */
  private readonly end = (): void => {
    if (!this.waiting) for (const one of this.ends) one.call(this.socket);
  };

  parsed(request: IncomingMessage): void {
    this.request = request;
  }

  answered(request: IncomingMessage): void {
    this.last = request;
    this.learn();
  }

  /** Not before Node has reached the end of the request. */
  private learn(): void {
    const { request, last, text } = this;
    if (!request?.complete || request !== last || !isAllOf(text, request)) return;
    this.isDone = true;
    this.request = undefined;
    this.last = undefined;
    this.repeats.learn(text, request);
  }

  private readonly hear = (bytes: Buffer): void => {
    const { socket, repeats, waiting } = this;
    if (waiting) {
      waiting.push(bytes);
      socket.pause();
      return;
    }
    const text = bytes.length > LONGEST ? '' : bytes.toString('latin1');
    const head = this.isDone ? repeats.headIn(text, socket) : undefined;
    if (head && this.isAnswered(head, bytes, text)) this.patience = PATIENCE;
    else this.read(bytes, text);
  };

  private isAnswered(head: Known, bytes: Buffer, text: string): boolean {
    const { recall, read } = this.repeats.options;
    const reply = recall(head);
    if (reply === 'doubtful') return false;
    if (reply) {
      this.repeats.send(this.socket, headOf(reply), reply.body);
      return true;
    }
    const plainly = read(head);
    if (plainly) this.repeats.begin(this.made(plainly, bytes, text));
    return plainly !== undefined;
  }

  private async made({ answer, note }: Plainly, bytes: Buffer, text: string): Promise<void> {
    const { socket, repeats } = this;
    const waiting: Buffer[] = [];
    this.waiting = waiting;
    let failed: Failed | undefined;
    try {
      const { status, headers, body } = await answer;
      const head = headText(status, inTurn(headers));
      // Before sending: a failure up to this point can still be reported properly.
      note(status);
      if (socket.writable) repeats.send(socket, head, body);
    } catch (error) {
      failed = { error };
    }
    this.waiting = undefined;
    // If the connection is gone, there is nothing to read either.
    if (socket.destroyed) return;
    if (failed) this.read(bytes, text, failed);
    if (waiting.length > 0) socket.resume();
    for (const more of waiting) socket.emit('data', more);
    if (socket.readableEnded) this.end();
  }

  /** By Node. */
  private read(bytes: Buffer, text: string, failed?: Failed): void {
    this.isDone = false;
    this.text = text;
    this.request = undefined;
    this.repeats.failed = failed;
    this.feed.call(this.socket, bytes);
    this.repeats.failed = undefined;
    this.learn();
    if (--this.patience <= 0) this.socket.on('data', this.feed).removeListener('data', this.hear);
  }
}

/** Node may have stopped reading for a while: whoever takes over the bytes then prevents it from beginning again. */
const isBeingRead = (socket: Socket & { _handle?: { reading?: boolean } }): boolean =>
  !socket.isPaused() && socket._handle?.reading === true;

/** Whether the connection stays open, and stays HTTP/1.1. */
function isLasting({ httpVersion, headers }: IncomingMessage, { shouldKeepAlive }: ServerResponse): boolean {
  return httpVersion === '1.1' && shouldKeepAlive && headers.upgrade === undefined;
}

/** Whether these bytes are exactly this request, whatever state Node's parser was in when it got them. */
function isAllOf(text: string, { method, url, rawHeaders }: IncomingMessage): boolean {
  const [first, ...lines] = text.split('\r\n');
  if (first !== `${method} ${url} HTTP/1.1` || rawHeaders.length > MOST_HEADERS * 2) return false;
  if (lines.length !== rawHeaders.length / 2 + 2) return false;
  return lines.every((line, at) => {
    const name = rawHeaders[at * 2];
    if (name === undefined) return line === '';
    return line.startsWith(`${name}:`) && line.slice(name.length + 1).trim() === rawHeaders[at * 2 + 1];
  });
}

const heads = new WeakMap<string[], string>();

function headOf({ status, head }: Reply): string {
  let text = heads.get(head);
  if (text === undefined) {
    text = headText(status, head);
    heads.set(head, text);
  }
  return text;
}

const valid = new Map<string, string>();

/** Most headers are the same each time: the names are ours, so there are few. */
function requireValid(name: string, value: string): void {
  if (valid.get(name) === value) return;
  validateHeaderValue(name, value);
  valid.set(name, value);
}

/** `head`: names and values in turn. */
function headText(status: number, head: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < head.length; at += 2) {
    const [name = '', value = ''] = [head[at], head[at + 1]];
    requireValid(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}
