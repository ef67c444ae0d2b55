import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMoment } from './parse.js';
import { toInstant, UTC } from './zone.js';

// Bounds of a search are read more leniently than dates that are stored.
const bounds: [value: string | number, expected: string | number | undefined][] = [
  ['2033-04-31', '2033-05-01 00:00:00'],
  ['2033-02-30 10:00', '2033-03-02 10:00:00'],
  ['2033-02-31T23:59:59', '2033-03-03 23:59:59'],
  ['31.04.2033', '2033-05-01 00:00:00'],
  ['4/31/2033', '2033-05-01 00:00:00'],
  ['31 April 2033', '2033-05-01 00:00:00'],
  ['2033-06-00', '2033-05-31 00:00:00'],
  ['2033-00-10', '2032-12-10 00:00:00'],
  ['2033-12-31', '2033-12-31 00:00:00'],
  ['0000-01-01', '0001-01-01 00:00:00'],
  ['0000-00-00 00:00:00', '0001-01-01 00:00:00'],
  ['-3000 years', '0001-01-01 00:00:00'],
  ['+9000 years', '9999-12-31 23:59:59'],
  ['0001-01-01T00:00:00+05:00', -62_135_596_800],
  ['9999-12-31 23:59:59 -05:00', 253_402_300_799],
  ['1700000000', 1_700_000_000],
  ['1700000000000', 253_402_300_799],
  ['99999999999999999999', 253_402_300_799],
  ['-99999999999', -62_135_596_800],
  ['1.5', '2033-06-15 01:05:00'],
  ['   ', '2033-06-15 12:00:00'],
  [' , ', '2033-06-15 12:00:00'],
  ['UTC', 2_002_449_600],
  ['at', undefined],
  ['2033-13-01', undefined],
  ['2033-06-32', undefined],
  ['2033-06-20 25:00', undefined],
  ['someday', undefined],
  ['', undefined],
  [Number.NaN, undefined],
];
for (const [value, expected] of bounds)
  test(`${JSON.stringify(value)} (${value}) as a bound is ${expected} (A6)`, () => {
    const instant = toInstant('2033-06-15 12:00:00', UTC);
    const found = parseMoment(value, { instant, zone: UTC, isBound: true, isNowIfBlank: true });
    assert.equal(found && ('wall' in found ? found.wall : found.instant), expected);
  });
