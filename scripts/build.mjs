// Makes dist/ from src/: the program in a few files, since finding and reading two hundred takes longer than running
// them. With --tests, src/, test/ and bench/ are compiled to build/ file by file. Each package of many files is bundled
// into one file, beside ours.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

let esbuild;
try {
  esbuild = await import('esbuild');
} catch {
  // Installed without development packages: the existing build is used.
  if (existsSync('dist/main.js')) process.exit(0);
  console.error(
    'There is no dist/ yet and the compiler is not installed. Run "npm install" (with development packages) once.',
  );
  process.exit(1);
}

async function filesBelow(folder, keep) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((e) => e.isFile() && keep(e.name)).map((e) => path.join(e.parentPath ?? e.path, e.name));
}

/** Bundled with the program, so that users need not install them: they are development packages. */
const BUNDLED = [
  '@fastify/multipart',
  'citty',
  'cookie',
  'fastify',
  'kysely',
  'pino',
  'prom-client',
  'sanitize-html',
  'typebox',
  'undici',
];
/** Packages load these only on demand, which never happens here. */
const UNUSED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];
/** Packages load these at startup but are configured not to use them: they are replaced by empty modules. */
const EMPTY = ['postcss', 'domutils', '@opentelemetry/api'];
/** The same for modules of Node, by the packages that load them: this saves a thirtieth of the startup time. */
const EMPTY_FOR = { 'node:http2': /\/fastify\//, 'node:https': /\/fastify\//, https: /\/prom-client\// };
/** Packages that are installed beside the program. */
const INSTALLED = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies);
const COMMON = { platform: 'node', format: 'esm', target: 'node20', bundle: true, logLevel: 'warning' };
const fileOf = (name) => `packages/${name.replace('/', '-')}.js`;

/** One file per package, and for what they share. The names of its exports are found by loading it. */
async function bundlePackages(outdir) {
  const wrapper = {
    name: 'wrapper',
    setup(build) {
      build.onResolve({ filter: /^wrapped:/ }, ({ path: name }) => ({ path: name.slice(8), namespace: 'wrapped' }));
      build.onResolve({ filter: /.*/ }, ({ path: name, importer }) =>
        EMPTY.includes(name) || EMPTY_FOR[name]?.test(importer) ? { path: name, namespace: 'empty' } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {};' }));
      build.onLoad({ filter: /.*/, namespace: 'wrapped' }, async ({ path: name }) => {
        const found = Object.keys(await import(name)).filter((one) => one !== 'module.exports');
        return { contents: `export { ${found.join(', ')} } from '${name}';`, resolveDir: root };
      });
    },
  };
  const { metafile } = await esbuild.build({
    ...COMMON,
    entryPoints: BUNDLED.map((name) => ({ in: `wrapped:${name}`, out: fileOf(name).slice(0, -3) })),
    outdir,
    splitting: true,
    chunkNames: 'packages/shared-[hash]',
    external: [...INSTALLED, ...UNUSED],
    plugins: [wrapper],
    metafile: true,
    legalComments: 'none',
    // Parsing white space takes a thirtieth of the startup time; names stay, for stack traces (short ones are no
    // faster).
    minifyWhitespace: true,
    minifySyntax: true,
    // CommonJS packages require the modules of Node at run time.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
  });
  await writeFile(path.join(outdir, 'packages/LICENSES.txt'), await licenses(Object.keys(metafile.inputs)));
}

/** The licenses that must be distributed with the packages. */
async function licenses(inputs) {
  const folders = new Set(
    inputs.map((file) => /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]),
  );
  const parts = [];
  for (const folder of [...folders].filter(Boolean).sort()) {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : await readFile(path.join(folder, file), 'utf8');
    parts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}

const OURS = { ...COMMON, sourcemap: true, sourcesContent: false };

async function copyRest(folders, base, outdir) {
  for (const folder of folders)
    for (const file of await filesBelow(folder, (name) => !name.endsWith('.ts')))
      await cp(file, path.join(outdir, path.relative(base, file)));
}

/** Compiles everything below these folders, file by file. */
async function compile(folders, outdir, home) {
  const base = folders.length > 1 ? '.' : path.dirname(folders[0]);
  /** Our own files stay separate, and packages are imported from their bundles. */
  const apart = {
    name: 'apart',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ kind, path: asked, importer }) => {
        if (kind === 'entry-point') return undefined;
        if (!BUNDLED.includes(asked)) return { path: asked, external: true };
        const there = path.relative(path.dirname(path.relative(base, importer)), path.join(home, fileOf(asked)));
        return { path: there.startsWith('.') ? there : `./${there}`, external: true };
      });
    },
  };
  const sources = [];
  for (const folder of folders)
    sources.push(
      ...(await filesBelow(folder, (name) => name.endsWith('.ts') && (home === 'src' || !/\.test\.ts$/.test(name)))),
    );
  await esbuild.build({
    ...OURS,
    entryPoints: sources,
    outdir,
    outbase: base,
    treeShaking: false,
    plugins: [apart],
  });
}

/** One letter that is not Latin, as in a regular expression, makes all of a file twice as large in memory. */
const inLatin = (text) =>
  text.replace(/[^\0-\xff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The program in one file, and others that are loaded on demand. */
async function bundle(outdir) {
  const together = {
    name: 'together',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ kind, path: asked }) => {
        if (kind === 'entry-point' || asked.startsWith('.')) return undefined;
        if (BUNDLED.includes(asked)) return { path: `./${fileOf(asked)}`, external: true };
        if (asked.startsWith('node:') || INSTALLED.includes(asked)) return { path: asked, external: true };
        return { errors: [{ text: `${asked} is neither put into the program nor installed with it` }] };
      });
      // Files that lie beside a source are found as if the source were still in its folder, below the bundle at the
      // top.
      build.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        const place = JSON.stringify(`./${path.relative('src', file)}`);
        const text = await readFile(file, 'utf8');
        const contents = inLatin(text).replaceAll('import.meta.url', `new URL(${place}, import.meta.url)`);
        return { contents, loader: 'ts' };
      });
    },
  };
  await esbuild.build({
    ...OURS,
    entryPoints: ['src/main.ts', 'src/db/sqlite-thread.ts'],
    outdir,
    outbase: 'src',
    splitting: true,
    chunkNames: 'part-[hash]',
    plugins: [together],
  });
}

const isForTests = process.argv.includes('--tests');
const place = isForTests ? 'build' : 'dist';
// In another folder first: an interrupted build leaves no file half done.
const outdir = `.making-${place}-${process.pid}`;
const home = isForTests ? path.join(outdir, 'src') : outdir;
if (isForTests) {
  await compile(['src', 'test', 'bench'], outdir, 'src');
  await copyRest(['src', 'test', 'bench'], '.', outdir);
} else {
  await bundle(outdir);
  await compile(['src/client'], outdir, '.');
  await copyRest(['src'], 'src', outdir);
}
await bundlePackages(home);

/** The interactive reference is a third-party bundle, copied so that users need not install its package. */
async function copyReference(to) {
  const from = 'node_modules/@fastify/swagger-ui/static';
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    await cp(path.join(from, name), path.join(to, 'web/assets', name));
}

await copyReference(home);

/** File by file, and what others load comes first: whoever starts meanwhile finds the old program or the new one. */
async function putInPlace() {
  const made = (await filesBelow(outdir, () => true)).map((file) => path.relative(outdir, file));
  const isEntry = (file) => path.basename(file) === 'main.js';
  const isShared = (file) => /^(part|shared)-/.test(path.basename(file));
  const order = (file) => (isEntry(file) ? 2 : isShared(file) ? 0 : 1);
  for (const file of made.sort((a, b) => order(a) - order(b))) {
    await mkdir(path.dirname(path.join(place, file)), { recursive: true });
    await rename(path.join(outdir, file), path.join(place, file));
  }
  await rm(outdir, { recursive: true });
  const known = new Set(made);
  for (const file of await filesBelow(place, () => true))
    if (!known.has(path.relative(place, file))) await rm(file, { force: true });
}

await putInPlace();

// Type declarations of the client, for those who import it from here; the compiler is a development package.
const compiler = 'node_modules/typescript/bin/tsc';
if (process.argv.includes('--types') && existsSync(compiler)) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.client.json'], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
