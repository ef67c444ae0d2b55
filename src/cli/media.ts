import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.js';
import { mediaPlace, missingKeys } from '../config.media.js';
import { type Files, isFileName, pathOf } from '../media/files.js';
import { filesAt } from '../media/open.js';
import { compare } from '../media/sweep.js';
import { command, configOf, databaseArgs, forceArg, type Group, jsonArg, mediaArgs } from './command.js';
import { countOf, EXIT, type Io, printJson, Refusal } from './io.js';
import { databaseAddress, requireDatabase, requireMigrated, withDatabase } from './open.js';

const copy = command({
  summary: 'Copy the image files from one place to another',
  notes: [
    'For backups, and for moving between a folder and an object store. Write each place as in KALENDS_MEDIA_URL; both use',
    'the same keys. Nothing is deleted or replaced, and files that already exist are not copied again: after an',
    'interruption, run the command again. Files never change, so one that has another size there is damaged, here or',
    'there: it is listed, and the exit code is 1. To move a calendar: copy while the server runs, stop the server, copy',
    'again to get what was added since, set KALENDS_MEDIA_URL, start the server, and run "kalends check".',
  ],
  args: {
    from: {
      type: 'string',
      valueHint: 'place',
      description: 'Where the files are; by default KALENDS_MEDIA_URL.',
    },
    to: { type: 'string', required: true, valueHint: 'place', description: 'Where to copy them.' },
    ...jsonArg,
    ...mediaArgs,
    ...databaseArgs,
  },
  async run(args, io) {
    const config = configOf(args, io);
    const from = filesAt(place(args.from ?? config.mediaUrl, '--from', config), config);
    const to = filesAt(place(args.to, '--to', config), config);
    if (args.from !== undefined) requireFolder(args.from);
    else requireDataDir(config);
    if (from.place === to.place) throw new Refusal(`Source and target are both ${to.place}.`, EXIT.usage);
    const done = await copyFiles(from, to, io);
    const { copied, bytes, present, different } = done;
    if (args.json) printJson(io, { from: from.place, to: to.place, ...done });
    else io.out(`Copied ${countOf(copied, 'file')} (${bytes} bytes) to ${to.place}; ${present} already existed.`);
    if (different.length === 0) return EXIT.ok;
    for (const name of different.slice(0, MOST_NAMED)) io.err(`${pathOf(name)} differs.`);
    throw new Refusal(
      `${countOf(different.length, 'file has', 'files have')} one size in ${from.place} and another in ${to.place}, so one of the two is damaged. Neither was replaced. "kalends check" finds damaged files of this calendar; delete those, and copy again in the other direction.`,
    );
  },
});

/** A calendar without pictures has no folder for them; but a folder given with --from must exist. */
function requireFolder(named: string): void {
  const read = mediaPlace(named);
  if ('value' in read && 'folder' in read.value && !existsSync(read.value.folder))
    throw new Refusal(`There is no folder ${read.value.folder}.`);
}

/** At least the folder around it exists, or the settings are not those of a calendar. */
function requireDataDir(config: Config): void {
  const read = mediaPlace(config.mediaUrl);
  if ('value' in read && 'folder' in read.value) requireFolder(path.dirname(path.resolve(read.value.folder)));
}

function place(text: string, option: string, config: Config): string {
  const read = mediaPlace(text);
  if ('problem' in read) throw new Refusal(`${option} ${read.problem}.`, EXIT.usage);
  const [missing] = missingKeys({ ...config, mediaUrl: text }, option);
  if (missing !== undefined) throw new Refusal(missing, EXIT.usage);
  return text;
}

const AT_ONCE = 8;
const SHOWN_EVERY = 1000;
const MOST_NAMED = 20;

interface Copied {
  copied: number;
  bytes: number;
  present: number;
  /** Those that have another size there. */
  different: string[];
}

async function copyFiles(from: Files, to: Files, io: Io): Promise<Copied> {
  const there = new Map<string, number>();
  for await (const { name, size } of to.list()) there.set(name, size);
  const done: Copied = { copied: 0, bytes: 0, present: 0, different: [] };
  const one = async (name: string): Promise<void> => {
    const file = await from.get(name);
    // It was removed after it was listed.
    if (!file) return;
    const data = Buffer.concat(await file.body.toArray());
    await to.put(name, data);
    done.bytes += data.length;
    if (++done.copied % SHOWN_EVERY === 0) io.err(`${done.copied} files copied, ${done.present} already existed …`);
  };
  let some: string[] = [];
  for await (const { name, size } of from.list()) {
    const known = there.get(name);
    if (known === size) done.present++;
    else if (known !== undefined) done.different.push(name);
    else if (isFileName(name)) some.push(name);
    if (some.length < AT_ONCE) continue;
    await Promise.all(some.map(one));
    some = [];
  }
  await Promise.all(some.map(one));
  return done;
}

const sweepCommand = command({
  summary: 'Delete image files that belong to no record',
  notes: [
    'The server itself deletes what a crash leaves behind. This command is for files that it cannot know about: those of',
    'images that a restored backup does not contain. It deletes only files older than an hour, and cannot be undone. If',
    'images in the database lack their files, or if all files would be deleted, the database may be the wrong one: then',
    '--force is required. "kalends check" counts such files and deletes nothing.',
  ],
  args: {
    ...forceArg('Delete the files even if the database may be the wrong one.'),
    ...jsonArg,
    ...mediaArgs,
    ...databaseArgs,
  },
  async run(args, io) {
    const config = configOf(args, io);
    requireDatabase(config);
    const files = filesAt(config.mediaUrl, config);
    const removed = await withDatabase(config.databaseUrl, async (database) => {
      await requireMigrated(database);
      const { strays, missing, whole } = await compare(database, files);
      const mayBeAnothers = strays.length > 0 && (missing.length > 0 || whole === 0);
      if (mayBeAnothers && args.force !== true) {
        const why =
          whole === 0 ? 'none of the files there belongs to its images' : 'some of its images have no files there';
        throw new Refusal(
          `${databaseAddress(config)} may not be the database of ${files.place}: ${why}. Nothing was deleted. Use --force to delete ${countOf(strays.length, 'file')}.`,
        );
      }
      for (const name of strays) await files.remove(name);
      return strays.length;
    });
    if (args.json) printJson(io, { place: files.place, removed });
    else io.out(`Deleted ${countOf(removed, 'file')} from ${files.place}.`);
    return EXIT.ok;
  },
});

export const media: Group = {
  summary: 'Manage image files',
  commands: { copy, sweep: sweepCommand },
};
