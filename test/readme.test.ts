import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Event } from '../src/client/client.js';
import { settingsAsMarkdown } from '../src/config.js';
import { picture } from './security/support.js';
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

/** What is to be typed in a section, block by block. */
function blocksOf(title: string): string[] {
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
    const blocks = blocksOf('A tour with curl');
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

test('an own calendar begins as it is typed', { skip: curl ? false : 'curl is not installed' }, async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-own-'));
  const clone = path.join(dir, 'kalends');
  mkdirSync(clone);
  const database = await freshDatabase(dir);
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
  // In the place of npx, which looks for the program in the folder it is called in.
  writeFileSync(path.join(dir, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${main}' "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(path.join(clone, 'poster.jpg'), await picture(80, 60, 'jpeg'));
  const env = { ...process.env, PATH: `${dir}:${process.env.PATH}`, HOME: dir, PORT: '0', DATABASE_URL: database.url };
  const blocks = blocksOf('Your own calendar');
  assert.equal(blocks.length, 5);
  const [settings = '', serve = '', users = '', event = '', backup = ''] = blocks;
  const type = (text: string): string => {
    const done = spawnSync('bash', ['-ec', text], { cwd: clone, env, encoding: 'utf8' });
    assert.equal(done.status, 0, `${text}\n${done.stderr}`);
    return done.stdout;
  };
  type(settings);
  const server = spawn('bash', ['-c', serve.replace('npx', 'exec npx')], { cwd: clone, env });
  let said = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (part) => {
      said += part;
    });
  try {
    while (!/"msg":"listening"/.test(said)) {
      assert.equal(server.exitCode, null, said);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const home = /"address":"(http:[^"]+)"/.exec(said)?.[1] ?? '';
    assert.match(said, /user name\s+admin/);
    const [first = '', second = ''] = [...type(users).matchAll(/^Application password: (\S+)$/gm)].map(
      ([, word]) => word,
    );
    assert.ok(first !== second && second !== '');
    const made = JSON.parse(
      type(event.replaceAll('http://127.0.0.1:3000', home).replace('the-application-password', second)),
    ) as Event;
    assert.deepEqual([made.timezone, made.cost], ['Europe/Lisbon', '€12']);
    assert.ok(made.image && made.image.width === 80);
    assert.match(await (await fetch(`${home}/events/`)).text(), /Opening night/);
    assert.match(type(`. ../calendar.env\n${backup}`), /1 event, 1 venue/);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  }
});
