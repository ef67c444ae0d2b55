import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { Lru } from '../lru.js';
import { httpDate, nowSeconds } from '../time/clock.js';
import type { Reply, Understood } from './kept.js';

/**
 * Who asks again on the same connection sends the same bytes again, and reading them costs more than everything else
 * about an answer that is kept. So what whole requests mean is kept, too, by their bytes. All that is unusual is left to
 * the engine, as if this were not here: bytes that were not seen before, or that come in parts or several requests at
 * once, while an answer is still to come or waits to be taken.
 */

export interface RepeatsOptions {
  /** What the bytes of this request mean, whoever sends them. */
  understood: (request: IncomingMessage) => Understood | undefined;
  /** The answer, if it can be told at once. */
  recall: (understood: Understood, socket: Socket) => Reply | undefined;
  isLeaving: () => boolean;
}

interface Connection {
  /** For whom the last request was sent on by a proxy: who shares connections among many does not repeat bytes. */
  sentFor: string;
  isWatched: boolean;
  /** What was answered at once of the bytes that are being read. */
  answered: IncomingMessage | undefined;
}

const MOST_BYTES = 1_500_000;
const MOST_REQUESTS = 1000;
const LONGEST = 4096;
const LONGEST_SENT_FOR = 100;

export class Repeats {
  private readonly known = new Lru<string, Understood>(MOST_BYTES, MOST_REQUESTS);
  private readonly connections = new WeakMap<Socket, Connection>();

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
    const sentFor = String(headers['x-forwarded-for'] ?? '');
    const connection = this.connections.get(socket);
    if (!connection) this.connections.set(socket, { sentFor, isWatched: false, answered: undefined });
    else if (connection.isWatched) connection.answered = request;
    else if (connection.sentFor !== sentFor || sentFor.length > LONGEST_SENT_FOR)
      connection.sentFor = sentFor.slice(0, LONGEST_SENT_FOR);
    else this.watch(socket, connection);
  }

  /** From now on bytes come here first. */
  private watch(socket: Socket, connection: Connection): void {
    const [feed, ...more] = socket.listeners('data');
    if (!feed || more.length > 0) return;
    connection.isWatched = true;
    /** Everything before was read and answered. */
    let isDone = false;
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.length > LONGEST ? undefined : bytes.toString('latin1');
      if (text !== undefined && isDone && this.isRepeated(text, socket)) return;
      connection.answered = undefined;
      feed.call(socket, bytes);
      const { answered } = connection;
      isDone = text !== undefined && answered !== undefined && isAllOf(text, answered);
      if (text !== undefined && answered && isDone) this.learn(text, answered);
    });
    socket.removeListener('data', feed as (bytes: Buffer) => void);
  }

  private isRepeated(text: string, socket: Socket): boolean {
    // Who does not take what it asked for is made to wait by the engine.
    if (socket.writableNeedDrain || this.options.isLeaving()) return false;
    const understood = this.known.get(text);
    const reply = understood && this.options.recall(understood, socket);
    if (!reply) return false;
    socket.cork();
    socket.write(headOf(reply) + this.endOfHead(), 'latin1');
    if (reply.body) socket.write(reply.body);
    socket.uncork();
    return true;
  }

  private learn(text: string, request: IncomingMessage): void {
    const understood = this.options.understood(request);
    if (understood) this.known.set(text, understood, text.length * 4 + 1000);
  }

  private ending = { at: 0, text: '' };

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
  if (first !== `${method} ${url} HTTP/1.1` || lines.length !== rawHeaders.length / 2 + 2) return false;
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
