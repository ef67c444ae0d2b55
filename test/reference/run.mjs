// npm run reference [-- --only NAME …] [--conformance] [--recordings] [--verbose]
// Starts a fresh server per scenario and asks it what the reference was asked. Needs ../shared (the black-box cases and
// the recordings); where that is absent it says so and counts everything as skipped.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(path.dirname(here));
const shared = path.join(path.dirname(root), 'shared');
const cli = path.join(root, 'bin/kalends.js');
const args = process.argv.slice(2);
const only = args.flatMap((a, i) => (a === '--only' ? [args[i + 1]] : []));
const both = !args.includes('--conformance') && !args.includes('--recordings');
const verbose = args.includes('--verbose');

if (!existsSync(path.join(shared, 'recordings'))) {
  console.log('The recordings of the reference are not here: nothing was compared.');
  console.log('0 passed, 0 failed, 1 skipped');
  process.exit(0);
}

const ROLES = {
  admin: 'administrator',
  editor: 'editor',
  author: 'author',
  contributor: 'contributor',
  subscriber: 'subscriber',
};
const work = mkdtempSync(path.join(os.tmpdir(), 'kalends-reference-'));
const baseEnv = { ...process.env, KALENDS_LOG_LEVEL: 'warn', HOST: '127.0.0.1' };

function run(command, env) {
  const done = spawnSync(process.execPath, [cli, ...command], { env: { ...baseEnv, ...env }, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`kalends ${command.join(' ')} failed: ${done.stderr}`);
  return done.stdout;
}

/** A database with one user per role, made once and copied for each server. */
function makeTemplate() {
  const dir = path.join(work, 'template');
  mkdirSync(dir);
  const credentials = {};
  for (const [name, role] of Object.entries(ROLES)) {
    const made = JSON.parse(run(['user', 'add', name, '--role', role, '--json'], { KALENDS_DATA_DIR: dir }));
    credentials[name] = `${made.username}:${made.application_password}`;
  }
  return { dir, credentials };
}

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

async function startServer(template, name, env = {}) {
  const dir = path.join(work, name);
  cpSync(template.dir, dir, { recursive: true });
  const port = await freePort();
  const child = spawn(process.execPath, [cli, 'serve'], {
    env: { ...baseEnv, ...env, KALENDS_DATA_DIR: dir, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const home = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    try {
      if ((await fetch(`${home}/readyz`)).ok) break;
    } catch {
      // Not yet.
    }
    if (tries > 200 || child.exitCode !== null) throw new Error(`the server for ${name} did not start:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const stop = () =>
    new Promise((resolve) => {
      child.once('exit', () => {
        rmSync(dir, { recursive: true, force: true });
        // Skipped steps are not compared: an error of ours shows here only.
        if (/"level":(50|60)/.test(output)) {
          total.failed++;
          console.log(`errors in the log of ${name}:\n${output}`);
        }
        resolve();
      });
      child.kill('SIGTERM');
    });
  return { home, api: `${home}/api/calendar/events/v1`, stop };
}

function node(script, argv, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...argv], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        text += part;
      });
    child.on('exit', (status) => resolve({ status, text }));
  });
}

const count = (text) => {
  const [, passed, failed, skipped] =
    /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/m.exec(
      text
        .split('\n')
        .filter((line) => / passed, /.test(line))
        .at(-1) ?? '',
    ) ?? [];
  return passed === undefined
    ? undefined
    : { passed: Number(passed), failed: Number(failed), skipped: Number(skipped ?? 0) };
};

const total = { passed: 0, failed: 0, skipped: 0 };
function add(name, { text }) {
  const got = count(text);
  if (!got) {
    total.failed++;
    console.log(`${name}: could not be run\n${text}`);
    return;
  }
  for (const key of Object.keys(total)) total[key] += got[key];
  console.log(`${name}: ${got.passed} passed, ${got.failed} failed, ${got.skipped} skipped`);
  if (got.failed > 0 || verbose) console.log(text);
}

const credentialArgs = (credentials) => Object.entries(credentials).flatMap(([role, pair]) => [`--${role}`, pair]);

/**
 * The deliberate differences. Within 20 minutes of now, two years ahead, the comparison takes every time for "now": twice
 * a day that is a time that one step asks for.
 */
function writeIgnored() {
  const minutes = new Date().getUTCHours() * 60 + new Date().getUTCMinutes();
  const isNear = [10, 11].some((hour) => Math.abs(minutes - hour * 60) <= 25);
  const taken = { scenario: 'default-window', step: 14, path: '**', kind: 'value', reason: 'the time of day' };
  const file = path.join(work, 'ignored.json');
  // The report tells the reasons that were met: by their numbers it is seen which were not.
  const numbered = listed.map((one, number) => ({ ...one, reason: String(number) }));
  writeFileSync(file, JSON.stringify(isNear ? [...numbered, taken] : numbered));
  return file;
}

const listed = JSON.parse(readFileSync(path.join(here, 'deviations.json'), 'utf8'));
const met = new Set();
const replayed = new Set();

/** Deliberate differences that were not met where they are listed: needed no more, or not at this time of day. */
function unmet() {
  const places = listed.flatMap(({ scenario, step, path: at, reason }, number) =>
    [step].flat().map((one) => ({ scenario, step: one, at, reason, number })),
  );
  return places.filter(
    ({ scenario, step, number }) => replayed.has(scenario) && !met.has(`${scenario} ${step} ${number}`),
  );
}

async function replay(template, ignored, file) {
  const { name, siteTimezone } = JSON.parse(readFileSync(file, 'utf8'));
  const server = await startServer(template, name, { KALENDS_TIMEZONE: siteTimezone });
  const report = path.join(work, `${name}.report.json`);
  const done = await node(
    path.join(shared, 'recordings/replay.mjs'),
    [
      '--api',
      server.api,
      '--home',
      server.home,
      ...credentialArgs(template.credentials),
      '--provides',
      'utc,ny,tickets',
      '--key-order',
      '--hook',
      `${process.execPath} ${path.join(here, 'hook.mjs')}`,
      '--ignore-file',
      ignored,
      '--json',
      report,
      file,
    ],
    { REFERENCE_ADMIN: template.credentials.admin },
  );
  await server.stop();
  add(name, done);
  if (!existsSync(report)) return;
  replayed.add(name);
  for (const { step, skipped } of JSON.parse(readFileSync(report, 'utf8')).steps)
    for (const number of skipped?.split('; ') ?? []) met.add(`${name} ${step} ${number}`);
}

async function conformance(template) {
  const images = await freePort();
  const server = await startServer(template, 'conformance', { KALENDS_FETCH_ALLOW: `127.0.0.1:${images}` });
  const fixtures = path.join(work, 'fixtures.json');
  writeFileSync(fixtures, JSON.stringify(await makeFixtures(server.api, template.credentials.admin)));
  const done = await node(path.join(shared, 'conformance/run.mjs'), [
    '--api',
    server.api,
    '--site',
    server.home,
    ...credentialArgs(template.credentials),
    '--image-port',
    String(images),
    '--fixtures',
    fixtures,
    '--deviations',
    path.join(here, 'conformance.json'),
    ...only.flatMap((text) => ['--filter', text]),
  ]);
  await server.stop();
  add('conformance', done);
}

/** Records that the interface of the reference cannot make, and ours can. */
async function makeFixtures(api, admin) {
  const post = async (body) => {
    const answer = await fetch(`${api}/events`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Basic ${Buffer.from(admin).toString('base64')}` },
      body: JSON.stringify({ start_date: 'tomorrow 10:00', end_date: 'tomorrow 11:00', ...body }),
    });
    return answer.json();
  };
  const secret = await post({ title: 'Fixture with a password', password: 'sesame', description: 'Hidden' });
  const parent = await post({ title: 'Fixture parent' });
  const child = await post({ title: 'Fixture child', post_parent: parent.id });
  return {
    password_event: { id: secret.id, password: 'sesame' },
    parent_event: { id: parent.id, children: [child.id] },
  };
}

try {
  const template = makeTemplate();
  if (both || args.includes('--conformance')) await conformance(template);
  if (both || args.includes('--recordings')) {
    const folder = path.join(shared, 'recordings/answers');
    const files = readdirSync(folder).filter(
      (file) => file.endsWith('.json') && (only.length === 0 || only.some((text) => file.includes(text))),
    );
    const ignored = writeIgnored();
    const lanes = [0, 1].map(async () => {
      for (let file = files.shift(); file !== undefined; file = files.shift())
        await replay(template, ignored, path.join(folder, file));
    });
    await Promise.all(lanes);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const { scenario, step, at, reason } of unmet())
  console.log(`listed in deviations.json, and not met: ${scenario} ${step} ${at} (${reason})`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed > 0 ? 1 : 0);
