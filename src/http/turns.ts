import { steadyNow } from '../time/clock.js';

/**
 * Node accepts one new connection in each turn of its event loop, and serves all that are open. So the longer a turn
 * takes, the longer newcomers wait, one by one, and so do writers, whose work takes several turns. Reads that must be
 * worked out therefore wait in line once a turn has lasted some time, and while connections are coming; what is
 * answered from memory, and everything else, goes on between them. Much shorter turns cost more than they gain, as what
 * waits is in memory meanwhile.
 */
const LONGEST_MS = 8;

const waiting: (() => void)[] = [];
let hasBegun = false;
let endsAt = 0;
/** A connection was accepted in this turn: more may be waiting. */
let hasCome = false;
let heldBackAt: number | undefined;

/** To be called for every new connection. */
export function noteNewcomer(): void {
  hasCome = true;
  if (!hasBegun) begin();
}

/** Resolves when there is time for one more read; undefined if there is now. */
export function timeForOne(): Promise<void> | undefined {
  if (!hasBegun) begin();
  if (waiting.length === 0 && !hasCome && steadyNow() < endsAt) return undefined;
  return new Promise((resolve) => waiting.push(resolve));
}

function begin(): void {
  hasBegun = true;
  endsAt = steadyNow() + LONGEST_MS;
  setImmediate(next);
}

function next(): void {
  hasBegun = false;
  const mayBeMore = hasCome;
  hasCome = false;
  if (waiting.length === 0) return;
  begin();
  if (mayBeMore) {
    heldBackAt ??= steadyNow();
    if (steadyNow() - heldBackAt < LONGEST_MS) return;
  }
  heldBackAt = undefined;
  letIn();
}

/** One after the other: each is done, or waits for something else, before the clock is looked at again. */
function letIn(): void {
  if (steadyNow() >= endsAt) return;
  waiting.shift()?.();
  if (waiting.length > 0) queueMicrotask(() => process.nextTick(letIn));
}
