import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutCodes } from './codes.js';

const img = '<img src="https://example.org/x.jpg" />';

const rows: [what: string, given: string, expected: string][] = [
  ['plain text', 'a [b] c', 'a [b] c'],
  [
    'a picture with a caption',
    `a [caption id="p1" align="alignleft" width="300"]${img} A <em>view</em>[/caption] b`,
    `a <figure class="wp-caption alignleft">${img}<figcaption>A <em>view</em></figcaption></figure> b`,
  ],
  [
    'a picture that is a link',
    `[caption width=300]<a href="/">${img}</a> Home[/caption]`,
    `<figure class="wp-caption alignnone"><a href="/">${img}</a><figcaption>Home</figcaption></figure>`,
  ],
  [
    'the caption as a value, the name in full',
    `[wp_caption caption="Old"]${img}[/wp_caption]`,
    `<figure class="wp-caption alignnone">${img}<figcaption>Old</figcaption></figure>`,
  ],
  [
    'what it has beside the picture',
    `[caption caption="A"]${img} b[/caption]`,
    `<figure class="wp-caption alignnone">${img} b<figcaption>A</figcaption></figure>`,
  ],
  [
    'what stands in others',
    '[gallery]a[/gallery][audio src=https://example.org/a]b[/audio]',
    'a[/gallery]<audio controls src="https://example.org/a"></audio>b[/audio]',
  ],
  [
    'a caption of others',
    `[caption]${img} [[gallery]][/caption][caption][wp_caption][audio src=https://example.org/a][/wp_caption][/caption]`,
    `<figure class="wp-caption alignnone">${img}<figcaption>&#91;gallery]</figcaption></figure><audio controls src="https://example.org/a"></audio>`,
  ],
  ['a caption of nothing', '[caption]words[/caption]', 'words'],
  ['pictures of another site', 'a [gallery ids="1,2"] b[playlist]', 'a  b'],
  [
    'a link',
    '[embed width="9"] https://example.org/v [/embed]',
    '<a href="https://example.org/v">https://example.org/v</a>',
  ],
  [
    'a recording',
    '[audio mp3="https://example.org/a.mp3"][/audio]',
    '<audio controls src="https://example.org/a.mp3"></audio>',
  ],
  [
    'a video, and what follows it',
    '[video width="9" mp4="https://example.org/v.mp4"] then [video]',
    '<video controls src="https://example.org/v.mp4"></video> then [video]',
  ],
  [
    'without an address',
    '[audio] [video src="javascript:x"] [embed]x[/embed]',
    '[audio] [video src="javascript:x"] [embed]x[/embed]',
  ],
  ['not closed', `[caption]${img}`, `[caption]${img}`],
  ['words like it', '[Gallery] [galleries] [video-call] gallery]', '[Gallery] [galleries] [video-call] gallery]'],
  ['written about', 'use [[gallery]] here', 'use &#91;gallery] here'],
];

for (const [what, given, expected] of rows) test(`codes: ${what}`, () => assert.equal(withoutCodes(given), expected));

test('codes: no words are lost', () => {
  const part = fc.constantFrom(
    '[',
    ']',
    '[[',
    ']]',
    '[gallery]',
    '[/gallery]',
    '[caption]',
    '[caption caption=a]',
    '[/caption]',
    '<img src=a>',
    '[audio src=https://a.b/c]',
    '[/audio]',
    'X',
    ' ',
    '[embed]',
    '[/embed]',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const words = (text: string): number => text.split('X').length;
      const given = parts.join('');
      assert.ok(words(withoutCodes(given)) >= words(given), withoutCodes(given));
    }),
    { numRuns: 2000 },
  );
});

test('codes: many of them take no time to speak of', () => {
  for (const part of [
    '[caption]',
    '[',
    '[caption',
    '[[gallery]]',
    '[audio ',
    `[caption]${img}[/caption]`,
    '[/caption]',
  ]) {
    const begun = performance.now();
    withoutCodes(`${part.repeat(200_000 / part.length)}[/caption]`);
    assert.ok(performance.now() - begun < 2000, part);
  }
});

test('codes: what is given to one may be long', () => {
  for (const part of ['a', '-', 'a ', ' ', 'a=', 'a="', '="']) {
    const begun = performance.now();
    withoutCodes(`[audio ${part.repeat(200_000 / part.length)}]`);
    assert.ok(performance.now() - begun < 2000, part);
  }
});
