import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Db } from '../db/database.js';
import { DAY, utcDayOf } from '../time/clock.js';
import { Latest } from './latest.js';
import { type DayRow, Selection, Selections } from './selection.js';
import type { Placed } from './stretch.js';

const NOON = Date.UTC(2030, 0, 1, 12) / 1000;
const inOrder = (a: Placed, b: Placed): number => a.start_utc - b.start_utc || a.date_utc - b.date_utc || a.id - b.id;

/** Never used: the selections of these tests need no database. */
const NO_DB = undefined as unknown as Db;
const STILL = { holds: () => true };
const noneAgain = async (): Promise<Placed[]> => [];

function rowsOf(events: Placed[]): DayRow[] {
  const days = new Map<number, Placed[]>();
  for (const event of events) {
    const day = utcDayOf(event.start_utc);
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  const told = ({ id, start_utc, end_utc, date_utc }: Placed): string => [id, start_utc, end_utc, date_utc].join(':');
  return [...days].map(([day, some]) => ({ day, events: some.map(told).join() }));
}

function selectionOf(events: Placed[]): Selection {
  const made = new Selection(noneAgain, false);
  made.add(rowsOf(events));
  return made;
}

const event = fc.record({
  id: fc.integer({ min: 1, max: 40 }),
  // Few hours, so that many events begin together; some before 1970, where seconds are negative.
  start: fc.integer({ min: -6, max: 6 }),
  long: fc.constantFrom(0, 1, 30, 100, 2_000_000),
  date: fc.constantFrom(-5, 0, 1, 2, 3, 2 ** 33),
  early: fc.boolean(),
});
const events = fc.uniqueArray(event, { selector: ({ id }) => id, maxLength: 40 }).map((some) =>
  some.map(({ id, start, long, date, early }): Placed => {
    const start_utc = (early ? -DAY * 3 : NOON) + start * 8 * 3600;
    return { id, start_utc, end_utc: start_utc + long * 3600, date_utc: date };
  }),
);
const bound = fc.option(
  fc.integer({ min: -8, max: 8 }).map((n) => NOON + n * 8 * 3600),
  { nil: undefined },
);
const bounds = fc.record({ startFrom: bound, startUntil: bound, endFrom: bound, endUntil: bound });

/** The same result, by looking at every event. */
function slowly(all: Placed[], b: Record<string, number | undefined>, offset: number, limit: number) {
  const { startFrom = -Infinity, startUntil = Infinity, endFrom = -Infinity, endUntil = Infinity } = b;
  const found = [...all]
    .sort(inOrder)
    .filter((e) => e.start_utc >= startFrom && e.start_utc <= startUntil)
    .filter((e) => e.end_utc >= endFrom && e.end_utc <= endUntil);
  return { ids: found.slice(offset, offset + limit).map(({ id }) => id), total: found.length };
}

describe('a selection', () => {
  test('gives pages and totals as if every event were looked at, also after changes', () => {
    fc.assert(
      fc.property(
        events,
        events,
        bounds,
        fc.nat(10),
        fc.integer({ min: 1, max: 10 }),
        (before, later, b, offset, n) => {
          const selection = selectionOf(before);
          const latest = new Latest();
          selection.follow(latest);
          const given = b as Parameters<Selection['within']>[0];
          assert.deepEqual(selection.within(given, offset, n), slowly(before, b, offset, n));
          // Each later event replaces the one with the same id; half of them are no longer selected.
          const ids = new Map(before.map((one) => [one.id, one]));
          const found: Placed[] = [];
          for (const one of later) {
            const old = ids.get(one.id);
            const day = (e: Placed | undefined): number | null => (e ? utcDayOf(e.start_utc) : null);
            latest.note([{ kind: 'event', id: one.id, day_before: day(old), day_after: day(one) }]);
            ids.delete(one.id);
            if (one.id % 2 === 0) {
              ids.set(one.id, one);
              found.push(one);
            }
          }
          selection.refresh(found);
          assert.deepEqual(selection.within(given, offset, n), slowly([...ids.values()], b, offset, n));
          assert.deepEqual(selection.within({}, 0, 100), slowly([...ids.values()], {}, 0, 100));
        },
      ),
    );
  });

  test('is given up when more has changed than is worth following', () => {
    const selection = selectionOf([]);
    const latest = new Latest();
    selection.follow(latest);
    const note = (id: number) => latest.note([{ kind: 'event', id, day_before: null, day_after: 1 }]);
    for (let id = 1; id <= 5000; id++) note(id);
    assert.ok(selection.canFollow);
    note(5001);
    assert.ok(!selection.canFollow);
  });

  test('is given up when a venue has changed that may have a say, or what happened is not known any more', () => {
    const latest = new Latest();
    const [byPlace, other] = [new Selection(noneAgain, true), new Selection(noneAgain, false)];
    for (const one of [byPlace, other]) one.follow(latest);
    latest.note([{ kind: 'venue', id: 1, day_before: null, day_after: null }]);
    assert.deepEqual([byPlace.canFollow, other.canFollow, other.isStale], [false, true, false]);
    for (let id = 0; id < 50_000; id++) latest.note([{ kind: 'event', id, day_before: null, day_after: 1 }]);
    assert.equal(latest.countSince(0), undefined);
    assert.ok(!other.canFollow);
    other.follow(latest);
    assert.ok(other.canFollow && !other.isStale);
  });
});

describe('selections', () => {
  const one: Placed = { id: 7, start_utc: NOON, end_utc: NOON, date_utc: 0 };
  const change = { kind: 'event', id: 7, day_before: utcDayOf(NOON), day_after: utcDayOf(NOON) } as const;

  test('what changes while one is made is looked at again afterwards', async () => {
    const selections = new Selections();
    const asked: number[][] = [];
    const selection = new Selection(async (_db, changed) => {
      asked.push(changed);
      return [];
    }, false);
    await selections.make('key', selection, async () => {
      selection.add(rowsOf([one]));
      selections.forget([change]);
    });
    assert.equal(await selections.get('key')?.catchUp(NO_DB, STILL), true);
    assert.deepEqual(asked, [[7]]);
    assert.deepEqual(selection.within({}, 0, 10), { ids: [], total: 0 });
    assert.equal(selections.beingMade('key'), undefined);
  });

  test('those that were asked for since the last time but one are brought up to date together, the others when they are', async () => {
    const selections = new Selections();
    const asked: string[] = [];
    for (const key of ['used', 'unused'])
      await selections.make(
        key,
        new Selection(async () => {
          asked.push(key);
          return [one];
        }, false),
        async () => {},
      );
    selections.get('used');
    for (let n = 0; n < 4; n++) {
      selections.forget([change]);
      await selections.catchUp(NO_DB, STILL);
    }
    assert.deepEqual(asked, ['used', 'used']);
    assert.equal(selections.get('unused')?.isStale, true);
    // Requested again, it is updated again.
    selections.get('used');
    await selections.catchUp(NO_DB, STILL);
    assert.deepEqual(asked, ['used', 'used', 'unused', 'used']);
    assert.deepEqual(selections.get('used')?.within({}, 0, 10), { ids: [7], total: 1 });
  });

  test('what was read before another change is not used', async () => {
    const selection = selectionOf([one]);
    const latest = new Latest();
    selection.follow(latest);
    latest.note([change]);
    assert.equal(await selection.catchUp(NO_DB, { holds: () => false }), false);
    assert.equal(selection.isStale, true);
    assert.deepEqual(selection.within({}, 0, 10).ids, [7]);
  });

  test('who asks while one is made can wait for it', async () => {
    const selections = new Selections();
    const selection = new Selection(noneAgain, false);
    let go = (): void => {};
    const making = selections.make('key', selection, () => new Promise((resolve) => (go = resolve)));
    const waiting = selections.beingMade('key');
    assert.ok(waiting);
    await breath();
    go();
    await Promise.all([making, waiting]);
    assert.equal(selections.get('key'), selection);
  });

  test('where more is selected than fits, making pauses, and goes on', async () => {
    // Each takes a little more than 16 kB of this.
    const selections = new Selections(45_000);
    const many = (): Placed[] => Array.from({ length: 1000 }, (_, n) => ({ ...one, id: n + 1 }));
    const rows = rowsOf(many());
    const make = (key: string, pause: number) => {
      const selection = new Selection(noneAgain, false);
      return selections.make(key, selection, async () => {
        selection.add(rows);
        await sleep(pause);
      });
    };
    const isWanted = (key: string): boolean => selections.isWanted(key, false) || selections.isWanted(key, false);
    for (const key of 'ab') await make(key, 0);
    assert.ok(isWanted('x'), 'two of them fit');
    await make('c', 50);
    assert.ok(!isWanted('y'), 'three do not');
    const paused = performance.now();
    while (!isWanted('y')) {
      assert.ok(performance.now() - paused < 60_000, 'it goes on');
      await sleep(20);
    }
    assert.ok(performance.now() - paused > 100, 'four times as long as it took');
  });

  test('what one takes is noted as it grows, and what takes most of the room is not kept', async () => {
    const selections = new Selections(100_000);
    const many = Array.from({ length: 6000 }, (_, n) => ({ ...one, id: n + 1 }));
    let grown = 0;
    const growing = (from: number) =>
      new Selection(async (_db, ids) => many.filter(({ id }) => ids.includes(id) && id > from), false);
    for (const key of 'ab') await selections.make(key, growing(0), async () => {});
    const grow = async (by: number): Promise<void> => {
      const some = many.slice(grown, grown + by);
      grown += by;
      selections.forget(some.map(({ id }) => ({ ...change, id })));
      await selections.catchUp(NO_DB, STILL);
    };
    for (const key of 'ab') assert.ok(selections.get(key));
    await grow(2500);
    const left = [...'ab'].filter((key) => selections.get(key)?.isStale === false);
    assert.equal(left.length, 2, 'both fit');
    await grow(2500);
    assert.equal([...'ab'].filter((key) => selections.get(key)).length, 0, 'neither does');
  });

  test('one that fails, or is overtaken by too much, is not kept', async () => {
    const selections = new Selections();
    await assert.rejects(
      selections.make('a', new Selection(noneAgain, false), () => Promise.reject(new Error('away'))),
      /away/,
    );
    await selections.make('b', new Selection(noneAgain, true), async () =>
      selections.forget([{ kind: 'venue', id: 1, day_before: null, day_after: null }]),
    );
    await selections.make('c', new Selection(noneAgain, false), async () => selections.clear());
    for (const key of 'abc') assert.deepEqual([selections.get(key), selections.beingMade(key)], [undefined, undefined]);
  });
});
