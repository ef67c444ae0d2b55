import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../errors.js';
import { Repeated } from '../records/readers.js';
import { parseForm, parseQuery } from './params.js';

const isList = (name: string): boolean => name === 'tags' || name === 'a_b';
const parse = (text: string) => parseQuery(text, isList);

function check(cases: Record<string, unknown>): void {
  for (const [text, expected] of Object.entries(cases)) assert.deepEqual(parse(text), expected, text);
}

test('what programs write is read as they meant it (A4)', () => {
  const pairs = fc.array(fc.tuple(fc.stringMatching(/^[a-z_]{1,8}$/), fc.string({ unit: 'grapheme' })), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(pairs, (given) => {
      const known = given.filter(([name]) => !isList(name));
      const written = [
        new URLSearchParams(known).toString(),
        known.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'),
      ];
      for (const text of written) assert.deepEqual(parse(text), Object.fromEntries(known), text);
    }),
  );
});

test('anything at all is read, or refused for its octets (A4)', () => {
  const part = fc.constantFrom(
    'a',
    'tags',
    '__proto__',
    '[',
    ']',
    '[]',
    '=',
    '&',
    '%',
    '%5B',
    '%c3',
    '%00',
    '.',
    '+',
    '0',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      try {
        const read = parse(parts.join(''));
        assert.equal(Object.getPrototypeOf(read), Object.prototype);
        for (const name of Object.keys(read)) assert.ok(!(name in Object.prototype), name);
      } catch (error) {
        assert.ok(error instanceof Failure && error.code === 'bad-request', String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('brackets make lists and objects, however they are written', () => {
  check({
    'x[]=1&x[]=2': { x: ['1', '2'] },
    'x%5Ba%5D=1': { x: { a: '1' } },
    'x[2]=b&x[5]=c&x[]=d': { x: ['b', 'c', 'd'] },
    'x[0]=b&x[0]=c': { x: ['c'] },
    'x[][a]=1&x[][b]=2': { x: [{ a: '1' }, { b: '2' }] },
    'x[a][]=1&x[a][]=2&x[b]=3': { x: { a: ['1', '2'], b: '3' } },
    'x[ ]=1&x[ a]=2': { x: { 0: '1', ' a': '2' } },
    'x[a]b[c]=1': { x: { a: '1' } },
    'x[a.b]=1': { x: { 'a.b': '1' } },
    [`x${'[a]'.repeat(64)}=1`]: {},
  });
});

test('brackets that do not close, blanks and dots in names are underscores', () => {
  check({
    'per.page=5': { per_page: '5' },
    'per+page=5': { per_page: '5' },
    ' page=5': { page: '5' },
    'x[a=1': { x_a: '1' },
    'x[a][b=1': { x: { a: '1' } },
    'x]=1': { 'x]': '1' },
    '[x]=1&=2&&%00=3': {},
    'x%00y=1': { x: '1' },
  });
});

test('of a name that is repeated the last counts, but for lists (B9)', () => {
  check({
    'tags=1&tags=2&x=1&x=2': { tags: Repeated.of('1', '2'), x: '2' },
    'tags=1&tags[]=2&tags=3': { tags: ['2', '3'] },
    'a+b=1&a.b=2': { a_b: Repeated.of('1', '2') },
    'x=1&x[]=2': { x: ['2'] },
    'x[]=1&x=2': { x: '2' },
  });
  assert.deepEqual(parseForm('tags=1&tags=2'), { tags: '2' });
});

test('a percent sign that begins no octet stands for itself, and the others are read', () => {
  check({
    'x=100%': { x: '100%' },
    'x=50%+off%21': { x: '50% off!' },
    'x=%zz%C3%BC%2': { x: '%zzü%2' },
    'x=a%2Bb+c': { x: 'a+b c' },
    'x=a=b;c': { x: 'a=b;c' },
    x: { x: '' },
  });
});
