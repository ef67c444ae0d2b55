import type { Database, Db } from '../db/database.js';
import { migrationState } from '../db/migrate.js';
import { isPostgres } from '../db/postgres-url.js';
import { RULES, rulesNoted } from '../db/zone-rules.js';
import { Failure } from '../errors.js';
import { searchTextOf as eventText, rescheduled } from '../events/event.rules.js';
import { schedulesAfter } from '../events/event.store.js';
import type { Files } from '../media/files.js';
import { filesAt } from '../media/open.js';
import { compare } from '../media/sweep.js';
import { searchTextOf as organizerText } from '../organizers/organizer.rules.js';
import { searchTextOf as termText } from '../records/term.store.js';
import { isWall } from '../time/calendar.js';
import { findZone, toWall, UTC } from '../time/zone.js';
import { searchTextOf as venueText } from '../venues/venue.rules.js';
import * as store from './check.store.js';
import { command, configOf, databaseArgs, jsonArg, mediaArgs } from './command.js';
import { explain, isDamage, originOf } from './explain.js';
import { countOf, EXIT, type Io, printJson, Refusal } from './io.js';
import { requireDatabase, requireMigrated, withReadable } from './open.js';
import { looksLikeDatabase } from './verify.js';

export const check = command({
  summary: 'Check the database and the image files for damage',
  notes: [
    'Reads everything and changes nothing; the server may be running. It checks the database file, the migrations, the',
    'counters, the counts and parents of categories and tags, the search index, the costs and times of events, that slugs',
    'are unique, and that image files exist and are complete. Files that belong to no image are counted, but are not',
    'damage.',
  ],
  args: { ...jsonArg, ...databaseArgs, ...mediaArgs },
  async run(args, io) {
    const config = configOf(args, io);
    const file = requireDatabase(config);
    const found = await examine(file, config.databaseUrl, filesAt(config.mediaUrl, config));
    const { problems, unseen } = found;
    if (args.json) printJson(io, { ok: problems.length + unseen.length === 0, database: file, ...found });
    else printFindings(io, file, found);
    return problems.length > 0 ? EXIT.damaged : unseen.length > 0 ? EXIT.failed : EXIT.ok;
  },
});

interface Findings {
  problems: string[];
  /** What could not be checked, and why. */
  unseen: string[];
  /** Nothing is wrong, but something could be better. */
  advice: string[];
  counts: store.Counts | null;
  /** Picture files that belong to no row. */
  strays: number;
}

const OTHER_RULES =
  'The times of some events follow other time zone rules than this Node has. "kalends serve" with the newest Node updates them.';

const onlyProblems = (problems: string[]): Findings => ({ problems, unseen: [], advice: [], counts: null, strays: 0 });

async function examine(file: string, url: string, files: Files): Promise<Findings> {
  if (!isPostgres(url) && !(await looksLikeDatabase(file)))
    return onlyProblems(['The file is not an SQLite database.']);
  try {
    return await withReadable(url, (database) => examineOpen(database, files));
  } catch (thrown) {
    const error = originOf(thrown);
    // Finding files that are too damaged to be read is the purpose of this command.
    if (isDamage(error)) return onlyProblems([explain(error)]);
    throw error;
  }
}

async function examineOpen(database: Database, files: Files): Promise<Findings> {
  const problems = await database.integrity();
  const { altered } = await migrationState(database);
  for (const name of altered)
    problems.push(`Migration ${name} differs from the one that was applied to this database.`);
  if (problems.length > 0) return onlyProblems(problems);
  await requireMigrated(database);
  const advice = await database.advice();
  const records = await database.read(async (db) => {
    const unreadable = await unreadableRows(db);
    const times = await timeProblems(db);
    // Times calculated by other rules are not damage, and the server updates them.
    const areOthers = times.length > 0 && (await rulesNoted(db)) !== RULES;
    return {
      problems: [...unreadable, ...(await logicalProblems(db)), ...(areOthers ? [] : times)],
      advice: areOthers ? [...advice, OTHER_RULES] : advice,
      counts: await store.counts(db),
    };
  });
  const pictures = await pictureProblems(database, files);
  return { ...records, ...pictures, problems: [...records.problems, ...pictures.problems] };
}

/** Pictures whose files are missing, because only the database was restored, or another place was configured. */
async function pictureProblems(
  database: Database,
  files: Files,
): Promise<Pick<Findings, 'problems' | 'unseen' | 'strays'>> {
  try {
    const { missing, strays } = await compare(database, files);
    return {
      problems: missing.map(({ id, problem }) => `image ${id}: ${problem} in ${files.place}.`),
      unseen: [],
      strays: strays.length,
    };
  } catch (error) {
    const cause = error instanceof Failure ? error.extra.cause : undefined;
    if (!(cause instanceof Error)) throw error;
    const unseen = [`The images in ${files.place} cannot be reached: ${cause.message}.`];
    return { problems: [], unseen, strays: 0 };
  }
}

const isJson = (text: string | null): boolean => {
  try {
    return text === null || typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

/** What no list that shows the event could be made of. */
async function unreadableRows(db: Db): Promise<string[]> {
  const problems: string[] = [];
  for (let last = 0; ; ) {
    const batch = await store.lists(db, last, BATCH);
    for (const { id, cost, tickets, start_local, end_local } of batch) {
      if (!isJson(cost)) problems.push(`event ${id}: its cost cannot be read.`);
      if (!isJson(tickets)) problems.push(`event ${id}: its tickets cannot be read.`);
      for (const local of [start_local, end_local])
        if (!isWall(local)) problems.push(`event ${id}: "${local}" is not a time.`);
    }
    last = batch.at(-1)?.id ?? last;
    if (batch.length < BATCH) return problems;
  }
}

async function logicalProblems(db: Db): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, value, most } of await store.lowCounters(db)) {
    problems.push(`the counter "${name}" is at ${value}, but ${most} is in use: nothing new can be created.`);
  }
  for (const { kind, id, slug } of await store.loopedTerms(db)) {
    problems.push(`${kind} ${id} (${slug}) lies below itself.`);
  }
  for (const { kind, id, slug, count, real } of await store.wrongTermCounts(db)) {
    problems.push(`${kind} ${id} (${slug}) has a stored count of ${count} published events, but ${real} use it.`);
  }
  problems.push(...(await searchProblems(db)));
  for (const { id } of await store.misplacedVenues(db)) {
    problems.push(`venue ${id}: its coordinates and the location index do not match.`);
  }
  for (const { kind, slug, n } of await store.repeatedSlugs(db)) {
    problems.push(`the slug ${slug} is used by ${n} records of type ${kind}.`);
  }
  return problems;
}

async function searchProblems(db: Db): Promise<string[]> {
  // A record whose search text is empty cannot be in the index.
  const missing = [
    ['event', (await store.unsearched(db, 'event')).filter((row) => eventText(row) !== '')],
    ['venue', (await store.unsearched(db, 'venue')).filter((row) => venueText(row) !== '')],
    ['organizer', (await store.unsearched(db, 'organizer')).filter((row) => organizerText(row) !== '')],
    ['term', (await store.unsearched(db, 'term')).filter((row) => termText(row) !== '')],
  ] as const;
  const problems: string[] = [];
  for (const [table, rows] of missing) {
    for (const { id } of rows) problems.push(`${table} ${id} is missing from the search index.`);
    for (const { id } of await store.orphanedSearch(db, table)) {
      problems.push(`the search index contains ${table} ${id}, which does not exist.`);
    }
  }
  return problems;
}

const BATCH = 2000;

/** Instant and wall-clock time must agree, or lists and pages show different times. */
async function timeProblems(db: Db): Promise<string[]> {
  const problems: string[] = [];
  let last = 0;
  for (;;) {
    const batch = await schedulesAfter(db, last, BATCH);
    for (const event of batch) {
      last = event.id;
      if (!isWall(event.start_local) || !isWall(event.end_local)) continue;
      const right = rescheduled(event);
      for (const side of right ? (['start', 'end'] as const) : []) {
        const [stored, utc] = [event[`${side}_local`], event[`${side}_utc`]];
        if (stored === right?.[`${side}_local`] && utc === right[`${side}_utc`]) continue;
        const wall = toWall(utc, findZone(event.timezone) ?? UTC);
        problems.push(`event ${event.id}: its ${side} is ${stored} in local time, but ${wall} according to UTC.`);
      }
      if (event.end_utc < event.start_utc) problems.push(`event ${event.id} ends before it starts.`);
    }
    if (batch.length < BATCH) return problems;
  }
}

const MOST_SHOWN = 50;

function printFindings(io: Io, file: string, { problems, unseen, advice, counts, strays }: Findings): void {
  for (const sentence of advice) io.out(`Advice: ${sentence}`);
  for (const problem of problems.slice(0, MOST_SHOWN)) io.out(problem);
  for (const sentence of unseen) io.out(sentence);
  if (problems.length > MOST_SHOWN) io.out(`… and ${problems.length - MOST_SHOWN} more; --json lists all.`);
  if (strays > 0)
    io.out(
      `${countOf(strays, 'image file')} without a record. This is not damage; "kalends media sweep" deletes such files.`,
    );
  if (problems.length > 0) throw new Refusal(`Found ${countOf(problems.length, 'problem')} in ${file}.`, EXIT.damaged);
  if (unseen.length > 0) throw new Refusal('Not everything could be checked. What could is not damaged.');
  io.out(`No problems found in ${file}: ${counts ? describeCounts(counts) : 'empty'}.`);
}

export const describeCounts = (found: store.Counts): string =>
  [
    countOf(found.events, 'event'),
    countOf(found.venues, 'venue'),
    countOf(found.organizers, 'organizer'),
    countOf(found.terms, 'category or tag', 'categories and tags'),
    countOf(found.users, 'user'),
  ].join(', ');
