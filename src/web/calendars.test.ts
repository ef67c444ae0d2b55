import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Calendars } from './calendars.js';

const bytes = (text: string): Buffer => Buffer.from(text);

test('they are made one after the other, and the same only once', async () => {
  const calendars = new Calendars();
  let [atOnce, most, made] = [0, 0, 0];
  const make = (text: string) => async () => {
    most = Math.max(most, ++atOnce);
    made++;
    await setTimeout(5);
    atOnce--;
    return bytes(text);
  };
  const found = await Promise.all(['a', 'b', 'a', 'c', 'a'].map((key) => calendars.of(key, make(key))));
  assert.deepEqual(found.map(String), ['a', 'b', 'a', 'c', 'a']);
  assert.deepEqual([most, made], [1, 3]);
  // What is for one reader alone is for nobody else.
  await Promise.all([calendars.of(undefined, make('own')), calendars.of(undefined, make('own'))]);
  assert.equal(made, 5);
});

test('one that fails holds up nobody, and those who would wait too long are told', async () => {
  const calendars = new Calendars();
  const failed = calendars.of('x', async () => {
    throw new Error('no');
  });
  assert.equal(String(await calendars.of('y', async () => bytes('y'))), 'y');
  await assert.rejects(failed, /no/);
  assert.equal(String(await calendars.of('x', async () => bytes('x'))), 'x');
  let release = (): void => {};
  const held = new Promise<Buffer>((resolve) => {
    release = () => resolve(bytes('held'));
  });
  const waiting = Array.from({ length: 50 }, (_, n) => calendars.of(`w${n}`, () => held));
  await assert.rejects(
    calendars.of('one too many', () => held),
    { code: 'service-unavailable' },
  );
  release();
  await Promise.all(waiting);
  assert.equal(String(await calendars.of('later', async () => bytes('later'))), 'later');
});
