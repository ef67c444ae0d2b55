import './heap.js';
import type { Io } from './cli/io.js';
import { run } from './cli/run.js';
import { VERSION } from './version.js';

// The process: the only place that reads the environment, and the one that ends.

const io: Io = {
  env: process.env,
  version: VERSION,
  terminal: process.stdout.isTTY === true,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
};

// Whoever read our output has seen enough ("kalends user list | head -1").
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await run(process.argv.slice(2), io);
// Whatever still ticks must not keep a finished process alive; what is still being printed has a moment to get out.
setTimeout(() => process.exit(), 1000).unref();
