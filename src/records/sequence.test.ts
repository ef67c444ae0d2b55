import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Bounds } from '../time/window.js';
import { Sequence } from './sequence.js';
import type { Placed } from './stretch.js';

const numbersOf = ({ id, start_utc, end_utc, date_utc }: Placed): number[] => [id, start_utc, end_utc, date_utc];

/** The same result, by looking at every event. */
function slowly(all: Iterable<Placed>, bounds: Bounds, offset: number, limit: number) {
  const { startFrom = -Infinity, startUntil = Infinity, endFrom = -Infinity, endUntil = Infinity } = bounds;
  const found = [...all]
    .sort((a, b) => a.start_utc - b.start_utc || a.date_utc - b.date_utc || a.id - b.id)
    .filter((e) => e.start_utc >= startFrom && e.start_utc <= startUntil)
    .filter((e) => e.end_utc >= endFrom && e.end_utc <= endUntil);
  return { ids: found.slice(offset, offset + limit).map(({ id }) => id), total: found.length };
}

const moment = fc.constantFrom(-(2 ** 34), -7, 0, 1, 2, 3, 10, 11, 12, 500, 2 ** 33);
const placed = fc
  .record({ start: moment, long: fc.constantFrom(0, 1, 9, 2 ** 33), date: fc.constantFrom(-1, 0, 5, 2 ** 33) })
  .map(({ start, long, date }) => ({ start_utc: start, end_utc: start + long, date_utc: date }));
const bound = fc.option(moment, { nil: undefined });
const bounds = fc.record({ startFrom: bound, startUntil: bound, endFrom: bound, endUntil: bound });

describe('a sequence', () => {
  test('tells what looking at every event would, whatever is put in and taken out', () => {
    fc.assert(
      fc.property(
        fc.array(placed, { maxLength: 30 }),
        fc.array(fc.record({ event: placed, removes: fc.boolean(), which: fc.nat(60) }), { maxLength: 60 }),
        fc.array(fc.record({ window: bounds, offset: fc.nat(12), limit: fc.integer({ min: 1, max: 6 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        (first, steps, questions) => {
          // Limits so low that there are many stretches and some become too long.
          const sequence = new Sequence(3, 2);
          const all = new Map<number, Placed>(first.map((event, n) => [n + 1, { id: n + 1, ...event }]));
          sequence.append([...all.values()].flatMap(numbersOf));
          const check = (): void => {
            assert.equal(sequence.size, all.size);
            for (const { window, offset, limit } of questions) {
              const asked = window as Bounds;
              assert.deepEqual(sequence.within(asked, offset, limit), slowly(all.values(), asked, offset, limit));
            }
          };
          check();
          for (const [n, { event, removes, which }] of steps.entries()) {
            const old = all.get(which);
            if (removes && old) {
              sequence.remove(new Set([which]), old.start_utc, old.start_utc);
              all.delete(which);
            } else {
              const made = { id: 1000 - n, ...event };
              sequence.insert(made);
              all.set(made.id, made);
            }
            assert.deepEqual(sequence.within({}, 3, 2), slowly(all.values(), {}, 3, 2));
          }
          check();
          assert.deepEqual(sequence.within({}, 0, 100), slowly(all.values(), {}, 0, 100));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('what comes later goes on where the earlier ended', () => {
    const sequence = new Sequence(4, 3);
    const all = Array.from({ length: 25 }, (_, n) => ({ id: n + 1, start_utc: n, end_utc: n + 3, date_utc: 0 }));
    for (let from = 0; from < 25; from += 5) {
      sequence.append(all.slice(from, from + 5).flatMap(numbersOf));
      assert.equal(sequence.within({}, 100, 1).total, from + 5);
    }
    assert.deepEqual(sequence.within({}, 0, 100), slowly(all, {}, 0, 100));
    assert.deepEqual(
      sequence.within({ endFrom: 9, startUntil: 20 }, 2, 3),
      slowly(all, { endFrom: 9, startUntil: 20 }, 2, 3),
    );
  });

  test('takes four times four bytes an event, and little more, also where there are few a day', () => {
    const sequence = new Sequence();
    const numbers = Array.from({ length: 10_000 }, (_, n) => [n + 1, n * 86_400, n * 86_400 + 60, 0]).flat();
    sequence.append(numbers);
    assert.ok(sequence.bytes < 10_000 * 17, String(sequence.bytes));
    for (let n = 0; n < 3000; n++) sequence.insert({ id: 20_000 + n, start_utc: 500, end_utc: 600, date_utc: n });
    assert.ok(sequence.bytes < 13_000 * 17, String(sequence.bytes));
  });
});
