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
 * To read a request, and to make the engine's objects for it and for its answer, costs more than many an answer itself.
 * Who asks again on the same connection says the same of itself each time, and only the address differs. So what the
 * engine has read once below the first line is kept, by its bytes. All that is unusual is left to the engine, as if this
 * were not here: heads that were not seen before, requests that come in parts or several at once, while an answer is
 * still to come or waits to be taken; and, with the same bytes, every failure.
 */

export interface RepeatsOptions {
  /** What the head of this request means, whoever sends it. */
  understood: (request: Head) => Understood | undefined;
  /** The answer to GET, if it can be told at once; `doubtful`: there is one, and on the engine's way it is found out. */
  recall: (head: Known) => Reply | 'doubtful' | undefined;
  /** The answer to GET, if that is a plain question. */
  read: (head: Head) => Plainly | undefined;
  isLeaving: () => boolean;
}

interface Connection {
  /** For whom the last request was sent on by a proxy: who shares connections among many does not repeat bytes. */
  sentFor: string;
  /** Set when bytes come here first. */
  watch?: Watch;
}

/** What was wrong with a request; the engine's way is to tell it. */
export interface Failed {
  error: unknown;
}

const MOST_BYTES = 1_000_000;
const MOST_HEADS = 1000;
/** Of a request. */
const LONGEST = 4096;
const LONGEST_SENT_FOR = 100;
/** After so many requests of a connection that had to be read, one after the other, the engine has it for good. */
const PATIENCE = 20;
/** Of a thousand headers the engine makes no more than a list. */
const MOST_HEADERS = 100;

const NO_PARTS: readonly Buffer[] = [];

/** Nothing in it that anybody might read in another way. */
const FIRST_LINE = /^GET (\/[\w\-.~:/?[\]@!$&'()*+,;=%]*) HTTP\/1\.1\r\n/;

export class Repeats {
  private readonly known = new Lru<string, Understood>(MOST_BYTES, MOST_HEADS);
  private readonly connections = new WeakMap<Socket, Connection>();
  /** Answers that are being made here. */
  private readonly open = new Set<Promise<void>>();
  private ending = { at: 0, text: '' };
  /** Of the bytes that the engine is given now. */
  failed: Failed | undefined;

  constructor(
    private readonly server: Server,
    readonly options: RepeatsOptions,
  ) {}

  /** Called with each request that the engine has read: what is known to be wrong with it. */
  came(request: IncomingMessage): Failed | undefined {
    this.connections.get(request.socket)?.watch?.came(request);
    return this.failed;
  }

  /** Called after each request of the engine that was answered from memory, or plainly. */
  answered(request: IncomingMessage, response: ServerResponse): void {
    const { socket, method, headers } = request;
    // One that waits behind another has no socket yet.
    if (method !== 'GET' || !response.writableEnded || response.socket !== socket || !isLasting(request, response))
      return;
    const sentFor = String(headers['x-forwarded-for'] ?? '').slice(0, LONGEST_SENT_FOR);
    const connection = this.connections.get(socket);
    if (!connection) this.connections.set(socket, { sentFor });
    else if (connection.watch) connection.watch.answered(request);
    else if (connection.sentFor !== sentFor) connection.sentFor = sentFor;
    else {
      const [feed, ...more] = socket.listeners('data') as ((bytes: Buffer) => void)[];
      if (feed && more.length === 0) connection.watch = new Watch(socket, feed, this);
    }
  }

  /** The request, if these bytes are all of it and its head is known. */
  headIn(text: string, socket: Socket): Known | undefined {
    // Who does not take what it asked for is made to wait by the engine.
    if (socket.writableNeedDrain || this.options.isLeaving()) return undefined;
    const [first, url] = FIRST_LINE.exec(text) ?? [];
    if (first === undefined || url === undefined) return undefined;
    const understood = this.known.get(text.slice(first.length));
    if (!understood) return undefined;
    const { headers, rawHeaders, beside } = understood;
    return { method: 'GET', url, headers, rawHeaders, socket, beside };
  }

  /** What the engine has read in these bytes is known from now on. */
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

  /** It is waited for before the server ends. */
  begin(answer: Promise<void>): void {
    this.open.add(answer);
    void answer.finally(() => this.open.delete(answer));
  }

  /** When all that is being made here is answered; after so many milliseconds at the latest. */
  async settled(patience: number): Promise<void> {
    const late = new AbortController();
    await Promise.race([
      Promise.all(this.open),
      sleep(patience, undefined, { signal: late.signal, ref: false }).catch(() => {}),
    ]);
    late.abort();
  }

  /** What the engine says of the time and of the connection. */
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
  /** What the engine was given last, what it found in it, and what it answered last. */
  private text = '';
  private request: IncomingMessage | undefined;
  private last: IncomingMessage | undefined;
  /** The engine has answered all that it was given. */
  private isDone = false;
  /** What came while an answer is being made here. */
  private waiting: Buffer[] | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly feed: (bytes: Buffer) => void,
    private readonly repeats: Repeats,
  ) {
    socket.on('data', this.hear).removeListener('data', feed);
  }

  came(request: IncomingMessage): void {
    this.request = request;
  }

  answered(request: IncomingMessage): void {
    this.last = request;
    this.learn();
  }

  /** Not before the engine has come to the end of the request. */
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
      // Before it is sent: what fails up to then can still be told in another way.
      note(status);
      if (socket.writable) repeats.send(socket, head, body);
    } catch (error) {
      failed = { error };
    }
    this.waiting = undefined;
    // Where nobody listens any more there is nothing to read either.
    if (socket.destroyed || socket.readableEnded) return;
    if (failed) this.read(bytes, text, failed);
    if (waiting.length > 0) socket.resume();
    for (const more of waiting) socket.emit('data', more);
  }

  /** By the engine. */
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

/** Whether the connection stays, and stays what it is. */
function isLasting({ httpVersion, headers }: IncomingMessage, { shouldKeepAlive }: ServerResponse): boolean {
  return httpVersion === '1.1' && shouldKeepAlive && headers.upgrade === undefined;
}

/** Whether these bytes are this request, all of it and nothing else, wherever the engine was when it got them. */
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

/** Names and values in turn. */
function headText(status: number, head: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < head.length; at += 2) {
    const [name = '', value = ''] = [head[at], head[at + 1]];
    validateHeaderValue(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}
