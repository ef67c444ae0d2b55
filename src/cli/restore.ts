import { existsSync, realpathSync, statSync } from 'node:fs';
import { chmod, copyFile, link, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config.js';
import { sealSqlite } from '../db/sqlite.js';
import { nowSeconds } from '../time/clock.js';
import { toWall, UTC } from '../time/zone.js';
import { describeCounts } from './check.js';
import { command, configOf, databaseArgs, forceArg, jsonArg } from './command.js';
import { EXIT, printJson, Refusal } from './io.js';
import { databaseFile, hasContent, makeDataDir } from './open.js';
import { runningServer } from './server-file.js';
import { flush, flushFolderOf, looksLikeDatabase, removeCompanions, verify } from './verify.js';

export const restore = command({
  summary: 'Put a backup in the place of the database',
  notes: [
    'Stop the server first. FILE is verified before anything is touched. A database that is there already is replaced',
    'only with --force, and kept beside the new one as *.before-restore-<time>.',
  ],
  args: {
    file: { type: 'positional', required: true, description: 'A file made by "kalends backup".' },
    ...forceArg('Replace the database that is there.'),
    ...jsonArg,
    ...databaseArgs,
  },
  async run(args, io) {
    const config = configOf(args, io);
    const target = path.resolve(databaseFile(config));
    const file = path.resolve(args.file);
    await requireBackup(file, target);
    if (hasContent(target) && !args.force) {
      throw new Refusal(
        `There is a database at ${target}. Say --force to replace it; it will be kept beside the new one.`,
      );
    }
    makeDataDir(config);
    await requireUnused(target, config);

    const unfinished = `${target}.restoring`;
    try {
      await copyFile(file, unfinished);
      await chmod(unfinished, 0o600);
      // The copy is judged, not the original: these are the bytes that will be used, and a backup is never written to.
      const verdict = await verify(unfinished);
      if ('problem' in verdict) throw new Refusal(`${file} ${verdict.problem}. Nothing was changed.`);
      await flush(unfinished);
      await requireUnused(target, config);
      const kept = await setAside(target);
      await rename(unfinished, target);
      await flushFolderOf(target);
      if (args.json) printJson(io, { database: target, kept: kept ?? null, counts: verdict.counts });
      else {
        io.out(`Restored ${target}: ${describeCounts(verdict.counts)}.`);
        if (kept) io.out(`The database that was there is now ${kept}.`);
        if (verdict.pending.length > 0)
          io.out('It is of an older version; "kalends serve" or "kalends migrate" updates it.');
      }
      return EXIT.ok;
    } finally {
      await rm(unfinished, { force: true });
      await removeCompanions(unfinished);
    }
  },
});

async function requireBackup(file: string, target: string): Promise<void> {
  const there = statSync(file, { throwIfNoEntry: false });
  if (!there) throw new Refusal(`There is no file ${file}. Check the name.`);
  if (!there.isFile()) throw new Refusal(`${file} is not a file. Name a file made by "kalends backup".`);
  if (existsSync(target) && realpathSync(file) === realpathSync(target)) {
    throw new Refusal('FILE is the database itself. Name a file made by "kalends backup".', EXIT.usage);
  }
  if (!(await looksLikeDatabase(file))) throw new Refusal(`${file} is not a Kalends database. Nothing was changed.`);
  if (hasContent(`${file}-wal`)) {
    throw new Refusal(
      `${file} is in use, or was not closed: a part of it is in ${file}-wal. Use a file made by "kalends backup".`,
    );
  }
}

/**
 * Who is alone with the file can seal it, and nobody else can: that counts more than `server.pid`, whose number may
 * belong to another process after a crash. A file too damaged to be sealed leaves only the number to go by.
 */
async function requireUnused(target: string, config: Config): Promise<void> {
  if (!hasContent(target)) return;
  const pid = runningServer(config);
  const stop = pid === undefined ? 'Stop the server' : `Stop the server (process ${pid})`;
  let alone: boolean;
  try {
    alone = await sealSqlite(target);
  } catch {
    alone = pid === undefined;
  }
  if (!alone) throw new Refusal(`The database at ${target} is in use. ${stop} and try again.`);
}

/** The old database gets a second name, so that at no moment there is none. */
async function setAside(target: string): Promise<string | undefined> {
  if (!hasContent(target)) return undefined;
  const stamp = toWall(nowSeconds(), UTC).replace(/[-:]/g, '').replace(' ', 'T');
  let kept = `${target}.before-restore-${stamp}`;
  for (let n = 2; existsSync(kept); n++) kept = `${target}.before-restore-${stamp}-${n}`;
  await link(target, kept).catch(() => copyFile(target, kept));
  await flush(kept);
  // A log left beside a damaged file must not be applied to the new one. It goes first: it belongs to the old one.
  if (existsSync(`${target}-wal`)) await rename(`${target}-wal`, `${kept}-wal`);
  await removeCompanions(target);
  return kept;
}
