import assert from 'node:assert/strict';
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run as runCommand } from '../../src/cli/run.js';

/** The command line as people use it: words, output, exit code. */
const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** Everything a test file writes is below this, and goes with it. */
export const folder = mkdtempSync(path.join(tmpdir(), 'kalends-cli-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let folders = 0;
/** A data folder of one's own. */
export const fresh = (): string => path.join(folder, `data${++folders}`);

export interface Result {
  code: number | null;
  out: string;
  err: string;
}

type Out = number | 'pipe';
/** In whose name it runs, if not in ours. */
interface As {
  uid?: number;
  gid?: number;
}

function start(argv: string[], env: Record<string, string>, out: Out = 'pipe', as: As = {}): ChildProcess {
  const { PATH = '', TZ = 'UTC' } = process.env;
  const stdio = ['ignore', out, 'pipe'] satisfies StdioOptions;
  return spawn(process.execPath, argv, { cwd: folder, env: { PATH, TZ, ...env }, stdio, ...as });
}

export const started = (args: string[], env: Record<string, string>, out: Out = 'pipe', as: As = {}): ChildProcess =>
  start([MAIN, ...args], env, out, as);

/** What a process said, once it has ended. */
export function ended(child: ChildProcess): Promise<Result> {
  const result: Result = { code: null, out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    result.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    result.err += chunk;
  });
  // A program that cannot even be started has an exit code below zero.
  child.on('error', ({ message }) => {
    result.err += message;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...result, code })));
}

/** As a process of its own. */
export const kalends = (args: string[], env: Record<string, string> = {}): Promise<Result> => ended(started(args, env));

/** Mounts are seen by the process alone that makes them, and end with it. */
const OWN_MOUNTS = ['unshare', '--map-root-user', '--mount'] as const;
export const hasOwnMounts = spawnSync(OWN_MOUNTS[0], [...OWN_MOUNTS.slice(1), 'true']).status === 0;

/** As a process of its own that finds a full disk at a folder, with a copy of `file` on it. */
export function onFullDisk(disk: string, file: string, args: string[], env: Record<string, string>): Promise<Result> {
  const script = `mount -t tmpfs -o size=1m tmpfs "$0" && cp "$1" "$0" && { head -c 1M /dev/zero >"$0/filler"; shift; exec "$@"; }`;
  const { PATH = '' } = process.env;
  const [unshare, ...flags] = OWN_MOUNTS;
  const argv = [...flags, 'sh', '-c', script, disk, file, process.execPath, MAIN, ...args];
  return ended(spawn(unshare, argv, { cwd: folder, env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** In this process: the same without the second it takes to start one. */
export async function inProcess(args: string[], env: Record<string, string> = {}): Promise<Result> {
  const lines: { out: string[]; err: string[] } = { out: [], err: [] };
  const code = await runCommand(args, {
    env,
    version: '1.2.3',
    terminal: false,
    out: (text) => lines.out.push(text),
    err: (text) => lines.err.push(text),
  });
  return { code, out: lines.out.join('\n'), err: lines.err.join('\n') };
}

/** Ways to run it in a data folder with an exit code to expect, or with JSON to read. */
function ways(how: typeof kalends) {
  const run = async (data: string, code: number, ...args: string[]): Promise<Result> => {
    const result = await how(args, { KALENDS_DATA_DIR: data });
    assert.equal(result.code, code, `kalends ${args.join(' ')}: ${result.out}${result.err}`);
    assert.doesNotMatch(result.err, /\n {4}at /, 'no stack trace');
    return result;
  };
  const json = async (data: string, ...args: string[]) => JSON.parse((await run(data, 0, ...args, '--json')).out);
  return { run, json };
}

export const outside = ways(kalends);
export const inside = ways(inProcess);

/**
 * Changes a database behind its back, in a process of its own: the package that stands in for node:sqlite keeps a
 * closed file open until memory is tidied, and `restore` would rightly find it in use.
 */
export async function execute(data: string, ...statements: string[]): Promise<void> {
  const script = `
    import { sql } from 'kysely';
    import { migrate } from './db/migrate.js';
    import { openDatabase } from './db/open.js';
    const database = await openDatabase(${JSON.stringify(path.join(data, 'kalends.db'))});
    await migrate(database);
    await database.write(async (db) => {
      for (const statement of ${JSON.stringify(statements)}) await db.run(sql.raw(statement));
    });
    await database.close();`;
  // Beside the compiled code, where imports are found.
  const file = path.join(path.dirname(MAIN), `cli-${process.pid}-${++folders}.mjs`);
  writeFileSync(file, script);
  try {
    const { code, err } = await ended(start([file], {}));
    assert.equal(code, 0, err);
  } finally {
    rmSync(file);
  }
}
