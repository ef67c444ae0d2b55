import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Calendars } from './calendars.js';

const bytes = (text: string): Buffer => Buffer.from(text);

/** Counts how many calendars are made, and how many at once. */
function maker() {
  const counted = { atOnce: 0, most: 0, made: 0 };
  const make = (text: string) => async () => {
    counted.most = Math.max(counted.most, ++counted.atOnce);
    counted.made++;
    await setTimeout(5);
    counted.atOnce--;
    return bytes(text);
  };
  return { counted, make };
}

test('they are made one after the other, and the same only once', async () => {
  const calendars = new Calendars(true, 0);
  const { counted, make } = maker();
  const found = await Promise.all(['a', 'b', 'a', 'c', 'a'].map((key) => calendars.of(key, 1, 'me', make(key))));
  assert.deepEqual(found.map(String), ['a', 'b', 'a', 'c', 'a']);
  assert.deepEqual([counted.most, counted.made], [1, 3]);
  // Without a key, a calendar is for one reader only and is not shared.
  await Promise.all([calendars.of(undefined, 1, 'me', make('own')), calendars.of(undefined, 1, 'me', make('own'))]);
  assert.equal(counted.made, 5);
});

test('what was made before a change, during it, or soon after, is not kept', async () => {
  const calendars = new Calendars(true, 40);
  const { counted, make } = maker();
  const twice = async (change: number): Promise<number> => {
    const before = counted.made;
    for (let n = 0; n < 2; n++) await calendars.of('a', change, 'me', make('a'));
    return counted.made - before;
  };
  assert.equal(await twice(1), 2, 'somebody may not have heard of it');
  await setTimeout(50);
  assert.equal(await twice(1), 1);
  assert.equal(await twice(2), 2);
  await setTimeout(50);
  const during = calendars.of('b', 2, 'me', make('b'));
  await setTimeout(2);
  await calendars.of('c', 3, 'me', make('c'));
  await during;
  await setTimeout(50);
  const before = counted.made;
  await calendars.of('b', 3, 'me', make('b'));
  assert.equal(counted.made, before + 1);
  const forgetful = new Calendars(false, 0);
  for (let n = 0; n < 2; n++) await forgetful.of('a', 1, 'me', make('a'));
  assert.equal(counted.made, before + 3, 'nothing is kept where nothing is to be kept');
});

test('many who come at once share one, also right after a change; who comes while it is made gets a later one', async () => {
  const calendars = new Calendars(true);
  const { counted, make } = maker();
  const many = Array.from({ length: 200 }, () => calendars.of('a', 1, 'me', make('before')));
  await setTimeout(3);
  assert.equal(counted.made, 1);
  const later = Array.from({ length: 200 }, () => calendars.of('a', 2, 'me', make('after')));
  assert.deepEqual(new Set((await Promise.all(many)).map(String)), new Set(['before']));
  assert.deepEqual(new Set((await Promise.all(later)).map(String)), new Set(['after']));
  assert.equal(counted.made, 2);
  const failing = Array.from({ length: 3 }, () =>
    calendars.of('b', 2, 'me', async () => {
      throw new Error('no');
    }),
  );
  for (const one of failing) await assert.rejects(one, /no/);
});

test('others get their turn between two of them', async () => {
  const calendars = new Calendars(true);
  let turns = 0;
  const turn = (): void => {
    turns++;
    if (turns < 100) setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(Array.from({ length: 10 }, (_, n) => calendars.of(String(n), 1, 'me', async () => bytes('x'))));
  assert.ok(turns >= 9, String(turns));
});

test('one that fails holds up nobody, and those who would wait too long are told', async () => {
  const calendars = new Calendars(true);
  const failed = assert.rejects(
    calendars.of('x', 1, 'me', async () => {
      throw new Error('no');
    }),
    /no/,
  );
  assert.equal(String(await calendars.of('y', 1, 'me', async () => bytes('y'))), 'y');
  await failed;
  assert.equal(String(await calendars.of('x', 1, 'me', async () => bytes('x'))), 'x');
  let release = (): void => {};
  const held = new Promise<Buffer>((resolve) => {
    release = () => resolve(bytes('held'));
  });
  const ask = (key: string, asker: string) => calendars.of(key, 1, asker, () => held);
  const waiting = Array.from({ length: 25 }, (_, n) => ask(`w${n}`, 'one'));
  await assert.rejects(ask('one too many', 'one'), { code: 'service-unavailable' });
  waiting.push(...Array.from({ length: 25 }, (_, n) => ask(`v${n}`, `other ${n}`)));
  await assert.rejects(ask('one too many', 'third'), { code: 'service-unavailable' });
  release();
  await Promise.all(waiting);
  assert.equal(String(await calendars.of('later', 1, 'me', async () => bytes('later'))), 'later');
});

test('nothing is kept for longer than a minute', async (t) => {
  const calendars = new Calendars(true, 0);
  const { counted, make } = maker();
  for (let n = 0; n < 2; n++) await calendars.of('a', 1, 'me', make('a'));
  assert.equal(counted.made, 1);
  const later = performance.now() + 61_000;
  t.mock.method(performance, 'now', () => later);
  await calendars.of('a', 1, 'me', make('a'));
  assert.equal(counted.made, 2);
});
