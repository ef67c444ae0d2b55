import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Answers, isForAll } from './kept.js';
import { Repeats } from './repeats.js';

type Reader = (request: IncomingMessage, response: ServerResponse, otherwise: () => void) => boolean;

/** Puts what anybody may ask before everything else: what is kept needs no routing, and what is plain no framework. */
export function answerFirst(server: Server, answers: Answers, read: Reader, isLeaving: () => boolean): void {
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  const repeats = new Repeats(server, {
    understood: (request) => answers.understood(request),
    recall: (url, understood, socket) => answers.recall(url, understood, socket),
    isLeaving,
  });
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Whoever asks again begins a new connection, which leads elsewhere.
    if (isLeaving()) response.shouldKeepAlive = false;
    const otherwise = (): void => listeners.forEach((listener) => void listener(request, response));
    const plain = (): void => {
      if (!isForAll(request) || !read(request, response, otherwise)) otherwise();
    };
    if (answers.serve(request, response, plain)) repeats.answered(request, response);
    else plain();
  });
}
