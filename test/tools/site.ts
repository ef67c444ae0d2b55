import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ROLES, type Role } from '../../src/access/rights.js';
import { createUser } from '../../src/accounts/accounts.js';
import { run } from '../../src/cli/run.js';
import { migrate } from '../../src/db/migrate.js';
import { openDatabase } from '../../src/db/open.js';

/** A site of its own in a temporary folder, and the real program as a process: command line and server. */

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
export const API = '/api/calendar/events/v1';

export type RoleName = Role;

export interface Site {
  dir: string;
  file: string;
  env: NodeJS.ProcessEnv;
  /** What to send as Authorization. */
  users: Record<RoleName, string>;
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();
/** Whatever happens, nothing stays behind. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), `kalends-${name}-`));
  folders.add(folder);
  return folder;
}

/** All of a run comes from one address: the limits per caller would only measure themselves. */
export const NO_LIMITS: Record<string, string> = { KALENDS_SIGN_IN_LIMIT: '0', KALENDS_WRITE_LIMIT: '0' };

/** `onStart` sees the process while it runs. */
export function kalends(
  site: Pick<Site, 'env'>,
  args: string[],
  onStart?: (child: ChildProcess) => void,
): Promise<Ended> {
  return new Promise((resolve) => {
    const settings = { env: site.env, maxBuffer: 1 << 26 };
    const child = execFile(process.execPath, [MAIN, ...args], settings, (_error, out, err) => {
      running.delete(child);
      resolve({ code: child.exitCode, out, err });
    });
    running.add(child);
    onStart?.(child);
  });
}

export const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** A database with one user per role, named like it: a file in the folder, unless an address is given. */
export async function newSite(dir: string, settings: Record<string, string> = {}, url?: string): Promise<Site> {
  const { PATH, TZ } = process.env;
  const own = { PORT: '0', KALENDS_DATA_DIR: dir, ...(url ? { DATABASE_URL: url } : {}) };
  const env: NodeJS.ProcessEnv = { PATH, ...(TZ ? { TZ } : {}), ...own, ...settings };
  const file = path.join(dir, 'kalends.db');
  const users = {} as Site['users'];
  mkdirSync(dir, { recursive: true });
  const database = await openDatabase(url ?? file);
  await migrate(database);
  for (const role of ROLES) {
    const { secret } = await database.write((db) => createUser(db, role, role, 'first'));
    users[role] = basic(role, secret);
  }
  await database.close();
  return { dir, file, env, users };
}

/** The same users and records in another folder. */
export function copyOf(site: Site, dir: string): Site {
  cpSync(site.dir, dir, { recursive: true });
  return { ...site, dir, file: path.join(dir, 'kalends.db'), env: { ...site.env, KALENDS_DATA_DIR: dir } };
}

export interface Server {
  child: ChildProcess;
  port: number;
  pid: number;
  ended: Promise<[code: number | null, signal: string | null]>;
  /** Errors logged and everything that looks like one on standard error. */
  complaints: string[];
}

const COMPLAINT = /unhandled|uncaught|warning|error|^\s+at /i;

/** Starts the server; refused when it ends before it listens. `onStart` sees the process before that. */
export async function serve(site: Pick<Site, 'env'>, onStart?: (child: ChildProcess) => void): Promise<Server> {
  const child = spawn(process.execPath, [MAIN, 'serve'], { env: site.env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  onStart?.(child);
  const ended = once(child, 'exit') as Server['ended'];
  void ended.then(() => running.delete(child));
  const complaints: string[] = [];
  let said = '';
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
    if (said.length < 10_000) said += `${line}\n`;
    if (COMPLAINT.test(line) && complaints.length < 1000) complaints.push(line);
  });
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      // A line of the log begins with its level: {"level":30,
      if (Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 99) >= 50 && complaints.length < 1000) complaints.push(line);
      if (line.includes('"msg":"listening"')) resolve(Number(new URL(JSON.parse(line).address).port));
    });
    const late = setTimeout(() => reject(new Error(`the server does not listen after 60 s: ${said}`)), 60_000);
    void ended.finally(() => clearTimeout(late));
    late.unref();
    void ended.then(([code, signal]) => reject(new Error(`the server ended (${code ?? signal}): ${said}`)));
  });
  return { child, port, pid: child.pid ?? 0, ended, complaints };
}

export async function stopServer(server: Server, signal: NodeJS.Signals = 'SIGTERM'): Promise<string | undefined> {
  if (server.child.exitCode !== null) return `the server ended by itself with ${server.child.exitCode}`;
  server.child.kill(signal);
  const timer = setTimeout(() => server.child.kill('SIGKILL'), 15_000);
  const [code, by] = await server.ended;
  clearTimeout(timer);
  return code === 0 || by === signal ? undefined : `the server ended with ${code ?? by} when told to stop`;
}

/** Bytes of memory that a process holds; 0 where it cannot be told. */
export function memoryOf(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return 0;
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(file, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Milliseconds of processor time that a process has used; 0 where it cannot be told. Hundredths of a second on Linux. */
export function processorTimeOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readFileSync(file, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** What `kalends check` finds; empty when all is well. In this process: starting another takes longer than checking. */
export async function damageOf(site: Pick<Site, 'env'>): Promise<string[]> {
  const out: string[] = [];
  const say = (text: string): void => void out.push(text);
  const code = await run(['check', '--json'], { env: site.env, version: '0', terminal: false, out: say, err: say });
  try {
    const { ok, problems } = JSON.parse(out.join('\n'));
    return ok === true && code === 0 ? [] : [`exit ${code}`, ...problems];
  } catch {
    return [`exit ${code}: ${out.join(' ')}`];
  }
}
