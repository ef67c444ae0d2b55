import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import ICAL from 'ical.js';
import { line, text } from './lines.js';

/** The value as another program reads it. */
const readBack = (whole: string): unknown => {
  const component = new ICAL.Component(ICAL.parse(`BEGIN:VEVENT\r\n${whole}END:VEVENT\r\n`));
  const [property, ...more] = component.getAllProperties();
  assert.equal(more.length, 0, whole);
  return property?.getFirstValue();
};

const written = fc.string({ unit: 'binary', maxLength: 400 });

test('whatever is written is one property, in lines of 75 octets at most, and is read as it was', () => {
  fc.assert(
    fc.property(written, (value) => {
      const whole = line('SUMMARY', text(value));
      assert.ok(whole.endsWith('\r\n'));
      for (const one of whole.slice(0, -2).split('\r\n')) assert.ok(Buffer.byteLength(one) <= 75, JSON.stringify(one));
      const kept = value
        .replace(/\r\n?/g, '\n')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these may not stand in a calendar.
        .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
      assert.equal(readBack(whole), kept);
    }),
    {
      numRuns: 500,
      examples: [
        [`${'a'.repeat(66)}é`],
        ['漢'.repeat(100)],
        ['👩‍👩‍👧'.repeat(20)],
        ['one\\n, two; "three": \\, four\r\nBEGIN:VEVENT'],
        ['a\u2028b\u0085c'],
      ],
    },
  );
});

test('a character is never cut', () => {
  for (let before = 0; before < 80; before++) {
    const whole = line('X', `${'a'.repeat(before)}${'😀'.repeat(30)}`);
    assert.ok(!whole.includes('\ufffd'), String(before));
    assert.equal(whole.replaceAll('\r\n ', ''), `X:${'a'.repeat(before)}${'😀'.repeat(30)}\r\n`);
  }
});
