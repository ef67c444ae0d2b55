import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { slugify, slugOfAddress, withSuffix } from './slug.js';

const sun = '%e6%97%a5';

const rows: [what: string, given: string, expected: string][] = [
  ['words', 'Summer Night', 'summer-night'],
  ['accents', 'Crème Brûlée Åäö ñ ś', 'creme-brulee-aao-n-s'],
  ['accents given apart', 'Cafe\u0301', 'cafe'],
  ['letters with strokes and ligatures', 'Łódź Øre æon œuvre Þór', 'lodz-ore-aeon-oeuvre-thor'],
  ['sharp s', 'Gruß', 'grus'],
  ['other scripts', 'Мир 日', `%d0%bc%d0%b8%d1%80-${sun}`],
  ['no accents are taken from other scripts', 'й', '%d0%b9'],
  ['emoji', 'a 🎉 b', 'a-%f0%9f%8e%89-b'],
  ['tags and entities', '<i>Rock</i> &amp; roll &#8211; x', 'rock-roll-x'],
  ['blanks and dashes as entities part words', '9&#8211;5 Art&nbsp;Show a&mdash;b&#x2013;c', '9-5-art-show-a-b-c'],
  ['what stands for a picture leaves nothing', 'a\ufffcb', 'ab'],
  ['slashes that were encoded', 'a%2fb%5Cc', 'a-b-c'],
  ['an ampersand', 'Q & A', 'q-a'],
  ['dots and slashes', 'v1.2/b', 'v1-2-b'],
  ['dashes', 'a–b—c - d', 'a-b-c-d'],
  ['dashes and blanks as entities', 'a&ndash;b&#8212;c&nbsp;d&#x2013;e', 'a-b-c-d-e'],
  ['punctuation', `It's "so" (good)! a+b=c`, 'its-so-good-abc'],
  ['typographic punctuation', '“It’s” … «so» ™', 'its-so'],
  ['underscore', 'a_b', 'a_b'],
  ['runs and ends', '--a -- b--', 'a-b'],
  ['smaller', 'a < b', 'a-b'],
  ['octets stay, in lower case', '%E6%97%A5 x', `${sun}-x`],
  ['also of what a title would lose', 'col%C2%B7lectiu o%ca%bbahu', 'col%c2%b7lectiu-o%ca%bbahu'],
  ['but not of dashes, blanks and quotes', 'a%e2%80%93b%c2%a0c%e2%80%99s 2%c3%972', 'a-b-cs-2x2'],
  ['so does an octet of ASCII', '%41 x', '%41-x'],
  ['a percent sign does not', '100% 5%4', '100-54'],
  ['nor what is no UTF-8', 'a%c3b%ff', 'ab'],
  ['nor control characters', 'a%00%0ab', 'ab'],
  ['nothing', '!!!', ''],
  ['long', 'a'.repeat(300), 'a'.repeat(200)],
  ['long, in whole characters', `xxx${'日'.repeat(50)}`, `xxx${sun.repeat(21)}`],
  ['long, no dash at the end', `${'a'.repeat(199)} b`, 'a'.repeat(199)],
];

for (const [what, given, expected] of rows) {
  test(`D16 slugify: ${what}`, () => assert.equal(slugify(given), expected));
}

test('D16 withSuffix', () => {
  assert.equal(withSuffix('x', 2), 'x-2');
  assert.equal(withSuffix('a'.repeat(200), 10), `${'a'.repeat(197)}-10`);
  assert.equal(withSuffix(sun.repeat(22), 2), `${sun.repeat(22)}-2`);
  assert.equal(withSuffix(`xx${sun.repeat(22)}`, 2), `xx${sun.repeat(21)}-2`);
});

test('D16 slugs are idempotent, ASCII, decodable and within the limit', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 120 }),
    fc
      .array(
        fc.constantFrom(
          '%',
          '%e6',
          '%97',
          '%a5',
          '-',
          ' ',
          'é',
          '日',
          '🎉',
          '·',
          '%c2',
          '%b7',
          '%e2%80%93',
          '%c3%89',
          '&amp;',
          '<b>',
          '4',
          'a',
          '.',
          'ß',
          'ẞ',
          'İ',
        ),
        { maxLength: 120 },
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 9999 }), (given, n) => {
      const slug = slugify(given);
      assert.match(slug, /^(?:[a-z0-9_%]+(?:-[a-z0-9_%]+)*)?$/);
      assert.ok(slug.length <= 200);
      assert.doesNotThrow(() => decodeURIComponent(slug));
      assert.equal(slugify(slug), slug);
      // In an address, encoded ASCII octets are the letters themselves.
      if (!/%[0-7]/.test(slug)) assert.equal(slugOfAddress(decodeURIComponent(slug)), slug);
      const numbered = withSuffix(slug, n);
      assert.ok(numbered.length <= 200 && numbered.endsWith(`-${n}`));
      assert.doesNotThrow(() => decodeURIComponent(numbered));
    }),
    { numRuns: 2000 },
  );
});

test('a plus sign in an address is a blank', () => {
  assert.equal(slugOfAddress('toms+bar'), 'toms-bar');
});

test('D16 the short ways make the same slug of plain text, and of what is a slug already', () => {
  const maxLength = 250;
  const like = fc.string({ unit: fc.constantFrom('a', '7', '_', '-', '-'), maxLength });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme-ascii', maxLength }), like), (text) => {
      // What cannot be seen takes the long way.
      assert.equal(slugify(text), slugify(`\u200b${text}`));
      assert.equal(slugOfAddress(text), slugOfAddress(`\u200b${text}`));
    }),
    { numRuns: 2000 },
  );
});
