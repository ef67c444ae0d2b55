import { open } from 'node:fs/promises';
import path from 'node:path';
import { batchesOf, CONTENTS, lineOf } from '../db/contents.js';
import type { Db } from '../db/database.js';
import { command, configOf, databaseArgs, forceArg } from './command.js';
import { countOf, EXIT, Refusal } from './io.js';
import { reading, requireDatabase } from './open.js';
import { requireFreePlace, writeWhole } from './place.js';

export const exportCommand = command({
  summary: 'Write all records as text, for people and programs to read and compare',
  notes: [
    'One JSON object a line, one line a row, in the order of table and key, with "table" first and the columns in the',
    'order of their names: equal calendars give equal bytes, whatever database they are in. It is the state of one',
    'moment; the server may be running. Accounts and the secret key of the site are in it: keep it as safe as the database.',
    'It cannot be read back: for that there are "kalends backup" and "kalends copy".',
  ],
  args: {
    file: { type: 'positional', required: true, description: 'Where to write it; - is standard output.' },
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
        for await (const lines of linesOf(db)) io.out(lines.join('\n'));
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

async function* linesOf(db: Db): AsyncGenerator<string[]> {
  for (const content of CONTENTS.filter(({ derived }) => !derived)) {
    for await (const rows of batchesOf(db, content, BATCH)) yield rows.map((row) => lineOf(content, row));
  }
}

/** How many lines there are. */
async function write(db: Db, file: string): Promise<number> {
  const handle = await open(file, 'w');
  try {
    let count = 0;
    for await (const lines of linesOf(db)) {
      await handle.appendFile(`${lines.join('\n')}\n`);
      count += lines.length;
    }
    return count;
  } finally {
    await handle.close();
  }
}
