import { open } from 'node:fs/promises';
import path from 'node:path';
import { batchesOf, CONTENTS, linesOf } from '../db/contents.js';
import type { Db } from '../db/database.js';
import { command, configOf, databaseArgs, forceArg } from './command.js';
import { countOf, EXIT, Refusal } from './io.js';
import { reading, requireDatabase } from './open.js';
import { requireFreePlace, writeWhole } from './place.js';

export const exportCommand = command({
  summary: 'Export all records as text, to read and compare',
  notes: [
    'Writes each row as one line with a JSON object, ordered by table and key, with "table" first and the columns sorted',
    'by name: equal calendars give identical bytes, whatever database they are in. The export is a snapshot of one',
    'moment; the server may be running. It contains accounts and the secret key of the site: protect it like the database.',
    'An export cannot be loaded again; use "kalends backup" or "kalends copy" for that.',
  ],
  args: {
    file: { type: 'positional', required: true, description: 'File to write; - for standard output.' },
    ...forceArg('Replace FILE if it exists.'),
    ...databaseArgs,
  },
  async run(args, io) {
    const config = configOf(args, io);
    if (args.file === '-') {
      let begun = false;
      await reading(config, async (db) => {
        if (begun) throw new Refusal('The connection to the database was lost. Try again.');
        begun = true;
        for await (const lines of calendarIn(db)) io.out(lines.join('\n'));
      });
      return EXIT.ok;
    }
    const file = path.resolve(args.file);
    requireFreePlace(file, requireDatabase(config), args.force);
    const count = await writeWhole(file, (unfinished) => reading(config, (db) => write(db, unfinished)));
    io.out(`Wrote ${file}: ${countOf(count, 'row')}.`);
    return EXIT.ok;
  },
});

const BATCH = 500;

async function* calendarIn(db: Db): AsyncGenerator<string[]> {
  for (const content of CONTENTS.filter(({ derived }) => !derived)) {
    for await (const rows of batchesOf(db, content, BATCH)) yield linesOf(content, rows);
  }
}

/** Returns the number of lines. */
async function write(db: Db, file: string): Promise<number> {
  const handle = await open(file, 'w');
  try {
    let count = 0;
    for await (const lines of calendarIn(db)) {
      await handle.appendFile(`${lines.join('\n')}\n`);
      count += lines.length;
    }
    return count;
  } finally {
    await handle.close();
  }
}
