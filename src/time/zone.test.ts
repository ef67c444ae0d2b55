import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { findZone, toInstant, toWall, UTC, type Zone } from './zone.js';

const names = Intl.supportedValuesOf('timeZone');
const runs = { numRuns: 400 };

function zone(name: string): Zone {
  const found = findZone(name);
  assert.ok(found, name);
  return found;
}

/** A second implementation. D4: forward in a gap, the first in an overlap; both are what 'compatible' does. */
function theirInstant(wall: string, name: string): number {
  const plain = Temporal.PlainDateTime.from(wall.replace(' ', 'T'));
  return Math.floor(plain.toZonedDateTime(name, { disambiguation: 'compatible' }).epochMilliseconds / 1000);
}

function theirZoned(instant: number, name: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant * 1000).toZonedDateTimeISO(name);
}

function theirWall(instant: number, name: string): string {
  return theirZoned(instant, name).toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ');
}

function agree(name: string, instant: number): void {
  const ours = zone(name);
  assert.equal(ours.offsetAt(instant), theirZoned(instant, name).offsetNanoseconds / 1e9, `${name} ${instant} offset`);
  const wall = toWall(instant, ours);
  assert.equal(wall, theirWall(instant, name), `${name} ${instant} wall`);
  assert.equal(toInstant(wall, ours), theirInstant(wall, name), `${name} ${wall} instant`);
}

const someName = fc.constantFrom(...names);
const seconds = (from: string, to: string) =>
  fc.integer({ min: Date.parse(`${from}Z`) / 1000, max: Date.parse(`${to}Z`) / 1000 });

test('agrees with Temporal for any zone and any second of 1900–2100', () => {
  fc.assert(fc.property(someName, seconds('1900-01-01T00:00', '2100-12-31T00:00'), agree), runs);
});

test('agrees with Temporal outside the tables, from the year 1 to 9999', () => {
  fc.assert(fc.property(someName, seconds('0001-01-03T00:00', '9999-12-29T00:00'), agree), { numRuns: 200 });
});

test('agrees with Temporal around the changes of offset, gaps and folds (D4)', () => {
  const from = seconds('1970-01-01T00:00', '2060-01-01T00:00');
  const near = fc.integer({ min: -7200, max: 7200 });
  fc.assert(
    fc.property(someName, from, near, near, (name, start, before, aside) => {
      const change = theirZoned(start, name).getTimeZoneTransition('next');
      if (!change) return;
      const at = Math.floor(change.epochMilliseconds / 1000);
      agree(name, at + before);
      agree(name, at - 1);
      agree(name, at);
      // A wall-clock time that may not exist: read as UTC, moved by either offset.
      const wall = toWall(at + zone(name).offsetAt(at) + aside, UTC);
      assert.equal(toInstant(wall, zone(name)), theirInstant(wall, name), `${name} ${wall}`);
    }),
    runs,
  );
});

test('what is no gap and no second of a fold comes back', () => {
  fc.assert(
    fc.property(someName, seconds('1900-01-01T00:00', '2100-12-31T00:00'), (name, instant) => {
      const here = zone(name);
      const wall = toWall(instant, here);
      const back = toInstant(wall, here);
      assert.ok(back <= instant);
      assert.equal(toWall(back, here), wall);
    }),
    runs,
  );
});

const conversions: [wall: string, name: string, utc: string][] = [
  ['2033-01-20 18:00:00', 'America/New_York', '2033-01-20 23:00:00'],
  ['2033-06-20 18:00:00', 'America/New_York', '2033-06-20 22:00:00'],
  ['2033-06-20 18:00:00', 'Europe/Paris', '2033-06-20 16:00:00'],
  ['2033-06-20 18:00:00', 'Asia/Kathmandu', '2033-06-20 12:15:00'],
  ['2033-03-13 02:30:00', 'America/New_York', '2033-03-13 07:30:00'],
  ['2033-11-06 01:30:00', 'America/New_York', '2033-11-06 05:30:00'],
  ['2033-03-27 02:15:00', 'Europe/Paris', '2033-03-27 01:15:00'],
  ['2033-10-30 02:15:00', 'Europe/Paris', '2033-10-30 00:15:00'],
  ['2033-04-03 01:45:00', 'Australia/Lord_Howe', '2033-04-02 14:45:00'],
  ['2011-12-30 12:00:00', 'Pacific/Apia', '2011-12-30 22:00:00'],
  ['2033-06-20 18:00:00', 'UTC+1', '2033-06-20 17:00:00'],
  ['2033-06-20 18:00:00', 'UTC-3.5', '2033-06-20 21:30:00'],
  ['2033-06-20 18:00:00', 'CET', '2033-06-20 17:00:00'],
  ['0001-01-01 00:00:00', 'UTC', '0001-01-01 00:00:00'],
  ['9999-12-31 23:59:59', 'UTC', '9999-12-31 23:59:59'],
  ['2000-02-29 12:00:00', 'UTC-12', '2000-03-01 00:00:00'],
];
for (const [wall, name, utc] of conversions) {
  test(`${wall} ${name} is ${utc} UTC (D4, D6)`, () => assert.equal(toWall(toInstant(wall, zone(name)), UTC), utc));
}

test('a gap shows as the later clock, all of a skipped day too', () => {
  const newYork = zone('America/New_York');
  assert.equal(toWall(toInstant('2033-03-13 02:30:00', newYork), newYork), '2033-03-13 03:30:00');
  const apia = zone('Pacific/Apia');
  assert.equal(toWall(toInstant('2011-12-30 12:00:00', apia), apia), '2011-12-31 12:00:00');
});

test('the ends of time keep their shape', () => {
  const end = toInstant('9999-12-31 23:59:59', zone('America/New_York'));
  assert.equal(toWall(end, UTC), '9999-12-31 23:59:59');
  assert.equal(toWall(toInstant('0001-01-01 00:00:00', zone('Asia/Tokyo')), UTC), '0001-01-01 00:00:00');
});

const accepted: [text: string, hours: number, abbreviation: string][] = [
  ['UTC', 0, 'UTC'],
  ['utc', 0, 'UTC'],
  ['Z', 0, 'Z'],
  ['GMT', 0, 'GMT'],
  ['Etc/GMT', 0, 'GMT'],
  ['Zulu', 0, 'UTC'],
  ['UTC+0', 0, 'UTC+0'],
  ['UTC-0', 0, 'UTC-0'],
  ['UTC+2', 2, 'UTC+2'],
  ['utc-7', -7, 'utc-7'],
  ['UTC5', 5, 'UTC5'],
  ['UTC+5.5', 5.5, 'UTC+5.5'],
  ['UTC+8.75', 8.75, 'UTC+8.75'],
  ['UTC+5:45', 5.75, 'UTC+5:45'],
  ['UTC+05:30', 5.5, 'UTC+05:30'],
  ['UTC+14', 14, 'UTC+14'],
  ['UTC-12', -12, 'UTC-12'],
  ['+09:30', 9.5, '+0930'],
  ['-03:00', -3, '-03'],
  ['+4', 4, '+04'],
  ['GMT+2', 2, '+02'],
  ['EST', -5, 'EST'],
  ['PST', -8, 'PST'],
  ['BST', 1, 'BST'],
  ['cet', 1, 'CET'],
  ['ChST', 10, 'ChST'],
  ['Etc/GMT+7', -7, '-07'],
  ['EST5EDT', -4, 'EDT'],
  ['Europe/Paris', 2, 'CEST'],
  ['eUROPE/london', 1, 'BST'],
  ['Europe/Jersey', 1, 'BST'],
  ['Europe/Dublin', 1, 'IST'],
  ['Europe/Helsinki', 3, 'EEST'],
  ['Europe/Lisbon', 1, 'WEST'],
  ['Europe/Moscow', 3, 'MSK'],
  ['Europe/Minsk', 3, '+03'],
  ['Europe/Istanbul', 3, '+03'],
  ['America/Chicago', -5, 'CDT'],
  ['America/Phoenix', -7, 'MST'],
  ['America/St_Johns', -2.5, 'NDT'],
  ['America/Argentina/Buenos_Aires', -3, '-03'],
  ['America/Sao_Paulo', -3, '-03'],
  ['US/Hawaii', -10, 'HST'],
  ['Asia/Tokyo', 9, 'JST'],
  ['Asia/Calcutta', 5.5, 'IST'],
  ['Asia/Colombo', 5.5, '+0530'],
  ['Asia/Kathmandu', 5.75, '+0545'],
  ['Asia/Dubai', 4, '+04'],
  ['Asia/Jerusalem', 3, 'IDT'],
  ['Asia/Manila', 8, 'PST'],
  ['Africa/Nairobi', 3, 'EAT'],
  ['Africa/Johannesburg', 2, 'SAST'],
  ['Africa/Casablanca', 1, '+01'],
  ['Australia/Sydney', 10, 'AEST'],
  ['Australia/Lord_Howe', 10.5, '+1030'],
  ['Pacific/Auckland', 12, 'NZST'],
  ['Pacific/Chatham', 12.75, '+1245'],
  ['Pacific/Kiritimati', 14, '+14'],
  ['Pacific/Apia', 13, '+13'],
  ['Pacific/Pago_Pago', -11, 'SST'],
  ['Antarctica/Troll', 2, '+02'],
];
for (const [text, hours, abbreviation] of accepted) {
  test(`zone ${text}: ${hours} h in July, shown as ${abbreviation} (D6)`, () => {
    // A year in the past: governments change the rules of the future, which only newer versions of Node know.
    const july = Date.UTC(2025, 6, 10) / 1000;
    const found = zone(text);
    assert.equal(found.name, text);
    assert.equal(found.offsetAt(july), hours * 3600);
    assert.equal(found.abbreviationAt(july), abbreviation);
  });
}

test('letters follow the season', () => {
  const january = Date.UTC(2033, 0, 10) / 1000;
  const pairs = {
    'America/New_York': 'EST',
    'Europe/Paris': 'CET',
    'Australia/Sydney': 'AEDT',
    'Europe/London': 'GMT',
  };
  for (const [name, letters] of Object.entries(pairs)) assert.equal(zone(name).abbreviationAt(january), letters);
});

test('letters before 1970, where Intl has no names', () => {
  const at = (wall: string, name: string) => zone(name).abbreviationAt(toInstant(wall, zone(name)));
  assert.equal(at('1969-12-31 18:59:59', 'America/New_York'), 'EST');
  assert.equal(at('1955-07-01 12:00:00', 'America/New_York'), 'EDT');
  assert.equal(at('1955-07-01 12:00:00', 'Asia/Tokyo'), 'JST');
  assert.equal(at('1955-07-01 12:00:00', 'America/Bogota'), '-05');
  assert.equal(at('1850-07-01 12:00:00', 'America/New_York'), 'LMT');
});

test('letters that changed while the offset stayed, whichever is asked for first', () => {
  const at = (wall: string, name: string) => zone(name).abbreviationAt(toInstant(wall, zone(name)));
  assert.deepEqual([at('2022-11-15 12:00:00', 'Asia/Amman'), at('2022-06-15 12:00:00', 'Asia/Amman')], ['+03', 'EEST']);
  assert.deepEqual(
    [at('2022-06-15 12:00:00', 'Asia/Damascus'), at('2022-11-15 12:00:00', 'Asia/Damascus')],
    ['EEST', '+03'],
  );
});

test('an abbreviation is letters, or the offset itself', () => {
  fc.assert(
    fc.property(someName, seconds('1900-01-01T00:00', '2100-12-31T00:00'), (name, instant) => {
      assert.match(zone(name).abbreviationAt(instant), /^([A-Z]{3,4}|ChST|[+-]\d\d(\d\d)?)$/);
    }),
    runs,
  );
});

const refused =
  '|\t| |UTC+|UTC-|UTCfoo|UTC+16|UTC-16|UTC+100|UTC+530|UTC+15.25|UTC+5.3|UTC+5:60|UTC++5|UTC +5|5|12:00|+|+16:00|+5.5|Mars/Phobos|Europe|Paris|' +
  'Europe/Paris |Europe/Paris;|America/New York|<b>UTC</b>|SystemV/EST5|ACT|PNT|toString|constructor|localtime|A|nope';
for (const text of refused.split('|')) {
  test(`zone ${JSON.stringify(text)} is refused (D6)`, () => assert.equal(findZone(text), undefined));
}

test('values that are no text are refused', () => {
  for (const value of [null, undefined, 0, 1, true, [], {}])
    assert.equal(findZone(value as unknown as string), undefined);
});

test('many spellings do not fill the memory, and the same text is the same zone', () => {
  assert.equal(findZone('Europe/Rome'), findZone('Europe/Rome'));
  fc.assert(
    fc.property(fc.mixedCase(fc.constant('europe/rome')), (text) => zone(text).name === text),
    { numRuns: 3000 },
  );
});
