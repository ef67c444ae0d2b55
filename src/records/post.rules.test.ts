import assert from 'node:assert/strict';
import test from 'node:test';
import { findZone, toInstant, UTC } from '../time/zone.js';
import { publicationDate } from './post.rules.js';

test('a date that is written back stays the same, also in the second of two hours of the same name (D10)', () => {
  const berlin = findZone('Europe/Berlin') ?? UTC;
  const stored = toInstant('2025-10-26 01:30:00', UTC);
  const read = { date: { wall: '2025-10-26 02:30:00' }, date_utc: { wall: '2025-10-26 01:30:00' } };
  assert.equal(publicationDate(read, berlin, stored), stored);
  assert.equal(publicationDate(read, berlin), stored - 3600, 'in a new record it is the first');
  assert.equal(publicationDate({ date: { wall: '2025-10-26 02:31:00' } }, berlin, stored), stored - 3540);
  assert.equal(publicationDate({ date_utc: read.date_utc }, berlin, 0), stored);
  assert.equal(publicationDate({}, berlin, stored), undefined);
});
