#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
const main = new URL('../dist/main.js', import.meta.url);

if (major < 20 || (major === 20 && minor < 12)) {
  console.error(`Kalends needs Node 20.12 or later; this is Node ${process.versions.node}. Install a newer one.`);
  process.exitCode = 1;
} else if (!existsSync(main)) {
  console.error('Kalends is not built yet. Run "npm install" or "npm run build" in its folder.');
  process.exitCode = 1;
} else {
  // What was compiled is kept for the next start, as far as this Node can, and this user may write beside the program:
  // whoever else may do so could write the program itself.
  module.enableCompileCache?.(fileURLToPath(new URL('../dist/compiled', import.meta.url)));
  await import(main.href);
}
