import { stripVTControlCharacters } from 'node:util';
import { renderUsage } from 'citty';
import { nearest } from '../text/nearest.js';
import { withoutPasswords } from '../text/url.js';
import { checkedArgs } from './arguments.js';
import type { Command, Group } from './command.js';
import { COMMANDS } from './commands.js';
import { explain } from './explain.js';
import { EXIT, type Io, Refusal } from './io.js';

const EXIT_CODES = `EXIT CODES

  0  success
  1  failure; the message says why
  2  wrong command line or configuration
  3  "kalends check" found damage`;

/** Runs one command line and returns the exit code. It never throws and never prompts. */
export async function run(argv: string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    io.err(withoutPasswords(explain(error)));
    if (wantsDetails(argv, io)) io.err(withoutPasswords(String(error instanceof Error ? error.stack : error)));
    return error instanceof Refusal ? error.exit : EXIT.failed;
  }
}

async function dispatch(argv: string[], io: Io): Promise<number> {
  const asksHelp = argv[0] === 'help';
  const { found, path, rest } = find(asksHelp ? argv.slice(1) : argv);
  if (asksHelp || beforeDashes(rest).some((arg) => arg === '--help' || arg === '-h')) {
    await printHelp(found, path, io, io.out);
    return EXIT.ok;
  }
  if (!('commands' in found)) return found.run(checkedArgs(path, found.args, rest), io);
  if (path === 'kalends' && (rest[0] === '--version' || rest[0] === '-v')) {
    io.out(io.version);
    return EXIT.ok;
  }
  if (rest[0] !== undefined)
    throw new Refusal(`${rest[0]} must come after a command. See "${path} --help".`, EXIT.usage);
  await printHelp(found, path, io, io.err);
  return EXIT.usage;
}

/** Follows the words of the command line down the tree of commands. */
function find(argv: string[]): { found: Command | Group; path: string; rest: string[] } {
  let found: Command | Group = COMMANDS;
  let path = 'kalends';
  let rest = argv;
  while ('commands' in found) {
    const [word] = rest;
    if (word === undefined || word.startsWith('-')) break;
    const names = Object.keys(found.commands);
    if (!names.includes(word)) {
      const close = nearest(word, names);
      const hint = close ? `Did you mean "${path} ${close}"?` : `The commands are ${names.join(', ')}.`;
      throw new Refusal(`There is no command "${path} ${word}". ${hint}`, EXIT.usage);
    }
    found = found.commands[word] as Command | Group;
    path = `${path} ${word}`;
    rest = rest.slice(1);
  }
  return { found, path, rest };
}

const beforeDashes = (args: string[]): string[] => (args.includes('--') ? args.slice(0, args.indexOf('--')) : args);

async function printHelp(found: Command | Group, path: string, io: Io, print: (text: string) => void): Promise<void> {
  const meta = { name: path, description: found.summary, version: io.version };
  const usage =
    'commands' in found
      ? await renderUsage({
          meta,
          subCommands: Object.fromEntries(
            Object.entries(found.commands).map(([name, { summary }]) => [name, { meta: { description: summary } }]),
          ),
        })
      : await renderUsage({ meta, args: found.args });
  const notes = 'commands' in found ? [] : (found.notes ?? []);
  const lined = [usage.trimEnd(), notes.join('\n'), EXIT_CODES].filter((part) => part !== '').join('\n\n');
  const text = lined.replace(/ +$/gm, '');
  print(io.terminal && !io.env.NO_COLOR ? text : stripVTControlCharacters(text));
}

/** Stack traces are printed only on request. */
function wantsDetails(argv: string[], io: Io): boolean {
  const level = argv.find((_, at) => argv[at - 1] === '--log-level') ?? io.env.KALENDS_LOG_LEVEL;
  return level === 'debug' || level === 'trace' || argv.some((arg) => /^--log-level=(debug|trace)$/.test(arg));
}
