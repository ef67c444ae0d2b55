import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, mock, test } from 'node:test';
import fc from 'fast-check';
import { type Step, SURVEY, step } from './differential.steps.js';
import { freshPostgres, postgresServer } from './support/engine.js';
import { type Made, questionOf, told } from './support/questions.js';
import { startServer, type TestServer } from './support/server.js';

/**
 * The same questions to two servers, one on each engine: every answer must be the same, to the byte. The clock stands
 * still but for a second between questions. DIFFERENTIAL_RUNS=100 asks more, DIFFERENTIAL_SEED asks others.
 */
const RUNS = Number(process.env.DIFFERENTIAL_RUNS ?? 4);
const SEED = Number(process.env.DIFFERENTIAL_SEED ?? 5);
const STEPS = 80;
const NOON = Date.UTC(2030, 5, 1, 12);
/** Both have the same address in the eyes of the world, so that links are equal. */
const SETTINGS = {
  KALENDS_PUBLIC_URL: 'http://calendar.example',
  KALENDS_TIMEZONE: 'Europe/Berlin',
  KALENDS_SIGN_IN_LIMIT: '0',
  KALENDS_WRITE_LIMIT: '0',
  KALENDS_LOG_LEVEL: 'silent',
};

let server: Awaited<ReturnType<typeof postgresServer>>;
before(async () => {
  server = await postgresServer();
  mock.timers.enable({ apis: ['Date'], now: NOON });
});
after(async () => {
  mock.timers.reset();
  await server.stop();
});

interface Pair {
  sqlite: TestServer;
  postgres: TestServer;
  close: () => Promise<void>;
}

async function pair(): Promise<Pair> {
  mock.timers.setTime(NOON);
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-differential-'));
  const database = await freshPostgres(server.url);
  const sqlite = await startServer({ ...SETTINGS, DATABASE_URL: path.join(dir, 'kalends.db') });
  const postgres = await startServer({ ...SETTINGS, DATABASE_URL: database.url });
  return {
    sqlite,
    postgres,
    async close() {
      await sqlite.close();
      await postgres.close();
      await database.drop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

interface Played {
  statuses: number[];
  /** Why the last of them failed. */
  problem?: string;
}

/** Asks both, up to the first difference. */
async function play(steps: readonly Step[]): Promise<Played> {
  const statuses: number[] = [];
  const made: Made = { events: [], venues: [], organizers: [], categories: [], tags: [] };
  const both = await pair();
  try {
    for (const one of steps) {
      mock.timers.tick(1000);
      const { method, at, ...question } = questionOf(one, made);
      const here = await both.sqlite.ask(method, at, question);
      const there = await both.postgres.ask(method, at, question);
      statuses.push(here.status, there.status);
      assert.deepEqual(told(there), told(here), 'PostgreSQL answered otherwise than SQLite');
      assert.ok(here.status < 500, here.text);
      if (method === 'POST' && here.status === 201) made[one.kind].push(here.json.id);
    }
    return { statuses };
  } catch (error) {
    return { statuses, problem: error instanceof Error ? error.message : String(error) };
  } finally {
    await both.close();
  }
}

const SHRINKING_MS = 120_000;

/** Fewer steps that still make a difference, found by leaving out some, then fewer, then single ones. */
async function shrunk(steps: readonly Step[], asked: number): Promise<{ steps: readonly Step[]; problem: string }> {
  const until = performance.now() + SHRINKING_MS;
  let kept = steps.slice(0, asked);
  let problem = (await play(kept)).problem ?? 'It did not happen again.';
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length - 1 && performance.now() < until; ) {
      const fewer = kept.filter((_, at) => at < from || at >= from + size);
      const played = await play(fewer);
      if (played.problem === undefined) from += size;
      else {
        kept = fewer.slice(0, Math.ceil(played.statuses.length / 2));
        problem = played.problem;
      }
    }
  }
  return { steps: kept, problem };
}

test('random questions get the same answers on both engines', async () => {
  const seen = new Map<number, number>();
  const all = fc.sample(fc.noBias(step), { numRuns: RUNS * STEPS, seed: SEED });
  for (let run = 0; run < RUNS; run++) {
    const steps = [...all.slice(run * STEPS, (run + 1) * STEPS), ...SURVEY];
    const { statuses, problem } = await play(steps);
    for (const status of statuses) seen.set(status, (seen.get(status) ?? 0) + 1);
    if (problem === undefined) continue;
    const least = await shrunk(steps, Math.ceil(statuses.length / 2));
    const shown = least.steps.map((one) => JSON.stringify(one)).join('\n');
    assert.fail(`run ${run} of seed ${SEED}, made smaller:\n${shown}\n${least.problem}`);
  }
  console.log(
    `# differential: ${RUNS} runs of ${STEPS + SURVEY.length} questions, seed ${SEED}: ${JSON.stringify([...seen].sort())}`,
  );
  // Questions that are all refused compare nothing.
  for (const status of [200, 201, 400])
    assert.ok((seen.get(status) ?? 0) > RUNS, `${seen.get(status)} times ${status}`);
});
