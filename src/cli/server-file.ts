import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.js';

/** `server.pid` in the data folder tells other commands which process serves it. */
const fileOf = (config: Config): string => path.join(config.dataDir, 'server.pid');

function noted(config: Config): number | undefined {
  try {
    const pid = Number(readFileSync(fileOf(config), 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** The first server stays noted: a second one may fail to start. */
export function noteServer(config: Config): void {
  if (runningServer(config) !== undefined) return;
  writeFileSync(fileOf(config), `${process.pid}\n`, { mode: 0o600 });
}

/** The file may be that of another server. */
export function forgetServer(config: Config): void {
  if (noted(config) === process.pid) rmSync(fileOf(config), { force: true });
}

/** The process that serves this data, if it is still alive: after a crash the file stays behind. */
export function runningServer(config: Config): number | undefined {
  const pid = noted(config);
  if (pid === undefined || pid === process.pid) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined;
  }
}
