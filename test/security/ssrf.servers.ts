import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startServer, type TestServer } from '../support/server.js';
import { picture } from './support.js';

/** The servers of the suite "ssrf": one inside that must never be reached, and one that answers with every trick. */

export const LIMIT = 64 * 1024;
export let s: TestServer;
export let png: Buffer;
/** A server inside that must never be reached, and one that the operator allowed. */
export let inner: http.Server;
let inner6: http.Server | undefined;
export let allowed: http.Server;
export let touched = 0;
/** Errors that nobody caught: outside of a test they end the server. */
export const uncaught: string[] = [];
process.on('uncaughtException', (error) => uncaught.push(`${error.name}: ${error.message}`));
let busy = 0;
export let busiest = 0;
export const portOf = (server: http.Server): number => (server.address() as AddressInfo).port;
export const seen: http.IncomingHttpHeaders[] = [];

function serve(request: http.IncomingMessage, response: http.ServerResponse): void {
  seen.push(request.headers);
  const url = new URL(request.url ?? '/', 'http://x');
  const image = (headers: http.OutgoingHttpHeaders = {}) =>
    response.writeHead(200, { 'content-type': 'image/png', ...headers });
  switch (url.pathname) {
    case '/to':
      response
        .writeHead(Number(url.searchParams.get('code') ?? 302), { location: url.searchParams.get('at') ?? '' })
        .end();
      return;
    case '/loop':
      response.writeHead(302, { location: `/loop?${Math.random()}` }).end();
      return;
    case '/endless': {
      image();
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) {}
      };
      response.on('drain', more);
      more();
      return;
    }
    case '/slow': {
      image();
      const timer = setInterval(() => response.write('x'), 500);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case '/bomb':
      image({ 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(30_000_000)));
      return;
    case '/untyped':
      response.writeHead(200, { 'content-type': 'text/html' }).end(png);
      return;
    case '/gzip':
      image({ 'content-encoding': 'gzip' }).end(gzipSync(png));
      return;
    case '/lies':
      image({ 'content-length': '10' }).end(png.subarray(0, 10));
      return;
    case '/html':
      image().end('<script>alert(1)</script>');
      return;
    case '/svg':
      image({ 'content-type': 'image/svg+xml' }).end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
      return;
    case '/status':
      response.writeHead(Number(url.searchParams.get('code'))).end(png);
      return;
    case '/held':
      busy++;
      busiest = Math.max(busiest, busy);
      setTimeout(() => {
        busy--;
        image().end(png);
      }, 150);
      return;
    default:
      image().end(png);
  }
}

const listen = (server: http.Server, host: string): Promise<http.Server> =>
  new Promise((resolve, reject) => server.on('error', reject).listen(0, host, () => resolve(server)));

export async function begin(): Promise<void> {
  png = await picture();
  const canary = () =>
    http.createServer((_request, response) => {
      touched++;
      response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    });
  inner = await listen(
    canary().on('connection', () => touched++),
    '0.0.0.0',
  );
  inner6 = await listen(
    canary().on('connection', () => touched++),
    '::1',
  ).catch(() => undefined);
  allowed = await listen(http.createServer(serve), '127.0.0.1');
  s = await startServer({
    KALENDS_FETCH_ALLOW: `127.0.0.1:${portOf(allowed)}`,
    KALENDS_MEDIA_LIMIT: String(LIMIT),
    KALENDS_LOG_LEVEL: 'silent',
  });
}
export async function end(): Promise<void> {
  await s.close();
  for (const server of [inner, inner6, allowed]) {
    server?.closeAllConnections();
    server?.close();
  }
}
