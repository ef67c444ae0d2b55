#!/usr/bin/env node
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
const main = new URL('../dist/main.js', import.meta.url);

if (major < 20 || (major === 20 && minor < 12)) {
  console.error(`Kalends needs Node 20.12 or later; this is Node ${process.versions.node}. Install a newer one.`);
  process.exitCode = 1;
} else if (!existsSync(main)) {
  console.error('Kalends is not built yet. Run "npm install" or "npm run build" in its folder.');
  process.exitCode = 1;
} else {
  await import(main.href);
}
