// Compiles src/ to dist/ (and with --tests also test/ and bench/, all to build/), file by file, so that stack traces and imports stay as written.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

let esbuild;
try {
  esbuild = await import('esbuild');
} catch {
  // Installed without development packages: what was built before is used.
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

async function compile(folders, outdir) {
  await rm(outdir, { recursive: true, force: true });
  for (const folder of folders) {
    const base = folders.length > 1 ? '.' : folder;
    const sources = await filesBelow(
      folder,
      (name) => name.endsWith('.ts') && (outdir === 'build' || !name.endsWith('.test.ts')),
    );
    await esbuild.build({
      entryPoints: sources,
      outdir,
      outbase: base,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'warning',
    });
    const others = await filesBelow(folder, (name) => !name.endsWith('.ts'));
    for (const file of others) await cp(file, path.join(outdir, path.relative(base, file)));
  }
}

/** The interactive reference is somebody else's bundle: its files are taken along, so that installing needs no more. */
async function copyReference(to) {
  const from = 'node_modules/@fastify/swagger-ui/static';
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    await cp(path.join(from, name), path.join(to, 'web/assets', name));
}

if (process.argv.includes('--tests')) await compile(['src', 'test', 'bench'], 'build');
else await compile(['src'], 'dist');
// Declarations of the client, for those who import it from here; the compiler is a development package.
const compiler = 'node_modules/typescript/bin/tsc';
if (process.argv.includes('--types') && existsSync(compiler)) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.client.json'], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
await copyReference(process.argv.includes('--tests') ? 'build/src' : 'dist');
