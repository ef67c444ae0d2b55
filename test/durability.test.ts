import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase } from '../src/db/open.js';
import { freshDatabase } from './support/engine.js';
import { API, basic, kalends, newSite, type Server, type Site, serve, temporaryFolder } from './tools/site.js';

/** Real processes, killed: what was answered is there, and nothing is half there. */

const CONNECTIONS = 6;

const folder = temporaryFolder('durable');
let sites = 0;
async function siteOfOurs(): Promise<Site> {
  const dir = path.join(folder, `site-${++sites}`);
  const { url, drop } = await freshDatabase(dir);
  after(drop);
  return newSite(dir, {}, url);
}
async function cli(site: Site, ...args: string[]): Promise<string> {
  const { code, out, err } = await kalends(site, args);
  assert.equal(code, 0, err);
  return out;
}
async function addUser(site: Site, name: string, role: string): Promise<string> {
  const made = JSON.parse(await cli(site, 'user', 'add', name, '--role', role, '--json'));
  assert.equal(made.role, role);
  return basic(made.username, made.application_password);
}

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  json: any;
}
/** One request. It fails as the connection fails; an answer that began and did not end says "cut". */
function ask(
  server: Server,
  authorization: string,
  agent: http.Agent,
  method: string,
  at: string,
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const to = { host: '127.0.0.1', port: server.port, path: `${API}${at}`, method, headers, agent };
    const request = http.request(to, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('error', () => reject(new Error('cut')));
      response.on('end', () =>
        response.complete
          ? resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) })
          : reject(new Error('cut')),
      );
    });
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** What must be there: by id the titles it may have; undefined among them: it may be gone. */
type Ledger = Map<number, (string | undefined)[]>;
let serial = 0;
const eventBody = (): { title: string } & Record<string, unknown> => {
  const n = ++serial;
  return {
    title: `Event ${n}`,
    start_date: '2031-01-01 10:00:00',
    end_date: '2031-01-01 11:00:00',
    venue: { venue: `Venue ${n}`, geo_lat: n % 90, geo_lng: 1 },
    organizer: { organizer: `Organizer ${n}` },
    categories: [`Category ${n % 50}`, `Only ${n}`],
    tags: [`Tag ${n}`],
  };
};

/** Creates, changes and removes until the connection fails or `stop` says so. Returns how it ended. */
async function writer(server: Server, site: Site, ledger: Ledger, stop: () => boolean): Promise<string> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  let mine: { id: number; title: string } | undefined;
  try {
    for (let n = 1; !stop(); n++) {
      if (mine && n % 5 === 0) {
        const { id, title } = mine;
        const [method, next] = n % 2 ? (['PATCH', `${title} changed`] as const) : (['DELETE', undefined] as const);
        // Until the answer comes, both may be true.
        ledger.set(id, [title, next]);
        const body = next === undefined ? undefined : { title: next };
        const reply = await ask(server, site.users.administrator, agent, method, `/events/${id}?force=true`, body);
        if (reply.status !== 200) return `status ${reply.status} ${JSON.stringify(reply.json)}`;
        ledger.set(id, [next]);
        mine = undefined;
      } else {
        const reply = await ask(server, site.users.administrator, agent, 'POST', '/events', eventBody());
        if (reply.status !== 201) return `status ${reply.status} ${JSON.stringify(reply.json)}`;
        mine = { id: reply.json.id, title: reply.json.title };
        ledger.set(mine.id, [mine.title]);
      }
    }
    return 'stopped';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  } finally {
    agent.destroy();
  }
}
const writers = (server: Server, site: Site, ledger: Ledger, stop = () => false): Promise<string[]> =>
  Promise.all(Array.from({ length: CONNECTIONS }, () => writer(server, site, ledger, stop)));

/** Events without all that came with them, and what came without its event (D7). */
async function halves(url: string): Promise<object[]> {
  const database = await openDatabase(url);
  try {
    return await database.read((db) =>
      db.all(sql<object>`SELECT 'event' AS what, id, title FROM event WHERE
          (SELECT count(*) FROM event_venue WHERE event_id = event.id) <> 1 OR
          (SELECT count(*) FROM event_organizer WHERE event_id = event.id) <> 1 OR
          (SELECT count(*) FROM event_term WHERE event_id = event.id) <> 3
        UNION ALL SELECT 'venue', id, name FROM venue WHERE 'Event ' || substr(name, 7) NOT IN
          (SELECT replace(title, ' changed', '') FROM event)
          AND (SELECT count(*) FROM tombstone WHERE kind = 'event') = 0`),
    );
  } finally {
    await database.close();
  }
}

async function compare(server: Server, site: Site, ledger: Ledger): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  const wrong: string[] = [];
  await Promise.all(
    [...ledger].map(async ([id, may]) => {
      const { status, json } = await ask(server, site.users.administrator, agent, 'GET', `/events/${id}`);
      const title = status === 200 ? json.title : undefined;
      if (!may.includes(title)) wrong.push(`event ${id} is ${title} (${status}), answered was ${may.join(' or ')}`);
      else if (
        status === 200 &&
        (json.venue.venue === undefined || json.categories.length !== 2 || json.tags.length !== 1)
      )
        wrong.push(`event ${id} lost a part`);
    }),
  );
  agent.destroy();
  assert.deepEqual(wrong, []);
  assert.deepEqual(await halves(String(site.env.DATABASE_URL)), []);
  const verdict = JSON.parse(await cli(site, 'check', '--json'));
  assert.deepEqual([verdict.ok, verdict.problems], [true, []]);
}

test('kill -9 at any moment: every answered write is there, and nothing half written (D7)', async () => {
  const site = await siteOfOurs();
  const ledger: Ledger = new Map();
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const server = await serve(site);
    const known = ledger.size;
    const done = writers(server, site, ledger);
    while (ledger.size < known + CONNECTIONS) await sleep(5);
    await sleep(Math.random() * 500);
    server.child.kill('SIGKILL');
    assert.deepEqual(await server.ended, [null, 'SIGKILL']);
    const ends = await done;
    assert.ok(
      ends.every((end) => ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'cut'].includes(end)),
      ends.join(),
    );
    rounds.push(ledger.size - known);
    const again = await serve(site);
    await compare(again, site, ledger);
    again.child.kill('SIGKILL');
    await again.ended;
  }
  console.log(`# durability: events answered before each kill: ${rounds.join(', ')}`);
  assert.ok(
    rounds.every((n) => n > 0),
    'a round in which nothing was written shows nothing',
  );
});

test('SIGTERM under load: finishes what runs, refuses what is new, loses nothing, exits 0', async () => {
  const site = await siteOfOurs();
  const ledger: Ledger = new Map();
  const server = await serve(site);
  const done = writers(server, site, ledger);
  await sleep(300);
  // A request that is half sent when the signal comes.
  const body = JSON.stringify(eventBody());
  const slow = net.connect(server.port, '127.0.0.1');
  let received = '';
  slow.setEncoding('utf8').on('data', (part) => {
    received += part;
  });
  slow.write(
    `POST ${API}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${site.users.administrator}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nExpect: 100-continue\r\n\r\n`,
  );
  // Then the server knows of it, however busy it is.
  while (!received.includes('\r\n\r\n')) await sleep(5);
  assert.match(received, /^HTTP\/1\.1 100 /);
  received = '';
  slow.write(body.slice(0, 50));
  server.child.kill('SIGTERM');
  const ends = await done;
  const written = ledger.size;
  // Closed while idle, or told so; never cut in the middle of an answer.
  for (const end of ends) assert.match(end, /^(ECONNRESET|ECONNREFUSED|EPIPE|status 503 .*)$/);
  const refused = await new Promise<string>((resolve) => {
    const attempt = net.connect(server.port, '127.0.0.1');
    attempt.on('connect', () => {
      attempt.destroy();
      resolve('connected');
    });
    attempt.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  assert.equal(refused, 'ECONNREFUSED');
  assert.equal(server.child.exitCode, null, 'it waits for the request that runs');
  slow.write(body.slice(50));
  // The client would go on using its connection: that must not keep a server that has nothing left to do.
  const patience = new AbortController();
  const late = sleep(8000, 'still running 8 s after the last answer', { signal: patience.signal });
  const ended = await Promise.race([server.ended, late]);
  patience.abort();
  late.catch(() => {});
  slow.destroy();
  assert.match(received, /^HTTP\/1\.1 201 /);
  const { id, title } = JSON.parse(received.slice(received.indexOf('\r\n\r\n') + 4));
  ledger.set(id, [title]);
  assert.deepEqual(ended, [0, null]);
  assert.ok(written > 0);
  const again = await serve(site);
  await compare(again, site, ledger);
  again.child.kill('SIGTERM');
  assert.deepEqual(await again.ended, [0, null], 'without load, too');
});

test('a backup made while others write is whole, and two processes may write at once', async () => {
  const site = await siteOfOurs();
  const ledger: Ledger = new Map();
  const server = await serve(site);
  let stop = false;
  const done = writers(server, site, ledger, () => stop);
  const agent = new http.Agent();
  for (let n = 1; n <= 3; n++) {
    await sleep(100);
    const before = new Map(ledger);
    const file = path.join(folder, `backup-${n}.db`);
    const [made, authorization] = await Promise.all([
      cli(site, 'backup', file, '--json').then((text) => JSON.parse(text)),
      addUser(site, `second-${n}`, 'author'),
    ]);
    assert.ok(made.counts.events > 0 && made.bytes > 0);
    const me = await ask(server, authorization, agent, 'GET', '/users/me');
    assert.deepEqual([me.json.authenticated, me.json.role], [true, 'author']);
    assert.deepEqual(await halves(file), []);
    const database = await openDatabase(file);
    const rows = await database.read((db) => db.all(sql<{ id: number; title: string }>`SELECT id, title FROM event`));
    assert.deepEqual(await database.integrity(), []);
    await database.close();
    const titles = new Map(rows.map(({ id, title }) => [id, title]));
    // What was answered before the backup began is in it, unless it was changed or removed since.
    const lost = [...before].filter(
      ([id, may]) => !may.includes(titles.get(id)) && !(ledger.get(id) ?? []).includes(titles.get(id)),
    );
    assert.deepEqual(lost, []);
  }
  stop = true;
  assert.deepEqual(await done, Array(CONNECTIONS).fill('stopped'), 'no writer was disturbed');
  await compare(server, site, ledger);
  console.log(`# durability: ${ledger.size} events written beside three backups and three new users`);
  server.child.kill('SIGTERM');
  assert.deepEqual(await server.ended, [0, null]);
});
