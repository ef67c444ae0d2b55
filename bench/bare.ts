import { createServer } from 'node:http';
import type { Recorded } from './servers.js';

/** The lower limit of cost: a bare server in its own process that sends what it was given, whatever the request. */

let answers: Recorded[] = [];
let next = 0;
const server = createServer((_request, response) => {
  const answer = answers[next++ % answers.length];
  if (!answer) return response.writeHead(500).end();
  return response.writeHead(answer.status, answer.headers).end(answer.body);
});
process.on('message', (given: Recorded[]) => {
  answers = given.map((one) => ({ ...one, body: Buffer.from(one.body) }));
  process.send?.('ready');
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
