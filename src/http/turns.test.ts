import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadyNow } from '../time/clock.js';
import { noteNewcomer, timeForOne } from './turns.js';

const work = (milliseconds: number): void => {
  for (const until = steadyNow() + milliseconds; steadyNow() < until; );
};

test('reads that come together are worked out in order, with turns of the event loop between them', async () => {
  const MANY = 20;
  const all = Array.from({ length: MANY }, (_, n) => n);
  const done: number[] = [];
  let turns = 0;
  const countTurns = (): void => {
    turns++;
    if (done.length < MANY) setImmediate(countTurns);
  };
  const read = async (n: number): Promise<void> => {
    await timeForOne();
    work(3);
    done.push(n);
  };
  const arriving = all.map((n) => new Promise<void>((resolve) => setImmediate(() => resolve(read(n)))));
  setImmediate(countTurns);
  await Promise.all(arriving);
  assert.deepEqual(done, all);
  // 60 ms of work; a turn ends after 8 ms and the read that is being worked out then.
  assert.ok(turns >= 5, `${turns} turns`);
});

const aTurn = () => new Promise(setImmediate);

test('whoever comes when there is time does not wait, even after others have', async () => {
  await aTurn();
  assert.equal(timeForOne(), undefined);
  work(10);
  const waits = timeForOne();
  assert.ok(waits);
  const next = timeForOne();
  assert.ok(next, 'nobody overtakes');
  await waits;
  await next;
  await aTurn();
  assert.equal(timeForOne(), undefined);
});

test('while connections come they are accepted first, but reads do not wait for ever', async () => {
  await aTurn();
  await aTurn();
  let turns = 0;
  let isOver = false;
  const come = (many: number): void => {
    if (isOver || many === 0) return;
    turns++;
    noteNewcomer();
    setImmediate(() => come(many - 1));
  };
  come(5);
  await timeForOne();
  assert.ok(turns >= 2, 'it was held back');
  await aTurn();
  come(Infinity);
  await timeForOne();
  isOver = true;
});
