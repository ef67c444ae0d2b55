// npm test [-- --zone Area/City] [--engine sqlite|postgres] [--node 26] [--again] [name …]: builds, then runs every
// *.test.ts whose path contains one of the names. Behaviour is tested on both engines, and in several host time zones,
// since nothing may depend on where the server stands. PostgreSQL is started from npm or from POSTGRES_BIN (the folder
// of another version's programs), or TEST_DATABASE_URL names a server to use. With --again, files in which a test
// failed run a second time, alone, since tests may time out on a busy machine; those that pass only then are listed at
// the end. With --node, everything runs on another version of Node, which npm provides.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const args = process.argv.slice(2);
const option = (name) => {
  const at = args.indexOf(name);
  return at >= 0 ? args.splice(at, 2)[1] : undefined;
};
/** Asynchronous, because a database server started by this process must be able to respond meanwhile. */
const run = async (argv, env = {}, program = process.execPath) => {
  const child = spawn(program, argv, { stdio: 'inherit', env: { ...process.env, ...env } });
  const [status] = await once(child, 'exit');
  return status ?? 1;
};

const otherNode = option('--node');
if (otherNode !== undefined) {
  const node = `node-${process.platform}-${process.arch}@${otherNode}`;
  const same = ['node', 'scripts/test.mjs', ...args];
  process.exit(await run(['exec', '--yes', `--package=${node}`, '--', ...same], {}, 'npm'));
}
const [onlyZone, onlyEngine] = [option('--zone'), option('--engine')];
const again = args.includes('--again');
if (again) args.splice(args.indexOf('--again'), 1);
console.log(`# Node ${process.versions.node}`);

const built = await run(['scripts/build.mjs', '--tests']);
if (built !== 0) process.exit(built);
const { openTheWay, PostgresServer } = await import('../build/test/support/postgres.js');
// Here, and not in the first test that needs it, which would close it while others still use it.
openTheWay();
/** Suites that take longest begin first: at the end of a turn one of them would run alone. */
const LONG =
  /test\/(rights|paging|allocations|durability|shared-cache|postgres|cli\.(serve|backup|log)|behaviour\/(counts|memory)|describe\/page|security\/(side-doors|sql-injection|stored-script))\./;
const found = readdirSync('build', { recursive: true })
  .map((name) => path.join('build', String(name)))
  .filter((name) => name.endsWith('.test.js') && (args.length === 0 || args.some((part) => name.includes(part))))
  .sort((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)) || (a < b ? -1 : 1));
if (found.length === 0) {
  console.error(`No test file matches ${args.join(', ')}`);
  process.exit(1);
}
/** Suites about responses and stored data, which must be the same on both engines. */
const ON_BOTH =
  /test\/((behaviour|security|describe)\/|(rights|paging|client|bulk|media|cli\.(media|import)|readme|durability)\.)/;
/**
 * Where the database does not matter, one engine is enough: markup, headers, languages, what is fetched and uploaded,
 * names of files, the log, object stores that fail, pages and forms, bytes seen before or sent ahead, the client's own
 * files, odd sites that are imported.
 */
const ON_ONE =
  /test\/(security\/(cross-site|file-paths|forged-host|forgotten-routes|secrets-in-logs|shared-caches|ssrf|stored-script|uploads)|describe\/(catalogues|discovery|languages|openapi|page)|behaviour\/(connections|pipelines|forms|forms-linked|forms-meant|forms-rights|forms-terms|shelves|repeats|pages|pages-about|pages-days|pages-month)|media\.faults|client\.files|cli\.import\.site)\./;
/** Suites that compare the engines, or concern PostgreSQL alone: they need its server. */
const WITH_SERVER = /test\/(differential|cli\.(copy|postgres)|schema\.postgres|pooler|proxies)\./;
const onBoth = found.filter((name) => ON_BOTH.test(name) && !ON_ONE.test(name));
const withServer = found.filter((name) => WITH_SERVER.test(name));
const others = found.filter((name) => !onBoth.includes(name) && !withServer.includes(name));

const turns = [
  { zone: 'Pacific/Auckland', engine: 'sqlite', files: onBoth },
  { zone: 'America/New_York', engine: 'postgres', files: onBoth },
  { zone: 'UTC', engine: 'sqlite', files: others },
  { zone: 'UTC', engine: 'postgres', files: withServer },
]
  .filter(({ engine }) => (onlyEngine ?? engine) === engine)
  .map((turn) => ({ ...turn, zone: onlyZone ?? turn.zone }));

const WATCHED = `--import=${new URL('../build/test/support/watchdog.js', import.meta.url)}`;

/** Runs test files and returns the exit status, the number of cases, and the files in which one failed. */
async function ran(files, env, atOnce) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-tests-'));
  const tap = path.join(folder, 'tap');
  try {
    const reporters = ['spec', 'stdout', 'tap', tap].flatMap((value, at) =>
      at % 2 === 0 ? [`--test-reporter=${value}`] : [`--test-reporter-destination=${value}`],
    );
    const status = await run(
      ['--enable-source-maps', WATCHED, '--test', `--test-concurrency=${atOnce}`, ...reporters, ...files],
      env,
    );
    const told = readFileSync(tap, 'utf8');
    return { status, cases: Number(/^# tests (\d+)$/m.exec(told)?.[1]), failed: failedIn(told, files) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files with failed tests, found by the source locations in the report. */
function failedIn(tap, files) {
  const places = [...tap.matchAll(/^\s*not ok .*\n\s*---\n(?:.*\n)*?\s*location: '(.*?):\d+:\d+'/gm)].map(
    ([, at]) => at,
  );
  const built = places.map((at) =>
    path.join('build', path.relative(root, at).replace(/^build\//, '')).replace(/\.ts$/, '.js'),
  );
  return files.filter((file) => built.includes(file));
}

/** Two more than there are cores, since some tests wait; but the shared servers allow no more than four. */
const AT_ONCE = Math.min(4, os.availableParallelism() + 2);
const onlyThen = [];
async function casesIn(files, env) {
  const { status, cases, failed } = await ran(files, env, AT_ONCE);
  if (status === 0) return cases;
  if (!again || failed.length === 0) process.exit(status);
  console.log(`\n# again, alone: ${failed.join(', ')}`);
  const second = await ran(failed, env, 1);
  if (second.status !== 0) process.exit(second.status);
  onlyThen.push(...failed);
  return cases;
}

const counted = new Map();
// Exit on signals, so that exit handlers stop the servers we started; a signal alone would leave them running.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
for (const { zone, engine, files } of turns) {
  if (files.length === 0) continue;
  console.log(`\n# ${engine}, host time zone ${zone}: ${files.length} test files`);
  let server;
  const env = { TZ: zone, NODE_ENV: 'test', TEST_DATABASE_URL: undefined };
  if (engine === 'postgres') {
    const own = async () => (await PostgresServer.make({ max_connections: '300' })).start();
    server = process.env.TEST_DATABASE_URL ? undefined : await own();
    env.TEST_DATABASE_URL = server?.url ?? process.env.TEST_DATABASE_URL;
  }
  const cases = await casesIn(files, env);
  await server?.remove();
  if (files === onBoth) counted.set(engine, cases);
}
console.log(
  `\n# files with a test that passed only when it ran again: ${onlyThen.length}${onlyThen.map((one) => `\n#   ${one}`).join('')}`,
);
console.log(`# cases on both engines: ${[...counted].map(([engine, cases]) => `${engine} ${cases}`).join(', ')}`);
if (new Set(counted.values()).size > 1) {
  console.error('The engines were not asked the same number of questions.');
  process.exit(1);
}
