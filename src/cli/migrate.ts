import { migrate, migrationState } from '../db/migrate.js';
import { command, configOf, databaseArgs, jsonArg } from './command.js';
import { countOf, EXIT, printJson } from './io.js';
import { makeDataDir, withDatabase } from './open.js';

export const migrateCommand = command({
  summary: 'Migrate the database to this version, or create a new one',
  notes: ['"kalends serve" does this automatically at startup. Running it again changes nothing.'],
  args: { ...jsonArg, ...databaseArgs },
  async run(args, io) {
    const config = configOf(args, io);
    await makeDataDir(config);
    const { applied, done } = await withDatabase(config.databaseUrl, async (database) => ({
      applied: await migrate(database),
      done: (await migrationState(database)).done.length,
    }));
    if (args.json) printJson(io, { applied });
    else if (applied.length === 0) {
      io.out(`Nothing to do: the database is up to date (${countOf(done, 'migration')}).`);
    } else for (const name of applied) io.out(`Applied ${name}.`);
    return EXIT.ok;
  },
});
