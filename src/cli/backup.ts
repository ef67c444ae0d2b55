import { statSync } from 'node:fs';
import path from 'node:path';
import type { Database } from '../db/database.js';
import { describeCounts } from './check.js';
import type { Counts } from './check.store.js';
import { command, configOf, databaseArgs, forceArg, jsonArg } from './command.js';
import { copyInto } from './copy.js';
import { EXIT, type Io, printJson, Refusal } from './io.js';
import { requireDatabase, withDatabase, withReadable } from './open.js';
import { requireFreePlace, writeWhole } from './place.js';
import { verify } from './verify.js';

export const backup = command({
  summary: 'Write a verified copy of the database to a file',
  notes: [
    'The server may be running: the backup is a snapshot of one moment. It is verified before FILE appears, so FILE is',
    'either complete or absent. A backup is always an SQLite file, even of a calendar in PostgreSQL, and can be restored',
    'to either engine. It contains all records and accounts: protect it like the database itself.',
    'If killed (kill -9), the command leaves FILE.*.tmp behind, which you can delete.',
    'Image files are not included: copy them afterwards ("kalends media copy"). "kalends check" finds missing ones.',
  ],
  args: {
    file: { type: 'positional', required: true, description: 'File to write.' },
    ...forceArg('Replace FILE if it exists.'),
    ...jsonArg,
    ...databaseArgs,
  },
  async run(args, io) {
    if (args.file === '-') {
      throw new Refusal('A backup cannot go to standard output. Name a file.', EXIT.usage);
    }
    const config = configOf(args, io);
    const source = requireDatabase(config);
    const file = path.resolve(args.file);
    requireFreePlace(file, source, args.force);

    const counts = await withReadable(config.databaseUrl, (database) => backUp(database, file, io));
    const bytes = statSync(file).size;
    if (args.json) printJson(io, { file, bytes, counts });
    else io.out(`Wrote ${file} (${bytes} bytes): ${describeCounts(counts)}.`);
    return EXIT.ok;
  },
});

/** Writes a complete backup, or leaves no file of that name. */
export async function backUp(database: Database, file: string, io: Io): Promise<Counts> {
  return writeWhole(file, async (unfinished) => {
    if (database.backup) await database.backup(unfinished);
    else await withDatabase(unfinished, (copy) => copyInto(database, copy, { io, force: false }));
    const verdict = await verify(unfinished);
    if ('problem' in verdict)
      throw new Refusal(`No backup was written: the copy ${verdict.problem}. See "kalends check".`);
    return verdict.counts;
  });
}
