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

const SECRET_HEADERS = ['headers', '*.headers', '*.*.headers'].flatMap((at) => [`${at}.authorization`, `${at}.cookie`]);

/** What is asked for is read by `records/args`: the engine has no compilers of schemas to load, and none is packed. */
const noSchemas = (): never => {
  throw new Error('Routes have no schemas of the engine');
};

/** As long as an address can be, each octet of it written as three: what is longer than any name is not found, like others. */
const LONGEST_NAME = maxHeaderSize * 3;

const hasDetails = ({ level }: FastifyBaseLogger): boolean => level === 'debug' || level === 'trace';

export interface ServerOptions {
  config: Pick<Config, 'requestTimeout' | 'bodyLimit'>;
  namespaces: Namespaces;
  /** Of those who do not say which one they speak. */
  language: Language;
  trusts: (address: string) => boolean;
  logger: FastifyBaseLogger;
  refuse: (error: Error, request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** The framework, set up for what may come; it knows the address and the language of each request, and no route yet. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { config, namespaces, language, trusts, logger, refuse } = options;
  const app = Fastify({
    // Whatever a package logs of a request at the finest levels, credentials are not in it. Looking for them takes time.
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
    forceCloseConnections: 'idle',
    // What arrives on an open connection while we close is still answered, and told that it was the last (`answerFirst`).
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
  // Who sent a POST waits for as many bytes as it is told of.
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
  app.server.on('connection', noteOpen);
  return app;
}

/** Connections that are there, by their server. */
const open = new WeakMap<Server, Set<Socket>>();

function noteOpen(this: Server, socket: Socket): void {
  const sockets = open.get(this) ?? new Set();
  open.set(this, sockets.add(socket));
  socket.once('close', () => sockets.delete(socket));
}

/** As long as it takes those who ask without a pause to ask once more, and others to see that it is not ready. */
const LEAVING_MS = 300;

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, many) => resolve(error ? 0 : many)));

/** Until there are no connections, and for a moment at most. */
export async function untilLeft(server: Server): Promise<void> {
  const until = performance.now() + LEAVING_MS;
  while (performance.now() < until && (await connectionsOf(server)) > 0) await sleep(LEAVING_MS / 20);
}

/** So many turns of the loop without anybody new, and nobody waits at the door; but not for ever. */
const QUIET_TURNS = 3;
const MOST_TURNS = 500;
/** The same where another process takes connections up and hands them over. */
const HANDED_MS = 10;
const MOST_HANDED = 30;

/**
 * Closes the door behind those who have knocked already. Of connections that the system has taken, the engine takes up one
 * in each turn of its loop; those that wait when the door is closed are cut off, though nobody told them. Who comes now is
 * answered afterwards, or would be back before it is quiet. `allClosed`: waits for others who share the door.
 */
async function closeDoor(server: Server, allClosed?: () => Promise<void>): Promise<void> {
  const greeters = server.listeners('connection') as ((socket: Socket) => void)[];
  const came: Socket[] = [];
  let quiet = 0;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    quiet = 0;
    // Who leaves meanwhile is not missed.
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

/** Who has not said a word for so long after the door was closed will not: browsers open connections for later use. */
const SILENT_MS = 1000;

function closeSilent(server: Server): void {
  for (const socket of open.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

/** Finishes what runs; `patience`: for so many milliseconds. */
export async function closeServer(
  app: FastifyInstance,
  patience: number,
  allClosed?: () => Promise<void>,
): Promise<void> {
  await closeDoor(app.server, allClosed);
  // Who has just come in has not been answered yet.
  await untilLeft(app.server);
  // A request that ends now leaves its connection open for the next one, which will not come.
  const sweep = setInterval(() => app.server.closeIdleConnections(), 100);
  const silent = setTimeout(() => closeSilent(app.server), SILENT_MS);
  // The engine stops to look after those who never finish what they send.
  const late = setTimeout(() => app.server.closeAllConnections(), patience);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(silent);
    clearTimeout(late);
  }
}
