import { createHook } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * How much memory the engine takes before it looks for what can be given back. Left to itself it doubles again and
 * again; most of that would be garbage. A calendar holds little, so looking often is cheap. What is young fits into a
 * megabyte: to wake four threads for it takes longer than to look through it.
 */
function growSlowly(): void {
  setFlagsFromString('--heap-growing-percent=60');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-parallel-scavenge');
}

growSlowly();
// A thread that begins sets the factor back to 2, for all.
process.on('worker', (worker) => worker.once('online', growSlowly));

/**
 * Small buffers are cut from larger ones, and one that is kept keeps all of that. Node 24 made these eight times as
 * large: the same kept answers held three times the memory. In bytes, as it was.
 */
Buffer.poolSize = 8192;

/**
 * What the process does next is a small object each time, several of them per request. When the engine collects garbage
 * while there is none of them, it forgets their shape, and from then on every single one is made five times as slowly,
 * for as long as the process lives (Node 20). So one of them is held. It is caught as it is made: to ask for the one
 * that runs would make the engine keep track of it from then on.
 */
export let oneTick: object | undefined;
const catching = createHook({
  init: (_id, _type, _from, made) => {
    oneTick = made;
  },
}).enable();
process.nextTick(() => {});
catching.disable();
