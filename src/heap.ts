import { createHook } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * How far the heap grows before V8 collects garbage. By default it doubles again and again, and most of that would be
 * garbage. A calendar holds little, so frequent collections are cheap. The young generation is small: waking four
 * threads to collect it takes longer than doing it in one.
 */
function growSlowly(): void {
  setFlagsFromString('--heap-growing-percent=60');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-parallel-scavenge');
}

growSlowly();
// A new thread resets the growth factor to 2, for the whole process.
process.on('worker', (worker) => worker.once('online', growSlowly));

/**
 * What a long page or a write needs while it is worked out does not fit into the megabyte with which the young
 * generation begins: most of it would be moved to the old one, where collecting takes longer. V8 itself would go on to
 * 16 MB, three times over.
 */
const ROOM_FOR_THE_YOUNG = 4 << 20;
const roomForTheYoung = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? ROOM_FOR_THE_YOUNG;

/** V8 lets it grow when much has survived, so some objects do that here. It takes a few milliseconds. */
function makeRoomForTheYoung(): void {
  if (roomForTheYoung() >= ROOM_FOR_THE_YOUNG) return;
  setFlagsFromString('--semi-space-growth-factor=4');
  const surviving: unknown[] = [];
  for (let round = 0; round < 100 && roomForTheYoung() < ROOM_FOR_THE_YOUNG; round++)
    for (let n = 0; n < 500; n++) surviving.push(new Array(16).fill(n));
  growSlowly();
}

// V8 gives the room back after some idle seconds.
let seen = performance.eventLoopUtilization();
setInterval(() => {
  const isBusy = performance.eventLoopUtilization(seen).utilization > 0.2;
  seen = performance.eventLoopUtilization();
  if (isBusy) makeRoomForTheYoung();
}, 1000).unref();

/**
 * Small buffers are slices of a pooled one, and a slice that is retained retains the whole pool. Node 24 made pools
 * eight times as large: the same cached responses then held three times the memory. In bytes, as before Node 24.
 */
Buffer.poolSize = 8192;

/**
 * `process.nextTick` makes a small object each time, several per request. If V8 collects garbage while none of them is
 * alive, it forgets their shape, and from then on creating one is five times as slow, for the life of the process (Node
 * 20). So one of them is held for good. A hook catches it at its creation: asking for the current one
 * (`executionAsyncResource`) would make Node keep track of them from then on.
 */
export let oneTick: object | undefined;
const catching = createHook({
  init: (_id, _type, _from, made) => {
    oneTick = made;
  },
}).enable();
process.nextTick(() => {});
catching.disable();
