import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { freePort } from './postgres.js';

/** Real proxies, with the files in deploy/ as they are, but for addresses and folders. */

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
export const hasNginx = (): boolean => has('nginx', '-v');
/** For nginx's certificate; Caddy makes its own. */
export const hasOpenssl = (): boolean => has('openssl', 'version');
export const hasCaddy = (): boolean => has('caddy', 'version');

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface Front {
  /** The address of the site, https. */
  home: string;
  /** Where it answers without TLS, if anywhere. */
  plain?: string;
  stop(): Promise<void>;
}

async function started(command: string, args: string[], home: string, env: NodeJS.ProcessEnv = {}): Promise<Front> {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let said = '';
  child.stderr?.on('data', (part) => {
    said = (said + part).slice(-3000);
  });
  for (let n = 0; !(await answers(home)); n++) {
    if (n > 200 || child.exitCode !== null) throw new Error(`${command} does not answer: ${said}`);
    await sleep(50);
  }
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { home, stop };
}

/** Its certificate may come later than its port, and the instances behind it later still. */
async function answers(home: string): Promise<boolean> {
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  try {
    const { statusCode, body } = await request(home, { dispatcher: agent });
    await body.dump();
    return statusCode < 500;
  } catch {
    return false;
  } finally {
    await agent.close();
  }
}

/** nginx in the foreground, with what stands inside of `http { }`; its files are in a folder. */
export async function startNginx(dir: string, home: string, http: string): Promise<Front> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = path.join(dir, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${dir}/nginx.pid;
error_log stderr;
events { worker_connections 512; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${dir}/${name};`).join('\n  ')}
  ${http}
}
`,
  );
  return started('nginx', ['-p', dir, '-c', file, '-e', 'stderr'], home);
}

/** deploy/nginx.conf in front of these ports. `changed`: what a suite must have otherwise. */
export async function nginxBefore(ports: number[], dir: string, changed = (http: string) => http): Promise<Front> {
  const [port, plain] = [await freePort(), await freePort()];
  const certificate = ['-keyout', path.join(dir, 'privkey.pem'), '-out', path.join(dir, 'fullchain.pem')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', ...certificate];
  if (!has('openssl', ...made)) throw new Error('no certificate could be made');
  const http = readFileSync('deploy/nginx.conf', 'utf8')
    .replace(/^ *server 127\.0\.0\.1:3000 (.*)$/m, (_, rest) =>
      ports.map((one) => `server 127.0.0.1:${one} ${rest}`).join('\n'),
    )
    // Not every machine has IPv6.
    .replace(/^ *listen \[::\].*$/gm, '')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${plain}`)
    .replaceAll('/etc/ssl/calendar.example.org', dir)
    .replaceAll('/var/cache/nginx-kalends', `${dir}/nginx-kalends`);
  const wanted = changed(http);
  const home = `${/listen .* ssl/.test(wanted) ? 'https' : 'http'}://localhost:${port}`;
  return { ...(await startNginx(dir, home, wanted)), plain: `http://127.0.0.1:${plain}` };
}

/** deploy/Caddyfile in front of these ports: by its own variables, and without touching the machine's certificates. */
export async function caddyBefore(ports: number[], dir: string): Promise<Front> {
  const port = await freePort();
  const file = path.join(dir, 'Caddyfile');
  const own = '{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n';
  writeFileSync(file, own + readFileSync('deploy/Caddyfile', 'utf8'));
  const home = `https://localhost:${port}`;
  return started('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], home, {
    HOME: dir,
    SITE_ADDRESS: home,
    KALENDS_UPSTREAMS: ports.map((one) => `127.0.0.1:${one}`).join(' '),
  });
}
