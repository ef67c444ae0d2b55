import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, NOBODY } from './postgres.js';

/** A real PgBouncer in transaction mode: whoever begins a transaction may get another connection than the time before. */

/** Its version as a number, 1.021 for 1.21; undefined where there is none. */
export function versionOfPgBouncer(): number | undefined {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  return major === undefined ? undefined : Number(major) + Number(minor) / 1000;
}

const alive = new Set<PgBouncer>();
process.once('exit', () => {
  for (const one of alive) one.forget();
});

export class PgBouncer {
  private child: ChildProcess | undefined;
  private said = '';

  private constructor(
    private readonly dir: string,
    readonly port: number,
    private readonly server: URL,
    private readonly named: boolean,
  ) {
    alive.add(this);
  }

  /** In front of a server, with so many connections to each of its databases; `named` ones keep track of statements. */
  static async before(url: string, connections: number, named: boolean): Promise<PgBouncer> {
    const server = new URL(url);
    const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-pooler-'));
    const port = await freePort();
    const ini = path.join(dir, 'pgbouncer.ini');
    const users = path.join(dir, 'users.txt');
    writeFileSync(users, `"${decodeURIComponent(server.username)}" "${decodeURIComponent(server.password)}"\n`);
    writeFileSync(
      ini,
      `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
${named ? 'max_prepared_statements = 500' : ''}
`,
    );
    chmodSync(dir, 0o700);
    if (NOBODY.uid !== undefined) for (const one of [dir, ini, users]) chownSync(one, NOBODY.uid, NOBODY.gid);
    return new PgBouncer(dir, port, server, named);
  }

  /** The address of a database by this way, as docs/operating.md says. */
  urlOf(database: string): string {
    const url = new URL(this.server);
    url.host = `127.0.0.1:${this.port}`;
    url.pathname = `/${database}`;
    if (!this.named) url.searchParams.set('prepare', 'false');
    return url.href;
  }

  async start(): Promise<this> {
    const child = spawn('pgbouncer', [path.join(this.dir, 'pgbouncer.ini')], {
      ...NOBODY,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    child.stderr?.on('data', (part) => {
      this.said = (this.said + part).slice(-4000);
    });
    for (const until = performance.now() + 10_000; ; await sleep(20)) {
      if (child.exitCode !== null || performance.now() > until) throw new Error(`PgBouncer: ${this.said}`);
      const client = new pg.Client(this.urlOf('postgres'));
      client.on('error', () => {});
      try {
        await client.connect();
        return this;
      } catch {
        // Not yet.
      } finally {
        void client.end().catch(() => {});
      }
    }
  }

  /** SIGINT: when nobody is in a transaction; then clients are cut off. */
  async stop(signal: 'SIGINT' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  forget(): void {
    alive.delete(this);
    this.child?.kill('SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    await this.stop();
    this.forget();
  }
}
