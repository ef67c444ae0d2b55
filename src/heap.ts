import { setFlagsFromString } from 'node:v8';

/**
 * How much memory the engine takes before it looks for what can be given back. Left to itself it doubles again and
 * again; most of that would be garbage. A calendar holds little, so looking often is cheap.
 */
function growSlowly(): void {
  setFlagsFromString('--heap-growing-percent=60');
  setFlagsFromString('--semi-space-growth-factor=1');
}

growSlowly();
// A thread that begins sets the factor back to 2, for all.
process.on('worker', (worker) => worker.once('online', growSlowly));
