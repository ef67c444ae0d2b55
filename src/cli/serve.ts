import pino from 'pino';
import type { App } from '../app.js';
import type { Config } from '../config.js';
import type { Database } from '../db/database.js';
import { migrate } from '../db/migrate.js';
import { openDatabase } from '../db/open.js';
import { banner, credentialsAlone } from './banner.js';
import { command, configOf, settingArgs } from './command.js';
import { addSamples, firstAdministrator } from './first-start.js';
import { EXIT, type Io, Refusal } from './io.js';
import { makeDataDir } from './open.js';
import { forgetServer, noteServer } from './server-file.js';

export const serve = command({
  summary: 'Run the service',
  notes: [
    'On the first start a user "admin" is made; its application password is shown once.',
    'Standard output carries the log, one JSON object a line. What is meant for people (addresses, the first',
    'password) goes there too on a terminal, else to standard error.',
    'SIGTERM or Ctrl+C: no new requests, what runs is finished, the database is closed. A second one stops at once.',
    'Every option can be given by the environment instead, under the name in brackets; an option wins.',
  ],
  args: {
    demo: { type: 'boolean', description: 'Put a sample calendar into a database that is empty.' },
    ...settingArgs(),
  },
  async run(args, io) {
    const config = configOf(args, io);
    const stop = stopSignal(io);
    makeDataDir(config);
    const database = await openDatabase(config.databaseUrl);
    noteServer(config);
    try {
      await migrate(database);
      await serveUntil(stop, { config, database, demo: args.demo === true, io });
      return EXIT.ok;
    } finally {
      await database.close();
      forgetServer(config);
    }
  },
});

interface Service {
  config: Config;
  database: Database;
  demo: boolean;
  io: Io;
}

async function serveUntil(stop: Promise<string>, { config, database, demo, io }: Service): Promise<void> {
  const logger = pino({ level: config.logLevel });
  const forPeople = io.terminal ? io.out : io.err;
  const admin = await firstAdministrator(database);
  let started: { app: App; address: string };
  try {
    if (demo) await addSamples(config, database);
    started = await start(config, database, logger);
  } catch (error) {
    // The password exists and cannot be shown later.
    if (admin) forPeople(credentialsAlone(admin));
    throw error;
  }
  forPeople(banner({ config, version: io.version, ...started, admin }));
  logger.info({ address: started.address, version: io.version }, 'listening');
  const signal = await stop;
  logger.info({ signal }, 'stopping');
  await started.app.close();
  logger.info('stopped');
}

async function start(config: Config, database: Database, logger: pino.Logger): Promise<{ app: App; address: string }> {
  // The other commands do without the web framework, and start faster.
  const { buildApp } = await import('../app.js');
  const app = await buildApp({ config, database, logger });
  try {
    return { app, address: await app.listen() };
  } catch (error) {
    await app.close();
    throw listenProblem(error, config);
  }
}

function listenProblem(error: unknown, { host, port }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reason: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use. Stop the other program, or choose another port with --port.`,
    EACCES: `Port ${port} on ${host} needs more rights than this user has. Choose another with --port, 1024 or above.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}. Choose another with --host.`,
    ENOTFOUND: `The host name ${host} is not known. Choose another with --host.`,
  };
  const sentence = reason[code ?? ''];
  return sentence ? new Refusal(sentence, EXIT.failed, error) : error;
}

/** Ctrl+C under npm comes twice, from the terminal and from npm: what follows at once is the same key. */
const SAME_KEY_MS = 300;

function stopSignal(io: Io): Promise<string> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const listen = (signal: string): void => {
      const now = performance.now();
      first ??= now;
      if (now - first > SAME_KEY_MS) {
        io.err('Stopped at once.');
        process.exit(EXIT.failed);
      }
      resolve(signal);
    };
    process.on('SIGTERM', listen);
    process.on('SIGINT', listen);
  });
}
