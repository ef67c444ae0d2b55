import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { toIso } from './clock.js';
import { parseMoment } from './parse.js';
import { findZone, toWall, UTC } from './zone.js';

const now = { instant: 2_002_503_930, zone: findZone('America/New_York') ?? UTC };

const anyInstant = fc.integer({
  min: Date.parse('0001-01-03T00:00Z') / 1000,
  max: Date.parse('9999-12-29T00:00Z') / 1000,
});
const anyZone = fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns', 'UTC+8.75', 'Pacific/Apia');
const names = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

test('what we write, we read: instants', () => {
  // Older offsets have seconds, which ISO 8601 cannot write.
  const recent = fc.integer({ min: 0, max: 4e9 });
  fc.assert(
    fc.property(recent, anyZone, (instant, name) => {
      const zone = findZone(name) ?? UTC;
      for (const text of [
        toIso(instant, zone),
        new Date(instant * 1000).toUTCString(),
        `@${instant}`,
        new Date(instant * 1000).toISOString(),
      ]) {
        assert.deepEqual(parseMoment(text, now), { instant }, text);
      }
    }),
  );
});

test('what we write, we read: wall clocks', () => {
  fc.assert(
    fc.property(anyInstant, (instant) => {
      const wall = toWall(instant, UTC);
      const [date = '', time = ''] = wall.split(' ');
      const [year, month, dayText] = date.split('-');
      const name = names[Number(month) - 1];
      const texts = [
        wall,
        `${date}T${time}`,
        `${date.replaceAll('-', '')}T${time.replaceAll(':', '')}`,
        `${date.replaceAll('-', '/')} ${time}`,
        `${month}/${dayText}/${year} ${time}`,
        `${dayText}.${month}.${year} ${time}`,
        `${Number(dayText)} ${name} ${year} ${time}`,
        `${name?.slice(0, 3)} ${Number(dayText)}, ${year} ${time}`,
      ];
      for (const text of texts) assert.deepEqual(parseMoment(text, now), { wall }, text);
    }),
  );
});

test('never throws, and answers only what its type says', () => {
  const words = fc.constantFrom(
    ...'10 2033 -06 -20 / . : t z + - 9am noon monday next last first week of june +2 days ago utc est @ ( [ ] ) , 24:00 99'.split(
      ' ',
    ),
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 8 }).map((parts) => parts.join(' ')),
    fc.array(words).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (value) => {
      const moment = parseMoment(value, now);
      if (!moment) return;
      if ('wall' in moment) assert.match(moment.wall, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      else assert.ok(Number.isInteger(moment.instant));
    }),
    { numRuns: 3000 },
  );
});
