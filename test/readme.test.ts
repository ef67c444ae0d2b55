import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { settingsAsMarkdown } from '../src/config.js';
import { freshDatabase } from './support/engine.js';

/** The README is what people try first: its table and its tour are held to what they say. */
function projectRoot(): string {
  let at = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(at, 'README.md'))) at = path.dirname(at);
  return at;
}
const readme = readFileSync(path.join(projectRoot(), 'README.md'), 'utf8');

test('the configuration table is the one that the program has', () => {
  const table = settingsAsMarkdown().trim();
  assert.ok(readme.includes(table), `put this into the README:\n${table}`);
});

/** The commands of a section, block by block. */
function commandsOf(title: string): string[] {
  const section = readme.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block ?? '');
}

const curl = spawnSync('curl', ['--version']).status === 0;

test('the tour works as it is typed', { skip: curl ? false : 'curl is not installed' }, async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-tour-'));
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
  const database = await freshDatabase(dir);
  const env = { ...process.env, PORT: '0', KALENDS_DATA_DIR: dir, DATABASE_URL: database.url };
  const server = spawn(process.execPath, [main, 'serve', '--demo'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (part) => {
      said += part;
    });
  try {
    while (!/application password\s+\S+/.test(said) || !/"msg":"listening"/.test(said)) {
      assert.equal(server.exitCode, null, said);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const home = /Site\s+(http:\/\/\S+?)\/\s/.exec(said)?.[1] ?? '';
    const password = /application password\s+(\S+)/.exec(said)?.[1] ?? '';
    const blocks = commandsOf('A tour with curl');
    assert.ok(blocks.length >= 8, `${blocks.length} blocks`);
    const [variables = '', ...rest] = blocks.map((block) =>
      block.replaceAll('http://127.0.0.1:3000', home).replace('the-application-password', password),
    );
    for (const block of rest) {
      for (const command of block.split(/(?<=.)\n(?=curl )(?![^\n]*@\/tmp)/)) {
        const done = spawnSync('bash', ['-c', `set -e\n${variables}\n${command.replace(/^curl /m, 'curl -sS ')}`], {
          encoding: 'utf8',
        });
        assert.equal(done.status, 0, `${command}\n${done.stderr}`);
        const answer = JSON.parse(done.stdout) as { code?: string; events?: unknown[] };
        const meant = command.includes('someday') ? 'rest_invalid_param' : undefined;
        assert.equal(answer.code, meant, `${command}\n${done.stdout.slice(0, 400)}`);
        if (answer.events) assert.ok(answer.events.length > 0, `${command} found nothing`);
      }
    }
  } finally {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  }
});
