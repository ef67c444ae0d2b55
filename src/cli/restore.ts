import { existsSync, statSync } from 'node:fs';
import { copyFile, link, rename } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.js';
import { migrate } from '../db/migrate.js';
import { isPostgres } from '../db/postgres-url.js';
import { sealSqlite } from '../db/sqlite.js';
import { flushFolderOf, realPlace } from '../folders.js';
import { nowSeconds } from '../time/clock.js';
import { toWall, UTC } from '../time/zone.js';
import { backUp } from './backup.js';
import { describeCounts } from './check.js';
import { type Counts, forgetSurroundings } from './check.store.js';
import { command, configOf, databaseArgs, forceArg, jsonArg } from './command.js';
import { copyInto, requireFree } from './copy.js';
import { EXIT, type Io, printJson, Refusal } from './io.js';
import { databaseFile, hasContent, makeDataDir, withDatabase } from './open.js';
import { belongsTo, flush, removeCompanions, withCopy } from './place.js';
import { runningServer } from './server-file.js';
import { looksLikeDatabase, type Verdict, verify } from './verify.js';

export const restore = command({
  summary: 'Restore the database from a backup',
  notes: [
    'Stop the servers first. FILE is verified before anything is changed. An existing database is replaced only with',
    '--force, and is kept next to the new one as *.before-restore-<time>; what was in PostgreSQL is kept as a backup in',
    'the data folder.',
  ],
  args: {
    file: { type: 'positional', required: true, description: 'A file written by "kalends backup".' },
    ...forceArg('Replace the existing database.'),
    ...jsonArg,
    ...databaseArgs,
  },
  async run(args, io) {
    const config = configOf(args, io);
    const file = path.resolve(args.file);
    const restored = isPostgres(config.databaseUrl)
      ? await restoreServer(config, file, { io, force: args.force === true })
      : await restoreFile(config, file, args.force === true);
    const { database, kept, counts, pending } = restored;
    if (args.json) printJson(io, { database, kept: kept ?? null, counts });
    else {
      io.out(`Restored ${database}: ${describeCounts(counts)}.`);
      if (kept) io.out(`The previous database is kept as ${kept}.`);
      if (pending.length > 0)
        io.out('It is from an older version; "kalends serve" or "kalends migrate" will migrate it.');
    }
    return EXIT.ok;
  },
});

/** Other commands may have the database open for a moment. */
const PATIENCE_MS = 2000;

interface Restored {
  database: string;
  /** Where the previous database is now. */
  kept: string | undefined;
  counts: Counts;
  pending: string[];
}

async function restoreFile(config: Config, file: string, force: boolean): Promise<Restored> {
  // Behind a symbolic link, the database itself is replaced, where it is.
  const target = realPlace(databaseFile(config));
  await requireBackup(file, target);
  if (hasContent(target) && !force) {
    throw new Refusal(
      `There is already a database at ${target}. Use --force to replace it; it will be kept next to the new one.`,
    );
  }
  await makeDataDir(config);
  await requireUnused(target, config, force);
  return withVerified(file, target, async (unfinished, { counts, pending }) => {
    await withDatabase(unfinished, (database) => database.write(forgetSurroundings));
    if (hasContent(`${unfinished}-wal`)) throw new Error(`${unfinished} could not be closed`);
    await removeCompanions(unfinished);
    await flush(unfinished);
    await requireUnused(target, config, force);
    const kept = await setAside(target);
    await rename(unfinished, target);
    await flushFolderOf(target);
    return { database: target, kept, counts, pending };
  });
}

/** Restores a backup into a PostgreSQL database. */
async function restoreServer(config: Config, file: string, how: { io: Io; force: boolean }): Promise<Restored> {
  await requireBackup(file);
  await makeDataDir(config);
  return withVerified(file, path.join(config.dataDir, 'postgres'), (unfinished, { counts }) =>
    withDatabase(config.databaseUrl, async (target) => {
      const { taken } = await requireFree(target, how.force);
      const kept = taken ? freeName(path.join(config.dataDir, 'postgres.before-restore')) : undefined;
      if (kept) await backUp(target, kept, how.io);
      await withDatabase(unfinished, async (source) => {
        await source.write(forgetSurroundings);
        await migrate(source);
        await copyInto(source, target, how);
      });
      return { database: target.address, kept, counts, pending: [] };
    }),
  );
}

/** Works on a verified copy of the backup: exactly these bytes are used, and the backup is never written to. */
const withVerified = <T>(
  file: string,
  beside: string,
  work: (unfinished: string, verdict: Extract<Verdict, { counts: Counts }>) => Promise<T>,
): Promise<T> =>
  withCopy(file, beside, 'restoring', async (unfinished) => {
    const verdict = await verify(unfinished);
    if ('problem' in verdict) throw new Refusal(`${file} ${verdict.problem}. Nothing was changed.`);
    return work(unfinished, verdict);
  });

async function requireBackup(file: string, target?: string): Promise<void> {
  const there = statSync(file, { throwIfNoEntry: false });
  if (!there) throw new Refusal(`There is no file ${file}. Check the name.`);
  if (!there.isFile()) throw new Refusal(`${file} is not a file. Name a file written by "kalends backup".`);
  if (target !== undefined && belongsTo(target, file)) {
    throw new Refusal('FILE is the database itself. Name a file written by "kalends backup".', EXIT.usage);
  }
  if (!(await looksLikeDatabase(file))) throw new Refusal(`${file} is not a Kalends database. Nothing was changed.`);
  if (hasContent(`${file}-wal`)) {
    throw new Refusal(
      `${file} is in use, or was not closed: part of it is in ${file}-wal. Use a file written by "kalends backup".`,
    );
  }
}

/**
 * Only a process that has the file to itself can seal it: that is more reliable than `server.pid`, whose number may
 * belong to another process after a crash. If a file is too damaged to be sealed, only the number is left to go by.
 */
async function requireUnused(target: string, config: Config, force: boolean): Promise<void> {
  const pid = runningServer(config);
  if (!hasContent(target)) {
    if (pid === undefined || force) return;
    throw new Refusal(
      `Process ${pid} may still serve the database that was at ${target}. Stop it and try again; if it is no Kalends server, use --force.`,
    );
  }
  const stop = pid === undefined ? 'Stop the server' : `Stop the server (process ${pid})`;
  const until = performance.now() + PATIENCE_MS;
  let unused = await isUnused(target, pid);
  while (!unused && pid === undefined && performance.now() < until) {
    // At random, or two restores would find each other in the way again and again.
    await sleep(20 + Math.random() * 200);
    unused = await isUnused(target, pid);
  }
  if (!unused) throw new Refusal(`The database at ${target} is in use. ${stop} and try again.`);
}

async function isUnused(target: string, pid: number | undefined): Promise<boolean> {
  try {
    return await sealSqlite(target);
  } catch {
    return pid === undefined;
  }
}

/** The old database gets a second name, so that there is a database at every moment. */
async function setAside(target: string): Promise<string | undefined> {
  if (!hasContent(target)) return undefined;
  const kept = freeName(`${target}.before-restore`);
  await link(target, kept).catch(() => copyFile(target, kept));
  await flush(kept);
  // A log beside a damaged file must not be applied to the new one. It is moved first, since it belongs to the old one.
  if (existsSync(`${target}-wal`)) await rename(`${target}-wal`, `${kept}-wal`);
  await removeCompanions(target);
  return kept;
}

function freeName(start: string): string {
  const stamped = `${start}-${toWall(nowSeconds(), UTC).replace(/[-:]/g, '').replace(' ', 'T')}`;
  let name = stamped;
  for (let n = 2; existsSync(name); n++) name = `${stamped}-${n}`;
  return name;
}
