import { existsSync, statSync } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { describeCounts } from './check.js';
import { command, configOf, databaseArgs, forceArg, jsonArg } from './command.js';
import { EXIT, printJson, Refusal } from './io.js';
import { requireDatabase, withDatabase } from './open.js';
import { flush, flushFolderOf, removeCompanions, verify } from './verify.js';

export const backup = command({
  summary: 'Write a verified copy of the database to a file',
  notes: [
    'The server may be running: the copy is the state of one moment. It is checked before it gets its name, so FILE is',
    'a whole backup or not there. It holds all records, and accounts too: keep it as safe as the database',
    'itself. Pictures are files: copy the folder media of the data folder beside it. "kalends check" finds missing ones.',
  ],
  args: {
    file: { type: 'positional', required: true, description: 'Where to write it.' },
    ...forceArg('Replace FILE if it exists.'),
    ...jsonArg,
    ...databaseArgs,
  },
  async run(args, io) {
    const config = configOf(args, io);
    const source = requireDatabase(config);
    const file = path.resolve(args.file);
    requireFreePlace(file, source, args.force);

    const unfinished = `${file}.tmp`;
    await rm(unfinished, { force: true });
    try {
      await withDatabase(config.databaseUrl, (database) => database.backup(unfinished));
      await chmod(unfinished, 0o600);
      const verdict = await verify(unfinished);
      if ('problem' in verdict)
        throw new Refusal(`No backup was made: the copy ${verdict.problem}. See "kalends check".`);
      await flush(unfinished);
      await rename(unfinished, file);
      await flushFolderOf(file);
      const bytes = statSync(file).size;
      if (args.json) printJson(io, { file, bytes, counts: verdict.counts });
      else io.out(`Wrote ${file} (${bytes} bytes): ${describeCounts(verdict.counts)}.`);
      return EXIT.ok;
    } finally {
      await rm(unfinished, { force: true });
      await removeCompanions(unfinished);
    }
  },
});

function requireFreePlace(file: string, source: string, force: boolean | undefined): void {
  if (path.resolve(source) === file) throw new Refusal('FILE is the database itself. Choose another name.', EXIT.usage);
  if (!existsSync(path.dirname(file))) throw new Refusal(`There is no folder ${path.dirname(file)}. Make it first.`);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new Refusal(`${file} is a folder. Name a file in it.`, EXIT.usage);
  if (there && !force) throw new Refusal(`${file} exists already. Choose another name, or say --force to replace it.`);
}
