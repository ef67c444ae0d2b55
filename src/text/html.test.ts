import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cleanDescription,
  cleanHtml,
  cleanLine,
  cleanTermDescription,
  cleanTermName,
  cleanTitle,
  excerptText,
  plainText,
  renderHtml,
  renderTitle,
} from './html.js';

type Row = [what: string, given: string, expected: string];

function table(name: string, work: (text: string) => string, rows: Row[]): void {
  for (const [what, given, expected] of rows) test(`${name}: ${what}`, () => assert.equal(work(given), expected));
}

table('C2 cleanTitle', cleanTitle, [
  ['plain text is trimmed', '  Spring fair \n', 'Spring fair'],
  ['inline tags stay', '<em>Late</em> <strong>show</strong>', '<em>Late</em> <strong>show</strong>'],
  ['a script loses its tags, not its text', '<i>Go</i> & <script>run</script>', '<i>Go</i> &amp; run'],
  ['so does a style', '<style>p{}</style>', 'p{}'],
  ['block tags go', '<h1>One</h1><p>Two</p>', 'OneTwo'],
  ['an image goes', '<img src="/x.png">', ''],
  ['a lone ampersand is escaped', 'Fish & Chips', 'Fish &amp; Chips'],
  ['one before letters too', 'R&D;', 'R&amp;D;'],
  [
    'entities keep their spelling',
    '&amp; &eacute; &#8217; &#x2019; &nbsp;x',
    '&amp; &eacute; &#8217; &#x2019; &nbsp;x',
  ],
  ['an unknown entity is text', '&nosuchthing; &notit;', '&amp;nosuchthing; &amp;notit;'],
  ['an impossible number is text', '&#0; &#xd800; &#1114112;', '&amp;#0; &amp;#xd800; &amp;#1114112;'],
  ['smaller and greater are text', '1 < 2 > 0', '1 &lt; 2 &gt; 0'],
  ['hearts survive', 'I <3 you', 'I &lt;3 you'],
  ['a tag that never ends is text', 'see <here for more', 'see &lt;here for more'],
  ['an address in brackets is text', 'Ann <ann@example.org>', 'Ann &lt;ann@example.org&gt;'],
  ['backslashes, percent signs, quotes stay', `C:\\new 5% %20 "a" 'b' \\1`, `C:\\new 5% %20 "a" 'b' \\1`],
  ['dashes and dots are not replaced', 'a -- b ... (c)', 'a -- b ... (c)'],
  ['control characters go, line breaks stay', 'a\u0000b\u0007\r\nc\td\u0085', 'ab\nc\td'],
  ['half a surrogate pair is marked', 'a\ud800b 🎉', 'a\ufffdb 🎉'],
  ['an unclosed tag is closed', '<b>loud', '<b>loud</b>'],
  ['a stray closing tag goes', 'quiet</b>', 'quiet'],
  ['comments go', 'a<!-- no -->b', 'ab'],
  [
    'a link keeps only its address',
    '<a href="https://example.org" target="_top">x</a>',
    '<a href="https://example.org">x</a>',
  ],
]);

table('C2 cleanHtml', cleanHtml, [
  ['line breaks stay', 'One\r\ntwo\n\n  three  ', 'One\ntwo\n\n  three  '],
  ['a script loses its tags, not its text', '<script>a()</script><b>k</b>', 'a()<b>k</b>'],
  ['nor does a script that never ends eat the rest', '<script>a <b>k</b>', 'a <b>k</b>'],
  ['blocks stay', '<h2>H</h2><ul><li>1</li></ul>', '<h2>H</h2><ul><li>1</li></ul>'],
  ['attributes of the list stay', '<p class="x" lang="fr" title="t">a</p>', '<p class="x" lang="fr" title="t">a</p>'],
  ['others go', '<p id="a" onclick="x()" data-a="1">a</p>', '<p>a</p>'],
  [
    'so does what editors write of the shape of a text',
    '<p style="text-align: center; position: fixed" align="center"><font color="red">a</font></p>',
    '<p style="text-align: center" align="center"><font color="red">a</font></p>',
  ],
  ['but not what is no shape', '<p style="position:fixed">a</p>', '<p>a</p>'],
  [
    'and of a table',
    '<table border="1" width="100%"><tr><td width="50%" bgcolor="#eee">1</td></tr></table>',
    '<table border="1" width="100%"><tr><td width="50%" bgcolor="#eee">1</td></tr></table>',
  ],
  [
    'files, and what readers are told',
    '<a aria-label="Up">x</a><a href="/x.pdf" download>y</a><a href="/x" download="y.bat">z</a>',
    '<a aria-label="Up">x</a><a href="/x.pdf" download>y</a><a href="/x" download>z</a>',
  ],
  ['images', '<img src="/a.png" alt="" width=3 onerror=x>', '<img src="/a.png" alt="" width="3" />'],
  ['tables', '<table><tr><td colspan="2">1</td></tr></table>', '<table><tr><td colspan="2">1</td></tr></table>'],
  [
    'mailto and tel',
    '<a href="mailto:a@b.c">m</a><a href="tel:+1">t</a>',
    '<a href="mailto:a@b.c">m</a><a href="tel:+1">t</a>',
  ],
  [
    'calendars and messages',
    '<a href="webcal://example.org/x.ics">c</a><a href="sms:+1">s</a>',
    '<a href="webcal://example.org/x.ics">c</a><a href="sms:+1">s</a>',
  ],
  ['no mailto for pictures', '<img src="mailto:a@b.c">', '<img />'],
  ['a new window gets rel', '<a href="/" target="_blank">x</a>', '<a href="/" target="_blank" rel="noopener">x</a>'],
  [
    'beside what it has',
    '<a href="/" rel="nofollow" target="_blank">x</a>',
    '<a href="/" rel="nofollow noopener" target="_blank">x</a>',
  ],
  ['no other window', '<a href="/" target="_top">x</a>', '<a href="/">x</a>'],
  ['frames, forms and objects go', '<form><input><iframe src="//x"></iframe><object></object>x</form>', 'x'],
  [
    'entities in attributes',
    '<a href="?a=1&amp;b=2&copy=3" title="&lt;&quot;">x</a>',
    '<a href="?a=1&amp;b=2&amp;copy=3" title="&lt;&quot;">x</a>',
  ],
  ['crossed tags', '<b><i>x</b></i>', '<b><i>x</i></b>'],
  ['block comments', '<!-- x:y --><p>a</p><!-- /x:y -->', '<p>a</p>'],
  ['a stray paragraph end', 'x</p>', 'x'],
]);

table('C2 cleanDescription', cleanDescription, [
  [
    'a picture with a caption, in brackets as older editors write it',
    'a\n[caption align="alignleft"]<img src="/x.png" onerror="x"> <b onclick="y">Cap[/caption]',
    'a\n<figure class="wp-caption alignleft"><img src="/x.png" /><figcaption><b>Cap</b></figcaption></figure>',
  ],
  ['pictures of another site', '[gallery ids="1,2"]', ''],
  ['other brackets', '[sold out] <b>x</b>', '[sold out] <b>x</b>'],
]);

table('C2 renderTitle', renderTitle, [
  ['what was stored unsafe is shown safe', '<b onmouseover=x>a</b><script>', '<b>a</b>'],
  ['plain text is trimmed', ' a ', 'a'],
  ['nothing stays nothing', '', ''],
]);

table('C2 renderHtml', renderHtml, [
  ['nothing stays nothing', '', ''],
  ['blanks are nothing', ' \n\t ', ''],
  ['what was stored unsafe is shown safe', '<img src=x onerror=y>', '<p><img src="x" /></p>'],
  ['text with an entity', 'a &amp; b', '<p>a &amp; b</p>'],
  [
    'a shortcode alone is no paragraph',
    '[gallery ids="1,2"]\n\na [gallery]',
    '[gallery ids="1,2"]\n<p>a [gallery]</p>',
  ],
  ['nor with its contents', '[caption]cap[/caption]', '[caption]cap[/caption]'],
  ['another one is', '[other]', '<p>[other]</p>'],
]);

table('C4 plainText', plainText, [
  ['tags go, entities are characters', '<b>Caf&eacute;</b> &amp; <i>bar</i>', 'Café & bar'],
  ['blocks are apart, inline tags are not', '<p>one</p><p>t<b>w</b>o<br>three</p>', 'one two three'],
  ['white space collapses', ' a \n\n b&nbsp;&nbsp;c ', 'a b c'],
  ['escaped markup is text', '&lt;b&gt; &amp;amp;', '<b> &amp;'],
  ['smaller', '1 < 2 & 3', '1 < 2 & 3'],
  ['control characters by number', 'a&#0;b', 'a&#0;b'],
]);

table('excerptText', (text) => excerptText(text, 3), [
  ['short is whole', '<p>one two three</p>', 'one two three'],
  ['long is cut', 'one two three four', 'one two three…'],
  ['without blanks too', '字'.repeat(50), `${'字'.repeat(36)}…`],
  ['never half a character', '🎉'.repeat(50), `${'🎉'.repeat(36)}…`],
]);

table('cleanTermName', cleanTermName, [
  ['no tags, encoded', '<b>Food</b> & drink', 'Food &amp; drink'],
  ['encoded once', 'Food &amp; drink', 'Food &amp; drink'],
  ['blanks collapse', '  a \n\t b ', 'a b'],
  [
    'those of other widths stay between words',
    '\u00a0東京　マラソン\u2028x 10\u00a0km　',
    '東京　マラソン x 10\u00a0km',
  ],
  ['what a script says goes', '<script>x()</script>Art', 'Art'],
  ['a lone sign', '3 < 4 > 2', '3 &lt; 4 &gt; 2'],
  ['quotes stay', `Kids' "club"`, `Kids' "club"`],
  ['nothing remains', ' <b> </b>', ''],
  ['backslashes stay', 'a\\b', 'a\\b'],
]);

table('cleanTermDescription', cleanTermDescription, [
  ['basic tags', 'A <b>bold</b> & <a href="/x">linked</a>', 'A <b>bold</b> &amp; <a href="/x">linked</a>'],
  ['the older of two for short forms', '<acronym title="x">a</acronym>', '<acronym title="x">a</acronym>'],
  ['not others', '<p>a<img src=x></p><script>b</script><span>c</span>', 'abc'],
  ['no attributes', '<b class="x" onclick="y">a</b>', '<b>a</b>'],
]);

table('C2 cleanLine', cleanLine, [
  ['one line', ' 1 Main St\r\n\tFloor   2 ', '1 Main St Floor 2'],
  ['blanks of other widths stay between words', '　東京都　渋谷区 1\u00a0<b>km</b> ', '東京都　渋谷区 1\u00a0km'],
  ['tags go', 'a <b>b</b> & "c"', 'a b & "c"'],
  ['what a script says goes', 'x<script>alert(1)</script>y', 'xy'],
  ['plain text is not encoded', 'Tom & Co &amp; sons', 'Tom & Co &amp; sons'],
  ['percent-encoded octets and backslashes stay', 'a%20b%C3%A9 \\c', 'a%20b%C3%A9 \\c'],
  ['smaller survives', 'a < b', 'a < b'],
  ['and without a blank', 'a <b and more', 'a <b and more'],
  ['an address in brackets', 'Ann <ann@example.org>', 'Ann <ann@example.org>'],
  ['tags do not grow together', '<<b>script>x', '< script>x'],
  ['control characters go', 'a\u0000b\u001bc', 'abc'],
]);
