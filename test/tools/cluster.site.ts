import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createUser } from '../../src/accounts/accounts.js';
import { lastKnown, migrate } from '../../src/db/migrate.js';
import { openDatabase } from '../../src/db/open.js';
import { freePort, PostgresServer } from '../support/postgres.js';
import { type Front, startNginx } from '../support/proxies.js';
import { NO_LIMITS, temporaryFolder } from './site.js';

/** A primary, a standby that confirms every write, a replica, three instances, and a proxy in front: all real processes. */

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function kept(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export class Instance {
  private child: ChildProcess | undefined;
  private said = '';

  constructor(
    readonly port: number,
    private readonly env: NodeJS.ProcessEnv,
    private source = SOURCE,
  ) {}

  async start(source = this.source): Promise<void> {
    this.source = source;
    const env = { ...this.env, PORT: String(this.port) };
    const child = kept(
      spawn(process.execPath, [path.join(source, 'main.js'), 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] }),
    );
    this.child = child;
    child.stderr?.on('data', (part) => {
      this.said = (this.said + part).slice(-2000);
    });
    for (;;) {
      if (child.exitCode !== null) throw new Error(`an instance ended: ${this.said}`);
      const ready = await fetch(`http://127.0.0.1:${this.port}/readyz`).catch(() => undefined);
      if (ready?.status === 200) return;
      await sleep(50);
    }
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.child as ChildProcess;
    const ended = once(child, 'exit');
    child.kill(signal);
    return (await ended)[0] as number | null;
  }

  /** Whether it lets replicas answer. */
  async usesReplica(): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/metrics`);
    return /^kalends_replica_in_use\{.*\} 1$/m.test(await answer.text());
  }
}

export interface Cluster {
  home: string;
  authorization: string;
  primary: PostgresServer;
  standby: PostgresServer;
  replica: PostgresServer;
  instances: Instance[];
  url: string;
  /** Stops everything. */
  stop(): Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const primary = await PostgresServer.make({ wal_level: 'replica', fsync: 'on', synchronous_commit: 'remote_apply' });
  // After a restart of the primary the standby comes back soon: until then nothing can be written.
  const alone = { synchronous_standby_names: '', wal_retrieve_retry_interval: '200ms' };
  const standby = await primary.follower({
    ...alone,
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`,
  });
  // It follows whichever of the two can be written.
  const both = `host=127.0.0.1,127.0.0.1 port=${primary.port},${standby.port}`;
  const replica = await primary.follower({
    ...alone,
    // Late like one that is far away: whoever reads from it what must be fresh is found out.
    recovery_min_apply_delay: '300ms',
    primary_conninfo: `${both} user=postgres target_session_attrs=read-write application_name=replica`,
  });
  primary.set({ synchronous_standby_names: 'FIRST 1 (standby)' });
  await primary.start();
  await Promise.all([standby.start(), replica.start()]);

  const url = primary.url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`);
  const database = await openDatabase(url);
  await migrate(database);
  const { user, secret } = await database.write((db) => createUser(db, 'writer', 'editor', 'cluster'));
  await database.close();

  const dir = temporaryFolder('cluster');
  const port = await freePort();
  const home = `http://127.0.0.1:${port}`;
  const instances: Instance[] = [];
  for (let n = 0; n < 3; n++) {
    const env = {
      PATH: process.env.PATH,
      ...NO_LIMITS,
      KALENDS_DATA_DIR: path.join(dir, `data${n}`),
      KALENDS_PUBLIC_URL: home,
      KALENDS_TRUSTED_PROXIES: '127.0.0.1',
      DATABASE_URL: url,
      DATABASE_REPLICA_URLS: replica.url,
    };
    instances.push(new Instance(await freePort(), env));
  }
  // One at a time: two cores have enough to do.
  for (const instance of instances) await instance.start();
  const nginx = await startProxy(dir, port, instances);
  return {
    home,
    authorization: `Basic ${Buffer.from(`${user.username}:${secret}`).toString('base64')}`,
    primary,
    standby,
    replica,
    instances,
    url,
    async stop() {
      await nginx.stop();
      await Promise.all(instances.map((instance) => instance.stop('SIGTERM')));
      await Promise.all([primary, standby, replica].map((server) => server.remove()));
    },
  };
}

/** Plain, and without a cache: what is stale here is so by our own doing. */
async function startProxy(dir: string, port: number, instances: Instance[]): Promise<Front> {
  const servers = instances.map((one) => `server 127.0.0.1:${one.port} max_fails=1 fail_timeout=1s;`).join('\n    ');
  return startNginx(
    dir,
    `http://127.0.0.1:${port}`,
    `upstream kalends {
    ${servers}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://kalends;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_connect_timeout 2s;
      proxy_next_upstream error timeout http_502 http_503;
    }
  }`,
  );
}

/** The next version: this one with another number, and a migration that those who run now survive. */
export function nextVersion(): string {
  const dir = temporaryFolder('next');
  cpSync(SOURCE, path.join(dir, 'build/src'), { recursive: true });
  const root = path.resolve(SOURCE, '../..');
  const about = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ ...about, version: '99.0.0' }));
  symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'));
  const migrations = path.join(dir, 'build/src/db/migrations');
  mkdirSync(migrations, { recursive: true });
  const before = String(lastKnown('postgres')).padStart(4, '0');
  writeFileSync(
    path.join(migrations, '9999-next.postgres.sql'),
    `-- side by side with: ${before}\nALTER TABLE event ADD COLUMN next_version TEXT;\n`,
  );
  return path.join(dir, 'build/src');
}
