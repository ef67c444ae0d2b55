import pino from 'pino';
import { editsOthers } from '../access/rights.js';
import { issue } from '../accounts/accounts.js';
import { listCredentials, revokeCredential } from '../accounts/credential.store.js';
import { listUsers, type User } from '../accounts/user.store.js';
import { createClient, KalendsError } from '../client/client.js';
import type { Config } from '../config.js';
import { namespacePath } from '../config.paths.js';
import type { Database, Db } from '../db/database.js';
import { DAY, nowSeconds } from '../time/clock.js';
import { command, configOf, databaseArgs, jsonArg, mediaArgs, settingArgs } from './command.js';
import { countOf, EXIT, type Io, printJson, Refusal, reporter, STOPPING } from './io.js';
import { type Moved, nothingMoved, type Plural, type Problem } from './moved.js';
import { move } from './moving.js';
import { requireDatabase, requireMigrated, withDatabase } from './open.js';
import { sourceAt } from './source.js';
import { startHere } from './start.js';
import { requireUser } from './user.js';

export const importCommand = command({
  summary: 'Import the calendar of another site with the same API',
  notes: [
    'Imports everything that the site shows publicly: categories, venues, organizers and events, with their tags, images',
    'and slugs. Records whose slug already exists here are left as they are: if the import was interrupted or something',
    'could not be fetched, run it again. Refused records are listed at the end; all others are imported. Servers of this',
    'calendar may be running. Use the settings of those servers, with the time zone of the old site.',
  ],
  args: {
    site: {
      type: 'positional',
      required: true,
      description: 'URL of the site, such as https://old.example, or of its API.',
    },
    user: {
      type: 'string',
      valueHint: 'name',
      description: 'Author of the imported records; by default the first administrator.',
    },
    ...jsonArg,
    ...mediaArgs,
    ...databaseArgs,
    ...settingArgs('timezone', 'currencySymbol', 'currencyCode', 'fetchAllow'),
  },
  async run(args, io) {
    const config = configOf(args, io);
    const { signal, end } = untilStopped();
    const moved = nothingMoved();
    const site = args.site;
    try {
      const source = sourceAt(site, signal);
      requireDatabase(config);
      await withDatabase(config.databaseUrl, async (database) => {
        await requireMigrated(database);
        await within(config, database, { io, name: args.user }, (url, token) => {
          const send: typeof fetch = (to, request) => fetch(to, { ...request, signal });
          const target = createClient({ url, token, language: 'en', fetch: send });
          return move({ site, source, target, sign: config.currencySymbol, progress: reporter(io) }, moved);
        });
      });
    } catch (error) {
      if (Object.values(moved.made).some((count) => count > 0)) tell(moved, site, args.json === true, io);
      throw refusalOf(error, signal.aborted);
    } finally {
      end();
    }
    tell(moved, site, args.json === true, io);
    return moved.problems.length > 0 ? EXIT.failed : EXIT.ok;
  },
});

/** Runs a private server, so that imported records meet the same rules as all other writes. */
async function within<T>(
  config: Config,
  database: Database,
  { io, name }: { io: Io; name: string | undefined },
  work: (url: string, token: string) => Promise<T>,
): Promise<T> {
  const logger = pino({ level: 'error' }, { write: (line: string) => io.err(line.trimEnd()) });
  const made = await database.write(async (db) => {
    await forgetOld(db);
    return issue(db, await ownerIn(db, name), 'token', TOKEN);
  });
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

const TOKEN = 'import';

/** Revokes the tokens of imports that were killed before they could do it themselves. */
async function forgetOld(db: Db): Promise<void> {
  const now = nowSeconds();
  for (const { id, name, created_at } of await listCredentials(db, 'token'))
    if (name === TOKEN && created_at < now - DAY) await revokeCredential(db, 'token', id, now);
}

async function ownerIn(db: Db, name: string | undefined): Promise<User> {
  if (name !== undefined) {
    const user = await requireUser(db, name);
    if (editsOthers({ user })) return user;
    throw new Refusal(
      `"${user.username}" has the role ${user.role}; an editor or administrator is needed. Name one with --user.`,
    );
  }
  const first = (await listUsers(db)).find(({ role }) => role === 'administrator');
  if (!first) throw new Refusal('There is no administrator. Name a user with --user; see "kalends user list".');
  return first;
}

/** On Ctrl+C the import ends in order, and nothing temporary is left behind. */
function untilStopped(): { signal: AbortSignal; end: () => void } {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const one of STOPPING) process.once(one, stop);
  return { signal: stopping.signal, end: () => void STOPPING.map((one) => process.off(one, stop)) };
}

/** Whatever ends the import early, what was imported stays. */
function refusalOf(error: unknown, isStopped: boolean): unknown {
  const rest = 'What was imported stays; run the command again for the rest.';
  if (isStopped) return new Refusal(`Stopped. ${rest}`, EXIT.failed, error);
  if (!(error instanceof KalendsError)) return error;
  if (error.code === 'no-interface') return new Refusal(error.message, EXIT.failed, error);
  return new Refusal(`This calendar returned an error: ${error.message} ${rest}`, EXIT.failed, error);
}

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

const said = ({ kind, name, partly, message }: Problem): string =>
  name === undefined
    ? `${kind}: ${message}`
    : `${NAMES[kind][0]} ${name} ${partly ? 'was imported only in part' : 'was not imported'}: ${message}`;

function tell({ made, present, closed, problems }: Moved, site: string, json: boolean, io: Io): void {
  if (json) {
    printJson(io, { from: site, made, present, closed, problems });
    return;
  }
  io.out(`Imported ${counted(made)} from ${site}.`);
  if (Object.values(present).some((count) => count > 0)) io.out(`Already here: ${counted(present)}.`);
  if (closed > 0) io.out(`Skipped ${countOf(closed, 'password-protected event')}.`);
  for (const problem of problems) io.err(said(problem));
}
