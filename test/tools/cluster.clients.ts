import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { API } from './site.js';

/** Clients of a cluster: they come through the proxy, ask again when they are refused, and remember what they were told. */

/** Strangers read; who is signed in writes, and reads what it wrote. */
export type Who = 'stranger' | 'writer';

export interface Told {
  answered: number;
  /** Answers that were no answer: refused, cut off, 5xx. Each was asked again. */
  errors: number;
  /** The longest that somebody waited until it was answered, in milliseconds. */
  pause: number;
}

export interface Tally extends Record<Who, Told> {
  /** A caller did not see what it had written. */
  staleOwn: number;
  /** A stranger did not see what was written two seconds before it asked. */
  staleShared: number;
  /** Answers that should never be given, whatever happens. */
  wrong: string[];
}

export const noTally = (): Tally => ({
  stranger: { answered: 0, errors: 0, pause: 0 },
  writer: { answered: 0, errors: 0, pause: 0 },
  staleOwn: 0,
  staleShared: 0,
  wrong: [],
});

interface Known {
  id: number;
  name: string;
  /** The version that was answered last, and when; a later one may be on its way. */
  version: number;
  at: number;
}

/** Refused often enough, it is given up: nothing here may last that long. */
const GIVEN_UP_AFTER = 60_000;
const PATIENCE = 20_000;
const FRESH_ENOUGH = 2000;
const WRITERS = 8;
const READERS = 4;

export class Clients {
  tally = noTally();
  readonly known: Known[] = [];
  private running = true;
  private readonly loops: Promise<void>[] = [];
  private readonly asking = new Set<Promise<unknown>>();

  constructor(
    private readonly home: string,
    private readonly authorization: string,
  ) {}

  start(): void {
    for (let n = 0; n < WRITERS; n++) this.loops.push(this.write(`w${n}`));
    for (let n = 0; n < READERS; n++) this.loops.push(this.read());
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.loops);
  }

  private async write(who: string): Promise<void> {
    for (let n = 0; this.running; n++) {
      const name = `${who}-${n}`;
      const body = { title: `${name} v1`, start_date: 'tomorrow 10:00', end_date: 'tomorrow 11:00', status: 'publish' };
      const key = randomUUID();
      const post = () => this.ask('writer', 'POST', '/events', body, key);
      // Some are impatient and ask twice at once, most likely two instances; of some the answer was lost on its way.
      const [made] = n % 4 === 1 ? await Promise.all([post(), post()]) : [await post()];
      if (!made) return;
      if (n % 4 === 3) await post();
      const event: Known = { id: Number(made.id), name, version: 1, at: performance.now() };
      this.known.push(event);
      await this.readOwn(event);
      for (let version = 2; version < 4 && this.running; version++) {
        await sleep(20);
        await this.ask('writer', 'PATCH', `/events/${event.id}`, { title: `${name} v${version}` });
        Object.assign(event, { version, at: performance.now() });
        await this.readOwn(event);
      }
    }
  }

  private async readOwn({ id, name, version }: Known): Promise<void> {
    const found = await this.ask('writer', 'GET', `/events/${id}`);
    if (found && found.title !== `${name} v${version}`) this.tally.staleOwn++;
  }

  /** Anonymous: one event, or how many there are. */
  private async read(): Promise<void> {
    for (let n = 0; this.running; n++) {
      await sleep(10);
      const asked = performance.now();
      const old = this.known.filter(({ at }) => at < asked - FRESH_ENOUGH);
      if (old.length === 0) continue;
      if (n % 4 === 0) {
        const list = await this.ask('stranger', 'GET', '/events?per_page=1');
        if (list && Number(list.total) < old.length) this.tally.staleShared++;
        continue;
      }
      const event = old[Math.floor(Math.random() * old.length)] as Known;
      const { version } = event;
      const found = await this.ask('stranger', 'GET', `/events/${event.id}`);
      const shown = Number(/ v(\d+)$/.exec(String(found?.title))?.[1] ?? 0);
      if (found && shown < version) this.tally.staleShared++;
    }
  }

  /** When everything that is being asked now was answered. */
  async settled(): Promise<void> {
    await Promise.all(this.asking);
  }

  private async ask(
    who: Who,
    method: string,
    at: string,
    body?: unknown,
    key?: string,
  ): Promise<Record<string, unknown> | undefined> {
    const asked = this.untilAnswered(who, method, at, body, key);
    this.asking.add(asked);
    try {
      return await asked;
    } finally {
      this.asking.delete(asked);
    }
  }

  /** 4xx is an answer, and here always a wrong one, except that a request with the same key is still running. */
  private async untilAnswered(
    who: Who,
    method: string,
    at: string,
    body?: unknown,
    key?: string,
  ): Promise<Record<string, unknown> | undefined> {
    const start = performance.now();
    const headers = {
      ...(who === 'writer' ? { authorization: this.authorization } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    };
    while (performance.now() - start < GIVEN_UP_AFTER) {
      const answer = await this.once(method, at, headers, body);
      const told = this.tally[who];
      if (typeof answer === 'object') {
        told.answered++;
        told.pause = Math.max(told.pause, performance.now() - start);
        return answer;
      }
      // What was made before and is not found is stale, or lost.
      if (answer === 404 && method === 'GET') {
        this.tally[who === 'writer' ? 'staleOwn' : 'staleShared']++;
        return undefined;
      }
      if (answer >= 400 && answer < 500 && answer !== 409) {
        this.tally.wrong.push(`${method} ${at}: ${answer}`);
        return undefined;
      }
      if (answer !== 409) told.errors++;
      await sleep(100);
    }
    this.tally.wrong.push(`${method} ${at}: no answer in ${GIVEN_UP_AFTER / 1000} s`);
    return undefined;
  }

  /** The body, or the status of what is none; 0 when there was no answer at all. */
  private async once(
    method: string,
    at: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<Record<string, unknown> | number> {
    try {
      const answer = await fetch(`${this.home}${API}${at}`, {
        method,
        headers,
        signal: AbortSignal.timeout(PATIENCE),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return answer.status < 300 ? (JSON.parse(text) as Record<string, unknown>) : answer.status;
    } catch {
      return 0;
    }
  }
}
