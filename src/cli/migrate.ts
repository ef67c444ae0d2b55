import { migrate } from '../db/migrate.js';
import { migrations } from '../db/open.js';
import { command, configOf, databaseArgs, jsonArg } from './command.js';
import { countOf, EXIT, printJson } from './io.js';
import { makeDataDir, withDatabase } from './open.js';

export const migrateCommand = command({
  summary: 'Bring the database to this version, or make a new one',
  notes: ['"kalends serve" does this by itself at start. Running it again changes nothing.'],
  args: { ...jsonArg, ...databaseArgs },
  async run(args, io) {
    const config = configOf(args, io);
    makeDataDir(config);
    const applied = await withDatabase(config.databaseUrl, (database) => migrate(database, migrations()));
    if (args.json) printJson(io, { applied });
    else if (applied.length === 0) {
      io.out(`Nothing to do: the database is up to date (${countOf(migrations().length, 'migration')}).`);
    } else for (const name of applied) io.out(`Applied ${name}.`);
    return EXIT.ok;
  },
});
