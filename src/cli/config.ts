import { SETTINGS, shownValue } from '../config.js';
import { command, jsonArg, settingArgs, settingsOf } from './command.js';
import { EXIT, printJson, printTable } from './io.js';

export const config = command({
  summary: 'Show the configuration in effect, and where each value comes from',
  notes: ['Secrets are masked. Flags take precedence over environment variables, and those over defaults.'],
  args: { ...jsonArg, ...settingArgs() },
  async run(args, io) {
    const { config: values, sources } = settingsOf(args, io);
    const rows = SETTINGS.map((setting) => ({
      name: setting.env,
      value: shownValue(setting, values),
      source: sources[setting.key],
    }));
    if (args.json) {
      const members = rows.map(({ name, value, source }) => [name, { value: value ?? null, source }]);
      printJson(io, Object.fromEntries(members));
    } else {
      const shown = rows.map(({ name, value, source }) => [name, [value ?? ''].flat().join(', '), source]);
      printTable(io, ['SETTING', 'VALUE', 'FROM'], shown);
    }
    return EXIT.ok;
  },
});
