import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Routed } from './address.js';
import type { Head } from './asked.js';
import type { Answers } from './kept.js';
import type { Plainly } from './plain.js';
import { isForAll } from './question.js';
import { noteLatest } from './refuse.js';
import { Repeats } from './repeats.js';
import type { Outgoing } from './send.js';

type Read = (request: Head) => Plainly | undefined;

/** Handles public requests before everything else: cached responses need no routing, and plain reads no framework. */
export function answerFirst(server: Server, answers: Answers, read: Read, isLeaving: () => boolean): Repeats {
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  const repeats = new Repeats(server, {
    understood: (request) => answers.understood(request),
    recall: (head) => answers.recall(head),
    read,
    isLeaving,
  });
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isTooFarAhead(request, response)) return;
    // Node drops what comes behind such a request: a body would be read as a request of its own.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    repeats.parsed(request);
    noteLatest(request, response);
    // One after the other, as they were sent: the next one may ask for what this one writes.
    if (response.socket) begin(request, response);
    else response.once('socket', () => begin(request, response));
  });
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const ready = (): void => endIfLeaving(response, isLeaving);
    ready();
    const otherwise = (): void => listeners.forEach((listener) => void listener(request, response));
    /** The framework reports all failures. */
    const failed = (error: unknown): void => {
      if (response.headersSent) return void response.destroy();
      (request as Routed).failed = error;
      otherwise();
    };
    const plain = (): void => {
      const plainly = isForAll(request) ? read(request) : undefined;
      const respond = (answer: Outgoing): void => {
        // Before sending: a failure up to this point can still be reported properly.
        plainly?.note(answer.status);
        ready();
        send(request, response, answer);
        repeats.answered(request, response);
      };
      if (plainly) plainly.answer.then(respond).catch(failed);
      else otherwise();
    };
    // The bytes of such a request are given to Node when it owes nothing, so its turn comes at once.
    const before = repeats.failed;
    if (before) failed(before.error);
    else
      answers.serve(request, response, {
        ready,
        answered: () => repeats.answered(request, response),
        otherwise: plain,
      });
  };
  return repeats;
}

/** How many requests a client may send before it has got the response to the first. */
const MOST_AHEAD = 50;
const ahead = new WeakMap<Socket, number>();

/** Whoever sends on and on without reading loses the connection: their responses would fill the memory. */
function isTooFarAhead({ socket }: IncomingMessage, response: ServerResponse): boolean {
  if (socket.destroyed) return true;
  // It is the first in line.
  if (response.socket) return false;
  const many = (ahead.get(socket) ?? 0) + 1;
  ahead.set(socket, many);
  response.once('socket', () => ahead.set(socket, (ahead.get(socket) ?? 1) - 1));
  if (many > MOST_AHEAD) socket.destroy();
  return many > MOST_AHEAD;
}

/**
 * Tells the client that this is the last response on the connection: it then opens a new one, which leads to another
 * instance. When the request comes, and again before its response is sent, since it may have taken long.
 */
export function endIfLeaving(response: ServerResponse, isLeaving: () => boolean): void {
  if (isLeaving()) response.shouldKeepAlive = false;
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, headers, body }: Outgoing): void {
  response.writeHead(status, headers);
  const parts = method === 'HEAD' ? [] : (body?.parts ?? []);
  for (const part of parts.slice(0, -1)) response.write(part);
  response.end(parts.at(-1));
}
