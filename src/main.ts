import './heap.js';
import type { Io } from './cli/io.js';
import { run } from './cli/run.js';
import { VERSION } from './version.js';

// The process: the only file that reads the environment; it also sets the exit code.

const io: Io = {
  env: process.env,
  version: VERSION,
  terminal: process.stdout.isTTY === true,
  out: (text) => console.log(text),
  err: (text) => console.error(text),
};

// The reader of our output may have closed the pipe ("kalends user list | head -1").
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  console.error(`The output could not be written: ${error.message}.`);
  process.exit(1);
});

process.exitCode = await run(process.argv.slice(2), io);
// Leftover timers must not keep a finished process alive; output that is still being written gets a moment.
setTimeout(() => process.exit(), 1000).unref();
