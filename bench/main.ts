import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '../src/version.js';
import { progress } from '../test/tools/show.js';
import { CONNECTIONS, goalsOf } from './goals.js';
import { pageOf, resultsMarkdown } from './pages.js';
import { growthPlot, latencyPlot, sharePlot } from './plots.js';
import { prepareDatabase, prepareFile } from './prepare.js';
import { cellsOf, factLines, growthCells, type Report, type SizeReport, textTable } from './report.js';
import { type Measured, median, type Plan, type Result, Runner } from './run.js';
import { factsOf, READS } from './scenarios.js';
import { memory, otherServer, type Started, startBare, startKalends } from './servers.js';

const USAGE = `npm run bench -- [options]

Fills a calendar, serves it, and measures what a request costs, compared with a bare server that sends the same bytes.

  --quick                 10,000 events, every scenario very briefly, to see that it runs (writes no files)
  --sizes 10000,100000    numbers of events; default 10000,100000,1000000
  --scenarios a,b         only scenarios whose names contain one of these; --list shows the names
  --connections 1,8,64    numbers of connections; default 1,8,64; writes also with 16
  --seconds 1             duration per scenario, cold or warm, number of connections and server
  --rounds 5              number of turns that each server takes within that time; the median counts
  --seed 1 --today 2026-11-15   seed and reference date of the data; default seed 1, today in UTC
  --database URL          an empty database to use instead of a new file; one size only
  --against URL           another server on this machine to compare with, by the address of its API
  --against-pid 12,34     its processes (child processes included), to measure their CPU time
  --against-auth user:password   credentials for writing there
  --env NAME=value        a setting for our server; may be repeated
  --profile DIR           write CPU profiles of our server to this folder
  --record                also write bench/RESULTS.md and its plots
  --list, --help

Cold: no request is sent twice (each has another start time, another id, or a meaningless parameter), so no cached
response can be used. Single events, and pages of venues and categories, were read twice before; what is read "for the
first time" never. Warm: the same request again and again. CPU is the time of the server's processes, from /proc,
divided by the number of requests. With several sizes, the smallest and the largest are then read side by side, in
turns: that is the growth.
Results go to bench/results/. Changes are relative to the latest results there, in units of the bare
server's cost in the same run.`;

const OPTIONS = {
  quick: { type: 'boolean' },
  sizes: { type: 'string', default: '10000,100000,1000000' },
  scenarios: { type: 'string', default: '' },
  connections: { type: 'string' },
  seconds: { type: 'string' },
  rounds: { type: 'string' },
  seed: { type: 'string', default: '1' },
  today: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  database: { type: 'string' },
  against: { type: 'string' },
  'against-pid': { type: 'string', default: '' },
  'against-auth': { type: 'string' },
  env: { type: 'string', multiple: true, default: [] as string[] },
  profile: { type: 'string' },
  record: { type: 'boolean' },
  list: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

function optionsOf() {
  try {
    return parseArgs({ options: OPTIONS, strict: true }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const options = optionsOf();
const numbers = (text: string): number[] => {
  const read = text.split(',').filter(Boolean).map(Number);
  if (read.every((n) => Number.isFinite(n) && n > 0)) return read;
  console.error(`Not a list of numbers: ${text}`);
  process.exit(2);
};
const bar = (share: number): string =>
  `${'#'.repeat(Math.round(share * 30)).padEnd(30, '.')} ${Math.round(share * 100)}%`;

const STARTS = 3;
const FOLDER = path.resolve('data/bench');
const RESULTS = path.resolve('bench/results');
const plan: Plan = {
  connections: numbers(options.connections ?? (options.quick ? '8' : '1,8,64')),
  seconds: Number(options.seconds ?? (options.quick ? 0.15 : 1)),
  rounds: Number(options.rounds ?? (options.quick ? 1 : 5)),
  scenarios: (name) => options.scenarios === '' || options.scenarios.split(',').some((part) => name.includes(part)),
};
const settings = Object.fromEntries(options.env.map((one) => one.split(/=(.*)/s, 2) as [string, string]));
const today = Date.parse(`${options.today}T00:00:00Z`) / 1000;

async function measure(events: number): Promise<SizeReport> {
  const shown = progress();
  const say = (share: number, what: string): void => shown.say(`${events} events: ${what} ${bar(share)}`);
  const set = { events, seed: Number(options.seed), today };
  const data = await (options.database
    ? prepareDatabase(options.database, FOLDER, set, say)
    : prepareFile(FOLDER, set, say));
  const flags = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${path.resolve(options.profile)}`] : [];
  const start = () => startKalends({ ...data.settings, ...settings }, data.admin, flags);
  const starts: number[] = [];
  for (let n = 1; n < (options.quick ? 1 : STARTS); n++) {
    const one = await start();
    starts.push(one.startMilliseconds);
    await one.stop();
  }
  const ours = await start();
  starts.push(ours.startMilliseconds);
  const memoryAtRest = memory(ours.pids);
  const bare = await startBare();
  const servers: Measured[] = [{ target: ours, facts: await factsOf(ours, options.today) }];
  if (options.against) {
    const auth = options['against-auth'];
    const basic = auth === undefined ? undefined : `Basic ${Buffer.from(auth).toString('base64')}`;
    const other = otherServer(options.against, numbers(options['against-pid']), basic);
    servers.push({ target: other, facts: await factsOf(other, options.today) });
  }
  const runner = new Runner(servers, bare, plan, (text) => shown.say(`${events} events: ${text}`));
  try {
    await runner.warmUp();
    await runner.reads();
    await runner.mix(plan.seconds * 4);
    await runner.writes(plan.seconds * 4);
  } finally {
    runner.stop();
    bare.stop();
    await ours.stop();
    shown.end();
    rmSync(path.join(FOLDER, 'run'), { recursive: true, force: true });
  }
  return {
    events,
    eventsPerSecond: data.eventsPerSecond,
    megabytes: data.megabytes,
    startMilliseconds: median(starts),
    memoryAtRest,
    memoryUnderLoad: runner.mostMemory,
    results: runner.results,
  };
}

/** The reads of two sizes in turns: from one minute to the next, the machine itself may be half as fast again. */
async function sideBySide(small: number, large: number): Promise<Result[]> {
  const shown = progress();
  const what = `${small} and ${large} events side by side`;
  const running: Started[] = [];
  const servers: Measured[] = [];
  const bare = await startBare();
  const folders = ['run', 'run-large'];
  let runner: Runner | undefined;
  try {
    for (const [n, events] of [small, large].entries()) {
      const set = { events, seed: Number(options.seed), today };
      const data = await prepareFile(FOLDER, set, (share, step) => shown.say(`${step} ${bar(share)}`), folders[n]);
      const started = await startKalends({ ...data.settings, ...settings }, data.admin);
      running.push(started);
      const target = n === 0 ? started : { ...started, name: 'other' };
      servers.push({ target, facts: await factsOf(target, options.today) });
    }
    runner = new Runner(servers, bare, { ...plan, connections: [CONNECTIONS], onlyCold: true }, (text) =>
      shown.say(`${what}: ${text}`),
    );
    await runner.warmUp();
    await runner.reads();
    return runner.results;
  } finally {
    runner?.stop();
    bare.stop();
    for (const one of running) await one.stop();
    shown.end();
    for (const folder of folders) rmSync(path.join(FOLDER, folder), { recursive: true, force: true });
  }
}

function latest(): Report | undefined {
  const name = existsSync(RESULTS)
    ? readdirSync(RESULTS)
        .filter((one) => one.endsWith('.json'))
        .sort()
        .at(-1)
    : undefined;
  return name === undefined ? undefined : (JSON.parse(readFileSync(path.join(RESULTS, name), 'utf8')) as Report);
}

async function main(): Promise<void> {
  if (options.help) return console.log(USAGE);
  if (options.list) return console.log(READS.map(({ name }) => name).join('\n'));
  const earlier = latest();
  const loadBefore = os.loadavg()[0] ?? 0;
  const sizes: SizeReport[] = [];
  for (const events of options.quick ? [10_000] : numbers(options.sizes)) {
    const size = await measure(events);
    sizes.push(size);
    const before = earlier?.sizes.find((one) => one.events === events);
    console.log(`\n${factLines(size).join('\n')}\n\n${textTable(cellsOf(size, before))}`);
  }
  const [small, large] = [sizes[0], sizes.at(-1)];
  const growth = small && large && small !== large ? await sideBySide(small.events, large.events) : undefined;
  const report: Report = {
    date: new Date().toISOString(),
    command: `npm run bench -- ${process.argv.slice(2).join(' ')}`.trim(),
    version: VERSION,
    machine: `${os.cpus()[0]?.model ?? '?'}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 1e9)} GB, Node ${process.versions.node}, ${os.type()}`,
    load: [loadBefore, os.loadavg()[0] ?? 0],
    sizes,
    growth,
  };
  const goals = goalsOf(report).map(({ what, wanted, measured, reached }) => [
    reached ? 'yes' : 'no',
    what,
    measured,
    wanted,
  ]);
  if (growth) console.log(`\n${textTable(growthCells(report))}`);
  console.log(`\n${textTable([['reached', 'goal', 'measured', 'target'], ...goals])}`);
  console.log(`\n${report.machine}; load average ${report.load.map((n) => n.toFixed(1)).join(' to ')}`);
  if (!options.quick) write(report, earlier);
  const broken = sizes.flatMap(({ results }) => results).filter(({ requests }) => requests === 0);
  for (const { scenario, target } of broken) console.log(`FAILED ${scenario}: no response from ${target}`);
  process.exitCode = broken.length > 0 ? 1 : 0;
}

function write(report: Report, earlier: Report | undefined): void {
  mkdirSync(RESULTS, { recursive: true });
  const name = path.join(RESULTS, report.date.slice(0, 19).replaceAll(':', '-'));
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(5)) : value;
  writeFileSync(`${name}.json`, `${JSON.stringify(report, rounded)}\n`);
  writeFileSync(`${name}.html`, pageOf(report, earlier));
  console.log(`Wrote ${name}.json and .html`);
  if (!options.record) return;
  const plots = { growth: growthPlot(report) } as Record<string, string>;
  for (const size of report.sizes) {
    plots[`latency-${size.events}`] = latencyPlot(size);
    plots[`share-${size.events}`] = sharePlot(size);
  }
  mkdirSync('bench/plots', { recursive: true });
  for (const [plot, content] of Object.entries(plots))
    if (content) writeFileSync(`bench/plots/${plot}.svg`, `${content}\n`);
  writeFileSync(
    'bench/RESULTS.md',
    resultsMarkdown(
      report,
      earlier,
      Object.keys(plots).filter((plot) => plots[plot]),
    ),
  );
}

await main();
