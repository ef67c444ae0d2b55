import { setTimeout as wait } from 'node:timers/promises';
import pino from 'pino';
import { issue } from '../accounts/accounts.js';
import { revokeCredential } from '../accounts/credential.store.js';
import { listUsers, type User } from '../accounts/user.store.js';
import { createClient, KalendsError } from '../client/client.js';
import type { Config } from '../config.js';
import { namespacePath } from '../config.paths.js';
import type { Database, Db } from '../db/database.js';
import { nowSeconds } from '../time/clock.js';
import { command, configOf, databaseArgs, jsonArg, mediaArgs, settingArgs } from './command.js';
import { countOf, EXIT, type Io, printJson, Refusal, reporter } from './io.js';
import { type Moved, move, type Plural, type Problem } from './moving.js';
import { requireDatabase, requireMigrated, withDatabase } from './open.js';
import { startHere } from './start.js';
import { requireUser } from './user.js';

export const importCommand = command({
  summary: 'Bring the calendar of another site that has this interface',
  notes: [
    'All that the site shows to anybody comes: categories, tags, venues, organizers and events, with their pictures and',
    'slugs. What is here by its slug already stays as it is: if it was interrupted, or a picture could not be had, run it',
    'once more. Servers of this calendar may run meanwhile. Give it the settings of the servers (time zone and currency',
    'as the old site has them).',
  ],
  args: {
    site: {
      type: 'positional',
      required: true,
      description: 'Address of the site, such as https://old.example, or of its interface.',
    },
    user: {
      type: 'string',
      valueHint: 'name',
      description: 'Whose the records will be; else the first administrator.',
    },
    ...jsonArg,
    ...mediaArgs,
    ...databaseArgs,
    ...settingArgs('timezone', 'currencySymbol', 'currencyCode', 'fetchAllow'),
  },
  async run(args, io) {
    const config = configOf(args, io);
    const { signal, end } = untilStopped();
    try {
      const source = sourceAt(args.site, signal);
      requireDatabase(config);
      const moved = await withDatabase(config.databaseUrl, async (database) => {
        await requireMigrated(database);
        return within(config, database, { io, name: args.user }, (url, token) => {
          const target = createClient({ url, token, fetch: (to, request) => fetch(to, { ...request, signal }) });
          return move(source, target, reporter(io));
        });
      });
      tell(moved, args.site, args.json === true, io);
      return moved.problems.length > 0 ? EXIT.failed : EXIT.ok;
    } catch (error) {
      throw refusalOf(error, signal.aborted);
    } finally {
      end();
    }
  },
});

/** Runs a server for ourselves alone, so that what comes meets the same rules as everybody else's writes. */
async function within<T>(
  config: Config,
  database: Database,
  { io, name }: { io: Io; name: string | undefined },
  work: (url: string, token: string) => Promise<T>,
): Promise<T> {
  const logger = pino({ level: 'error' }, { write: (line: string) => io.err(line.trimEnd()) });
  const made = await database.write(async (db) => issue(db, await ownerIn(db, name), 'token', 'import'));
  try {
    const own = { host: '127.0.0.1', port: 0, writeLimit: 0 };
    const server = await startHere({ ...config, ...own }, logger);
    try {
      return await work(server.address + namespacePath(config.apiRoot, config.vendor), made.secret);
    } finally {
      await server.close();
    }
  } finally {
    await database.write((db) => revokeCredential(db, 'token', made.id, nowSeconds()));
  }
}

async function ownerIn(db: Db, name: string | undefined): Promise<User> {
  if (name !== undefined) return requireUser(db, name);
  const first = (await listUsers(db)).find(({ role }) => role === 'administrator');
  if (!first) throw new Refusal('There is no administrator. Name a user with --user; see "kalends user list".');
  return first;
}

/** Ctrl+C ends it in order: nothing that was made for it is left behind. */
function untilStopped(): { signal: AbortSignal; end: () => void } {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const one of signals) process.once(one, stop);
  return { signal: stopping.signal, end: () => void signals.map((one) => process.off(one, stop)) };
}

/** Everything that ends it on the way leaves what came. */
function refusalOf(error: unknown, isStopped: boolean): unknown {
  const rest = 'What came stays: run it once more for the rest.';
  if (isStopped) return new Refusal(`Stopped. ${rest}`, EXIT.failed, error);
  if (!(error instanceof KalendsError)) return error;
  if (error.code === 'no-interface') return new Refusal(error.message, EXIT.failed, error);
  return new Refusal(`${error.message} (HTTP status ${error.status}). ${rest}`, EXIT.failed, error);
}

const TRIES = 4;
const MOST_WAITED_S = 60;
const ANSWERED_WITHIN_MS = 60_000;

function sourceAt(site: string, stopped: AbortSignal) {
  let hasAnswered = false;
  /** A site that is busy, or a line that is bad, may be better in a moment. */
  const patiently: typeof fetch = async (to, request) => {
    for (let tried = 1; ; tried++) {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(ANSWERED_WITHIN_MS)]);
      const answer = await fetch(to, { ...request, signal }).catch((error: Error) => error);
      hasAnswered ||= answer instanceof Response;
      const isWell = answer instanceof Response && answer.status !== 429 && answer.status < 500;
      if (isWell || tried === TRIES || !hasAnswered || stopped.aborted) {
        if (answer instanceof Response) return answer;
        throw new Refusal(`${site} does not answer: ${reasonOf(answer)}. Run it once more later.`, EXIT.failed, answer);
      }
      const asked = answer instanceof Response ? Number(answer.headers.get('Retry-After')) : 0;
      await wait(Math.min(asked || 2 ** (tried - 1), MOST_WAITED_S) * 1000, undefined, { signal: stopped });
    }
  };
  try {
    return createClient({ url: site, fetch: patiently });
  } catch (error) {
    throw new Refusal(`"${site}" is not an address. Write it as https://old.example.`, EXIT.usage, error);
  }
}

const reasonOf = (error: Error): string => {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
};

const NAMES: Record<Plural, [one: string, many: string]> = {
  events: ['event', 'events'],
  venues: ['venue', 'venues'],
  organizers: ['organizer', 'organizers'],
  categories: ['category', 'categories'],
  tags: ['tag', 'tags'],
};

const counted = (counts: Record<Plural, number>): string =>
  Object.entries(NAMES)
    .map(([kind, names]) => countOf(counts[kind as Plural], ...names))
    .join(', ');

const said = ({ kind, slug, partly, message }: Problem): string =>
  `${NAMES[kind][0]} ${slug} ${partly ? 'came without its picture' : 'did not come'}: ${message}`;

function tell({ made, present, problems }: Moved, site: string, json: boolean, io: Io): void {
  if (json) {
    printJson(io, { from: site, made, present, problems });
    return;
  }
  io.out(`Brought ${counted(made)} from ${site}.`);
  if (Object.values(present).some((count) => count > 0)) io.out(`Here already: ${counted(present)}.`);
  for (const problem of problems) io.err(said(problem));
}
