import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseForm, parseQuery } from './params.js';

const isList = (name: string): boolean => name === 'tags' || name === 'a b';

/** By the parser of forms, and lists by the platform's own. */
function slowly(text: string): Record<string, unknown> {
  const parsed = parseForm(text);
  const all = new URLSearchParams(text);
  for (const name of new Set(all.keys())) {
    const several = all.getAll(name);
    if (isList(name) && several.length > 1) parsed[name] = several;
  }
  return parsed;
}

const outcome = (parse: () => unknown): unknown => {
  try {
    return parse();
  } catch (error) {
    return String(error);
  }
};

test('a simple query is read as the parser of forms would read it (A4, B9)', () => {
  const word = fc.constantFrom(
    'tags',
    'a+b',
    'a%20b',
    'x',
    'toString',
    '__proto__',
    'hasOwnProperty',
    '%',
    '%41',
    '%C3%BC',
    '%c3',
    '',
  );
  const value = fc.oneof(
    word,
    fc.string({ maxLength: 6 }).map((text) => text.replace(/[[\]&#]/g, '')),
    fc.webQueryParameters(),
  );
  const pair = fc.tuple(word, fc.constantFrom('=', '', '=='), value).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 5 }), (pairs) => {
      const text = pairs.join('&');
      // What has a percent sign that means nothing is read as it stands by one, and half decoded by the other.
      fc.pre(!/(tags|a(\+|%20)b)=[^&]*%(?![0-9a-f]{2})/i.test(text));
      assert.deepEqual(
        outcome(() => parseQuery(text, isList)),
        outcome(() => slowly(text)),
        text,
      );
    }),
    { numRuns: 3000 },
  );
});

test('brackets make lists and objects, however they are written', () => {
  const parse = (text: string) => parseQuery(text, isList);
  assert.deepEqual(parse('x[]=1&x[]=2'), { x: ['1', '2'] });
  assert.deepEqual(parse('x%5Ba%5D=1'), { x: { a: '1' } });
  assert.deepEqual(parse('tags=1&tags=2&x=1&x=2'), { tags: ['1', '2'], x: '2' });
});
