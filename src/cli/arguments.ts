import { parseArgs } from 'node:util';
import type { ArgDef, ArgsDef } from 'citty';
import { nearest } from '../text/nearest.js';
import { EXIT, Refusal } from './io.js';

/**
 * Checks the arguments of a command, because citty ignores unknown flags, missing values and surplus words, and returns
 * them in an unambiguous spelling (`--flag=value`, then `--`, then the rest). Problems are reported together.
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
    const problem = problemWith(token, new Map(flags));
    if (problem) problems.push(problem);
    else given.push(token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`);
  }
  // The value of an unknown flag cannot be told from the other words, so these are not checked then.
  if (problems.length > 0) throw refusal(path, problems);

  for (const [name, arg] of places.slice(words.length)) {
    if (arg.required !== false) problems.push(`${name.toUpperCase()} is missing.`);
  }
  for (const [name, arg] of flags) {
    if (arg.required && !given.some((flag) => flag.startsWith(`--${name}=`))) problems.push(`--${name} is missing.`);
  }
  const surplus = words.slice(places.length);
  if (surplus.length > 0)
    problems.push(`Unexpected ${surplus.length === 1 ? 'argument' : 'arguments'} "${surplus.join('", "')}".`);

  if (problems.length > 0) throw refusal(path, problems);
  return [...given, '--', ...words];
}

const refusal = (path: string, problems: string[]): Refusal =>
  new Refusal([...problems, `See "${path} --help".`].join(' '), EXIT.usage);

interface Option {
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

function problemWith({ name, rawName, value, inlineValue }: Option, flags: Map<string, ArgDef>): string | undefined {
  const arg = rawName.startsWith('--') ? flags.get(name) : undefined;
  if (!arg) {
    const close = nearest(name, [...flags.keys()]);
    return `Unknown flag ${rawName}.${close ? ` Did you mean --${close}?` : ''}`;
  }
  if (arg.type === 'boolean') return value === undefined ? undefined : `${rawName} takes no value.`;
  if (value === undefined) return `${rawName} needs a value.`;
  if (inlineValue || !value.startsWith('-')) return undefined;
  return `${rawName} needs a value. If it is ${value}, write ${rawName}=${value}.`;
}
