import { type Client, type Loaded, startClient } from './client.js';
import { changedEvent, eventBeyond, type Facts, newEvent, popular, READS, type Scenario } from './scenarios.js';
import {
  ask,
  type Bare,
  bytesFor,
  memory,
  processorTime,
  type Question,
  recorded,
  type Target,
  withChildren,
} from './servers.js';

/** Measures scenario by scenario, and within each the servers in turn, so that all meet the same conditions. */

export interface Result {
  scenario: string;
  kind: Scenario['kind'] | 'write' | 'mix';
  temperature: 'cold' | 'warm';
  connections: number;
  target: string;
  requests: number;
  seconds: number;
  perSecond: number;
  /** Milliseconds of processor time per request; null if the processes are unknown. */
  cpu: number | null;
  /** The same for each turn; the other servers had theirs just before or after. Absent in old results. */
  turns?: number[];
  p50: number;
  p90: number;
  p99: number;
  most: number;
  bytesEach: number;
  statuses: Record<number, number>;
  failures: number;
  histogram: number[];
  /** The Content-Encoding of the responses. */
  encoding?: string | undefined;
}

export interface Plan {
  connections: number[];
  /** For each server, scenario, temperature and number of connections, divided into as many turns as `rounds`. */
  seconds: number;
  rounds: number;
  scenarios: (name: string) => boolean;
  /** No repeated requests. */
  onlyCold?: boolean;
}

/** The goals of writes are for this number of connections. */
export const WRITERS = 16;

/** How many different responses the bare server sends in turn, in the place of cold ones. */
const COMPARED = 16;

/** The most requests that may be needed per second: prepared beforehand, so that the client only sends. */
const MOST_PER_SECOND = 8000;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}

function joined(
  parts: (Loaded & { cpu: number | null })[],
): Omit<Result, 'scenario' | 'kind' | 'temperature' | 'connections' | 'target'> {
  const sum = (of: (part: Loaded) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const requests = sum((part) => part.requests);
  const weighed = (of: (part: Loaded) => number): number =>
    sum((part) => of(part) * part.requests) / Math.max(1, requests);
  const statuses: Record<number, number> = {};
  const histogram: number[] = [];
  for (const part of parts) {
    for (const [status, n] of Object.entries(part.statuses))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + n;
    for (const [bucket, n] of part.histogram.entries()) histogram[bucket] = (histogram[bucket] ?? 0) + n;
  }
  const told = parts.filter((part) => part.requests > 0);
  const isKnown = told.every((part) => part.cpu !== null) && told.length > 0;
  const turns = told.map((part) => (part.cpu ?? 0) / part.requests);
  return {
    requests,
    seconds: sum((part) => part.seconds),
    // The median turn: the machine has other things to do now and then, which is not the server's cost.
    perSecond: median(told.map((part) => part.requests / part.seconds)),
    cpu: isKnown ? median(turns) : null,
    ...(isKnown ? { turns } : {}),
    p50: weighed((part) => part.p50),
    p90: weighed((part) => part.p90),
    p99: weighed((part) => part.p99),
    most: Math.max(...parts.map((part) => part.most)),
    bytesEach: sum((part) => part.bytes) / Math.max(1, requests),
    statuses,
    failures: sum((part) => part.failures),
    histogram: Array.from(histogram, (n) => n ?? 0),
  };
}

export interface Measured {
  target: Target;
  facts: Facts;
}

export class Runner {
  readonly results: Result[] = [];
  /** The most memory that our own server was seen to use. */
  mostMemory = 0;
  private readonly client: Client = startClient();
  private readonly beside: Client = startClient();
  /** How many different requests each server has received so far: none is to be repeated. */
  private readonly asked = new Map<string, number>();

  constructor(
    private readonly servers: Measured[],
    private readonly bare: Bare,
    private readonly plan: Plan,
    private readonly say: (text: string) => void,
  ) {}

  stop(): void {
    this.client.stop();
    this.beside.stop();
  }

  private async load(target: Target, requests: Buffer[], connections: number, seconds: number, once = false) {
    const pids = withChildren(target.pids);
    const before = processorTime(pids);
    const loaded = await this.client.load({
      host: target.host,
      port: target.port,
      connections,
      milliseconds: seconds * 1000,
      requests,
      once,
    });
    // Threads that started meanwhile count, too.
    const cpu = target.pids.length > 0 ? processorTime(withChildren(target.pids)) - before : null;
    if (target === this.servers[0]?.target) this.mostMemory = Math.max(this.mostMemory, memory(pids));
    return { ...loaded, cpu };
  }

  /** Code is slow until it has run some thousand times, in the client, too: only warm processes are measured. */
  async warmUp(): Promise<void> {
    this.say('warming up');
    const each = this.plan.seconds;
    const most = Math.ceil(each * MOST_PER_SECOND);
    for (const server of this.servers) {
      const { target, facts } = server;
      const asks = (of: (n: number) => Question): Question[] => Array.from({ length: most }, (_, n) => of(n));
      const writes = [eventBeyond.bind(undefined, facts.today), changedEvent.bind(undefined, facts)];
      for (const of of target.authorization === undefined ? [] : writes) await this.warmed(target, asks(of), each * 4);
      const often = asks((n) => popular(facts, n));
      await this.warmed(target, often, each * 2);
      for (const scenario of READS.filter(({ name, cold, most }) => cold && !most && this.plan.scenarios(name))) {
        await this.warmed(target, await this.questions(scenario, 'cold', server, each), each);
        // Everything twice: what is then left to a cold read is what each of them costs.
        const { cold, about } = scenario;
        if (cold && about)
          await this.warmed(
            target,
            Array.from({ length: about(facts) * 2 }, (_, n) => cold(facts, n)),
            60,
          );
      }
    }
    await this.bare.give([recorded(await ask((this.servers[0] as Measured).target, '/events'))]);
    await this.load(this.bare, [bytesFor(this.bare, { path: '/events' })], 4, this.plan.seconds);
  }

  private async warmed(target: Target, questions: Question[], seconds: number): Promise<void> {
    const requests = questions.map((question) => bytesFor(target, question));
    await this.load(target, requests, 8, seconds, true);
  }

  async reads(): Promise<void> {
    for (const scenario of READS) {
      if (!this.plan.scenarios(scenario.name)) continue;
      for (const connections of this.plan.connections) {
        if (scenario.cold) await this.read(scenario, 'cold', connections);
        if (scenario.warm && !this.plan.onlyCold) await this.read(scenario, 'warm', connections);
      }
    }
  }

  private async read(scenario: Scenario, temperature: 'cold' | 'warm', connections: number): Promise<void> {
    const { seconds, rounds } = this.plan;
    this.say(`${scenario.name}, ${temperature}, ${connections} connections`);
    const parts = new Map<string, (Loaded & { cpu: number | null })[]>();
    const note = (name: string, part: Loaded & { cpu: number | null }): void =>
      void parts.set(name, [...(parts.get(name) ?? []), part]);
    let encoding: string | undefined;
    for (let round = 0; round < rounds; round++) {
      for (const server of this.servers) {
        const questions = await this.questions(scenario, temperature, server, seconds / rounds);
        const requests = questions.map((question) => bytesFor(server.target, question));
        if (server === this.servers[0]) {
          const sample = questions.slice(0, temperature === 'warm' ? 1 : scenario.most ? 2 : COMPARED);
          const answers = [];
          for (const question of sample) answers.push(recorded(await ask(server.target, question)));
          encoding = answers[0]?.headers['content-encoding'];
          await this.bare.give(answers);
          // Requests that were sent to record the responses are not sent again.
          if (temperature === 'cold') requests.splice(0, sample.length);
        }
        note(
          server.target.name,
          await this.load(server.target, requests, connections, seconds / rounds, temperature === 'cold'),
        );
      }
      const same = [bytesFor(this.bare, { path: '/events' })];
      note('bare', await this.load(this.bare, same, connections, seconds / rounds));
    }
    for (const [target, some] of parts) {
      const { name, kind } = scenario;
      this.results.push({ scenario: name, kind, temperature, connections, target, ...joined(some), encoding });
    }
  }

  private async questions(
    scenario: Scenario,
    temperature: 'cold' | 'warm',
    { target, facts }: Measured,
    seconds: number,
  ): Promise<Question[]> {
    const { cold, most } = scenario;
    const warm = scenario.warm?.(facts) ?? { path: '' };
    if (scenario.conditional) {
      const tag = (await ask(target, warm)).headers.get('etag');
      return [{ ...warm, headers: { 'If-None-Match': tag ?? '"none"' } }];
    }
    if (temperature === 'warm' || !cold) {
      await ask(target, warm);
      return [warm];
    }
    const key = `${target.name} ${scenario.name}`;
    const from = this.asked.get(key) ?? 0;
    const { connections, rounds } = this.plan;
    const many = most
      ? Math.floor(most(facts) / connections.length / rounds)
      : Math.ceil(seconds * MOST_PER_SECOND) + COMPARED;
    this.asked.set(key, from + many);
    return Array.from({ length: many }, (_, n) => cold(facts, from + n));
  }

  /** Only servers that allow it are written to. First as the goals want it: what is written makes the calendar larger. */
  private *writing(what: string): Generator<[connections: number, server: Measured]> {
    for (const connections of new Set([WRITERS, ...this.plan.connections])) {
      this.say(`${what}, ${connections} connections`);
      for (const server of this.servers) if (server.target.authorization !== undefined) yield [connections, server];
    }
  }

  /** `readers`: connections that read at the same time. */
  async writes(seconds: number): Promise<void> {
    const kinds: [name: string, of: (facts: Facts, n: number) => Question, readers: number][] = [
      ['create', ({ today }, n) => newEvent(today, n), 0],
      ['create, readers beside', ({ today }, n) => newEvent(today, n), 4],
      ['update', changedEvent, 0],
    ];
    for (const [name, of, readers] of kinds) {
      if (!this.plan.scenarios(name)) continue;
      for (const [connections, { target, facts }] of this.writing(name)) {
        const start = this.results.length * 100_000;
        const requests = Array.from({ length: 20_000 }, (_, n) => bytesFor(target, of(facts, start + n)));
        const reading = { host: target.host, port: target.port, connections: readers, milliseconds: seconds * 1000 };
        const asked = Array.from({ length: 500 }, (_, n) => bytesFor(target, popular(facts, n)));
        const [loaded] = await Promise.all([
          this.load(target, requests, connections, seconds),
          readers > 0 ? this.beside.load({ ...reading, requests: asked }) : undefined,
        ]);
        this.results.push({
          scenario: name,
          kind: 'write',
          temperature: 'cold',
          connections,
          target: target.name,
          ...joined([loaded]),
        });
      }
    }
  }

  /** The same reads with and without writes among them. */
  async mix(seconds: number): Promise<void> {
    for (const [name, every] of [
      ['all reads', 0],
      ['95% reads, 5% writes', 20],
    ] as const) {
      if (!this.plan.scenarios(name)) continue;
      for (const [connections, { target, facts }] of this.writing(name)) {
        const start = this.results.length * 100_000;
        const requests = Array.from({ length: 10_000 }, (_, n) => {
          const writes = every > 0 && n % every === 0;
          const written = n % (every * 2) === 0 ? newEvent(facts.today, start + n) : changedEvent(facts, start + n);
          return bytesFor(target, writes ? written : popular(facts, n));
        });
        this.results.push({
          scenario: name,
          kind: 'mix',
          temperature: 'warm',
          connections,
          target: target.name,
          ...joined([await this.load(target, requests, connections, seconds)]),
        });
      }
    }
  }
}
