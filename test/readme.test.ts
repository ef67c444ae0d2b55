import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Event } from '../src/client/client.js';
import { settingsAsMarkdown } from '../src/config.js';
import { picture, upload } from './security/support.js';
import { clientAs, collect } from './support/client.js';
import { freshDatabase } from './support/engine.js';
import { must } from './support/rows.js';
import { startServer, type TestServer } from './support/server.js';

/** The README is what people try first: its table and its tour are held to what they say. */
function projectRoot(): string {
  let at = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(at, 'README.md'))) at = path.dirname(at);
  return at;
}
const readme = readFileSync(path.join(projectRoot(), 'README.md'), 'utf8');

test('the configuration table is the one that the program has', () => {
  const table = settingsAsMarkdown().trim();
  assert.ok(readme.includes(table), `put this into the README:\n${table}`);
});

/** What is to be typed in a section, block by block. */
function blocksOf(title: string, language: 'sh' | 'js'): string[] {
  const section = readme.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, block]) => block ?? '');
}

const curl = spawnSync('curl', ['--version']).status === 0;

test('the tour works as it is typed', { skip: curl ? false : 'curl is not installed' }, async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-tour-'));
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
  const database = await freshDatabase(dir);
  const env = { ...process.env, PORT: '0', KALENDS_DATA_DIR: dir, DATABASE_URL: database.url };
  const server = spawn(process.execPath, [main, 'serve', '--demo'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (part) => {
      said += part;
    });
  try {
    while (!/application password\s+\S+/.test(said) || !/"msg":"listening"/.test(said)) {
      assert.equal(server.exitCode, null, said);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const home = /Site\s+(http:\/\/\S+?)\/\s/.exec(said)?.[1] ?? '';
    const password = /application password\s+(\S+)/.exec(said)?.[1] ?? '';
    const blocks = blocksOf('A tour with curl', 'sh');
    assert.ok(blocks.length >= 8, `${blocks.length} blocks`);
    const [variables = '', ...rest] = blocks.map((block) =>
      block.replaceAll('http://127.0.0.1:3000', home).replace('the-application-password', password),
    );
    for (const block of rest) {
      for (const command of block.split(/(?<=.)\n(?=curl )(?![^\n]*@\/tmp)/)) {
        const done = spawnSync('bash', ['-c', `set -e\n${variables}\n${command.replace(/^curl /m, 'curl -sS ')}`], {
          encoding: 'utf8',
        });
        assert.equal(done.status, 0, `${command}\n${done.stderr}`);
        const answer = JSON.parse(done.stdout) as { code?: string; events?: unknown[] };
        const meant = command.includes('someday') ? 'rest_invalid_param' : undefined;
        assert.equal(answer.code, meant, `${command}\n${done.stdout.slice(0, 400)}`);
        if (answer.events) assert.ok(answer.events.length > 0, `${command} found nothing`);
      }
    }
  } finally {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  }
});

test('an own calendar begins as it is typed', { skip: curl ? false : 'curl is not installed' }, async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-own-'));
  const clone = path.join(dir, 'kalends');
  mkdirSync(clone);
  const database = await freshDatabase(dir);
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
  // In the place of npx, which looks for the program in the folder it is called in.
  writeFileSync(path.join(dir, 'npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${main}' "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(path.join(clone, 'poster.jpg'), await picture(80, 60, 'jpeg'));
  const env = { ...process.env, PATH: `${dir}:${process.env.PATH}`, HOME: dir, PORT: '0', DATABASE_URL: database.url };
  const blocks = blocksOf('Your own calendar', 'sh');
  assert.equal(blocks.length, 5);
  const [settings = '', serve = '', users = '', event = '', backup = ''] = blocks;
  const type = (text: string): string => {
    const done = spawnSync('bash', ['-ec', text], { cwd: clone, env, encoding: 'utf8' });
    assert.equal(done.status, 0, `${text}\n${done.stderr}`);
    return done.stdout;
  };
  type(settings);
  const server = spawn('bash', ['-c', serve.replace('npx', 'exec npx')], { cwd: clone, env });
  let said = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (part) => {
      said += part;
    });
  try {
    while (!/"msg":"listening"/.test(said)) {
      assert.equal(server.exitCode, null, said);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const home = /"address":"(http:[^"]+)"/.exec(said)?.[1] ?? '';
    assert.match(said, /user name\s+admin/);
    const [first = '', second = ''] = [...type(users).matchAll(/^Application password: (\S+)$/gm)].map(
      ([, word]) => word,
    );
    assert.ok(first !== second && second !== '');
    const made = JSON.parse(
      type(event.replaceAll('http://127.0.0.1:3000', home).replace('the-application-password', second)),
    ) as Event;
    assert.deepEqual([made.timezone, made.cost], ['Europe/Lisbon', '€12']);
    assert.ok(made.image && made.image.width === 80);
    assert.match(await (await fetch(`${home}/events/`)).text(), /Opening night/);
    assert.match(type(`. ../calendar.env\n${backup}`), /1 event, 1 venue/);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
    await database.drop();
    rmSync(dir, { recursive: true, force: true });
  }
});

/** A site with all that is easily lost on the way. */
async function fill(s: TestServer): Promise<void> {
  const make = (at: string, json: unknown) => must(s.post(at, json, 'admin'));
  const image = async (width: number) => (await must(upload(s, await picture(width, 30)))).id as number;
  // Its name comes before that of the one above it, so that it is read first.
  const { id: parent } = await make('/categories', { name: 'Music', description: 'Loud & quiet' });
  const { id: jazz } = await make('/categories', { name: 'Jazz', slug: 'jazz-music', parent });
  await make('/categories', { name: 'Nothing yet', parent: jazz });
  const { id: tag } = await make('/tags', { name: '日本語' });
  const place = {
    city: 'Lisbon',
    geo_lat: 38.7,
    geo_lng: -9.1,
    show_map: false,
    website: 'https://hall.example/?a=1&b=2',
  };
  const hall = await make('/venues', { venue: 'Hall', image: await image(50), ...place });
  const other = await make('/venues', { venue: 'Hall', slug: 'hall-upstairs', city: 'Porto' });
  await make('/venues', { venue: 'Empty house' });
  const organizer = await make('/organizers', {
    organizer: "O'Hara & Co",
    email: 'a@b.example',
    image: await image(60),
  });
  const own = { start_date: '2031-05-01 19:00', end_date: '2031-05-01 21:00', timezone: 'Europe/Lisbon' };
  const linked = { venue: hall.id, organizer: organizer.id, categories: [jazz], tags: [tag] };
  const child = await make('/events', { ...own, title: 'Day one', ...linked, cost: ['£5', '£7'], sticky: true });
  const tickets = [
    { name: 'Seat', provider: 'box office', price: 15, currency: 'EUR', capacity: 9, sale_ends: '2031-04-01' },
  ];
  const whole = { title: 'All <em>days</em>', description: '<p>Two.</p>', excerpt: 'One', all_day: true };
  const festival = await make('/events', {
    ...own,
    start_date: '2031-06-01',
    end_date: '2031-06-03',
    ...whole,
    venue: [hall.id, other.id],
    image: await image(70),
    tickets,
  });
  await must(s.patch(`/events/${child.id}`, { post_parent: festival.id }, 'admin'), 200);
  const costs = [
    '€10,50',
    '5€',
    '$3',
    ['0', '$8'],
    ['$4', '$9'],
    '£5-£7',
    '12',
    '1,000',
    ['5 EUR', '6 EUR', '7 EUR'],
    'Free',
    "Members' price",
  ];
  for (const [n, cost] of costs.entries()) await make('/events', { ...own, title: `Cost ${n}`, cost });
  await make('/events', { ...own, title: 'Closed', password: 'lantern' });
  await make('/events', { ...own, title: 'Not ready', status: 'draft' });
}

/** All that anybody is shown, without what must differ: ids, addresses, when and by whom it was written. */
async function contentOf(s: TestServer) {
  const client = clientAs(s);
  const events = await collect(client.events.all({ start_date: '2000-01-01', end_date: '2100-01-01' }));
  const records = {
    events,
    venues: await collect(client.venues.all()),
    organizers: await collect(client.organizers.all()),
  };
  const terms = await collect(client.categories.all({ hide_empty: false }));
  const tags = await collect(client.tags.all({ hide_empty: false }));
  const above: Record<string, Map<unknown, string>> = {
    parent: new Map(terms.map(({ id, slug }) => [id, slug])),
    post_parent: new Map(events.map(({ id, slug }) => [id, slug])),
  };
  const differing =
    /^(id|author|date|modified|modified_utc|url|urls|rest_url|global_id.*|json_ld|filesize|sizes|term_taxonomy_id)$/;
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== 'object') return value;
    const { url, website, ...rest } = value as Record<string, unknown>;
    const kept = Object.entries(rest).filter(([name]) => !differing.test(name));
    const content = kept.map(([name, one]) => [name, above[name]?.get(one) ?? plain(one)]);
    return { ...Object.fromEntries(content), website: website === url ? '' : website };
  };
  const sorted = (list: unknown[]) =>
    list.map(plain).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  return Object.fromEntries(Object.entries({ ...records, terms, tags }).map(([kind, list]) => [kind, sorted(list)]));
}

test('a calendar moves as it is written there, and moves once though it is told twice', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kalends-move-'));
  const source = await startServer();
  const target = await startServer({ KALENDS_FETCH_ALLOW: new URL(source.home).host });
  try {
    await fill(source);
    const [block = '', ...more] = blocksOf('Moving from an existing site', 'js');
    assert.equal(more.length, 0);
    const script = path.join(dir, 'move.mjs');
    const filled = block
      .replace('kalends/client', new URL('../src/client/client.js', import.meta.url).href)
      .replace('https://old.example', source.home)
      .replace('http://127.0.0.1:3000', target.home)
      .replace('…', target.users.admin.password);
    writeFileSync(script, filled);
    const move = async (): Promise<void> => {
      const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part) => {
          said += part;
        });
      const [status] = await once(child, 'close');
      assert.deepEqual([status, said], [0, '']);
    };
    await move();
    const there = await contentOf(source);
    for (const kept of ['"post_parent":"all-days"', '"parent":"music"', '"width":50', '"ticketed":["box office"]'])
      assert.ok(JSON.stringify(there).includes(kept), kept);
    const open = (list: unknown[] = []) => list.filter((one) => (one as Event).title !== 'Closed');
    const wanted = { ...there, events: open(there.events) };
    assert.equal(wanted.events.length, 13);
    assert.deepEqual(await contentOf(target), wanted);
    const changes = async () => {
      const pictures = (await target.get('/media', {}, 'admin')).json.total;
      const records = ['events', 'venues', 'organizers'].map(async (kind) => (await target.get(`/${kind}`)).json.total);
      const events = (await target.get('/events', { start_date: '2000-01-01', end_date: '2100-01-01' })).json.events;
      return { pictures, records: await Promise.all(records), modified: events.map((one: Event) => one.modified) };
    };
    const first = await changes();
    assert.equal(first.pictures, 3);
    await move();
    assert.deepEqual(await contentOf(target), wanted);
    assert.deepEqual(await changes(), first);
    // A picture that could not be had comes with the next run.
    const all = { start_date: '2000-01-01', end_date: '2100-01-01', per_page: 50 };
    const { events } = (await target.get('/events', all)).json;
    const { id } = events.find((one: Event) => one.image);
    assert.equal((await target.patch(`/events/${id}`, { image: '' }, 'admin')).json.image, false);
    await move();
    assert.deepEqual(await contentOf(target), wanted);
  } finally {
    await target.close();
    await source.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
