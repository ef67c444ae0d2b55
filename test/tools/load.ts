import { sql } from 'kysely';
import { openDatabase } from '../../src/db/open.js';
import { type Random, randomOf } from './random.js';
import { count, megabytes, optionsOf, progress, secondsSince, tally, verdict } from './show.js';
import {
  API,
  damageOf,
  memoryOf,
  NO_LIMITS,
  newSite,
  processorTimeOf,
  type Server,
  type Site,
  serve,
  temporaryFolder,
} from './site.js';
import { type Answer, jsonOf, jsonRequest, Line, NoAnswer } from './wire.js';

/** Many connections that stay open, reading and writing at once; then the server is told to stop while they go on. */

const USAGE = 'load [--connections N] [--seconds T] [--seed S] [--rate REQUESTS_PER_SECOND] [--limits]';
const options = optionsOf(USAGE, { connections: 1000, seconds: 60, seed: 1, rate: 0, limits: false });
const EVENTS = 500;
const WRITES = 0.1;
const PATIENCE = 60_000;

interface Seen {
  times: { reads: number[]; writes: number[] };
  statuses: Map<number, number>;
  errors: Map<string, number>;
  /** Titles by id, as answered: what must be in the database at the end. */
  written: Map<number, string>;
  memory: number;
}
interface Phase {
  stopping: boolean;
  over: boolean;
}

const eventBody = (title: string, day: number) => ({
  title,
  start_date: `2031-01-${String((day % 28) + 1).padStart(2, '0')} 10:00:00`,
  end_date: `2031-01-${String((day % 28) + 1).padStart(2, '0')} 11:00:00`,
  venue: `Venue ${day % 40}`,
  organizer: `Organizer ${day % 20}`,
  categories: [`Category ${day % 12}`],
  tags: [`Tag ${day % 30}`],
});

/** Something to read, in the way clients fill a calendar. */
async function fill(site: Site, port: number): Promise<number[]> {
  const ids: number[] = [];
  const some = async (from: number): Promise<void> => {
    const line = new Line(port, PATIENCE);
    for (let n = from; n < EVENTS; n += 8) {
      const body = eventBody(`Event ${n}`, n);
      const answer = await line.ask(jsonRequest('POST', `${API}/events`, site.users.administrator, body));
      if (answer.status !== 201) throw new Error(`The calendar could not be filled: ${answer.status} ${answer.body}`);
      ids.push((jsonOf(answer) as { id: number }).id);
    }
    line.close();
  };
  await Promise.all(Array.from({ length: 8 }, (_, n) => some(n)));
  return ids.sort((a, b) => a - b);
}

function readOf(random: Random, site: Site, ids: number[]): Buffer {
  const path = random.weighed({
    '/events?start_date=2031-01-01&end_date=2031-02-01': 20,
    '/events?per_page=20&start_date=2031-01-01&end_date=2031-02-01&page=': 15,
    '/events/': 25,
    '/events/by-slug/event-': 10,
    '/events?start_date=2031-01-01&end_date=2031-02-01&search=event ': 6,
    '/events?start_date=2031-01-01&end_date=2031-02-01&categories=category-3': 8,
    '/venues': 6,
    '/organizers': 4,
    '/categories?hide_empty=false': 4,
    '/tags': 2,
  });
  const end = path.endsWith('/events/')
    ? random.pick(ids)
    : path.endsWith('page=')
      ? random.int(1, 8)
      : /event-$|event $/.test(path)
        ? random.int(1, EVENTS - 1)
        : '';
  const as = random.chance(0.3) ? site.users.editor : undefined;
  return jsonRequest('GET', encodeURI(`${API}${path}${end}`), as);
}

/** A write and what to remember of it when it was answered. */
function writeOf(random: Random, site: Site, name: string, mine: number[]): { bytes: Buffer; title: string } {
  const title = `Written ${name}`;
  const id = mine.length > 0 && random.chance(0.5) ? random.pick(mine) : undefined;
  return {
    title,
    bytes:
      id === undefined
        ? jsonRequest('POST', `${API}/events`, site.users.author, eventBody(title, random.int(0, 1000)))
        : jsonRequest('PATCH', `${API}/events/${id}`, site.users.author, { title }),
  };
}

/** All of them are open before anything is measured. */
async function connections(port: number): Promise<Line[]> {
  const lines = Array.from({ length: options.connections }, () => new Line(port, PATIENCE));
  for (let n = 0; n < lines.length; n += 50) await Promise.all(lines.slice(n, n + 50).map((line) => line.connect()));
  return lines;
}

/** Asks one thing after the other; how many answers it got before the server was told to stop. */
async function client(
  number: number,
  site: Site,
  line: Line,
  ids: number[],
  seen: Seen,
  phase: Phase,
): Promise<number> {
  const random = randomOf(options.seed, number);
  let answers = 0;
  const mine: number[] = [];
  const gap = options.rate > 0 ? (options.connections / options.rate) * 1000 : 0;
  let due = performance.now() + random.next() * Math.max(gap, 1000);
  for (let n = 0; !phase.over; n++) {
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (phase.over) break;
    due = Math.max(due + gap, performance.now() - gap);
    const write = random.chance(WRITES) ? writeOf(random, site, `${number}-${n}`, mine) : undefined;
    const bytes = write?.bytes ?? readOf(random, site, ids);
    const start = performance.now();
    try {
      const answer = await line.ask(bytes);
      if (!phase.stopping) {
        seen.times[write ? 'writes' : 'reads'].push(performance.now() - start);
        answers++;
      }
      note(answer, write?.title, seen, phase, mine);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      // A server that stops closes what is at rest and takes nothing new; what it began to answer it finishes.
      if (phase.stopping && error.how !== 'cut') break;
      count(seen.errors, `${phase.stopping ? 'while stopping: ' : ''}${error.message}`);
    }
  }
  line.close();
  return answers;
}

function note(answer: Answer, title: string | undefined, seen: Seen, phase: Phase, mine: number[]): void {
  const { status } = answer;
  count(seen.statuses, status);
  if (title !== undefined && (status === 200 || status === 201)) {
    const { id } = jsonOf(answer) as { id: number };
    seen.written.set(id, title);
    if (!mine.includes(id)) mine.push(id);
  } else if (status >= 400 && status !== 429 && !(phase.stopping && status === 503)) {
    count(seen.errors, `${status} ${answer.body.toString('utf8', 0, 150)}`);
  }
}

/** The time that this share of the answers took at most. */
function percentile(times: number[], share: number): string {
  const sorted = Float64Array.from(times).sort();
  return `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)} ms`;
}
const shownTimes = (name: string, times: number[]): string =>
  `${name}: ${times.length}, p50 ${percentile(times, 0.5)}, p90 ${percentile(times, 0.9)}, p99 ${percentile(times, 0.99)}, longest ${percentile(times, 1)}`;

/** Told to stop under load: it finishes what runs, and ends in order. */
async function stopUnderLoad(server: Server, phase: Phase, clients: Promise<unknown>): Promise<string[]> {
  phase.stopping = true;
  server.child.kill('SIGTERM');
  const late = setTimeout(() => server.child.kill('SIGKILL'), 30_000);
  const [code, signal] = await server.ended;
  clearTimeout(late);
  phase.over = true;
  await clients;
  return code === 0 ? [] : [`told to stop under load, the server ended with ${code ?? signal}`];
}

async function lostWrites(site: Site, written: Map<number, string>): Promise<string[]> {
  const database = await openDatabase(site.file);
  const rows = await database.read((db) => db.all(sql<{ id: number; title: string }>`SELECT id, title FROM event`));
  await database.close();
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  return [...written]
    .filter(([id, title]) => titles.get(id) !== title)
    .map(([id, title]) => `${id} ${title}: ${titles.get(id)}`);
}

const start = performance.now();
const site = await newSite(temporaryFolder('load'), options.limits ? {} : NO_LIMITS);
const server = await serve(site);
const ids = await fill(site, server.port);
const atRest = memoryOf(server.pid);
const seen: Seen = {
  times: { reads: [], writes: [] },
  statuses: new Map(),
  errors: new Map(),
  written: new Map(),
  memory: 0,
};
const phase: Phase = { stopping: false, over: false };
const shown = progress();
const lines = await connections(server.port);
const began = performance.now();
const usedBefore = processorTimeOf(server.pid);
const sampling = setInterval(() => {
  seen.memory = Math.max(seen.memory, memoryOf(server.pid));
  const done = seen.times.reads.length + seen.times.writes.length;
  shown.say(`${secondsSince(began)}: ${done} answers, ${tally(seen.statuses)}, ${megabytes(memoryOf(server.pid))}`);
}, 250);
const clients = Promise.all(lines.map((line, n) => client(n + 1, site, line, ids, seen, phase)));
await new Promise((resolve) => setTimeout(resolve, options.seconds * 1000));
const answers = seen.times.reads.length + seen.times.writes.length;
const seconds = (performance.now() - began) / 1000;
const used = processorTimeOf(server.pid) - usedBefore;
const problems = await stopUnderLoad(server, phase, clients);
clearInterval(sampling);
shown.end();

const each = (await clients).sort((a, b) => a - b);
const lost = await lostWrites(site, seen.written);
if (lost.length > 0) problems.push(`${lost.length} answered writes are lost: ${lost.slice(0, 3).join('; ')}`);
for (const [error, n] of seen.errors) problems.push(`${n} times ${error}`);
if (answers === 0) problems.push('nothing was answered');
if (server.complaints.length > 0)
  problems.push(`${server.complaints.length} errors in its output: ${server.complaints[0]}`);
problems.push(...(await damageOf(site)).map((one) => `kalends check: ${one}`));

console.log(
  `${options.connections} connections, ${seconds.toFixed(1)} s, seed ${options.seed}: ${Math.round(answers / seconds)} requests/s, ${(used / Math.max(1, answers)).toFixed(2)} ms of processor time each`,
);
console.log(shownTimes('reads', seen.times.reads));
console.log(shownTimes('writes', seen.times.writes));
console.log(`answers: ${tally(seen.statuses)}; ${seen.written.size} events written, all looked up after the stop`);
console.log(
  `answers per connection: ${each[0]} at least, ${each[Math.floor(each.length / 2)]} in the middle, ${each.at(-1)} at most`,
);
console.log(`memory: ${megabytes(atRest)} before, ${megabytes(seen.memory)} at most; ${secondsSince(start)} in all`);
for (const problem of problems) console.log(`FAILED ${problem}`);
verdict(answers - [...seen.errors.values()].reduce((sum, n) => sum + n, 0), problems.length);
