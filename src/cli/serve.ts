import pino from 'pino';
import type { Config } from '../config.js';
import { migrate } from '../db/migrate.js';
import { banner, credentialsAlone } from './banner.js';
import { command, configOf, settingArgs } from './command.js';
import {
  type Administrator,
  type AwaitedAdministrator,
  addSamples,
  awaitedAdministrator,
  firstAdministrator,
} from './first-start.js';
import { EXIT, type Io, STOPPING } from './io.js';
import { LogWriter } from './log-writer.js';
import { makeDataDir, requireWritable, withDatabase } from './open.js';
import { forgetServer, noteServer } from './server-file.js';
import { type Started, startHere } from './start.js';
import { isWorker, runWorker, startWorkers } from './workers.js';

export const serve = command({
  summary: 'Run the server',
  notes: [
    'The first start creates the user "admin" and shows its application password once. Until an administrator has signed',
    'in, each later start shows how to create another one.',
    'The log goes to standard output, one JSON object per line. Messages for people (URLs, the first password) go there',
    'too on a terminal, otherwise to standard error.',
    'With --workers, several processes serve the same port; one that exits is replaced.',
    'On SIGTERM, SIGHUP or Ctrl+C the server takes no new requests, finishes those in progress and closes the database. A',
    'second signal stops it immediately.',
    'The name in brackets is the environment variable for the same setting; the flag takes precedence.',
  ],
  args: {
    demo: { type: 'boolean', description: 'Fill an empty database with a sample calendar.' },
    ...settingArgs(),
  },
  async run(args, io) {
    const config = configOf(args, io);
    const logger = loggerOf(config);
    if (isWorker) return runWorker(config, logger);
    const stop = stopSignal(io);
    await makeDataDir(config);
    await requireWritable(config);
    try {
      await serveUntil(stop, { config, logger, demo: args.demo === true, io });
      return EXIT.ok;
    } finally {
      forgetServer(config);
    }
  },
});

function loggerOf({ logLevel }: Config): pino.Logger {
  const out = new LogWriter((lines) => logger.error({ lines }, 'lines of the log were dropped'));
  const logger: pino.Logger = pino({ level: logLevel }, out);
  return logger;
}

interface Service {
  config: Config;
  logger: pino.Logger;
  demo: boolean;
  io: Io;
}

async function serveUntil(stop: Promise<string>, { config, logger, demo, io }: Service): Promise<void> {
  const forPeople = io.terminal ? io.out : io.err;
  let admin: Administrator | undefined;
  let awaited: AwaitedAdministrator | undefined;
  let started: Started;
  try {
    // Done once, however many processes serve afterwards.
    await withDatabase(config.databaseUrl, async (database) => {
      noteServer(config);
      await migrate(database);
      for (const advice of await database.advice()) logger.warn(advice);
      admin = await firstAdministrator(database);
      if (!admin) awaited = await awaitedAdministrator(database);
      if (demo)
        await addSamples(config, database, (err) =>
          logger.warn({ err }, 'the pictures of the sample calendar could not be stored'),
        );
    });
    started = await (config.workers > 1 ? startWorkers : startHere)(config, logger);
  } catch (error) {
    // The password exists already and cannot be shown later.
    if (admin) forPeople(credentialsAlone(admin));
    throw error;
  }
  const program = io.env.npm_command === undefined ? 'kalends' : 'npx kalends';
  forPeople(banner({ config, version: io.version, address: started.address, admin, awaited, program }));
  logger.info({ address: started.address, version: io.version, workers: config.workers }, 'listening');
  try {
    const signal = await Promise.race([stop, ...(started.failed ? [started.failed] : [])]);
    logger.info({ signal }, 'stopping');
  } finally {
    await started.close();
  }
  logger.info('stopped');
}

/** Under npm, Ctrl+C arrives twice, from the terminal and from npm: a signal at once after is the same key press. */
const SAME_KEY_MS = 300;

function stopSignal(io: Io): Promise<string> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const listen = (signal: string): void => {
      const now = performance.now();
      first ??= now;
      if (now - first > SAME_KEY_MS) {
        io.err('Stopped immediately.');
        process.exit(EXIT.failed);
      }
      resolve(signal);
    };
    for (const one of STOPPING) process.on(one, listen);
  });
}
