import type { Caller } from '../access/rights.js';
import type { Db } from '../db/database.js';
import { Failure, InvalidParams, type ParamProblem } from '../errors.js';
import type { Images } from '../media/media.js';
import type { Zone } from '../time/zone.js';
import type { Kept } from './basis.js';
import type { Context, Describing } from './context.js';

/** What a reader may use: the data, the caller, the site's zone and the current time. */
export interface Reading {
  db: Db;
  caller: Caller;
  site: Zone;
  now: number;
  /** On create `""` and `[]` mean "not given", on update "empty it" (A5). */
  creating: boolean;
  /** Pictures fetched or uploaded with this request. */
  images?: Images | undefined;
  kept?: Kept | undefined;
}

/** The part of a request's context that readers need. */
export const readingOf = ({ db, caller, site, now, images, kept }: Context, creating: boolean): Reading => ({
  db,
  caller,
  site: site.zone,
  now,
  creating,
  images,
  kept,
});

export interface Problem {
  problem: ParamProblem;
}
export type Read<T> = { value: T } | Problem;
/** Turns a raw parameter into a value, or says what is wrong with it. This is the only validation. */
export type Reader<T> = (raw: unknown, reading: Reading) => Read<T> | Promise<Read<T>>;

/** How a parameter is described; the namespace index shows the members in this order. */
export interface Description {
  description?: string;
  type?: 'string' | 'integer' | 'boolean';
  format?: string;
  items?: { type: string };
  /** A value, or a function that computes it when the description is requested. */
  default?: unknown;
}

/** Constraints on a value. The documentation shows them; the namespace index has no place for them. */
export interface Limits {
  minimum?: number;
  /** A number, or a function that computes it for this site. */
  maximum?: number | ((describing: Describing) => number);
  enum?: readonly string[];
}

export interface Arg<T = unknown> {
  described: Description;
  limits: Limits;
  read: Reader<T>;
  required: boolean;
  /** A list: the parameter may be repeated in the query (B9). */
  list: boolean;
  /** Our own addition, not in the specification. */
  ours: boolean;
  /** Its default changes every day, so only descriptions that are generated daily may state it. */
  daily: boolean;
}

export type Args = Record<string, Arg>;
/** The values of a set of parameters; those that were not given are absent. */
export type Values<A> = { [K in keyof A]?: A[K] extends Arg<infer T> ? T : never };

export function arg<T>(
  described: Description,
  read: Reader<T>,
  {
    list = false,
    ours = false,
    daily = false,
    limits = {},
  }: Partial<Pick<Arg, 'list' | 'ours' | 'daily' | 'limits'>> = {},
): Arg<T> {
  return { described, limits, read, required: false, list, ours, daily };
}

export function required<A extends Args, K extends keyof A>(args: A, ...names: K[]): A {
  const made: Args = { ...args };
  for (const name of names) {
    const one = args[name];
    if (one) made[name as string] = { ...one, required: true };
  }
  return made as A;
}

export const ok = <T>(value: T): Read<T> => ({ value });
export const bad = (reason: string, values?: Record<string, string | number>): Problem => ({
  problem: { pass: 'check', reason, ...(values ? { values } : {}) },
});
/** Problems with members of an object, by their path. `reason`: that of the whole, alone if a member is missing. */
export function problemsIn(error: unknown, reason: string, place = ''): Problem {
  if (error instanceof InvalidParams) {
    const within = new Map([...error.problems].map(([name, problem]) => [`${place}.${name}`, problem]));
    return { problem: { pass: 'check', reason, within } };
  }
  if (error instanceof Failure && error.code === 'rest_missing_callback_param') return bad(reason);
  throw error;
}
export const notOfType = (type: string): Problem => ({
  problem: { pass: 'type', reason: 'reason.type', values: { type }, code: 'rest_invalid_type' },
});

const absent = (value: unknown): boolean => value === undefined || value === null;

interface Listed {
  all: [name: string, one: Arg][];
  needed: string[];
}
const lists = new WeakMap<Args, Listed>();

/** Computed once, since it is the same for every request. */
function listedIn(args: Args): Listed {
  let listed = lists.get(args);
  if (!listed) {
    const all = Object.entries(args);
    listed = { all, needed: all.filter(([, one]) => one.required).map(([name]) => name) };
    lists.set(args, listed);
  }
  return listed;
}

/** Missing parameters are reported before invalid ones (order of checks, A3), all of a group together. */
export async function readArgs<A extends Args>(
  args: A,
  given: Readonly<Record<string, unknown>>,
  reading: Reading,
): Promise<Values<A>> {
  const { all, needed } = listedIn(args);
  const missing = needed.filter((name) => absent(given[name]));
  if (missing.length > 0) {
    throw new Failure('rest_missing_callback_param', {
      values: { params: missing.join(', ') },
      data: { params: missing },
    });
  }
  const values: Record<string, unknown> = {};
  const problems = new Map<string, ParamProblem>();
  for (const [name, one] of all) {
    const raw = Object.hasOwn(given, name) ? given[name] : undefined;
    if (absent(raw)) continue;
    const isLenient = typeof raw === 'string' && lenient.has(one.read);
    const read = (isLenient ? undefined : unsuitable(raw)) ?? (await one.read(raw, reading));
    if ('problem' in read) problems.set(name, read.problem);
    else if (read.value !== undefined) values[name] = read.value;
  }
  if (problems.size > 0) throw new InvalidParams(firstPass(problems));
  return values as Values<A>;
}

/** The reference checks values first and types only if all values are valid, so clients see one group at a time. */
function firstPass(problems: Map<string, ParamProblem>): Map<string, ParamProblem> {
  const checks = new Map([...problems].filter(([, problem]) => problem.pass === 'check'));
  return checks.size > 0 ? checks : problems;
}

const DEEPEST = 8;
const MOST_MEMBERS = 5000;

/** Text readers that drop NUL, which no engine stores and nobody sees, as the reference does (A6). */
const lenient = new WeakSet<Reader<unknown>>();
export const leniently = <T>(read: Reader<T>): Reader<T> => {
  lenient.add(read);
  return read;
};

export const UNSTORED = '\u0000';

/** What every other field refuses, whatever its meaning: NUL, and values with too many members or levels. */
function unsuitable(raw: unknown): Problem | undefined {
  let members = 0;
  let reason: string | undefined;
  const look = (value: unknown, depth: number): void => {
    if (reason !== undefined) return;
    if (typeof value === 'string') {
      if (value.includes(UNSTORED)) reason = 'reason.characters';
      return;
    }
    if (value === null || typeof value !== 'object') return;
    const inside = Object.entries(value);
    members += inside.length;
    if (depth > DEEPEST || members > MOST_MEMBERS) reason = 'reason.nested';
    for (const [name, one] of inside) {
      look(name, depth);
      look(one, depth + 1);
    }
  };
  look(raw, 0);
  return reason === undefined ? undefined : bad(reason);
}
