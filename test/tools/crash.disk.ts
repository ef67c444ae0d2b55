import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesOf, problemsInFile, problemsOverHttp } from './crash.compare.js';
import { Book, type Writing, writer } from './crash.writers.js';
import type { Random } from './random.js';
import { API, copyOf, damageOf, type Server, type Site, serve, stopServer, temporaryFolder } from './site.js';
import { type Answer, jsonOf, jsonRequest, Line } from './wire.js';

/** The same writers on a small file system that runs full. */

const SIZE_MB = 24;
const WRITERS = 4;
const ENOUGH = 20;

/** A small file system of our own; undefined where that is not allowed. */
export function smallDisk(): string | undefined {
  const folder = temporaryFolder('disk');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  process.prependListener('exit', () => {
    try {
      execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
    } catch {
      // Gone already.
    }
  });
  return folder;
}

export interface DiskRound {
  problems: string[];
  refused: number;
  answered: number;
  orphans: number;
}

/** Fills the disk while others write, looks at what is said, makes room, and looks whether it goes on. */
export async function diskRound(template: Site, disk: string, random: Random, picture: Buffer): Promise<DiskRound> {
  const site = copyOf(template, path.join(disk, 'data'));
  const filler = path.join(disk, 'filler');
  const book = new Book();
  const round: DiskRound = { problems: [], refused: 0, answered: 0, orphans: 0 };
  let server = await serve(site);
  try {
    const full = { site, book, random, picture, ballast: 20_000 };
    await writing({ ...full, port: server.port, stop: () => book.answered >= 10 });
    fill(filler, disk, random.int(100, 2000) * 1024);
    const until = performance.now() + 15_000;
    const enough = (): boolean => round.refused >= ENOUGH || performance.now() > until;
    const ends = await writing({
      ...full,
      port: server.port,
      stop: enough,
      refused: async (answer) => {
        round.refused++;
        const problem = problemWithRefusal(answer);
        if (problem) round.problems.push(problem);
        await sleep(10);
        return round.problems.length < 5;
      },
    });
    for (const end of ends) if (end !== 'stopped') round.problems.push(`a writer was cut off: ${end}`);
    if (round.refused < ENOUGH) round.problems.push(`the disk was never full: ${round.refused} writes refused`);
    round.problems.push(...(await problemsWithReading(site, server)));
    const killed = random.chance(0.5);
    if (killed) {
      await stopServer(server, 'SIGKILL');
      server = (await startedWhileFull(site, round)) ?? server;
    }
    rmSync(filler, { force: true });
    if (server.child.exitCode !== null || server.child.signalCode !== null) server = await serve(site);
    round.problems.push(...(await problemsAfterwards(site, server, book)));
    const files = await filesOf(site);
    round.problems.push(...files.problems);
    round.orphans = files.orphans;
    if (!killed && files.orphans > 0)
      round.problems.push(`half written: uploads that were refused left ${files.orphans} files behind`);
    round.answered = book.answered;
    const wrong = server.complaints.filter((line) => /unhandled|uncaught/i.test(line));
    if (wrong.length > 0) round.problems.push(`errors in its output: ${wrong[0]}`);
    const ending = await stopServer(server);
    if (ending) round.problems.push(ending);
    return round;
  } finally {
    server.child.kill('SIGKILL');
    await server.ended;
    for (const one of [filler, site.dir]) rmSync(one, { recursive: true, force: true });
  }
}

const writing = (one: Writing): Promise<string[]> => Promise.all(Array.from({ length: WRITERS }, () => writer(one)));

/** Takes all the room but `left` bytes. */
function fill(file: string, disk: string, left: number): void {
  const { bavail, bsize } = statfsSync(disk);
  const size = bavail * bsize - left;
  if (size > 0) writeFileSync(file, Buffer.alloc(size));
}

function problemWithRefusal(answer: Answer): string | undefined {
  const { code } = (jsonOf(answer) ?? {}) as { code?: string };
  const shown = answer.body.toString('utf8', 0, 300);
  if (answer.status !== 503 || code !== 'service-unavailable')
    return `a full disk was answered with ${answer.status}: ${shown}`;
  return answer.headers.has('retry-after') ? undefined : 'a full disk was answered with 503, but without Retry-After';
}

async function problemsWithReading(site: Site, server: Server): Promise<string[]> {
  const line = new Line(server.port);
  const { status, body } = await line.ask(jsonRequest('GET', `${API}/events`, site.users.administrator));
  line.close();
  return status === 200
    ? []
    : [`reading from a full disk was answered with ${status}: ${body.toString('utf8', 0, 300)}`];
}

/** On a full disk it starts, or says in a sentence why not. */
async function startedWhileFull(site: Site, round: DiskRound): Promise<Server | undefined> {
  try {
    return await serve(site);
  } catch (error) {
    const { message } = error as Error;
    if (!/full|room|space/i.test(message) || /\n\s+at /.test(message))
      round.problems.push(`started on a full disk: ${message}`);
    return undefined;
  }
}

/** When there is room again, writes succeed without anybody doing anything. */
async function problemsAfterwards(site: Site, server: Server, book: Book): Promise<string[]> {
  const line = new Line(server.port);
  const until = performance.now() + 10_000;
  let last = '';
  for (;;) {
    const body = { venue: `After ${book.next()}` };
    const answer = await line.ask(jsonRequest('POST', `${API}/venues`, site.users.administrator, body));
    if (answer.status === 201) break;
    last = `${answer.status} ${answer.body.toString('utf8', 0, 200)}`;
    if (performance.now() > until) return [`there is room again, but writing is answered with ${last}`];
    await sleep(100);
  }
  line.close();
  const [damage, lost, shown] = await Promise.all([
    damageOf(site),
    problemsInFile(site.file, book),
    problemsOverHttp(site, server.port, book),
  ]);
  return [...damage.map((one) => `kalends check: ${one}`), ...lost, ...shown];
}
