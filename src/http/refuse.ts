import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { JSON_TYPE } from './headers.js';

const REASONS: Record<string, [status: number, phrase: string, reason: string, code?: string]> = {
  // No path has an unknown method (A1).
  HPE_INVALID_METHOD: [404, 'Not Found', 'it has an unknown method', 'rest_no_route'],
  HPE_INVALID_URL: [400, 'Bad Request', 'its address has characters that must be percent-encoded'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'its address and headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'it took too long to arrive'],
};

interface Refusal {
  status: number;
  phrase: string;
  body: string;
}

const refusal = (status: number, phrase: string, reason: string, code = 'bad-request'): Refusal => ({
  status,
  phrase,
  body: JSON.stringify({ code, message: `The request cannot be read: ${reason}.`, data: { status } }),
});

/** `Expect` has one defined value, and this is another (RFC 9110, section 10.1.1). */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { status, body } = refusal(417, 'Expectation Failed', 'it expects what cannot be promised');
  response.writeHead(status, { 'Content-Type': JSON_TYPE, Connection: 'close' }).end(body);
}

/** The latest request of each connection. */
const latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
const refused = new WeakSet<Socket>();

export function noteLatest(request: IncomingMessage, response: ServerResponse): void {
  latest.set(request.socket, { request, response });
}

/**
 * What is not even HTTP has no route, language or caller: it gets one sentence, after the responses to the requests
 * before it, and the connection is closed.
 */
export function refuseBadRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (refused.has(socket)) return;
  refused.add(socket);
  const { request, response } = latest.get(socket) ?? {};
  const refuse = (): void => {
    // It is the body of a request that cannot be read, whose response has begun: nothing can be added to that.
    if (!socket.writable || (response?.headersSent && !request?.complete)) socket.destroy();
    else socket.end(refusalFor(error));
  };
  if (!request || !response || response.closed) refuse();
  else if (request.complete) response.once('close', refuse);
  else if (response.socket) refuse();
  else response.once('socket', refuse);
}

function refusalFor({ code = '' }: { code?: string }): string {
  const { status, phrase, body } = refusal(...(REASONS[code] ?? [400, 'Bad Request', 'it is not HTTP']));
  return `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
