import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type pino from 'pino';
import { authenticator } from './accounts/accounts.js';
import { secretKey } from './accounts/secrets.js';
import { forgetSessions } from './accounts/session.store.js';
import { sessionsOf } from './accounts/sessions.js';
import { indexer, repeatedly, seldom } from './app.chores.js';
import { memoryOf, noting } from './app.memory.js';
import type { Config } from './config.js';
import { Changes, sweepChanges } from './db/changes.js';
import { lastChange } from './db/counter.js';
import type { Database } from './db/database.js';
import { ANNOUNCED_EVERY, announce, retire } from './db/instances.js';
import { lastKnown } from './db/migrate.js';
import { admitOlderRules, RULES } from './db/zone-rules.js';
import { describeRoute } from './describe/namespace.js';
import { Failure } from './errors.js';
import { editionsOf } from './events/event.store.js';
import { publishDue } from './events/publish.js';
import { reschedule } from './events/reschedule.js';
import { addressOf, askerOf, crawledAddress, homeOf, namespacesOf, type Routed, trustedBy } from './http/address.js';
import { errorAnswer, STATUS } from './http/answers.js';
import { askFromWithin, type Question, serveRoutes } from './http/api.js';
import type { Asked, Head } from './http/asked.js';
import { parseBodies } from './http/bodies.js';
import { freshnessFor, type Served } from './http/context.js';
import { refuseWrongCredentials, signIn } from './http/credentials.js';
import { failureOf } from './http/failures.js';
import { serveFiles } from './http/files.js';
import { healthOf } from './http/health.js';
import { forgetKeys } from './http/idempotency.store.js';
import { Answers } from './http/kept.js';
import { distrustNoted, logRequests, requestLine } from './http/log.js';
import { plainReader } from './http/plain.js';
import { answerFirst, endIfLeaving } from './http/quick.js';
import { sendError, sendNoRoute } from './http/send.js';
import { closeServer, createServer, untilLeft } from './http/server.js';
import { sharedLimitOf } from './http/shared-limits.js';
import { forgetTallies } from './http/tally.store.js';
import { languageOf } from './i18n/languages.js';
import { translator } from './i18n/translate.js';
import { mediaOf } from './media/open.js';
import { sweep } from './media/sweep.js';
import { addressesIn, partsOf } from './records/addresses.store.js';
import { apiRoutes } from './routes.js';
import { siteOf } from './site.js';
import { nowSeconds, steadyNow } from './time/clock.js';
import { VERSION } from './version.js';
import { Calendars } from './web/calendars.js';
import { serveDiscovery } from './web/discovery.js';
import { serveDocs } from './web/docs.js';
import { serveForms } from './web/forms.js';
import { hasMissingPage, isForPeople, sendMissing, sendTrouble } from './web/frame.js';
import { serveHome } from './web/home.js';
import { serveRecords } from './web/records.js';
import { serveRoots } from './web/roots.js';
import { serveShelves } from './web/shelves.js';
import { serveSignIn } from './web/sign-in.js';
import { serveSitemap } from './web/sitemap.js';

/** The composition root: it puts everything together and decides nothing. */
export interface App {
  /** Starts serving; resolves to the address it listens on. */
  listen(): Promise<string>;
  /**
   * Before closing, gets rid of clients with open connections: each response is the last on its connection, and load
   * balancers are told that this instance is not ready. Waits for a moment at most, and not at all if there are no
   * connections.
   */
  leave(): Promise<void>;
  /**
   * Stops accepting connections and finishes running requests; `allClosed`: waits for other processes that accept on
   * the same port. Closing the database is up to the caller.
   */
  close(allClosed?: () => Promise<void>): Promise<void>;
}

export async function buildApp(options: { config: Config; database: Database; logger: pino.Logger }): Promise<App> {
  const { config, logger } = options;
  const changes = new Changes(options.database.replicas !== undefined);
  const remembers = config.memory === 'on';
  const choreFailed = (error: unknown) => logger.error({ err: error }, 'chores failed');
  const memory = memoryOf(options.database, config.dataDir, changes, choreFailed);
  const database = remembers ? noting(options.database, changes, memory.look) : options.database;
  const site = siteOf(config);
  const namespaces = namespacesOf(config.apiRoot, config.vendor, config.aliases);
  const trusts = trustedBy(config.trustedProxies);
  let listening = `http://${config.host}:${config.port}`;

  const key = await database.write(secretKey);
  const accounts = authenticator(database, key);
  const sessions = sessionsOf(database, key, accounts);
  const defaultLanguage = languageOf(config.language) ?? 'en';

  const languageIn = (request: Asked): string | undefined => (request.raw as Routed).placed?.language;
  const baseOf = (request: Asked): string =>
    request.base ?? (languageIn(request) ? `/${languageIn(request)}` : '') + namespaces.canonical;
  const home = (request: Head): string => homeOf(request, config.publicUrl, trusts, listening);
  const media = mediaOf(config, database);
  const allowedOrigins: ReadonlySet<string> = new Set(config.allowedOrigins);
  const health = healthOf(database);
  const distrust = distrustNoted(trusts, (told, message) => logger.warn(told, message));
  /** For requests that are answered before they reach the framework. */
  const noteAs =
    (level: 'debug' | 'info') =>
    (request: Head, route: string, status: number, started: number): void => {
      const { method = '' } = request;
      const ms = steadyNow() - started;
      health.note({ method, route, status, ms });
      if (!logger.isLevelEnabled(level)) return;
      const url = (request as { originalUrl?: string }).originalUrl ?? request.url ?? '';
      const ip = askerOf(request, trusts);
      distrust(request, ip);
      logger[level](requestLine({ method, url, status, ms, ip }), 'request');
    };
  const answers = new Answers({
    isSure: () => changes.isSure(),
    knownSoon: () => changes.knownSoon(),
    knownAgain: memory.knownAgain,
    ledger: memory.ledger,
    selections: memory.selections,
    origin: (asked) => (allowedOrigins.has(asked) ? asked : '*'),
    home,
    // At debug level: logging must not cost more than so cheap a response.
    note: noteAs('debug'),
  });
  const shared = { database, secretKey: key };
  const served: Served = {
    database,
    remembers,
    keptFor: memory.keptFor,
    keptNow: memory.keptNow,
    keptSoon: memory.keptSoon,
    viewFor: memory.viewFor,
    answers,
    media,
    signIns: sharedLimitOf({ ...shared, name: 'sign-in', most: config.signInLimit, seconds: 15 * 60 }),
    writes: sharedLimitOf({ ...shared, name: 'write', most: config.writeLimit, seconds: 60 }),
    site,
    secretKey: key,
    allowedOrigins,
    identify: accounts.identify,
    sessions,
    describe: describeRoute,
    translate: (request) => translator(request.language ?? defaultLanguage),
    address: (request) => addressOf(home(request.raw), baseOf(request)),
  };

  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendError(failureOf(error), request, reply, served);
  const app = createServer({ config, namespaces, language: defaultLanguage, trusts, logger, refuse });
  // The form of an event has a box for each of up to a thousand categories.
  await app.register(multipart, { limits: { fileSize: config.mediaLimit, files: 1, fields: 1500, parts: 1600 } });
  parseBodies(app, config.bodyLimit, config.mediaLimit);
  logRequests(app, distrust);
  refuseWrongCredentials(app, served);
  app.setErrorHandler((error, request, reply) => {
    const known = failureOf(error);
    if (known instanceof Failure && known.extra.cause !== undefined && STATUS[known.code] >= 500) {
      request.log.error({ err: known.extra.cause }, 'request failed');
    }
    if (isForPeople(request)) {
      const { status, body } = errorAnswer(known, served.translate(request), false);
      if (status >= 500 || request.method === 'POST') {
        const retryAfter = known instanceof Failure ? known.extra.retryAfter : undefined;
        return sendTrouble(request, reply, pages, { status, message: String(body.message), retryAfter });
      }
    }
    const isAbsent = known instanceof Failure && STATUS[known.code] === 404;
    if (isAbsent && hasMissingPage(request, namespaces)) return sendMissing(request, reply, pages);
    return sendError(known, request, reply, served);
  });

  app.addHook('onSend', (_request, { raw }, payload, done) => {
    endIfLeaving(raw, health.isLeaving);
    done(null, payload);
  });
  health.serve(app);
  serveFiles(app, database, media.files);
  const pages = {
    siteName: config.siteName,
    paging: site,
    address: served.address,
    crawled: (request: FastifyRequest) => crawledAddress(home(request.raw), namespaces),
    translate: served.translate,
    zone: site.zone,
    tokenFor: sessions.tokenFor,
    isTokenFor: sessions.isTokenFor,
  };
  serveDocs(app, pages);
  serveDiscovery(app, { ...pages, siteDescription: config.siteDescription, now: nowSeconds });
  serveRoots(app, namespaces, {
    ...pages,
    siteDescription: config.siteDescription,
    now: nowSeconds,
    allowedOrigins,
  });
  const about = { siteName: config.siteName, version: VERSION };
  const routes = apiRoutes(about, media.removeFiles);
  serveRoutes(app, namespaces.canonical, routes, served);
  const shown = {
    ...pages,
    siteDescription: config.siteDescription,
    inquire: (request: FastifyRequest, question: Question) => askFromWithin(routes, request, question, served),
    editions: (request: FastifyRequest, ids: number[]) =>
      database.read((db) => editionsOf(db, ids), freshnessFor(request.caller ?? {})),
    lastChange: (request: FastifyRequest) => database.read(lastChange, freshnessFor(request.caller ?? {})),
    calendars: new Calendars(remembers),
  };
  serveHome(app, shown);
  serveRecords(app, shown);
  serveForms(app, shown);
  serveShelves(app, shown);
  serveSitemap(app, {
    ...shown,
    parts: (table) => database.read((db) => partsOf(db, table)),
    addresses: (table, part) => database.read((db) => addressesIn(db, table, part)),
  });
  serveSignIn(app, {
    ...pages,
    signIn: (request, username, password) => signIn(request, username, password, served),
    signOut: sessions.end,
  });
  app.setNotFoundHandler((request, reply) =>
    hasMissingPage(request, namespaces) ? sendMissing(request, reply, shown) : sendNoRoute(request, reply, served),
  );

  const plain = plainReader({
    namespaces,
    routes,
    served,
    language: defaultLanguage,
    trusts,
    note: noteAs('info'),
  });
  const answering = answerFirst(app.server, answers, plain, health.isLeaving);

  const me = { id: randomUUID(), version: VERSION, host: hostname(), knows: lastKnown(database.engine) };
  // Other instances may write, too: their changes must show here within two seconds.
  const watch = repeatedly(500, [() => database.read(memory.look, { fresh: true })], choreFailed);
  const share = () => Promise.all([served.signIns.exchange(), served.writes.exchange()]);
  const chores = repeatedly(
    1000,
    [
      share,
      () => publishDue(database),
      indexer(database),
      accounts.noteUse,
      seldom(ANNOUNCED_EVERY, () => database.write((db) => announce(db, me))),
      seldom(60, () => sweepChanges(database)),
      seldom(60, async () => memory.overflow.makeRoom()),
      ...[forgetKeys, forgetTallies].map((forget) =>
        seldom(60, () => database.write((db) => forget(db, nowSeconds()))),
      ),
      seldom(600, () => database.write((db) => forgetSessions(db, nowSeconds()))),
    ],
    choreFailed,
  );
  // Apart from the other chores, which must not wait for an unresponsive picture store or for a pass over all events.
  const tidying = repeatedly(
    3_600_000,
    [
      async (isStopping) => {
        const events = await reschedule(database, isStopping);
        if (events !== undefined) logger.info({ events, rules: RULES }, 'events updated to newer time zone rules');
      },
      () => sweep(database, media.files),
    ],
    choreFailed,
  );

  return {
    async listen() {
      // The framework would log the address, too; the caller of `listen` does that.
      const { level } = app.log;
      app.log.level = 'silent';
      await app.listen({ host: config.host, port: config.port }).finally(() => {
        app.log.level = level;
      });
      listening = listeningAddress(app, config.host);
      for (const chore of [chores, ...(remembers ? [watch] : []), tidying]) chore.start();
      return listening;
    },
    async leave() {
      health.leave();
      await untilLeft(app.server);
    },
    async close(allClosed) {
      health.leave();
      const patience = config.requestTimeout * 1000;
      const closed = answering.settled(patience).then(() => closeServer(app, patience, allClosed));
      await Promise.all([chores, watch, tidying].map((chore) => chore.stop()));
      await closed;
      memory.overflow.close();
      // If the database is unavailable, the shutdown goes on without these.
      const retired = () => database.write((db) => retire(db, me.id));
      for (const last of [accounts.noteUse, share, () => admitOlderRules(database), retired])
        await last().catch((error: unknown) => logger.warn({ err: error }, 'could not save state at shutdown'));
    },
  };
}

function listeningAddress(app: FastifyInstance, host: string): string {
  const at = app.server.address();
  const anywhere = host === '0.0.0.0' || host === '::' || host === '';
  const name = anywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${typeof at === 'object' ? at?.port : at}`;
}
