import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Answers } from './kept.js';

/** Puts kept answers before everything else: what is known needs no routing. */
export function answerFirst(server: Server, answers: Answers): void {
  const listeners = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const otherwise = (): void => listeners.forEach((listener) => void listener(request, response));
    if (!answers.serve(request, response, otherwise)) otherwise();
  });
}
