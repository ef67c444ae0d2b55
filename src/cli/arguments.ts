import { parseArgs } from 'node:util';
import type { ArgsDef } from 'citty';
import { nearest } from '../text/nearest.js';
import { EXIT, Refusal } from './io.js';

/**
 * The arguments of a command in the one spelling that leaves nothing to guess (`--flag=value`, then `--`, then the
 * rest), because citty lets unknown flags, missing values and surplus words pass. Everything wrong is told at once.
 */
export function checkedArgs(path: string, args: ArgsDef, argv: string[]): string[] {
  const problems: string[] = [];
  const flags = Object.entries(args).filter(([, arg]) => arg.type !== 'positional');
  const places = Object.entries(args).filter(([, arg]) => arg.type === 'positional');
  const { tokens } = parseArgs({
    args: argv,
    options: Object.fromEntries(
      flags.map(([name, arg]) => [name, { type: arg.type === 'boolean' ? 'boolean' : 'string' }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const given: string[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const arg = token.rawName.startsWith('--') ? args[token.name] : undefined;
    if (arg === undefined || arg.type === 'positional')
      problems.push(
        unknown(
          token.rawName,
          flags.map(([name]) => name),
        ),
      );
    else if (arg.type === 'boolean' && token.value !== undefined) problems.push(`${token.rawName} takes no value.`);
    else if (arg.type === 'boolean') given.push(token.rawName);
    else if (token.value === undefined) problems.push(`${token.rawName} needs a value.`);
    else if (!token.inlineValue && token.value.startsWith('-')) {
      problems.push(`${token.rawName} needs a value; if it is ${token.value}, write ${token.rawName}=${token.value}.`);
    } else given.push(`${token.rawName}=${token.value}`);
  }
  // After a flag that is not known, nobody can tell its value from the other words.
  if (problems.length > 0) throw refusal(path, problems);

  for (const [name, arg] of places.slice(words.length)) {
    if (arg.required !== false) problems.push(`${name.toUpperCase()} is missing.`);
  }
  for (const [name, arg] of flags) {
    if (arg.required && !given.some((flag) => flag.startsWith(`--${name}=`))) problems.push(`--${name} is missing.`);
  }
  const surplus = words.slice(places.length);
  if (surplus.length > 0)
    problems.push(`There is nothing to do with ${surplus.map((word) => `"${word}"`).join(', ')}.`);

  if (problems.length > 0) throw refusal(path, problems);
  return [...given, '--', ...words];
}

const refusal = (path: string, problems: string[]): Refusal =>
  new Refusal([...problems, `See "${path} --help".`].join(' '), EXIT.usage);

function unknown(flag: string, known: string[]): string {
  const close = nearest(flag.replace(/^-+/, ''), known);
  return `There is no option ${flag}.${close ? ` Did you mean --${close}?` : ''}`;
}
