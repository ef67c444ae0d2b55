import { freshDatabase } from '../support/engine.js';
import { addFixtures } from './fuzz.fixtures.js';
import { grammatical } from './fuzz.grammar.js';
import { shownRequest, signatureOf } from './fuzz.judge.js';
import { mutated } from './fuzz.mutate.js';
import { rawBytes } from './fuzz.raw.js';
import type { Asked } from './fuzz.request.js';
import { type Outcome, Sender } from './fuzz.send.js';
import { shrunk } from './fuzz.shrink.js';
import { randomOf } from './random.js';
import { count, megabytes, optionsOf, progress, secondsSince, tally, verdict } from './show.js';
import {
  damageOf,
  memoryOf,
  NO_LIMITS,
  newSite,
  type Server,
  type Site,
  serve,
  stopServer,
  temporaryFolder,
} from './site.js';

/** Sends generated requests to a real server and looks for anything that must never happen. */

const USAGE = 'fuzz [--requests N] [--seed S] [--seconds T] [--connections N] [--only INDEX]';
const CONNECTIONS = 8;
const options = optionsOf(USAGE, { requests: 20_000, seed: 1, seconds: 3600, connections: CONNECTIONS, only: -1 });
const MOST_RAW = 32;
const MOST_SHOWN = 12;
const MOST_LOOKED_AT = 60;

/** The request with this number: the seed and the number say all. */
function requestOf(index: number): Asked {
  const random = randomOf(options.seed, index);
  const kind = random.weighed({ grammar: 55, mutation: 40, raw: 5 });
  if (kind === 'raw') return rawBytes(random);
  return kind === 'grammar' ? grammatical(random, index) : mutated(random, index);
}

interface Failing {
  index: number;
  asked: Asked;
  problem: string;
  times: number;
}
interface Seen {
  sent: number;
  failed: number;
  kinds: Map<string, number>;
  statuses: Map<string, number>;
  failing: Map<string, Failing>;
  slowest: { ms: number; index: number };
  memory: number[];
  /** The largest growth between two looks, and the number of requests sent by then. */
  step: { bytes: number; index: number };
}

async function run(site: Site, server: Server): Promise<Seen> {
  const seen: Seen = {
    sent: 0,
    failed: 0,
    kinds: new Map(),
    statuses: new Map(),
    failing: new Map(),
    slowest: { ms: 0, index: 0 },
    memory: [],
    step: { bytes: 0, index: 0 },
  };
  const start = performance.now();
  const shown = progress();
  const sampling = setInterval(() => {
    const held = memoryOf(server.pid);
    const grown = held - (seen.memory.at(-1) ?? held);
    if (grown > seen.step.bytes) seen.step = { bytes: grown, index: seen.sent };
    seen.memory.push(held);
    const rate = Math.round(seen.sent / ((performance.now() - start) / 1000));
    shown.say(`${seen.sent} of ${options.requests} requests, ${rate}/s, ${seen.failed} failed, ${megabytes(held)}`);
  }, 100);
  const note = (index: number, asked: Asked, { how, problem, ms }: Outcome): void => {
    seen.sent++;
    count(seen.kinds, asked.kind);
    count(seen.statuses, how);
    if (ms > seen.slowest.ms && asked.kind !== 'raw') seen.slowest = { ms, index };
    if (problem === undefined) return;
    seen.failed++;
    const key = signatureOf(asked, problem);
    const known = seen.failing.get(key);
    if (known) known.times++;
    else seen.failing.set(key, { index, asked, problem, times: 1 });
  };
  const alone = options.only >= 0;
  let next = alone ? options.only : 0;
  const last = alone ? options.only + 1 : options.requests;
  const more = (): boolean =>
    next < last && server.child.exitCode === null && performance.now() - start < options.seconds * 1000;
  const aside = new Set<Promise<void>>();
  const worker = async (): Promise<void> => {
    const sender = new Sender(site, server.port);
    while (more()) {
      const index = next++;
      const asked = requestOf(index);
      const sent = sender.send(asked).then((outcome) => note(index, asked, outcome));
      // Raw bytes mostly wait: they need no place in the row.
      if (asked.raw) {
        const going = sent.finally(() => aside.delete(going));
        aside.add(going);
        if (aside.size >= MOST_RAW) await Promise.race(aside);
      } else await sent;
    }
    sender.close();
  };
  await Promise.all(Array.from({ length: options.connections }, worker));
  await Promise.all(aside);
  clearInterval(sampling);
  shown.end();
  return seen;
}

const average = (values: number[]): number => values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);

/** Flat: what it holds at the end against what it held when it had warmed up. */
function memoryProblem(memory: number[]): { text: string; problem?: string } {
  const early = average(memory.slice(Math.floor(memory.length * 0.2), Math.ceil(memory.length * 0.25)));
  const late = average(memory.slice(Math.floor(memory.length * 0.95)));
  const text = `${megabytes(early)} after a fifth, ${megabytes(late)} at the end, ${megabytes(Math.max(0, ...memory))} at most`;
  const grew = late > early * 2 && late - early > 150 * 1_048_576;
  return grew ? { text, problem: `memory grew: ${text}` } : { text };
}

/** The reason is in the log: the answer does not tell it. */
function lastError(server: Server): string {
  try {
    const { err, msg } = JSON.parse(server.complaints.at(-1) ?? '');
    return `${msg}: ${(err?.stack ?? '').split('\n').slice(0, 4).join(' | ')}`;
  } catch {
    return 'nothing';
  }
}

async function showFailing(failing: Failing[], site: Site, server: Server): Promise<void> {
  const reasons = new Set<string>();
  let hidden = 0;
  for (const { index, asked, problem, times } of failing.slice(0, MOST_LOOKED_AT)) {
    const smaller = await smallerOf(asked, problem, site, server);
    const reason = / 5\d\d/.test(problem) ? lastError(server) : problem;
    if (reasons.has(reason) || reasons.size >= MOST_SHOWN) {
      hidden++;
      continue;
    }
    reasons.add(reason);
    console.log(`\nFAILED request ${index} of seed ${options.seed} (${asked.kind}, ${times} alike): ${problem}`);
    console.log(`  ${shownRequest(smaller ?? asked)}`);
    if (reason !== problem) console.log(`  log: ${reason}`);
    if (!smaller && !asked.raw) console.log('  (not made smaller: sent again alone, it did not fail)');
    console.log(`  again: npm run fuzz -- --seed ${options.seed} --only ${index}`);
  }
  hidden += Math.max(0, failing.length - MOST_LOOKED_AT);
  if (hidden > 0) console.log(`\n… and ${hidden} more kinds of failure, with reasons shown above or not looked at.`);
}

async function smallerOf(asked: Asked, problem: string, site: Site, server: Server): Promise<Asked | undefined> {
  if (server.child.exitCode !== null) return undefined;
  const sender = new Sender(site, server.port);
  const start = problem.slice(0, 12);
  // One that waits in vain takes its time each time.
  const budget = problem.startsWith('no answer') ? 6 : 250;
  try {
    return await shrunk(asked, async (one) => (await sender.send(one)).problem?.startsWith(start) === true, budget);
  } finally {
    sender.close();
  }
}

const start = performance.now();
// TEST_DATABASE_URL names a PostgreSQL server to use.
const folder = temporaryFolder('fuzz');
const database = await freshDatabase(folder);
const site = await newSite(folder, NO_LIMITS, database.url);
const server = await serve(site);
await addFixtures(site, server.port);
const seen = await run(site, server);
await showFailing([...seen.failing.values()], site, server);

const problems: string[] = [];
const wanted = options.only >= 0 ? 1 : options.requests;
if (seen.sent < wanted) problems.push(`only ${seen.sent} of ${wanted} requests were sent`);
const ending = await stopServer(server);
if (ending) problems.push(ending);
const unasked = server.complaints.filter((line) => !line.includes('"msg":"request failed"') || seen.failed === 0);
if (unasked.length > 0)
  problems.push(`${unasked.length} errors in its output, the first: ${unasked[0]?.slice(0, 1500)}`);
const memory = memoryProblem(seen.memory);
if (memory.problem) problems.push(memory.problem);
const damage = await damageOf(site);
if (damage.length > 0) problems.push(`kalends check: ${damage.slice(0, 5).join(' ')}`);
await database.drop();

console.log(`\nseed ${options.seed}: ${seen.sent} requests in ${secondsSince(start)} (${tally(seen.kinds)})`);
console.log(`answers: ${tally(seen.statuses)}`);
console.log(
  `memory: ${memory.text}, largest step ${megabytes(seen.step.bytes)} before request ${seen.step.index}; slowest answer ${Math.round(seen.slowest.ms)} ms (request ${seen.slowest.index})`,
);
for (const problem of problems) console.log(`FAILED ${problem}`);
verdict(seen.sent - seen.failed, seen.failed + problems.length);
