import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../support/postgres.js';
import { hasNginx } from '../support/proxies.js';
import { Clients, noTally, type Tally, type Told } from './cluster.clients.js';
import { type Cluster, nextVersion, startCluster } from './cluster.site.js';
import { optionsOf, secondsSince } from './show.js';
import { damageOf } from './site.js';

/** What happens when parts of a cluster fail, with clients at work: the table in docs/operating.md. */

const options = optionsOf('cluster [--short]', { short: false });
/** How long each fault is watched, and how long one lasts. */
const WATCHED = options.short ? 3000 : 10_000;
const LASTS = options.short ? 1500 : 5000;

if (!hasNginx()) {
  console.error('nginx is not installed, and this needs a real proxy. On Debian: apt-get install nginx-light');
  process.exit(1);
}

const start = performance.now();
const cluster = await startCluster();
const clients = new Clients(cluster.home, cluster.authorization);
let writable = cluster.primary;

interface Row extends Tally {
  what: string;
  lost: number;
  twice: number;
}
const rows: Row[] = [];
const problems: string[] = [];

async function watch(what: string, fault: () => Promise<void>): Promise<void> {
  clients.tally = noTally();
  await fault();
  await sleep(WATCHED);
  await clients.settled();
  const tally = clients.tally;
  rows.push({ what, ...tally, ...(await compared(writable)) });
  console.error(`${secondsSince(start)}  ${what}: ${JSON.stringify({ ...rows.at(-1), what: undefined })}`);
}

/** Beside what the clients were told: which events are missing, or older than answered, and which are there twice. */
async function compared(server: PostgresServer): Promise<{ lost: number; twice: number }> {
  const told = clients.known.map(({ name, version }) => ({ name, version }));
  const found = new Map<string, number[]>();
  for (const { title } of await server.sql('SELECT title FROM event')) {
    const [name = '', version] = String(title).split(' v');
    found.set(name, [...(found.get(name) ?? []), Number(version)]);
  }
  return {
    lost: told.filter(({ name, version }) => !(Math.max(0, ...(found.get(name) ?? [])) >= version)).length,
    twice: [...found.values()].filter((versions) => versions.length > 1).length,
  };
}

const FAULTS: [what: string, fault: (cluster: Cluster) => Promise<void>][] = [
  ['nothing happens', async () => {}],
  [
    'an instance is killed (SIGKILL) and started again',
    async ({ instances: [one] }) => {
      await one?.stop('SIGKILL');
      await sleep(LASTS);
      await one?.start();
    },
  ],
  [
    'all instances are replaced by the next version, one after the other, with a migration',
    async ({ instances }) => {
      const next = nextVersion();
      for (const instance of instances) {
        const code = await instance.stop('SIGTERM');
        if (code !== 0) problems.push(`an instance ended with ${code} when told to stop`);
        await instance.start(next);
      }
    },
  ],
  [
    'the replica hangs, then goes on',
    async ({ replica }) => {
      replica.signal('SIGSTOP');
      await sleep(LASTS);
      replica.signal('SIGCONT');
    },
  ],
  [
    'the replica is stopped, then started',
    async ({ replica }) => {
      await replica.stop('SIGINT');
      await sleep(LASTS);
      await replica.start();
    },
  ],
  [
    'the database is restarted',
    async ({ primary }) => {
      await primary.stop('SIGINT');
      await primary.start();
    },
  ],
  [
    'the database crashes and recovers',
    async ({ primary }) => {
      await primary.stop('SIGQUIT');
      await primary.start();
    },
  ],
  [
    'the primary is killed (SIGKILL), and the standby promoted a second later',
    async ({ primary, standby }) => {
      await primary.stop('SIGKILL');
      await sleep(1000);
      await standby.sql('SELECT pg_promote()');
      writable = standby;
    },
  ],
];

clients.start();
await sleep(2500);
for (const [what, fault] of FAULTS) await watch(what, () => fault(cluster));
await clients.stop();

for (const { what, lost, twice, staleOwn, staleShared, wrong, stranger, writer } of rows) {
  const counts = Object.entries({ lost, twice, staleOwn, staleShared }).filter(([, n]) => n > 0);
  problems.push(...[...wrong, ...counts.map(([name, n]) => `${name} ${n}`)].map((one) => `${what}: ${one}`));
  if (stranger.answered === 0 || writer.answered === 0) problems.push(`${what}: nobody was answered`);
}
const last = await compared(writable);
if (last.lost + last.twice > 0) problems.push(`in the end: ${last.lost} lost, ${last.twice} twice`);
for (const instance of cluster.instances) {
  for (let n = 0; !(await instance.usesReplica()); n++) {
    if (n > 50) throw new Error('the replica does not come back');
    await sleep(100);
  }
}
problems.push(...(await damageOf({ env: { DATABASE_URL: cluster.url } })));
await cluster.stop();

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const shown = ({ errors, answered, pause }: Told): string => `${errors} of ${errors + answered} | ${seconds(pause)}`;
const headings = [
  'what happens',
  'errors, reading anonymously',
  'longest wait',
  'errors, signed in',
  'longest wait',
  'answered writes lost',
  'done twice',
  'stale after own write',
  'stale after 2 s',
];
console.log(`| ${headings.join(' | ')} |\n|${'---|'.repeat(headings.length)}`);
for (const { what, stranger, writer, lost, twice, staleOwn, staleShared } of rows) {
  console.log(`| ${[what, shown(stranger), shown(writer), lost, twice, staleOwn, staleShared].join(' | ')} |`);
}
console.log(`\n${clients.known.length} events made, ${secondsSince(start)}`);
for (const problem of problems) console.log(`FAILED ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
