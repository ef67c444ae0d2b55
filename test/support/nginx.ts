import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A real nginx with the configuration that operators are given, but for addresses, certificates and folders. */

export const withoutNginx =
  spawnSync('nginx', ['-v']).status === 0 ? false : 'nginx is not installed (on Debian: apt-get install nginx-light)';

/** A part that must be there: a configuration that no longer has it is not the one that is tested. */
function replaced(text: string, part: RegExp, by: string): string {
  if (!part.test(text)) throw new Error(`deploy/nginx.conf has no ${part} any more`);
  return text.replace(part, by);
}

function configuration(dir: string, port: number, instances: string[]): string {
  const deployed = readFileSync(new URL('../../../deploy/nginx.conf', import.meta.url), 'utf8');
  const servers = instances.map((one) => `server ${new URL(one).host} max_fails=1 fail_timeout=2s;`).join('\n    ');
  const changes: [RegExp, string][] = [
    [/server 127\.0\.0\.1:3000 .*;/, servers],
    [/\/var\/cache\/nginx\/kalends/, `${dir}/cache`],
    // The way from http to https.
    [/server \{\s+listen 80;[^}]*\}/, ''],
    [/listen 443 ssl http2;\s+listen \[::\]:443 ssl http2;/, `listen 127.0.0.1:${port};`],
    [/ssl_certificate .*;\s+ssl_certificate_key .*;/, ''],
    // Only here: how the cache came by its answer.
    [/(?=proxy_cache_key )/, 'add_header X-Cache $upstream_cache_status always;\n        '],
  ];
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 2;
pid ${dir}/nginx.pid;
events { worker_connections 512; }
http {
access_log off;
${temporary.map((name) => `${name}_temp_path ${dir}/${name};`).join('\n')}
${changes.reduce((text, [part, by]) => replaced(text, part, by), deployed)}
}
`;
}

export interface Nginx {
  home: string;
  stop(): Promise<void>;
}

export async function startNginx(port: number, instances: string[]): Promise<Nginx> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-nginx-'));
  const [file, log] = [path.join(dir, 'nginx.conf'), path.join(dir, 'nginx.log')];
  writeFileSync(file, configuration(dir, port, instances));
  const child = spawn('nginx', ['-p', dir, '-c', file, '-e', log], { stdio: 'ignore' });
  const home = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await ended(child);
    rmSync(dir, { recursive: true, force: true });
  };
  for (let n = 0; n < 100; n++) {
    if ((await fetch(`${home}/livez`).catch(() => undefined))?.status === 200) return { home, stop };
    await sleep(50);
  }
  const said = readFileSync(log, 'utf8').slice(-1000);
  await stop();
  throw new Error(`nginx does not answer: ${said}`);
}

function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return exit;
}
