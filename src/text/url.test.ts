import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asciiUrl, cleanUrl, escapeUrl } from './url.js';

const rows: [given: string, expected: string | undefined][] = [
  ['http://example.org', 'http://example.org'],
  [' https://example.org/a?b=1&c=%20#d ', 'https://example.org/a?b=1&c=%20#d'],
  ['HTTPS://Example.org/A', 'HTTPS://Example.org/A'],
  ['http://localhost:8080/x', 'http://localhost:8080/x'],
  ['http://user:word@example.org/', 'http://user:word@example.org/'],
  ['http://[::1]/', 'http://[::1]/'],
  ['http://bücher.example/', undefined],
  ['http://example.org/straße', undefined],
  ['http://example.org/a"><b>', 'http://example.org/a%22%3E%3Cb%3E'],
  ['http://example.org/a\\b', 'http://example.org/a%5Cb'],
  ['', undefined],
  ['example.org', undefined],
  ['//example.org', undefined],
  ['/relative', undefined],
  ['http:/example.org', undefined],
  ['http://', undefined],
  ['http:///x', undefined],
  ['http://..', undefined],
  ['http:\\\\example.org', undefined],
  ['http://exa mple.org', undefined],
  ['http://example.org/a b', undefined],
  ['http://example.org/a\u0000b', undefined],
  ['http://example.org:99999', undefined],
  ['javascript:alert(1)', undefined],
  ['javascript://example.org/%0aalert(1)', undefined],
  ['data:text/html,x', undefined],
  ['mailto:a@example.org', undefined],
  ['ftp://example.org', undefined],
];

for (const [given, expected] of rows) {
  test(`C3 cleanUrl: ${JSON.stringify(given)}`, () => assert.equal(cleanUrl(given), expected));
}

test('C3 cleanUrl: what it accepts it accepts again, unchanged, and it breaks no attribute', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl({ withQueryParameters: true, withFragments: true }),
        fc.string().map((s) => `http://h/${s}`),
      ),
      (given) => {
        const url = cleanUrl(given);
        if (url === undefined) return;
        assert.equal(cleanUrl(url), url);
        assert.match(url, /^https?:\/\/[^\s"<>`\\]+$/i);
      },
    ),
  );
});

test('asciiUrl: addresses in other alphabets, and nothing else', () => {
  assert.equal(asciiUrl('http://bücher.example/straße?ä=1'), 'http://xn--bcher-kva.example/stra%C3%9Fe?%C3%A4=1');
  for (const same of ['', 'bücher', 'http://example.org/a b', 'http://Example.org']) assert.equal(asciiUrl(same), same);
});

test('escapeUrl escapes for HTML', () => {
  assert.equal(escapeUrl(`http://x.example/?a=1&b='"<`), 'http://x.example/?a=1&amp;b=&#039;&quot;&lt;');
});
