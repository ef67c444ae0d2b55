import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { Lru } from '../lru.js';
import { httpDate, nowSeconds } from '../time/clock.js';
import type { Reply, Understood } from './kept.js';

/**
 * To read a request costs the engine more than everything else about an answer that is kept. Who asks again on the same
 * connection says the same of itself each time, and only the address differs. So what the engine has read once below the
 * first line is kept, by its bytes. All that is unusual is left to the engine, as if this were not here: heads that were
 * not seen before, requests that come in parts or several at once, while an answer is still to come or waits to be taken.
 */

export interface RepeatsOptions {
  /** What the head of this request means, whoever sends it. */
  understood: (request: IncomingMessage) => Understood | undefined;
  /** The answer to GET, if it can be told at once. */
  recall: (url: string, understood: Understood, socket: Socket) => Reply | undefined;
  isLeaving: () => boolean;
}

interface Connection {
  /** For whom the last request was sent on by a proxy: who shares connections among many does not repeat bytes. */
  sentFor: string;
  /** Whether bytes come here first: not yet, now, or no more. */
  watch: 'later' | 'on' | 'over';
  /** What was answered at once of the bytes that are being read. */
  answered: IncomingMessage | undefined;
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

/** Nothing in it that anybody might read in another way. */
const FIRST_LINE = /^GET (\/[\w\-.~:/?[\]@!$&'()*+,;=%]*) HTTP\/1\.1\r\n/;

export class Repeats {
  private readonly known = new Lru<string, Understood>(MOST_BYTES, MOST_HEADS);
  private readonly connections = new WeakMap<Socket, Connection>();
  private ending = { at: 0, text: '' };

  constructor(
    private readonly server: Server,
    private readonly options: RepeatsOptions,
  ) {}

  /** Called after each request that was answered from memory. */
  answered(request: IncomingMessage, response: ServerResponse): void {
    const { socket, method, headers } = request;
    // One that waits behind another has no socket yet.
    if (method !== 'GET' || !response.writableEnded || response.socket !== socket || !isLasting(request, response))
      return;
    const sentFor = String(headers['x-forwarded-for'] ?? '').slice(0, LONGEST_SENT_FOR);
    const connection = this.connections.get(socket);
    if (!connection) this.connections.set(socket, { sentFor, watch: 'later', answered: undefined });
    else if (connection.watch === 'on') connection.answered = request;
    else if (connection.watch === 'over') return;
    else if (connection.sentFor === sentFor) this.watch(socket, connection);
    else connection.sentFor = sentFor;
  }

  /** From now on bytes come here first. */
  private watch(socket: Socket, connection: Connection): void {
    const [feed, ...more] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (!feed || more.length > 0) return;
    connection.watch = 'on';
    /** Everything before was read and answered. */
    let isDone = false;
    let patience = PATIENCE;
    const hear = (bytes: Buffer): void => {
      const text = bytes.length > LONGEST ? '' : bytes.toString('latin1');
      if (isDone && this.isRepeated(text, socket)) {
        patience = PATIENCE;
        return;
      }
      // Of what the engine still had to read when this began.
      connection.answered = undefined;
      feed.call(socket, bytes);
      isDone = this.isLearnt(text, connection.answered);
      connection.answered = undefined;
      if (--patience > 0) return;
      connection.watch = 'over';
      socket.on('data', feed).removeListener('data', hear);
    };
    socket.on('data', hear).removeListener('data', feed);
  }

  private isRepeated(text: string, socket: Socket): boolean {
    // Who does not take what it asked for is made to wait by the engine.
    if (socket.writableNeedDrain || this.options.isLeaving()) return false;
    const [first, url] = FIRST_LINE.exec(text) ?? [];
    if (first === undefined || url === undefined) return false;
    const understood = this.known.get(text.slice(first.length));
    const reply = understood && this.options.recall(url, understood, socket);
    if (!reply) return false;
    socket.cork();
    socket.write(headOf(reply) + this.endOfHead(), 'latin1');
    if (reply.body) socket.write(reply.body);
    socket.uncork();
    return true;
  }

  /** Whether the engine has answered all of it; then it is known from now on. */
  private isLearnt(text: string, request: IncomingMessage | undefined): boolean {
    if (!request?.complete || !isAllOf(text, request)) return false;
    const understood = this.options.understood(request);
    const head = text.slice(text.indexOf('\r\n') + 2);
    if (understood) this.known.set(head, understood, head.length * 4 + 1000);
    return true;
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
    text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (let at = 0; at < head.length; at += 2) {
      const [name = '', value = ''] = head.slice(at, at + 2);
      validateHeaderValue(name, value);
      text += `${name}: ${value}\r\n`;
    }
    heads.set(head, text);
  }
  return text;
}
