/** What has run where it should only have been shown, and a strict reader of HTML that shares nothing with src/text. */

const JS = 'alert(1);window.hit&&hit()';
export const CORPUS: string[] = [
  `<script>${JS}</script>`,
  `<SCRIPT SRC=//evil.test/x.js></SCRIPT>`,
  `<scr<script>ipt>${JS}</scr</script>ipt>`,
  `<script\n>${JS}</script\n>`,
  `<<script>script>${JS}<</script>/script>`,
  `<script/x>${JS}</script>`,
  `<img src=x onerror="${JS}">`,
  `<img src=x onerror=${JS.replace(/;.*/, '')} `,
  `<img/src="x"/onerror=alert(1)//`,
  `<img src=x onerror=alert(1)//`,
  `<img """><script>${JS}</script>">`,
  `<img src='x' onerror='${JS}'/>`,
  `<IMG SRC=x ONERROR=alert(1)>`,
  `<img src=x\tonerror=alert(1)>`,
  `<img src=x\u000conerror=alert(1)>`,
  `<img src=x:x onerror\n=\nalert(1)>`,
  `<svg onload=${JS}>`,
  `<svg><script>${JS}</script></svg>`,
  `<svg/onload=alert(1)//`,
  `<svg><animate onbegin=alert(1) attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:alert(1)"><text x=20 y=20>x</text></a></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
  `<math><mi//xlink:href="data:x,<script>alert(1)</script>">`,
  `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
  `<iframe src="javascript:alert(1)"></iframe>`,
  `<iframe srcdoc="<script>parent.alert(1)</script>">`,
  `<object data="javascript:alert(1)"></object>`,
  `<embed src="data:text/html,<script>alert(1)</script>">`,
  `<a href="javascript:${JS}">x</a>`,
  `<a href="JaVaScRiPt:alert(1)">x</a>`,
  `<a href="java\tscript:alert(1)">x</a>`,
  `<a href="java&#10;script:alert(1)">x</a>`,
  `<a href="&#106;&#97;vascript:alert(1)">x</a>`,
  `<a href="javascript&colon;alert(1)">x</a>`,
  `<a href="&#x0A;javascript:alert(1)">x</a>`,
  `<a href="\u0001javascript:alert(1)">x</a>`,
  `<a href=" javascript:alert(1)">x</a>`,
  `<a href="vbscript:msgbox(1)">x</a>`,
  `<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>`,
  `<a href="//evil.test" onclick="${JS}">x</a>`,
  `<a href='x' onfocus=alert(1) autofocus tabindex=1>x</a>`,
  `<b onmouseover=alert(1)>x</b>`,
  `<b style="background:url(javascript:alert(1))">x</b>`,
  `<p style="position:fixed;inset:0">cover</p>`,
  `<p style="color:red;background-color:url(//evil.test);margin:-99px;width:expression(alert(1));po\\73ition:fixed">x</p>`,
  `<style>*{background:url(//evil.test)}</style>`,
  `<link rel=stylesheet href=//evil.test/x.css>`,
  `<meta http-equiv=refresh content="0;url=//evil.test">`,
  `<base href="//evil.test/">`,
  `<form action="//evil.test"><input name=password><button>x</button></form>`,
  `<video src=x onerror=alert(1)></video>`,
  `<video><source onerror="alert(1)"></video>`,
  `<audio src=x onerror=alert(1)>`,
  `<details open ontoggle=alert(1)>x</details>`,
  `<marquee onstart=alert(1)>x</marquee>`,
  `<body onload=alert(1)>`,
  `<template><script>alert(1)</script></template>`,
  `<xss onpointerenter=alert(1) style=display:block>x</xss>`,
  `<!--><img src=x onerror=alert(1)>-->`,
  `<!--<img src="--><img src=x onerror=alert(1)//">`,
  `<![CDATA[<img src=x onerror=alert(1)>]]>`,
  `<?xml version="1.0"?><img src=x onerror=alert(1)>`,
  `</p></div></td><img src=x onerror=alert(1)>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  `</script><script>${JS}</script>`,
  `</textarea><img src=x onerror=alert(1)>`,
  `</title><img src=x onerror=alert(1)>`,
  `&lt;script&gt;alert(1)&lt;/script&gt;`,
  `&#60;img src=x onerror=alert(1)&#62;`,
  `&amp;lt;img src=x onerror=alert(1)&amp;gt;`,
  `\u003cimg src=x onerror=alert(1)\u003e`,
  `＜img src=x onerror=alert(1)＞`,
  `<img src="x\u0000" onerror="alert(1)">`.replace('\u0000', ''),
  `<img alt="\`><img src=x onerror=alert(1)>" src=y>`,
  `<p title="x" title='"><img src=x onerror=alert(1)>'>y`,
  `<a title='&quot;><img src=x onerror=alert(1)>' href=#>x</a>`,
  `<b title="&#34;&#62;&#60;img src=x onerror=alert(1)&#62;">x</b>`,
  `<a href="https://x.test/&quot; onclick=&quot;alert(1)">x</a>`,
  `{{constructor.constructor('alert(1)')()}}`,
  `\${alert(1)}`,
  `<a id=hit name=document href=x>clobber</a>`,
  `${'<b>'.repeat(300)}<img src=x onerror=alert(1)>`,
  `<img srcset="//evil.test/x 1x" src=x>`,
  `<a href="https://ok.test" target=_blank>x</a>`,
  `<a ping="//evil.test" href="https://ok.test">x</a>`,
  `\u2028<img src=x onerror=alert(1)>\u2029`,
];

export const LINKS: string[] = [
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  '\tjavascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'javascript://x.test/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'ftp://x.test/',
  'mailto:a@b.test',
  'tel:1',
  'blob:https://x.test/1',
  'about:blank',
  'view-source:https://x.test',
  '//evil.test',
  '/path',
  'x.test',
  'http:x.test',
  'https:/x.test',
  'http://',
  'https://?',
  'http://[',
  'intent://x#Intent;end',
  'https:javascript:alert(1)',
  'feed:javascript:alert(1)',
  'https\u0000://x.test',
  'http s://x.test',
];

const TAGS = new Set(
  'a abbr b bdi bdo br cite code del dfn em i ins kbd mark q s samp small span strike strong sub sup time u var wbr img big tt ruby rb rt rp video audio source font acronym p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre hr table caption thead tbody tfoot tr td th col colgroup figure figcaption section article aside header footer nav main details summary address center hgroup menu fieldset legend'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'class title lang dir href rel target src alt width height loading poster controls loop muted preload type colspan rowspan headers align valign scope span start reversed value cite datetime open style color'.split(
    ' ',
  ),
);
const TAG = /^<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/;
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  colon: ':',
  Tab: '\t',
  NewLine: '\n',
  lpar: '(',
  sol: '/',
};
const decoded = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));?/gi, (all, hex, dec, name) =>
    hex
      ? String.fromCodePoint(Number.parseInt(hex, 16))
      : dec
        ? String.fromCodePoint(Number(dec))
        : (NAMED[name] ?? all),
  );

/** What is not plainly harmless: every "<" must begin a complete tag of the list, with attributes of the list. */
export function faultsOf(html: string): string[] {
  const faults: string[] = [];
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const found = TAG.exec(html.slice(at));
    if (!found) {
      faults.push(`stray ${html.slice(at, at + 30)}`);
      continue;
    }
    const [, , name = '', attributes = ''] = found;
    if (!TAGS.has(name)) faults.push(`tag ${name}`);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/\s+([a-z-]+)(?:="([^"]*)")?/g)) {
      if (!ATTRIBUTES.has(attribute)) faults.push(`attribute ${attribute}`);
      if (attribute === 'style' && /[^a-z0-9#:;.,%/() -]|url|position|expression|-\d/.test(value))
        faults.push(`style ${value}`);
      if (!['href', 'src', 'cite', 'poster'].includes(attribute)) continue;
      // As browsers read it: without control characters and blanks.
      const address = [...decoded(value)]
        .filter((c) => c > ' ')
        .join('')
        .toLowerCase();
      if (/^[a-z][a-z0-9+.-]*:/.test(address) && !/^(https?|mailto|tel):/.test(address))
        faults.push(`address ${address}`);
    }
    if (/target="_blank"/.test(attributes) && !/rel="[^"]*no(opener|referrer)/.test(attributes)) faults.push('opener');
  }
  return faults;
}
