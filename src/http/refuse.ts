import type { Socket } from 'node:net';

const REASONS: Record<string, [status: number, phrase: string, reason: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'its address and headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'it took too long to arrive'],
};

/** What is not even HTTP has no route, no language and no caller; it gets one sentence and the end of the connection. */
export function refuseBadRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, reason] = REASONS[error.code ?? ''] ?? [400, 'Bad Request', 'it is not HTTP'];
  const body = JSON.stringify({
    code: 'bad-request',
    message: `The request cannot be read: ${reason}.`,
    data: { status },
  });
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
