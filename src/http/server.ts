import { maxHeaderSize, type Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config.js';
import { Failure } from '../errors.js';
import { type Language, negotiate } from '../i18n/languages.js';
import { decodable, hostsIn, type Namespaces, place, type Routed } from './address.js';
import { overriddenMethod } from './override.js';
import { refuseBadRequest, refuseExpectation } from './refuse.js';
import { noteNewcomer } from './turns.js';

const SECRET_HEADERS = ['headers', '*.headers', '*.*.headers'].flatMap((at) => [`${at}.authorization`, `${at}.cookie`]);

/** Parameters are read by `records/args`, so Fastify's schema compilers are neither loaded nor bundled. */
const noSchemas = (): never => {
  throw new Error('Routes have no schemas of the engine');
};

/** The longest possible URL, with each octet written as three: an overlong name is simply not found, like any other. */
const LONGEST_NAME = maxHeaderSize * 3;

const hasDetails = ({ level }: FastifyBaseLogger): boolean => level === 'debug' || level === 'trace';

export interface ServerOptions {
  config: Pick<Config, 'requestTimeout' | 'bodyLimit'>;
  namespaces: Namespaces;
  /** For callers who do not state their language. */
  language: Language;
  trusts: (address: string) => boolean;
  logger: FastifyBaseLogger;
  refuse: (error: Error, request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** The framework, configured for every request; it knows the address and language of each, but no routes yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { config, namespaces, language, trusts, logger, refuse } = options;
  const app = Fastify({
    // Packages may log requests at the finest levels, but without credentials. Only there, as redacting takes time.
    loggerInstance: hasDetails(logger) ? (logger.child({}, { redact: SECRET_HEADERS }) as FastifyBaseLogger) : logger,
    logController: new LogController({ disableRequestLogging: true }),
    http: {
      requireHostHeader: false,
      headersTimeout: config.requestTimeout * 1000,
      connectionsCheckingInterval: 1000,
    },
    bodyLimit: config.bodyLimit,
    requestTimeout: config.requestTimeout * 1000,
    keepAliveTimeout: 72_000,
    // A client that takes nothing of its response for so long is gone.
    connectionTimeout: 120_000,
    forceCloseConnections: 'idle',
    // A request on an open connection is still answered while we close, as the last one there (`answerFirst`).
    return503OnClosing: false,
    trustProxy: (address: string) => trusts(address),
    exposeHeadRoutes: true,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    clientErrorHandler: refuseBadRequest,
    frameworkErrors: (error, request, reply) => refuse(error, request as FastifyRequest, reply as FastifyReply),
    routerOptions: { caseSensitive: false, maxParamLength: LONGEST_NAME },
    rewriteUrl(request) {
      const placed = place(request.url ?? '/', namespaces);
      (request as Routed).placed = placed;
      const sent = request.method;
      request.method = overriddenMethod(request);
      (request as Routed).isHeadByPost = sent === 'POST' && request.method === 'HEAD';
      return decodable(placed.url);
    },
  }) as unknown as FastifyInstance;
  app.decorateRequest('caller', undefined);
  app.decorateRequest('session', undefined);
  app.decorateRequest('base', undefined);
  app.decorateRequest('language', undefined);
  // The client sent a POST, so it would wait for as many bytes as `Content-Length` announces.
  app.addHook('onSend', async ({ raw }, reply, payload) => {
    if (!(raw as Routed).isHeadByPost) return payload;
    reply.header('Content-Length', '0');
    return '';
  });
  app.addHook('onRequest', async (request) => {
    const { placed } = request.raw as Routed;
    request.base = placed?.base;
    request.language = placed?.language ?? negotiate(request.headers['accept-language'], language);
    const hosts = hostsIn(request.raw);
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      throw new Failure('bad-request', { variant: hosts === 0 ? 'no-host' : 'hosts' });
    }
  });
  app.server.on('checkExpectation', refuseExpectation);
  app.server.on('checkContinue', (request, response) => {
    // Not before its turn: Node would put it into the response before it.
    if (response.socket) response.writeContinue();
    else response.once('socket', () => response.writeContinue());
    app.server.emit('request', request, response);
  });
  // Who has said everything and closes that side still gets the response.
  (app.server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // All count: otherwise Node would silently leave out the last ones. Their size is limited.
  app.server.maxHeadersCount = 0;
  app.server.on('connection', noteOpen);
  app.server.on('connection', noteNewcomer);
  closeOnlyWhatIsSent(app.server);
  return app;
}

/** Open connections, by server. */
const open = new WeakMap<Server, Set<Socket>>();

function noteOpen(this: Server, socket: Socket): void {
  const sockets = open.get(this) ?? new Set();
  open.set(this, sockets.add(socket));
  socket.once('close', () => sockets.delete(socket));
}

/** Node counts a connection as idle once it has got the whole response, of which the client may lack the greater part. */
function closeOnlyWhatIsSent(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const sending = [...(open.get(server) ?? [])].filter((socket) => socket.writableLength > 0);
    for (const socket of sending) socket.destroy = () => socket;
    closeIdle();
    for (const socket of sending) delete (socket as Partial<Socket>).destroy;
  };
}

/** Time for a busy client to send one more request, and for load balancers to see that it is not ready. */
const LEAVING_MS = 300;

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, many) => resolve(error ? 0 : many)));

/** Waits until there are no connections, but only for a moment. */
export async function untilLeft(server: Server): Promise<void> {
  const until = performance.now() + LEAVING_MS;
  while (performance.now() < until && (await connectionsOf(server)) > 0) await sleep(LEAVING_MS / 20);
}

/** After so many turns of the event loop without a new connection, none is waiting; but it does not wait for ever. */
const QUIET_TURNS = 3;
const MOST_TURNS = 500;
/** The same if another process accepts connections and hands them over. */
const HANDED_MS = 10;
const MOST_HANDED = 30;

/**
 * Stops listening, after accepting the connections that already wait. Node accepts one of the system's queue in each
 * turn of the event loop; those left in the queue when the socket closes are reset without notice. Connections accepted
 * now are served afterwards: clients served at once would reconnect before the queue is empty. `allClosed`: waits for
 * other processes on the same port.
 */
async function closeDoor(server: Server, allClosed?: () => Promise<void>): Promise<void> {
  const greeters = server.listeners('connection') as ((socket: Socket) => void)[];
  const came: Socket[] = [];
  let quiet = 0;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    quiet = 0;
    // It does not matter if a client disconnects meanwhile.
    came.push(socket.on('error', () => {}));
  });
  for (let turns = 0; turns < (allClosed ? MOST_HANDED : MOST_TURNS) && quiet < QUIET_TURNS; turns++) {
    quiet++;
    await (allClosed ? sleep(HANDED_MS) : nextTurn());
  }
  NetServer.prototype.close.call(server);
  await allClosed?.();
  server.removeAllListeners('connection');
  for (const greet of greeters) server.on('connection', greet);
  for (const socket of came) if (!socket.destroyed) server.emit('connection', socket);
}

/** A client that has sent nothing for so long after that will not: browsers open connections in advance. */
const SILENT_MS = 1000;

function closeSilent(server: Server): void {
  for (const socket of open.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

/** Finishes running requests, for at most `patience` milliseconds. */
export async function closeServer(
  app: FastifyInstance,
  patience: number,
  allClosed?: () => Promise<void>,
): Promise<void> {
  await closeDoor(app.server, allClosed);
  // Connections just accepted have not been answered yet.
  await untilLeft(app.server);
  // A request that ends now leaves its connection open for a next one, which must not come.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 100);
  const silent = setTimeout(() => closeSilent(app.server), SILENT_MS);
  // Once closed, Node no longer times out clients that never finish their request.
  const late = setTimeout(() => app.server.closeAllConnections(), patience);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(silent);
    clearTimeout(late);
  }
}
