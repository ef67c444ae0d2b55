import assert from 'node:assert/strict';
import test from 'node:test';
import ICAL from 'ical.js';
import { findZone, toWall } from '../time/zone.js';
import { zoneBlock } from './zone.js';

const at = (text: string): number => Date.parse(`${text}Z`) / 1000;

test('another program finds the offset of every zone at every hour of a change, and between', () => {
  let looked = 0;
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const zone = findZone(name);
    assert.ok(zone, name);
    const [first, last] = [at('2024-06-01T00:00'), at('2027-02-01T00:00')];
    const component = new ICAL.Component(ICAL.parse(zoneBlock(zone, first, last)));
    const theirs = new ICAL.Timezone({ component, tzid: name });
    // Steps across the years, and the hours around each change.
    const moments: number[] = [];
    for (let one = first; one < last; one += 17 * 86_400) {
      moments.push(one);
      const change = zone.sameUntil(one);
      if (change < one + 17 * 86_400) moments.push(change - 10_800, change + 10_800);
    }
    for (const instant of moments) {
      const wall = ICAL.Time.fromString(toWall(instant, zone).replace(' ', 'T'), null as never);
      assert.equal(theirs.utcOffset(wall), zone.offsetAt(instant), `${name} ${instant}`);
      looked++;
    }
  }
  assert.ok(looked > 20_000, String(looked));
});

test('clocks that are put forward are daylight saving, south of the equator, too', () => {
  const zone = findZone('Australia/Sydney');
  assert.ok(zone);
  const kinds = zoneBlock(zone, at('2026-11-01T00:00'), at('2026-11-02T00:00')).match(
    /(?<=BEGIN:)[SD]\w+|(?<=TZNAME:).*/g,
  );
  assert.deepEqual(kinds, ['DAYLIGHT', 'AEDT', 'STANDARD', 'AEST', 'DAYLIGHT', 'AEDT']);
});

test('offsets with seconds are told, and years without end do not take for ever', () => {
  const zone = findZone('Africa/Monrovia');
  assert.ok(zone);
  assert.match(
    zoneBlock(zone, at('1971-06-01T00:00'), at('1972-12-01T00:00')),
    /TZOFFSETFROM:-004430\r\nTZOFFSETTO:\+0000/,
  );
  const paris = findZone('Europe/Paris');
  assert.ok(paris);
  const block = zoneBlock(paris, at('1850-01-01T00:00'), 253_402_300_799);
  assert.ok(block.length < 100_000, String(block.length));
});
