import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { moverOf } from './sqlite-mover.js';

/** A promise that is resolved on demand. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('a short log is moved once, a long one until the rest is small, and only then do writers wait', async () => {
  const done: string[] = [];
  const last = gate();
  let moves = 0;
  const mover = moverOf(
    async () => {
      done.push(`move ${++moves}`);
      if (moves === 4) await last.opened;
      return moves > 1;
    },
    () => true,
  );
  mover.soon();
  await sleep(350);
  assert.deepEqual(done, ['move 1'], 'it was short');
  mover.soon();
  await sleep(350);
  assert.deepEqual(done.slice(1), ['move 2', 'move 3', 'move 4']);
  const write = mover.between(async () => void done.push('write'));
  await sleep(20);
  assert.equal(done.at(-1), 'move 4', 'the log stands still');
  last.open();
  await write;
  assert.equal(done.at(-1), 'write');
  mover.stop();
});

test('nobody who writes waits behind something long that somebody else asked for', async () => {
  const done: string[] = [];
  const writing = gate();
  let isFree = true;
  const mover = moverOf(
    async () => {
      done.push('move');
      return true;
    },
    () => isFree,
  );
  const first = mover.between(() => writing.opened);
  mover.soon();
  await sleep(350);
  // The checkpoint waits for the writer; meanwhile a long query gets in first.
  isFree = false;
  writing.open();
  await first;
  await mover.between(async () => void done.push('write'));
  assert.deepEqual(done, ['move', 'move', 'write']);
  mover.stop();
});

test('a log that cannot be moved holds up nobody', async () => {
  const mover = moverOf(
    async () => {
      throw new Error('away');
    },
    () => true,
  );
  mover.soon();
  await sleep(350);
  assert.equal(await mover.between(async () => 7), 7);
  await assert.rejects(
    mover.between(async () => {
      throw new Error('refused');
    }),
    /refused/,
  );
  assert.equal(await mover.between(async () => 8), 8);
  mover.stop();
});
