import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COSTS } from '../bench/model.js';
import { tables } from '../bench/simulate.js';
import { SETTINGS } from '../src/config.js';
import { startServer, type TestServer } from './support/server.js';

/** What operators are told, beside what is there. */

function projectRoot(): string {
  let at = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(at, 'package.json'))) at = path.dirname(at);
  return at;
}
const ROOT = projectRoot();
const textOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const documents = [...readdirSync(ROOT), ...readdirSync(path.join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
);

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

/** As anchors are made of headings. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

test('links lead to files, and to headings in them', () => {
  let looked = 0;
  for (const document of documents) {
    for (const [, target = ''] of textOf(document).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? document : path.join(path.dirname(document), file);
      assert.ok(existsSync(path.join(ROOT, found)), `${document} links to ${target}`);
      looked++;
      if (anchor === undefined) continue;
      const headings = [...textOf(found).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
      assert.ok(headings.includes(anchor), `${document} links to ${target}; there is ${headings.join(', ')}`);
    }
  }
  assert.ok(looked > 20, `${looked} links`);
});

test('files that are named exist', () => {
  const files = ['bench', 'deploy', 'docs', 'scripts', 'src', 'test'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true }).map((name) => `${folder}/${String(name)}`),
  );
  // One that a translator would make.
  files.push('src/i18n/xx.json');
  const isThere = (named: string): boolean => {
    const [before = '', after] = named.split('*').length > 1 ? named.split(/\*.*\*|\*/) : [named];
    // Files of the program are also named by their path below src/.
    return [before, `src/${before}`].some((start) =>
      files.some((file) => (after === undefined ? file === start : file.startsWith(start) && file.endsWith(after))),
    );
  };
  const named = documents.flatMap((document) =>
    [...textOf(document).matchAll(/`([\w-][\w.-]*\/[\w./*-]+\.(?:ts|js|mjs|json|md|sql|sh|yaml|conf|service))`/g)].map(
      ([, name = '']) => ({ document, name }),
    ),
  );
  const missing = named.filter(({ name }) => !isThere(name)).map(({ document, name }) => `${document}: ${name}`);
  assert.deepEqual(missing, []);
  assert.ok(named.length > 100, `${named.length} names`);
});

test('the oldest Node, and the ways of a create, are told alike', () => {
  const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
  const oldest = engines.node.replace('>=', '');
  const told = [
    ['README.md', `Node ${oldest} or later`],
    ['CHANGELOG.md', `Node ${oldest} to`],
    ['docs/operating.md', `version of Node, ${oldest} or later`],
    ['deploy/Dockerfile', `Node from ${oldest} on`],
    ['docs/scaling.md', `round trips to the database: ${COSTS.ways} while the lock is held`],
    ['docs/scaling.md', `in ${COSTS.ways} round trips`],
  ] as const;
  for (const [file, words] of told) assert.ok(textOf(file).includes(words), `${file} should say ${words}`);
});

test('settings that are named exist', () => {
  const known = new Set(SETTINGS.map(({ env }) => env));
  // Those of the proxy in compose.yaml.
  known.add('KALENDS_UPSTREAMS');
  const files = [
    ...documents.filter((name) => name !== 'CHANGELOG.md'),
    ...readdirSync(path.join(ROOT, 'deploy')).map((name) => `deploy/${name}`),
  ];
  const named = files.flatMap((file) =>
    [...textOf(file).matchAll(/\b(?:KALENDS|DATABASE|AWS)_[A-Z_]*[A-Z]\b/g)].map(([name]) => ({ file, name })),
  );
  const unknown = named.filter(({ name }) => !known.has(name)).map(({ file, name }) => `${file}: ${name}`);
  assert.deepEqual(unknown, []);
  assert.ok(named.length > 60, `${named.length} names`);
});

test('the command for operators has the settings and the user of the service', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-command-'));
  try {
    const unit = textOf('deploy/kalends.service');
    const [, variables = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const [, user = ''] = /^User=(.*)$/m.exec(unit) ?? [];
    const [, program = ''] = /^ExecStart=(.*) serve$/m.exec(unit) ?? [];
    const settings = path.join(folder, 'kalends.env');
    writeFileSync(settings, "KALENDS_SITE_NAME='Harbour & $Hill'\n");
    // Instead of becoming somebody else, it tells what it was asked to do.
    const names = [...variables.matchAll(/(\w+)=/g)].map(([, name]) => name);
    const told = [...names, 'KALENDS_SITE_NAME'].map((name) => `${name}=$${name}`).join(' ');
    writeFileSync(path.join(folder, 'runuser'), `#!/bin/sh\nprintf '%s\\n' "$@" "${told}"\n`, { mode: 0o755 });
    const script = textOf('deploy/kalends.sh').replace(/^\. \/etc\/kalends\.env$/m, `. ${settings}`);
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const out = execFileSync('/bin/sh', ['-c', script, 'kalends', 'backup', 'a b'], { env, encoding: 'utf8' });
    const wanted = ['-u', user, '--', ...program.split(' '), 'backup', 'a b'];
    assert.deepEqual(out.trim().split('\n'), [...wanted, `${variables} KALENDS_SITE_NAME=Harbour & $Hill`]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the nightly backup does what it says, as closed in as the service', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kalends-nightly-'));
  try {
    const unit = textOf('deploy/kalends-backup.service');
    const [, closed = ''] = /^(NoNewPrivileges=.*)\n\[Install\]/ms.exec(textOf('deploy/kalends.service')) ?? [];
    assert.ok(closed !== '' && unit.includes(closed));
    const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
    const env = { PATH: process.env.PATH, KALENDS_DATA_DIR: path.join(folder, 'data') };
    execFileSync(process.execPath, [main, 'migrate'], { env });
    const commands = [...unit.matchAll(/^ExecStart=(.*)$/gm)].map(([, command = '']) =>
      command
        // As systemd reads it.
        .replaceAll('$$', () => '$')
        .replaceAll('%%', '%')
        .replaceAll('/usr/bin/node bin/kalends.js', `${process.execPath} ${main}`)
        .replaceAll('/backup/kalends', folder),
    );
    const told = [...commands, ...commands].map((command) =>
      execFileSync('/bin/sh', ['-c', command], { env, encoding: 'utf8' }),
    );
    assert.match(told.join(''), /^(.*kalends-[1-7]\.db.*\nCopied 0 files .*\n){2}$/);
    assert.equal(readdirSync(folder).filter((name) => /^kalends-[1-7]\.db$/.test(name)).length, 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('metrics that are named are told', async () => {
  const told = await (await fetch(`${server.home}/metrics`)).text();
  const names = new Set([...told.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
  // There with replicas only.
  names.add('kalends_replica_in_use');
  const wanted = ['deploy/grafana-dashboard.json', 'docs/operating.md'].flatMap((file) =>
    [...textOf(file).matchAll(/\b(?:kalends_(?:http|replica)|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
      name.replace(/_bucket$/, ''),
    ),
  );
  assert.deepEqual(
    [...new Set(wanted)].filter((name) => !names.has(name)),
    [],
  );
  assert.ok(wanted.length > 20, `${wanted.length} names`);
});

test('the dashboard is one: panels with questions, none over another', () => {
  const { panels } = JSON.parse(textOf('deploy/grafana-dashboard.json')) as {
    panels: {
      id: number;
      title: string;
      gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
      targets: { expr: string }[];
    }[];
  };
  assert.ok(panels.length >= 8);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = new Map<string, string>();
  for (const {
    title,
    gridPos: { x, y, w, h },
    targets,
  } of panels) {
    assert.ok(
      targets.length > 0 && targets.every(({ expr }) => expr.split('(').length === expr.split(')').length),
      title,
    );
    assert.ok(x + w <= 24, title);
    for (let at = 0; at < w * h; at++) {
      const cell = `${x + (at % w)} ${y + Math.floor(at / w)}`;
      assert.equal(taken.get(cell), undefined, `${title} lies over another`);
      taken.set(cell, title);
    }
  }
});

test('what memory holds at most is what the code says', () => {
  const scaling = textOf('docs/scaling.md');
  const most = (file: string): number =>
    Number(/const MOST_BYTES = ([\d_]+);/.exec(textOf(file))?.[1]?.replaceAll('_', '')) / 1e6;
  const [answers, heads, selections, orders, pieces, calendars] = [
    most('src/http/kept.ts'),
    most('src/http/repeats.ts'),
    most('src/records/selection.ts'),
    most('src/records/orders.ts'),
    most('src/records/pieces.ts'),
    most('src/web/calendars.ts'),
  ] as const;
  const kinds = textOf('src/text/html.ts').match(/ = remembered\(/g)?.length ?? 0;
  const characters = /characters = ([\d_]+),/.exec(textOf('src/text/cache.ts'))?.[1]?.replaceAll('_', '');
  const texts = (kinds * Number(characters)) / 1e6;
  const numberOf = (file: string, name: string): number =>
    Number(new RegExp(`${name} = ([\\d_]+);`).exec(textOf(file))?.[1]?.replaceAll('_', ''));
  const asked = ['src/http/kept.ts', 'src/records/selection.ts', 'src/records/orders.ts'];
  const places = asked.reduce((sum, file) => sum + numberOf(file, 'PLACES_OF_ASKED'), 0);
  const once = ((places + numberOf('src/records/pieces.ts', 'PLACES_OF_BUILT')) * 4) / 1e6;
  const slots = numberOf('src/records/places.ts', 'SLOTS');
  const onDisk = (slots * 32) / 1e6;
  const prices = ['cost', 'offer'].filter((name) => textOf(`src/text/${name}.ts`).includes(' = again(')).length;
  const all = [answers, heads, selections, orders, pieces, texts, calendars, once, onDisk, prices];
  assert.equal(COSTS.cachesMb, Math.round(all.reduce((sum, one) => sum + one, 0)), 'bench/model.ts');
  assert.equal(COSTS.largestSelectionMb, selections * 0.75, 'bench/model.ts');
  const told = [
    `| cached responses | ${answers} MB,`,
    `| parsed request heads | ${heads} MB,`,
    `| selections | ${selections} MB,`,
    `| orders of venues, organizers and terms | ${orders} MB,`,
    `| pieces | ${pieces} MB,`,
    `| calendars | ${calendars} MB,`,
    `| which requests came once, and which records were built | ${once.toFixed(1)} MB:`,
    `| table of the records on disk | ${Math.round(onDisk)} MB, ${slots.toLocaleString('en')} |`,
    `| prices, taken apart | ${prices} MB,`,
    `${numberOf('src/records/overflow.ts', 'MOST_BYTES') / 1e6} MB of records on disk`,
    `| rendered HTML texts | ${texts},000,000 characters,`,
    `${selections * 0.75} MB at most`,
  ];
  for (const words of told) assert.ok(scaling.includes(words), `docs/scaling.md should say ${words}`);
});

test('the tables of the simulation are those that it prints', () => {
  const scaling = textOf('docs/scaling.md');
  for (const [name, table] of Object.entries(tables())) {
    assert.ok(
      scaling.includes(`<!-- ${name} -->\n\n${table}\n`),
      `put this after <!-- ${name} --> in docs/scaling.md:\n${table}`,
    );
  }
});
