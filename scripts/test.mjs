// npm test [-- --zone Area/City] [name …]: builds, then runs every *.test.ts whose path contains one of the names.
// Behaviour is tested once per host time zone, since nothing may depend on where the server stands.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const args = process.argv.slice(2);
const at = args.indexOf('--zone');
const zones = at >= 0 ? args.splice(at, 2).slice(1) : ['UTC', 'America/New_York', 'Pacific/Auckland'];

const run = (command, argv, env = {}) => {
  const { status, error } = spawnSync(command, argv, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (error) console.error(error.message);
  if (status !== 0) process.exit(status ?? 1);
};

run(process.execPath, ['scripts/build.mjs', '--tests']);
const found = readdirSync('build', { recursive: true })
  .map((name) => path.join('build', String(name)))
  .filter((name) => name.endsWith('.test.js') && (args.length === 0 || args.some((part) => name.includes(part))))
  .sort();
if (found.length === 0) {
  console.error(`No test file matches ${args.join(', ')}`);
  process.exit(1);
}
/** Suites that take long and do not look at a clock on the wall: once is enough. */
const ONCE = /test\/(cli\.|architecture|durability|schema|weather|readme|client|rights|security\/|describe\/)/;

for (const [turn, zone] of zones.entries()) {
  const files = turn === 0 ? found : found.filter((name) => !ONCE.test(name));
  if (files.length === 0) continue;
  console.log(`\n# host time zone ${zone}: ${files.length} test files`);
  run(process.execPath, ['--enable-source-maps', '--test', '--test-concurrency=2', ...files], {
    TZ: zone,
    NODE_ENV: 'test',
  });
}
