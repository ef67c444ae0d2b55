import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The promises of ARCHITECTURE.md about src/: who imports whom, where packages live, and a few words that stay out. */

function projectRoot(): string {
  let at = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(at, 'package.json'))) at = path.dirname(at);
  return at;
}
const SRC = path.join(projectRoot(), 'src');

interface Import {
  /** Path below src/ for our own files, else the name of the package. */
  target: string;
  own: boolean;
  line: number;
}
interface Source {
  /** Path below src/. */
  name: string;
  isTest: boolean;
  text: string;
  tree: ts.SourceFile;
  imports: Import[];
}

const packageOf = (specifier: string): string =>
  specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? specifier);

function importOf(from: string, specifier: string, line: number): Import {
  if (!specifier.startsWith('.'))
    return { target: specifier.startsWith('node:') ? specifier : packageOf(specifier), own: false, line };
  const target = path.posix.join(path.posix.dirname(from), specifier).replace(/\.js$/, '.ts');
  return { target, own: true, line };
}

function each(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

function importsOf(name: string, tree: ts.SourceFile): Import[] {
  const found: Import[] = [];
  each(tree, (node) => {
    let specifier: ts.Node | undefined;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) specifier = node.moduleSpecifier;
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) specifier = node.argument.literal;
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      specifier = node.arguments[0];
      while (specifier && ts.isAsExpression(specifier)) specifier = specifier.expression;
    }
    if (specifier && ts.isStringLiteralLike(specifier)) found.push(importOf(name, specifier.text, lineOf(tree, node)));
  });
  return found;
}

const lineOf = (tree: ts.SourceFile, node: ts.Node): number =>
  tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;

const sources: Source[] = readdirSync(SRC, { recursive: true })
  .map((name) => String(name).split(path.sep).join('/'))
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((name) => {
    const text = readFileSync(path.join(SRC, name), 'utf8');
    const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    return { name, isTest: name.endsWith('.test.ts'), text, tree, imports: importsOf(name, tree) };
  });
const product = sources.filter(({ isTest }) => !isTest);
const known = new Set(sources.map(({ name }) => name));

/** Fails when it found something, and also when it looked at nothing. */
function report(problems: string[], looked: number, what: string): void {
  assert.ok(looked > 0, `looked at no ${what}: the rule checks nothing`);
  assert.equal(problems.length, 0, `${problems.length} of ${looked} ${what}:\n${problems.join('\n')}`);
}

/** From the top down: a file imports from its own layer and from those below. */
const LAYERS = [
  ['main', 'heap'],
  ['cli'],
  ['app'],
  ['routes'],
  ['http', 'web', 'describe', 'demo'],
  ['ical'],
  ['site'],
  ['events', 'images'],
  ['venues', 'organizers', 'categories', 'tags'],
  ['records'],
  ['access', 'accounts', 'media'],
  ['config'],
  ['db', 'time', 'text', 'i18n', 'errors', 'version', 'lru', 'folders'],
  // A program for the other end of the line: it knows nobody here, and only commands that are such an end know it.
  ['client'],
];
/** A folder, or a file beside them: `config.values.ts` belongs to `config`. */
const partOf = (name: string): string => (name.includes('/') ? name.split('/')[0] : name.split('.')[0]) ?? name;
const layerOf = (name: string): number => LAYERS.findIndex((layer) => layer.includes(partOf(name)));

test('there is something to look at', () => {
  assert.ok(sources.length > 50, `${sources.length} files`);
  assert.ok(sources.some(({ isTest }) => isTest));
  const imports = sources.flatMap((file) => file.imports);
  assert.ok(imports.filter(({ own }) => own).length > 200, `${imports.length} imports`);
  console.log(`# architecture: ${sources.length} files, ${imports.length} imports`);
});

test('every part has its place, every import leads to a file, and ends in .js', () => {
  const problems = sources.filter(({ name }) => layerOf(name) < 0).map(({ name }) => `${name} is in no layer`);
  const parts = new Set(sources.map(({ name }) => partOf(name)));
  for (const part of LAYERS.flat()) if (!parts.has(part)) problems.push(`there is no ${part}`);
  let looked = 0;
  for (const { name, imports } of sources) {
    for (const { target, own, line } of imports) {
      looked++;
      const data = target.endsWith('.json') && existsSync(path.join(SRC, target));
      if (own && !known.has(target) && !data) problems.push(`${name}:${line} imports ${target}, which is not in src/`);
    }
  }
  report(problems, looked, 'imports');
});

test('imports point down', () => {
  const problems: string[] = [];
  let looked = 0;
  for (const { name, imports } of sources) {
    for (const { target, own, line } of imports) {
      if (!own || partOf(target) === partOf(name)) continue;
      looked++;
      const [from, to] = [layerOf(name), layerOf(target)];
      if (to < from) problems.push(`${name}:${line} imports ${target} from above`);
      if (partOf(target) === 'client' && partOf(name) !== 'cli') problems.push(`${name}:${line} imports the client`);
      // The kinds beside events do not know each other.
      if (LAYERS[from]?.includes('venues') && to === from)
        problems.push(`${name}:${line} imports ${target} from beside`);
    }
  }
  report(problems, looked, 'imports between parts');
});

test('no circles of files, and none of parts', () => {
  for (const [what, nodeOf] of [
    ['files', (name: string) => name],
    ['parts', partOf],
  ] as const) {
    const graph = new Map<string, Set<string>>();
    for (const { name, imports } of product) {
      const from = nodeOf(name);
      const to = graph.get(from) ?? new Set<string>();
      for (const { target, own } of imports) if (own && nodeOf(target) !== from) to.add(nodeOf(target));
      graph.set(from, to);
    }
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (node: string, way: string[]): void => {
      if (way.includes(node)) circles.push([...way.slice(way.indexOf(node)), node].join(' -> '));
      if (done.has(node)) return;
      done.add(node);
      for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    };
    for (const node of graph.keys()) visit(node, []);
    report(circles, graph.size, what);
  }
});

interface Promised {
  parts: string[];
  /** As it stands in the table. */
  may: string;
}

/** The table "Where things are" of ARCHITECTURE.md. */
function promises(): Promised[] {
  const text = readFileSync(path.join(projectRoot(), 'ARCHITECTURE.md'), 'utf8');
  const [table = ''] = /^\| folder \|.*\n(?:\|.*\n)+/m.exec(text) ?? [];
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => {
      const [, where = '', , may = ''] = line.split('|').map((cell) => cell.trim());
      return { parts: (where.match(/[\w.]+/g) ?? []).map(partOf), may };
    });
}

/** What each word of the column "may import" stands for: parts, or one file. */
function namedBy({ may }: Promised, at: number, table: Promised[]): Map<string, string[]> {
  const partsOf = (rows: Promised[]): string[] => rows.flatMap(({ parts }) => parts);
  const words: Record<string, string[]> = {
    nothing: [],
    everything: partsOf(table),
    'everything below': partsOf(table.slice(at + 1)),
    kinds: partsOf(table.filter(({ parts }) => parts.includes('events'))),
  };
  return new Map(may.split(', ').map((word) => [word, words[word] ?? [word.replaceAll('`', '')]]));
}

test('ARCHITECTURE.md says what each part may import, and nothing that it does not', () => {
  const table = promises();
  const named = table.map(namedBy);
  const rowOf = (part: string): number => table.findIndex(({ parts }) => parts.includes(part));
  const reached = (at: number, seen = new Set<string>()): Set<string> => {
    for (const one of [...(named[at]?.values() ?? [])].flat()) {
      if (seen.has(one)) continue;
      seen.add(one);
      reached(rowOf(one), seen);
    }
    return seen;
  };
  const problems: string[] = [];
  let looked = 0;
  const used = table.map(() => new Set<string>());
  for (const { name, imports } of product) {
    const at = rowOf(partOf(name));
    if (at < 0) problems.push(`${name} is in no row`);
    const may = reached(at);
    for (const { target, own, line } of imports) {
      if (!own || rowOf(partOf(target)) === at) continue;
      looked++;
      used[at]?.add(target).add(partOf(target));
      if (!may.has(partOf(target)) && !may.has(target)) problems.push(`${name}:${line} imports ${target}`);
    }
  }
  for (const [at, { parts }] of table.entries()) {
    for (const [word, meant] of named[at] ?? [])
      if (meant.length > 0 && !meant.some((one) => used[at]?.has(one)))
        problems.push(`${parts.join(', ')}: no file imports ${word}`);
  }
  report(problems, looked, 'imports between rows');
});

/** Where a package may be imported. */
const HOMES: [name: string, home: RegExp][] = [
  ['kysely', /\.store\.ts$|^db\/|^access\/visibility\.ts$/],
  ['@photostructure/sqlite', /^db\//],
  ['pg', /^db\/postgres/],
  ['pg-connection-string', /^db\/postgres/],
  ['fastify', /^app\.ts$|^http\/|^web\//],
  ['typebox', /(^|[./])shape\.ts$|^describe\/|^records\/|^http\/me\.ts$/],
  ['sharp', /^media\//],
  ['undici', /^media\//],
  ['aws4fetch', /^media\//],
  ['@fastify/multipart', /^app\.ts$|^http\//],
  ['pino', /^app\.ts$|^cli\/|^main\.ts$/],
  ['prom-client', /^http\//],
  ['sanitize-html', /^text\//],
  ['citty', /^cli\//],
  ['cookie', /^http\//],
];

test('packages have homes', () => {
  const homes = new Map(HOMES);
  const used = new Map<string, number>();
  const problems: string[] = [];
  for (const { name, imports } of product) {
    for (const { target, own, line } of imports) {
      if (own || target.startsWith('node:')) continue;
      used.set(target, (used.get(target) ?? 0) + 1);
      const home = homes.get(target);
      if (home === undefined) problems.push(`${name}:${line} imports ${target}, which has no home here`);
      else if (!home.test(name)) problems.push(`${name}:${line} imports ${target} outside of ${home.source}`);
    }
  }
  for (const name of homes.keys()) if (!used.has(name)) problems.push(`nothing imports ${name}`);
  report(
    problems,
    [...used.values()].reduce((a, b) => a + b, 0),
    'imports of packages',
  );
});

/** Uses of a global, or of a member of it: `Date.now`, `process.env`. */
const uses = (node: ts.Node, object: string, member?: string): boolean =>
  member === undefined
    ? ts.isIdentifier(node) && node.text === object && !isMemberName(node)
    : ts.isPropertyAccessExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === object &&
      node.name.text === member;
const isMemberName = (node: ts.Identifier): boolean =>
  (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) ||
  (ts.isPropertyAssignment(node.parent) && node.parent.name === node);

/** What may be said only in some places. `seen`: somebody has to say it, or the rule looks for the wrong thing. */
const WORDS: { what: string; found: (node: ts.Node) => boolean; home: RegExp; seen: boolean }[] = [
  { what: 'process.env', found: (n) => uses(n, 'process', 'env'), home: /^main\.ts$/, seen: true },
  { what: 'console', found: (n) => uses(n, 'console'), home: /^cli\/|^main\.ts$/, seen: true },
  { what: 'Intl', found: (n) => uses(n, 'Intl'), home: /^time\/|^i18n\//, seen: true },
  { what: 'Date', found: (n) => uses(n, 'Date'), home: /^time\/|^client\//, seen: true },
  { what: 'any', found: (n) => n.kind === ts.SyntaxKind.AnyKeyword, home: /^$/, seen: false },
  { what: 'process.exit', found: (n) => uses(n, 'process', 'exit'), home: /^cli\/|^main\.ts$/, seen: true },
  { what: 'Temporal', found: (n) => uses(n, 'Temporal'), home: /^time\//, seen: false },
];

for (const { what, found, home, seen } of WORDS) {
  test(`${what} is said only in ${home.source === '^$' ? 'no place' : home.source}`, () => {
    const problems: string[] = [];
    let looked = 0;
    let atHome = 0;
    for (const { name, tree } of product) {
      each(tree, (node) => {
        looked++;
        if (!found(node)) return;
        if (home.test(name)) atHome++;
        else problems.push(`${name}:${lineOf(tree, node)} ${node.parent.getText(tree).slice(0, 80)}`);
      });
    }
    report(problems, looked, 'words');
    assert.ok(!seen || atHome > 0, `nobody says ${what}: is the rule still right?`);
  });
}

test('every source is short, says no TODO, and has a name that says what it is', () => {
  const problems: string[] = [];
  for (const { name, text } of sources) {
    const lines = text.split('\n').length - 1;
    if (lines > 350 && !text.startsWith('// Made by scripts/')) problems.push(`${name} has ${lines} lines`);
    const left = /\b(TODO|FIXME|XXX|HACK)\b/.exec(text);
    if (left) problems.push(`${name} says ${left[0]}`);
    if (/(^|\/)index\.ts$/.test(name)) problems.push(`${name} is a barrel`);
    if (/(^|\/)(utils?|helpers?|common|lib|misc)(\/|\.)/.test(name))
      problems.push(`${name} is a drawer for everything`);
    if (name.split('/').length > 2) problems.push(`${name} is more than two levels deep`);
    if (/@ts-(ignore|nocheck|expect-error)/.test(text)) problems.push(`${name} silences the compiler`);
  }
  const barrels = product.filter(
    ({ tree }) => tree.statements.length > 1 && tree.statements.every((one) => ts.isExportDeclaration(one)),
  );
  for (const { name } of barrels) problems.push(`${name} only hands on`);
  report(problems, sources.length, 'files');
});
