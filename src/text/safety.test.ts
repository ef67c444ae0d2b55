import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  cleanHtml,
  cleanLine,
  cleanTermDescription,
  cleanTermName,
  cleanTitle,
  plainText,
  renderHtml,
  renderTitle,
} from './html.js';

// Decision C2: whatever is written, by whatever role, what is read can be inserted as HTML.

const PERMITTED = new Set(
  `a abbr acronym address article aside audio b bdi bdo big blockquote br caption cite code col colgroup dd del details dfn div
   dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark ol p pre q rb rp rt
   ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var
   video wbr`.split(/\s+/),
);
const TAG = /<\/?([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)(?: \/)?>/g;

/** A second opinion, sharing no code with the sanitizer: every '<' is a known tag with harmless attributes. */
function assertSafe(html: string, given: string): void {
  const context = `${JSON.stringify(given)} -> ${JSON.stringify(html)}`;
  const text = html.replace(TAG, (_, name: string, attributes: string) => {
    assert.ok(PERMITTED.has(name), `tag ${name}: ${context}`);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)) {
      assert.doesNotMatch(attribute, /^(on.*|id|srcdoc|srcset|action|formaction|xmlns)$/, context);
      // Checked once more in the tests of styles.
      if (attribute === 'style')
        assert.doesNotMatch(value, /[^a-z0-9#:;.,%/() -]|url|position|expression|-\d/, context);
      if (!['href', 'src', 'cite', 'poster'].includes(attribute)) continue;
      const address = value.replaceAll('&amp;', '&').replace(/[^\x21-\x7e]/g, '');
      const scheme = /^([^/\\?#]*):/.exec(address)?.[1];
      if (scheme !== undefined) assert.match(scheme, /^(https?|mailto|tel|sms|webcal|ftp)$/i, context);
    }
    return '';
  });
  assert.doesNotMatch(text, /[<>]/, context);
  assert.doesNotMatch(text, /&(?!(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);)/i, context);
}

const HTML_MAKERS = { cleanTitle, cleanHtml, renderTitle, renderHtml, cleanTermName, cleanTermDescription };
const IDEMPOTENT = { cleanTitle, cleanHtml, renderTitle, cleanTermName, cleanTermDescription, cleanLine };

function assertAllSafe(given: string): void {
  for (const make of Object.values(HTML_MAKERS)) assertSafe(make(given), given);
  assertSafe(renderHtml(cleanHtml(given)), given);
  for (const [name, clean] of Object.entries(IDEMPOTENT)) {
    const once = clean(given);
    assert.equal(clean(once), once, `${name} twice: ${JSON.stringify(given)}`);
  }
}

const ATTACKS = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.example/x.js></SCRIPT>',
  '<script/x>alert(1)</script >',
  '<script\n>alert(1)</script\t>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<<script>script>alert(1)<</script>/script>',
  '<<!-- -->script>alert(1)</script>',
  '<scr<!-- -->ipt>alert(1)</script>',
  '&<!-- -->lt;script&<!-- -->gt;',
  '<script>alert(1)',
  '</script><script>alert(1)//',
  '<img src=x onerror=alert(1)>',
  '<img src=x onerror=alert(1) ',
  '<img src="x"onerror="alert(1)">',
  '<img/src=x/onerror=alert(1)>',
  '<img src=x\nonerror\n=\nalert(1)>',
  '<img src=`x`onerror=alert(1)>',
  '<img """><script>alert(1)</script>">',
  '<img alt="<img src=x onerror=alert(1)>">',
  '<b title=\'" onclick=alert(1) x="\'>x</b>',
  '<b title="&quot; onclick=alert(1) x=&quot;">x</b>',
  '<b title=x"onclick=alert(1)>x</b>',
  '<b\u0000 onclick=alert(1)>x</b>',
  '<b\u000conclick=alert(1)>x</b>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="java&#9;script:alert(1)">x</a>',
  '<a href="java&Tab;script&colon;alert(1)">x</a>',
  '<a href="java&NewLine;script:alert(1)">x</a>',
  '<a href="&#106;&#97;vascript:alert(1)">x</a>',
  '<a href="&#x6A&#x61vascript&#58alert(1)">x</a>',
  '<a href="&#0000106avascript:alert(1)">x</a>',
  '<a href="\u0001javascript:alert(1)">x</a>',
  '<a href="java\u0000script:alert(1)">x</a>',
  '<a href="java<!-- -->script:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="feed:javascript:alert(1)">x</a>',
  '<a href="\\x6aavascript:alert(1)">x</a>',
  '<img src="data:image/svg+xml,<svg onload=alert(1)>">',
  '<video poster="javascript:alert(1)" src="data:x"></video>',
  '<blockquote cite="javascript:alert(1)">x</blockquote>',
  '<div style="width:expression(alert(1))">x</div>',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<style>@import "//evil.example";</style>',
  '<link rel=stylesheet href=//evil.example><meta http-equiv=refresh content="0;javascript:alert(1)"><base href=//evil>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<svg></p><style><a title="</style><img src=x onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>',
  '<title><b title="</title><img src=x onerror=alert(1)>">',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<iframe><img title="</iframe><img src=x onerror=alert(1)>">',
  '<noembed><img title="</noembed><img src=x onerror=alert(1)>">',
  '<plaintext><b onclick=x>',
  '<template><script>alert(1)</script></template>',
  '<select><option><img src=x onerror=alert(1)>',
  '<option>&lt;script&gt;alert(1)&lt;/script&gt;</option>',
  '<object data="javascript:alert(1)"><embed src="javascript:alert(1)">',
  '<form action="javascript:alert(1)"><button formaction="javascript:alert(1)">x</button></form>',
  '<details open ontoggle=alert(1)>x</details>',
  '<a href="/" target="_blank" ping="javascript:alert(1)">x</a>',
  '<!--><script>alert(1)</script>-->',
  '<!-- --!><script>alert(1)</script>',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><script>alert(1)</script>',
  '<!doctype html><b onclick=x>y',
  '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&amp;lt;script&amp;gt;',
  '<',
  '>',
  '<<<<',
  '</',
  '<b',
  '<b <i>x</i>',
  '<b>x</i></b></b></p></br>',
  '<p><div><p></div></p>',
  '<table><b onclick=x><tr><script>1</script><td>',
  '\ufdd0script>alert(1)\ufdd1lt;\ufdd2\ufdd3',
];

for (const attack of ATTACKS) test(`C2 safe: ${JSON.stringify(attack)}`, () => assertAllSafe(attack));

test('C2 safe: every attack inside every other', () => {
  for (const outer of ATTACKS) {
    for (const inner of ATTACKS) {
      const middle = Math.floor(outer.length / 2);
      assertSafe(renderHtml(cleanHtml(outer.slice(0, middle) + inner + outer.slice(middle))), outer + inner);
    }
  }
});

const fragment = fc.oneof(
  fc.constantFrom(...'< > & " \' = / \n \t ! - -- <!-- --> ; : # a b p x'.split(' '), ' ', '\n\n', '<br>', '</', '&#'),
  fc.constantFrom('<b>', '</b>', '<p>', '</p>', '<li>', '<ul>', '</ul>', '<pre>', '</pre>', '<td>', '<table>', '<div>'),
  fc.constantFrom('<a href="', "<a href='", '<a title=', 'javascript:', ' onclick=', '<script>', '</script>', '<svg>'),
  fc.constantFrom(
    '&amp;',
    '&lt;',
    '&nbsp;',
    '&colon;',
    '&#58;',
    '&x',
    'style=',
    '<p style="color:red;',
    'width:1px;',
    'url(x)"',
    '<img src=x ',
    '<i class="k">',
    '</i>',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const soup = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(''));

test('C2 safe and idempotent: any mixture of markup', () => {
  fc.assert(fc.property(soup, assertAllSafe), { numRuns: 2000 });
});

test('C2 rendering keeps the words', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, fc.constantFrom(' ', '\n', '\n\n', ' & ', ' < ', '<br>', ' <b>')), { maxLength: 20 }),
      (list) => {
        const given = list.map((pair) => pair.join('')).join('');
        const letters = (text: string) => text.replace(/[^a-z]/g, '');
        const expected = list.map(([text]) => text).join('');
        assert.equal(letters(plainText(renderHtml(cleanHtml(given)))), expected);
      },
    ),
  );
});

test('plain text of what plain text was escaped to is that text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      assert.equal(plainText(escaped), plainText(escaped).trim());
      assert.equal(
        plainText(escaped),
        text
          .replace(/[^\P{Cc}\n\t]/gu, '')
          .replace(/\s+/g, ' ')
          .trim(),
      );
    }),
  );
});

test('cleanLine leaves no tag, whatever grows together', () => {
  fc.assert(
    fc.property(soup, (given) => {
      const line = cleanLine(given);
      assert.doesNotMatch(line, /<(?![\w.+-]+@)[a-z/!?][^<>]*>|[\n\t]|\s\s/i);
      assert.equal(line, line.trim());
    }),
    { numRuns: 2000 },
  );
});

test('large hostile input takes no time to speak of', () => {
  const parts = [
    '<',
    '<a "',
    '<a \'"',
    '<!--',
    '<script>',
    '<b>',
    '<b></i>',
    '<li><p>',
    '&',
    '&a;',
    '\n',
    ' ',
    '<br> ',
  ];
  for (const part of parts) {
    const given = `<i>x</i>${part.repeat(100_000 / part.length)}`;
    const begun = performance.now();
    renderHtml(cleanHtml(given));
    cleanLine(given);
    plainText(given);
    const took = performance.now() - begun;
    assert.ok(took < 5000, `${JSON.stringify(part)} took ${took} ms`);
  }
});
