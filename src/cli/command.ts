import { type ArgsDef, type ParsedArgs, parseArgs } from 'citty';
import { type Config, type ConfigRead, type Key, readConfig, SETTINGS } from '../config.js';
import { EXIT, type Io, Refusal } from './io.js';

export interface Command {
  summary: string;
  /** Lines at the end of `--help`. */
  notes?: string[];
  args: ArgsDef;
  /** Returns the exit code. */
  run(argv: string[], io: Io): Promise<number>;
}
export interface Group {
  summary: string;
  commands: Readonly<Record<string, Command | Group>>;
}

interface Definition<T extends ArgsDef> extends Omit<Command, 'args' | 'run'> {
  args: T;
  run(args: ParsedArgs<T>, io: Io): Promise<number>;
}

export function command<const T extends ArgsDef>(definition: Definition<T>): Command {
  return { ...definition, run: async (argv, io) => definition.run(parseArgs<T>(argv, definition.args), io) };
}

export const jsonArg = { json: { type: 'boolean', description: 'Print JSON.' } } as const;
export const forceArg = (description: string) => ({ force: { type: 'boolean', description } }) as const;

/** The flags of all settings, or of some. Commands pass them on to `configOf` without looking at them. */
export function settingArgs(...keys: Key[]): Record<never, never> {
  const wanted = SETTINGS.filter((setting) => keys.length === 0 || keys.includes(setting.key));
  const args: ArgsDef = {};
  for (const { flag, env, shown, description } of wanted) {
    args[flag] = { type: 'string', valueHint: 'value', description: `${description} [${env}; default: ${shown}]` };
  }
  return args as Record<never, never>;
}

/** Where the database is; for every command that opens it. */
export const databaseArgs = settingArgs('dataDir', 'databaseUrl');

/** Where the picture files are. */
export const mediaArgs = settingArgs('mediaUrl', 'awsAccessKeyId', 'awsSecretAccessKey');

export function settingsOf(args: Record<string, unknown>, io: Io): Exclude<ConfigRead, { problems: string[] }> {
  const reading = readConfig(io.env, args);
  if ('problems' in reading) throw new Refusal(reading.problems.join('\n'), EXIT.usage);
  return reading;
}

export const configOf = (args: Record<string, unknown>, io: Io): Config => settingsOf(args, io).config;
