import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toInstant, UTC } from '../time/zone.js';
import { rescheduled, scheduled } from './event.rules.js';

describe('the wall clock by the rules of today (D4)', () => {
  const utc = (wall: string): number => toInstant(wall, UTC);
  const times = (start_local: string, start: string, end_local: string, end: string) => ({
    start_local,
    start_utc: utc(start),
    end_local,
    end_utc: utc(end),
  });
  const cases: [name: string, before: ReturnType<typeof times>, after: ReturnType<typeof times> | undefined][] = [
    [
      'what is right stays',
      times('2025-07-01 20:00:00', '2025-07-01 18:00:00', '2025-07-01 22:00:00', '2025-07-01 20:00:00'),
      undefined,
    ],
    [
      'the second of two like hours stays the second',
      times('2025-10-26 02:30:00', '2025-10-26 01:30:00', '2025-10-26 04:00:00', '2025-10-26 03:00:00'),
      undefined,
    ],
    [
      'an hour off',
      times('2025-07-01 20:00:00', '2025-07-01 19:00:00', '2025-07-01 22:00:00', '2025-07-01 21:00:00'),
      times('2025-07-01 20:00:00', '2025-07-01 18:00:00', '2025-07-01 22:00:00', '2025-07-01 20:00:00'),
    ],
    [
      'one end only',
      times('2025-03-29 20:00:00', '2025-03-29 19:00:00', '2025-03-30 20:00:00', '2025-03-30 19:00:00'),
      times('2025-03-29 20:00:00', '2025-03-29 19:00:00', '2025-03-30 20:00:00', '2025-03-30 18:00:00'),
    ],
    [
      'in an hour that there is no more, the clock moves forward',
      times('2025-03-30 02:30:00', '2025-03-30 01:30:00', '2025-03-30 05:00:00', '2025-03-30 04:00:00'),
      times('2025-03-30 03:30:00', '2025-03-30 01:30:00', '2025-03-30 05:00:00', '2025-03-30 03:00:00'),
    ],
    [
      'and takes the end along',
      times('2025-03-30 02:30:00', '2025-03-30 01:30:00', '2025-03-30 03:10:00', '2025-03-30 02:10:00'),
      times('2025-03-30 03:30:00', '2025-03-30 01:30:00', '2025-03-30 03:30:00', '2025-03-30 01:30:00'),
    ],
  ];
  for (const [name, before, after] of cases) {
    test(name, () => assert.deepEqual(rescheduled({ timezone: 'Europe/Berlin', all_day: 0, ...before }), after));
  }
  test('a zone that nobody knows is left alone', () => {
    const odd = times('2025-07-01 20:00:00', '2025-07-01 19:00:00', '2025-07-01 22:00:00', '2025-07-01 21:00:00');
    assert.equal(rescheduled({ timezone: 'Moon/Base', all_day: 0, ...odd }), undefined);
  });
  test('whole days stay whole, where their last hour is skipped or their first one was', () => {
    const nuuk = { timezone: 'America/Nuuk', all_day: 1 } as const;
    const day = ['2027-03-27 00:00:00', '2027-03-27 02:00:00', '2027-03-27 23:59:59'] as const;
    const after = times(...day, '2027-03-28 00:59:59');
    assert.equal(rescheduled({ ...nuuk, ...after }), undefined);
    const open = scheduled({ all_day: false }, { ...nuuk, ...after }, UTC, 0);
    assert.deepEqual([open.end_local, open.end_utc], ['2027-03-27 22:59:59', after.end_utc]);
    assert.deepEqual(rescheduled({ ...nuuk, ...times(...day, '2027-03-28 01:59:59') }), after);
    // Written when midnight was skipped on that day, which it is no more.
    const then = times('2027-06-01 01:00:00', '2027-05-31 23:00:00', '2027-06-01 23:59:59', '2027-06-01 20:59:59');
    assert.deepEqual(
      rescheduled({ timezone: 'Europe/Helsinki', all_day: 1, ...then }),
      times('2027-06-01 00:00:00', '2027-05-31 21:00:00', '2027-06-01 23:59:59', '2027-06-01 20:59:59'),
    );
  });
});
