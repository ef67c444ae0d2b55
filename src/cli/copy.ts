import { existsSync } from 'node:fs';
import path from 'node:path';
import { databaseUrl } from '../config.values.js';
import type { Sum } from '../db/contents.js';
import { copyCalendar, isEmpty } from '../db/copy.js';
import type { Database, Db } from '../db/database.js';
import { runningInstances } from '../db/instances.js';
import { migrate, migrationState } from '../db/migrate.js';
import { sqliteFile } from '../db/open.js';
import { isPostgres, shownAddress } from '../db/postgres-url.js';
import { command, forceArg, jsonArg } from './command.js';
import { countOf, EXIT, type Io, printJson, Refusal, reporter } from './io.js';
import { hasContent, requireMigrated, withDatabase, withReadable } from './open.js';
import { belongsTo } from './place.js';

export const copy = command({
  summary: 'Copy a calendar to another database, SQLite or PostgreSQL',
  notes: [
    'URL is sqlite:/path/to/file, a plain path, or postgres://user:password@host:5432/database; the password can also',
    'come from PGPASSWORD or ~/.pgpass. Everything is copied, including IDs, accounts and passwords. The source may be in',
    'use: the copy is a snapshot of one moment, so stop its servers first if no later change may be lost.',
    'The copy is compared with the source, table by table, by row counts and checksums, before it is kept: an interrupted',
    'copy changes nothing and can be run again. Image files stay where they are: let the new servers use the same',
    'KALENDS_MEDIA_URL.',
  ],
  args: {
    from: { type: 'string', required: true, valueHint: 'URL', description: 'Database to copy.' },
    to: {
      type: 'string',
      required: true,
      valueHint: 'URL',
      description: 'Database to copy to; a file is created if it does not exist.',
    },
    ...forceArg('Replace the calendar in the target; it will be lost.'),
    ...jsonArg,
  },
  async run(args, io) {
    const [from, to] = [placeOf(args.from, '--from'), placeOf(args.to, '--to')];
    requireSource(from);
    requireTarget(to, from);
    const sums = await withReadable(args.from, (source) =>
      withDatabase(args.to, (target) => copyInto(source, target, { io, force: args.force === true })),
    );
    if (args.json) printJson(io, { from: from.shown, to: to.shown, tables: sums });
    else io.out(`Copied ${from.shown} to ${to.shown} and compared them: ${told(sums)}.`);
    return EXIT.ok;
  },
});

interface Place {
  shown: string;
  /** The path of an SQLite database. */
  file: string | undefined;
}

function placeOf(url: string, flag: string): Place {
  const read = databaseUrl(url);
  if ('problem' in read)
    throw new Refusal(`${flag} ${read.problem}${read.problem.endsWith('?') ? '' : '.'}`, EXIT.usage);
  if (isPostgres(url)) return { shown: shownAddress(url), file: undefined };
  const file = path.resolve(sqliteFile(url));
  return { shown: file, file };
}

function requireSource({ file }: Place): void {
  if (file !== undefined && !hasContent(file)) throw new Refusal(`There is no database at ${file}. Check --from.`);
}

function requireTarget({ file, shown }: Place, from: Place): void {
  const same = file !== undefined && from.file !== undefined ? belongsTo(from.file, file) : shown === from.shown;
  if (same) {
    throw new Refusal('--from and --to are the same database. Name another one.', EXIT.usage);
  }
  if (file !== undefined && !existsSync(path.dirname(file))) {
    throw new Refusal(`There is no folder ${path.dirname(file)}. Create it first.`);
  }
}

const told = (sums: Sum[]): string => {
  const rows = sums.reduce((all, sum) => all + sum.rows, 0);
  return `${countOf(rows, 'row')} in ${countOf(sums.length, 'table')}`;
};

/** Replaces whatever `target` holds by the calendar of `source`. Nobody may be using the target. */
export async function copyInto(source: Database, target: Database, how: { io: Io; force: boolean }): Promise<Sum[]> {
  await requireMigrated(source);
  await requireFree(target, how.force);
  // Not earlier: a calendar that may not be replaced must not be migrated either.
  await migrate(target);
  const allow = (db: Db): Promise<void> => requireUnused(db, target.address, how.force);
  return copyCalendar(source, target, { allow, progress: reporter(how.io) });
}

/** Whether a calendar would be lost; fails if it must not be. */
export async function requireFree(target: Database, force: boolean): Promise<{ taken: boolean }> {
  if ((await migrationState(target)).done.length === 0) return { taken: false };
  return target.read(async (db) => {
    await requireUnused(db, target.address, force);
    return { taken: !(await isEmpty(db)) };
  });
}

async function requireUnused(db: Db, address: string, force: boolean): Promise<void> {
  if (!force && !(await isEmpty(db))) {
    throw new Refusal(`There is already a calendar in ${address}. Use --force to replace it; back it up first.`);
  }
  if (!(await db.dialect.hasTable(db, 'instance'))) return;
  const running = await runningInstances(db);
  if (running.length === 0) return;
  const hosts = [...new Set(running.map(({ host }) => host))].join(', ');
  throw new Refusal(
    `${countOf(running.length, 'server')} of the calendar in ${address} (on ${hosts}) may be running. Stop them and try again; a server that was killed is forgotten after a minute.`,
  );
}
