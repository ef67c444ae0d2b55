import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanStyle } from './styles.js';

const rows: [what: string, given: string, expected: string][] = [
  ['as editors write it', 'text-align: center;', 'text-align: center'],
  [
    'several',
    'color:#FF0000; text-decoration : underline;font-size:14pt',
    'color:#FF0000;text-decoration : underline;font-size:14pt',
  ],
  [
    'colours',
    'color: rgb(255, 0, 0); background-color: RGBA(0,0,0,.5)',
    'color: rgb(255, 0, 0);background-color: RGBA(0,0,0,.5)',
  ],
  [
    'a picture beside the text',
    'float:left; margin: 0 1em 1em 0; width:50%',
    'float:left;margin: 0 1em 1em 0;width:50%',
  ],
  ['indented', 'padding-left: 40px', 'padding-left: 40px'],
  [
    'what word processors add goes',
    'mso-margin-top-alt:auto; font-family:"Times New Roman"; color:black',
    'color:black',
  ],
  ['no addresses', 'background: url(//evil.example/x); background-color: url(x)', ''],
  ['no positions', 'position:fixed; top:0; left:0; z-index:9; display:none; opacity:0', ''],
  ['nothing beyond its place', 'margin-left:-9999px; margin: -1em 0; text-indent:-999em; width:99999px', ''],
  ['no expressions', 'width:expression(alert(1)); color:expression(1)', ''],
  ['no escapes and comments', 'c\\6flor:red; color:re\\64; color:red/**/; width:1px!important', ''],
  ['no custom properties', '--x:1; color:var(--x)', ''],
  ['too long', `color:red;${'x'.repeat(2000)}`, ''],
  ['nothing', '', ''],
];

for (const [what, given, expected] of rows) test(`C2 style: ${what}`, () => assert.equal(cleanStyle(given), expected));

test('C2 style: whatever is given, what stays is harmless and stays again', () => {
  const part = fc.constantFrom(
    'color',
    'width',
    'margin',
    ':',
    ';',
    'red',
    '1px',
    '-',
    'url(',
    '(',
    ')',
    '"',
    '/*',
    '\\',
    ' ',
    'rgb(1,2,3)',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 20 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (given) => {
      const style = cleanStyle(given);
      assert.match(style, /^[a-z0-9#:;.,%/() -]*$/);
      assert.doesNotMatch(style, /url|expression|position|-\d/);
      assert.equal(cleanStyle(style), style);
    }),
    { numRuns: 2000 },
  );
});
