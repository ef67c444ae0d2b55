import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toInstant, UTC } from '../time/zone.js';
import { rescheduled } from './event.rules.js';

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
    test(name, () => assert.deepEqual(rescheduled({ timezone: 'Europe/Berlin', ...before }), after));
  }
  test('a zone that nobody knows is left alone', () => {
    const odd = times('2025-07-01 20:00:00', '2025-07-01 19:00:00', '2025-07-01 22:00:00', '2025-07-01 21:00:00');
    assert.equal(rescheduled({ timezone: 'Moon/Base', ...odd }), undefined);
  });
});
