import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold, searchWords } from './search.js';

const same: [what: string, one: string, other: string][] = [
  ['case', 'JaZZ', 'jazz'],
  ['accents', 'Crème Brûlée', 'creme brulee'],
  ['accents given apart', 'cafe\u0301', 'café'],
  ['strokes and ligatures', 'Łódź Ørsted œuvre', 'lodz orsted oeuvre'],
  ['sharp s, small and capital', 'Straße STRAẞE', 'strasse strasse'],
  ['Turkish i', 'İstanbul ısı', 'istanbul isi'],
  ['sigma at the end', 'ΟΔΟΣ', 'οδος'],
  ['Greek accents', 'Αθήνα', 'αθηνα'],
  ['Cyrillic', 'ЁЛКА', 'елка'],
  ['full width', 'ＡＢＣ１', 'abc1'],
  ['half-width kana', 'ｶﾞｷﾞ', 'ガギ'],
  ['ligature', 'ﬁn', 'fin'],
  ['Arabic vowel signs', 'مُحَمَّد', 'محمد'],
  ['Hebrew points', 'שָׁלוֹם', 'שלום'],
  ['Korean, composed or not', '한국'.normalize('NFD'), '한국'],
  ['typographic quotes and dashes', 'O’Brien “x” a–b', `o'brien "x" a-b`],
  ['white space and control characters', ' a\t\n\u0000 b\u00a0', 'a b'],
  ['what cannot be seen', 'so\u00adft \u200bx❤\ufe0f', 'soft x❤'],
];

for (const [what, one, other] of same) test(`B10 fold: ${what}`, () => assert.equal(fold(one), fold(other)));

const kept = ['日本語', 'กำลังใจ', 'हिन्दी', 'தமிழ்', 'ガギグ', 'й', 'ў', '🎉', 'عربي', '100%', '_', '\\', '<b>', '&'];
for (const text of kept) {
  test(`B10 fold keeps ${text}`, () => assert.equal(fold(text), text.normalize('NFKD').normalize('NFC')));
}

const different: [string, string][] = [
  ['мой', 'мои'],
  ['か', 'が'],
  ['กิน', 'กน'],
  ['की', 'का'],
];
for (const [one, other] of different) {
  test(`B10 fold keeps ${one} and ${other} apart`, () => assert.notEqual(fold(one), fold(other)));
}

const queries: [query: string, include: string[], exclude: string[]][] = [
  ['', [], []],
  [' jazz  Night ', ['jazz', 'night'], []],
  ['jazz JAZZ jâzz', ['jazz'], []],
  ['"jazz  night" blues', ['jazz night', 'blues'], []],
  ['“jazz night” «blues bar»', ['jazz night', 'blues bar'], []],
  ['jazz -night -"open air"', ['jazz'], ['night', 'open air']],
  ['-jazz', [], ['jazz']],
  ['a - b -- c', ['a', 'b', 'c'], []],
  ['hip-hop', ['hip-hop'], []],
  ['"jazz night', ['jazz', 'night'], []],
  ['" "" -" \'', ["'"], []],
  ['a\u0000b', ['a', 'b'], []],
  ['日本　東京', ['日本', '東京'], []],
  ['100% _ \\', ['100%', '_', '\\'], []],
];

for (const [query, include, exclude] of queries) {
  test(`B10 searchWords: ${JSON.stringify(query)}`, () => assert.deepEqual(searchWords(query), { include, exclude }));
}

test('B10 searchWords: more than twenty words are one phrase', () => {
  const words = Array.from({ length: 21 }, (_, i) => `W${i}`);
  assert.deepEqual(searchWords(words.join(' ')), { include: [words.join(' ').toLowerCase()], exclude: [] });
  assert.equal(searchWords(words.slice(1).join(' ')).include.length, 20);
});

test('B10 folding is idempotent and blind to case and normal form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const folded = fold(text);
      assert.equal(fold(folded), folded);
      assert.equal(fold(text.normalize('NFD')), folded);
      const { include, exclude } = searchWords(text);
      for (const word of [...include, ...exclude]) assert.equal(fold(word), word);
    }),
    { numRuns: 2000 },
  );
});

/** Characters that change others, are changed by them, or become several. */
const TOUCHY = [
  ...'aIi \n`=\u0301\u0307\u0306\u0338\u00ad\u3099\u00a8\u2013',
  ...'ИуΣςかﾞｶßİıŉﬁ\u1100\u1161\u11a8가',
  // Halves of a pair.
  '\ud83d',
  '\udc00',
];

test('B10 folding a text part by part is folding it as a whole', () => {
  /** In full width, letters and signs of ASCII are folded with what is beside them, and become those of ASCII. */
  const wide = (text: string): string =>
    text.replace(/[!-_a-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).replaceAll(' ', '\u3000');
  const unit = fc.oneof(fc.constantFrom(...TOUCHY), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 14 }), (text) => {
      assert.equal(fold(wide(text)), fold(text));
      assert.equal(fold(`${text} é ${text}`), `${fold(text)} e ${fold(text)}`.replace(/ {2,}/g, ' ').trim());
    }),
    { numRuns: 5000 },
  );
});

test('B10 folded text has single blanks, and none at its ends', () => {
  const blank = fc.constantFrom(' ', '\n', '\t', '\u00a0', '\u3000', '\u0085', '\u0001', 'a', 'é');
  fc.assert(
    fc.property(fc.string({ unit: blank }), (text) =>
      assert.equal(
        fold(`é${text}é`),
        `é${text}é`
          .replaceAll('é', 'e')
          .replace(/[\s\p{Cc}]+/gu, ' ')
          .trim(),
      ),
    ),
  );
});
