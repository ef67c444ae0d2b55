import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { Backups } from './crash.backup.js';
import { filesOf, problemsInFile, problemsOverHttp, sweepFiles } from './crash.compare.js';
import { diskRound, smallDisk } from './crash.disk.js';
import { Book, writer } from './crash.writers.js';
import { randomOf } from './random.js';
import { optionsOf, progress, secondsSince, verdict } from './show.js';
import { damageOf, NO_LIMITS, newSite, type Server, type Site, serve, stopServer, temporaryFolder } from './site.js';

/** Kills a real server while others write to it, starts it again, and compares with what was answered. */

const USAGE = 'crash [--kills N] [--seed S] [--seconds T] [--full-disk] [--backup]';
const options = optionsOf(USAGE, { kills: 20, seed: 1, seconds: 1800, 'full-disk': false, backup: false });
const random = randomOf(options.seed);
const WRITERS = 6;
/** How a writer may end when its server is killed. */
const CUT = /^(closed|cut|refused|status 503 .*)$/s;

const start = performance.now();
const shown = progress();
const inTime = (): boolean => performance.now() - start < options.seconds * 1000;
const background = { r: 200, g: 90, b: 30 };
const picture = await sharp({ create: { width: 400, height: 300, channels: 3, background } })
  .png()
  .toBuffer();

let passed = 0;
let failed = 0;
function judge(round: number, problems: string[]): void {
  if (problems.length === 0) {
    passed++;
    return;
  }
  failed++;
  shown.end();
  console.log(`FAILED round ${round} of seed ${options.seed}: ${problems.length} problems`);
  for (const problem of problems.slice(0, 8)) console.log(`  ${problem}`);
}

/** Kills at a random moment: while many write, while it starts, or while it stops. */
async function kill(site: Site, server: Server, book: Book): Promise<string[]> {
  const moment = random.weighed({ writing: 75, starting: 10, stopping: 15 });
  const goal = book.answered + WRITERS;
  const streams = Array.from({ length: WRITERS }, () => randomOf(options.seed, random.int(1, 1e9)));
  const done = Promise.all(
    streams.map((one) => writer({ site, port: server.port, book, random: one, picture, stop: () => false })),
  );
  const limit = performance.now() + 10_000;
  while (book.answered < goal && performance.now() < limit) await sleep(5);
  await sleep(random.int(0, 400));
  if (moment === 'stopping') {
    server.child.kill('SIGTERM');
    await sleep(random.int(0, 60));
  }
  server.child.kill('SIGKILL');
  await server.ended;
  const ends = await done;
  const problems = ends.filter((end) => !CUT.test(end)).map((end) => `a writer ended with: ${end}`);
  if (book.answered < goal) problems.push('nothing was written, so nothing was shown');
  if (moment === 'starting') {
    const after = random.int(0, 500);
    // It may have started by then: it dies all the same.
    await serve(site, (child) => void sleep(after).then(() => child.kill('SIGKILL')))
      .then((early) => early.ended)
      .catch(() => {});
  }
  return problems;
}

async function killRounds(): Promise<string> {
  const site = await newSite(temporaryFolder('crash'), NO_LIMITS);
  const book = new Book();
  const backups = new Backups(site, temporaryFolder('backup'), book, randomOf(options.seed, 7));
  let server = await serve(site);
  let orphans = 0;
  let kills = 0;
  while (kills < options.kills && inTime()) {
    kills++;
    if (options.backup) backups.start();
    const problems = await kill(site, server, book);
    // The copy goes on without the server, which does not have to be there.
    server = await serve(site);
    await backups.stop();
    problems.push(...backups.problems.splice(0));
    const [damage, lost, shownWrong, files] = await Promise.all([
      damageOf(site),
      problemsInFile(site.file, book),
      problemsOverHttp(site, server.port, book),
      filesOf(site),
    ]);
    problems.push(...damage.map((one) => `kalends check: ${one}`), ...lost, ...shownWrong, ...files.problems);
    orphans = files.orphans;
    judge(kills, problems);
    shown.say(`${kills} of ${options.kills} kills, ${book.answered} writes answered, ${failed} failed`);
  }
  const ending = await stopServer(server);
  if (ending) judge(kills, [ending]);
  await sweepFiles(site);
  const after = await filesOf(site);
  if (after.orphans > 0 || after.problems.length > 0)
    judge(kills, [
      `after the sweep ${after.orphans} files of pictures are left that no record names`,
      ...after.problems,
    ]);
  return [
    `${kills} kills, ${book.answered} writes answered, ${book.known.size} records followed`,
    ...(options.backup ? [`${backups.made} backups made while writing, ${backups.killed} killed`] : []),
    `${orphans} files of pictures that no record named were swept`,
  ].join('; ');
}

async function diskRounds(disk: string): Promise<string> {
  const template = await newSite(path.join(temporaryFolder('template'), 'data'), NO_LIMITS);
  const sum = { refused: 0, answered: 0, orphans: 0 };
  let rounds = 0;
  while (rounds < options.kills && inTime()) {
    rounds++;
    const { problems, ...counts } = await diskRound(template, disk, random, picture);
    judge(rounds, problems);
    for (const key of ['refused', 'answered', 'orphans'] as const) sum[key] += counts[key];
    shown.say(`${rounds} of ${options.kills} full disks, ${sum.refused} writes refused, ${failed} failed`);
  }
  return `${rounds} times a full disk: ${sum.answered} writes answered, ${sum.refused} refused; ${sum.orphans} files of pictures that no record names`;
}

let skipped = 0;
let summary: string;
const disk = options['full-disk'] ? smallDisk() : undefined;
if (options['full-disk'] && disk === undefined) {
  skipped = options.kills;
  summary = 'full disk: skipped, a small file system cannot be mounted here (it needs root)';
} else summary = disk === undefined ? await killRounds() : await diskRounds(disk);
shown.end();
console.log(`seed ${options.seed}: ${summary}; ${secondsSince(start)}`);
if (skipped === 0 && passed + failed < options.kills) {
  failed++;
  console.log(`FAILED only ${passed + failed - 1} of ${options.kills} rounds in ${options.seconds} s`);
}
verdict(passed, failed, skipped);
