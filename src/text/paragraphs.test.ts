import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paragraphs } from './paragraphs.js';

const rows: [what: string, given: string, expected: string][] = [
  ['one line', 'One', '<p>One</p>'],
  ['a break and a blank line', 'A\nb\n\nC', '<p>A<br />\nb</p>\n<p>C</p>'],
  ['blanks on the blank line', 'A\n \t\n\n\nB', '<p>A</p>\n<p>B</p>'],
  ['line breaks around', '\n\nA\n\n', '<p>A</p>'],
  ['blanks stay', '  A  ', '<p>  A  </p>'],
  ['wrapped already', '<p>A</p>', '<p>A</p>'],
  ['two, side by side', '<p>A</p><p class="x">B</p>', '<p>A</p>\n<p class="x">B</p>'],
  ['two, with a line between', '<p>A</p>\n\n<p>B</p>', '<p>A</p>\n<p>B</p>'],
  ['text beside a paragraph', 'A<p>B</p>C', '<p>A</p>\n<p>B</p>\n<p>C</p>'],
  ['a blank line in a paragraph', '<p class="x">A\n\nB</p>', '<p class="x">A</p>\n<p>B</p>'],
  ['an empty paragraph', '<p> </p>A', '<p>A</p>'],
  ['inline tags are wrapped', '<b>A</b> b', '<p><b>A</b> b</p>'],
  ['inline tags over a blank line', '<b>A\n\n<i>B</i></b>', '<p><b>A</b></p>\n<p><b><i>B</i></b></p>'],
  ['an inline tag around blocks', '<b><div>A</div>B</b>', '<div><b>A</b></div>\n<p><b>B</b></p>'],
  ['an empty inline tag', '<i class="icon"></i>', '<p><i class="icon"></i></p>'],
  [
    'a heading and a list',
    '<h2>H</h2><ul><li>1</li><li>2</li></ul>',
    '<h2>H</h2>\n<ul>\n<li>1</li>\n<li>2</li>\n</ul>',
  ],
  ['white space in a list', '<ul>\n\n <li>1</li> \n</ul>', '<ul>\n<li>1</li>\n</ul>'],
  ['a list in a list', '<ul><li>1<ul><li>2</li></ul></li></ul>', '<ul>\n<li>1\n<ul>\n<li>2</li>\n</ul>\n</li>\n</ul>'],
  ['a table', '<table><tr><td>1</td><td></td></tr></table>', '<table>\n<tr>\n<td>1</td>\n<td></td>\n</tr>\n</table>'],
  ['a division', '<div>A</div>', '<div>A</div>'],
  ['two paragraphs in one', '<div>A\n\nB</div>', '<div>\n<p>A</p>\n<p>B</p></div>'],
  ['text after a paragraph in one', '<div><p>A</p>B</div>', '<div>\n<p>A</p>\n<p>B</p></div>'],
  ['a section', '<section>A</section>', '<section>A</section>'],
  ['a quotation', '<blockquote>A</blockquote>', '<blockquote><p>A</p></blockquote>'],
  ['two paragraphs in one', '<blockquote>A\n\nB</blockquote>', '<blockquote><p>A</p>\n<p>B</p></blockquote>'],
  ['with a paragraph', '<blockquote><p>A</p></blockquote>', '<blockquote>\n<p>A</p>\n</blockquote>'],
  ['text around a block', 'A\n<h3>B</h3>\nC', '<p>A</p>\n<h3>B</h3>\n<p>C</p>'],
  ['preformatted stays', 'A<pre>b\n\n<b>c</b>\nd</pre>E', '<p>A</p>\n<pre>b\n\n<b>c</b>\nd</pre>\n<p>E</p>'],
  ['a rule', 'A<hr />B', '<p>A</p>\n<hr />\n<p>B</p>'],
  ['the author broke the line', 'A<br />\nB', '<p>A<br />\nB</p>'],
  ['twice', 'A<br /><br />B', '<p>A</p>\n<p>B</p>'],
  ['at the end', 'A<br />\n\nB', '<p>A</p>\n<p>B</p>'],
  ['only a break', '<br />', '<p></p>'],
  ['a picture', '<img src="x" />', '<p><img src="x" /></p>'],
  [
    'a picture in a figure',
    '<figure>\n<img src="x" />\n<figcaption>A</figcaption></figure>',
    '<figure><img src="x" /><figcaption>A</figcaption></figure>',
  ],
  ['a break in a heading', '<h2>A\nb</h2>', '<h2>A<br />\nb</h2>'],
  ['a break in an item', '<ul><li>A\nb</li></ul>', '<ul>\n<li>A<br />\nb</li>\n</ul>'],
];

for (const [what, given, expected] of rows) {
  test(`C2 paragraphs: ${what}`, () => assert.equal(paragraphs(given), expected));
}

test('a few tags around many paragraphs do not grow beyond bounds', () => {
  const given = `<a class="${'x'.repeat(1000)}">${'a\n\n'.repeat(10_000)}</a>`;
  assert.ok(paragraphs(given).length < given.length * 6);
});
