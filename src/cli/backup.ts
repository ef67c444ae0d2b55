import { statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Database } from '../db/database.js';
import { describeCounts } from './check.js';
import type { Counts } from './check.store.js';
import { command, configOf, databaseArgs, forceArg, jsonArg } from './command.js';
import { copyInto } from './copy.js';
import { EXIT, type Io, printJson, Refusal } from './io.js';
import { requireDatabase, withDatabase } from './open.js';
import { requireFreePlace } from './place.js';
import { flush, flushFolderOf, removeCompanions, verify } from './verify.js';

export const backup = command({
  summary: 'Write a verified copy of the database to a file',
  notes: [
    'The server may be running: the copy is the state of one moment. It is checked before it gets its name, so FILE is',
    'a whole backup or not there. It is an SQLite database, also of a calendar in PostgreSQL, and either engine can be',
    'restored from it. It holds all records, and accounts too: keep it as safe as the database itself.',
    'Pictures are files: copy their folder or bucket after it ("kalends media copy"). "kalends check" finds missing ones.',
  ],
  args: {
    file: { type: 'positional', required: true, description: 'Where to write it.' },
    ...forceArg('Replace FILE if it exists.'),
    ...jsonArg,
    ...databaseArgs,
  },
  async run(args, io) {
    if (args.file === '-') {
      throw new Refusal('A backup needs a file: it cannot go to standard output. Name one.', EXIT.usage);
    }
    const config = configOf(args, io);
    const source = requireDatabase(config);
    const file = path.resolve(args.file);
    requireFreePlace(file, source, args.force);

    const counts = await withDatabase(config.databaseUrl, (database) => backUp(database, file, io));
    const bytes = statSync(file).size;
    if (args.json) printJson(io, { file, bytes, counts });
    else io.out(`Wrote ${file} (${bytes} bytes): ${describeCounts(counts)}.`);
    return EXIT.ok;
  },
});

/** Writes a whole backup, or leaves no file of that name. */
export async function backUp(database: Database, file: string, io: Io): Promise<Counts> {
  const unfinished = `${file}.tmp`;
  await removeCompanions(unfinished);
  // Nobody else may read it, from its first byte on.
  await rm(unfinished, { force: true });
  await writeFile(unfinished, '', { mode: 0o600 });
  try {
    if (database.backup) await database.backup(unfinished);
    else await withDatabase(unfinished, (copy) => copyInto(database, copy, { io, force: false }));
    const verdict = await verify(unfinished);
    if ('problem' in verdict)
      throw new Refusal(`No backup was made: the copy ${verdict.problem}. See "kalends check".`);
    await flush(unfinished);
    await rename(unfinished, file);
    await flushFolderOf(file);
    return verdict.counts;
  } finally {
    await rm(unfinished, { force: true });
    await removeCompanions(unfinished);
  }
}
