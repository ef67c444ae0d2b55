import { existsSync, readFileSync } from 'node:fs';

/** package.json is one folder up from dist/, two from build/src/. */
function readVersion(): string {
  const file = ['../package.json', '../../package.json'].map((name) => new URL(name, import.meta.url)).find(existsSync);
  return file ? String((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version) : '0.0.0';
}

export const VERSION = readVersion();
