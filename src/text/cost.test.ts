import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amountsIn, readCost, showCost } from './cost.js';
import { offerOf } from './offer.js';

const reads: [what: string, given: unknown, expected: ReturnType<typeof readCost>][] = [
  ['text', ' 12  EUR ', ['12 EUR']],
  ['a blank that does not break', ' 12\u00a0€ ', ['12\u00a0€']],
  ['a number', 7.5, ['7.5']],
  ['a number beyond all integers', 1e20, ['1.0E+20']],
  ['one with more digits', -1.234567890123456e20, ['-1.2345678901235E+20']],
  ['one close to nought', 1.5e-7, ['1.5E-7']],
  ['a large one', 9_007_199_254_740_991, ['9007199254740991']],
  ['nought, which the caller decides on', 0, ['0']],
  ['nought as text', '0', ['0']],
  ['true', true, ['1']],
  ['false', false, []],
  ['nothing', '', []],
  ['null', null, []],
  ['no entries', [], []],
  ['entries', ['5', 6, '', null, true], ['5', '6', '1']],
  ['A6: an object of values is their list', { 1: '5', 2: 6 }, ['5', '6']],
  ['a list in a list', [['5']], 'no-cost'],
  ['an object in a list', [{ a: 1 }], 'no-cost'],
  ['a list in an object', { a: ['5'] }, 'no-cost'],
  ['too many', Array.from({ length: 51 }, () => '1'), 'too-many'],
  ['too long', 'x'.repeat(1001), 'too-long'],
  ['long by its blanks alone', `5${' '.repeat(1500)}€`, ['5 €']],
  ['not given', undefined, 'no-cost'],
];

for (const [what, given, expected] of reads) {
  test(`readCost: ${what}`, () => assert.deepEqual(readCost(given), expected));
}

/** What a write of it stores. */
function stored(given: unknown): string[] {
  const read = readCost(given);
  assert.ok(Array.isArray(read), `${read}`);
  return read;
}

const shows: [stored: string[], cost: string, symbol: string, position: string, values: string[]][] = [
  [[], '', '', '', []],
  [['0'], 'Free', '', '', ['0']],
  [['0.0'], 'Free', '', '', ['0.0']],
  [['15'], '£15', '', '', ['15']],
  [['$15'], '$15', '$', 'prefix', ['15']],
  [['15 CHF'], '15CHF', 'CHF', 'postfix', ['15']],
  [['15\u00a0€'], '15\u00a0€', '\u00a0€', 'postfix', ['15']],
  [['12,75'], '£12,75', '', '', ['12.75']],
  [['2,500'], '£2,500', '', '', ['2500']],
  [['2,500.75'], '£.75', '', '', ['.75', '2500']],
  [['8-12'], '£8 – £12', '', '', ['8', '12']],
  [['€8 to €12'], '£8 – £12', '', '', ['8', '12']],
  [['12', '8', '10'], '£8 – £12', '', '', ['8', '10', '12']],
  [['0€', '12€'], 'Free – 12€', '€', 'postfix', ['0', '12']],
  [['€8', '€12'], '€8 – €12', '€', 'prefix', ['8', '12']],
  [['€8', '12€'], '€8 – €12', '€', '', ['8', '12']],
  [['€8', '$12'], '£8 – £12', '', '', ['8', '12']],
  [['Kids', '$8'], '$8', '$', 'prefix', ['kids', '8']],
  [['Members', 'Guests'], 'Free', '', '', ['members', 'guests']],
  [['5', '5.0'], '£5.0', '', '', ['5.0']],
  [['Ask us'], 'Ask us', '', '', ['ask-us']],
  [['Tea & cake'], 'Tea &amp; cake', '', '', ['tea-cake']],
  [['&pound;8'], '&pound;8', '&pound;', 'prefix', ['8']],
  [['8<i>'], '8£', '', 'postfix', ['8']],
  [['<script>sum(8)</script>x'], 'sum()x8', 'sum()x', '', ['8']],
  [['<8'], '&lt;8', '&lt;', 'prefix', ['8']],
  [['-8'], '-8', '-', 'prefix', ['8']],
];

for (const [stored, cost, symbol, position, values] of shows) {
  test(`C1 showCost: ${JSON.stringify(stored)}`, () => {
    const shown = showCost(stored, '£');
    assert.deepEqual(shown, {
      cost,
      cost_details: { currency_symbol: symbol, currency_code: '', currency_position: position, values },
    });
    const keys = ['currency_symbol', 'currency_code', 'currency_position', 'values'];
    assert.deepEqual(Object.keys(shown.cost_details), keys);
  });
}

test('cost: any JSON value is read or refused, and what is read can be shown', () => {
  const piece = fc.constantFrom('$', '€', '1', '20', ',', '.', '0', '-', ' ', 'Free', '<b>', '&', '000', '%', '"');
  const text = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), text, fc.array(text)), (given) => {
      const stored = readCost(given);
      if (!Array.isArray(stored)) return;
      const { cost, cost_details } = showCost(stored, '$');
      assert.doesNotMatch(cost + cost_details.currency_symbol, /[<>]/);
      for (const value of cost_details.values) assert.equal(typeof value, 'string');
      const { price } = offerOf(stored, { symbol: '$', code: 'USD' });
      assert.ok(Number.isFinite(price) && price >= 0, `${price}`);
    }),
    { numRuns: 2000 },
  );
});

for (const given of [
  ['4€', '8€'],
  ['€4', '€8.50'],
  ['4 EUR', '8 EUR'],
  ['4\u00a0€', '8\u00a0€'],
  ['$4', '$8'],
  ['4€'],
  ['4', '8'],
]) {
  test(`cost: what is shown of ${given.join(' and ')} can be written back`, () => {
    const { cost } = showCost(given, '$');
    assert.equal(showCost(stored(cost), '$').cost, cost);
  });
}

const written: [text: string, amounts: string[] | undefined, shown?: string][] = [
  ['5', ['5'], '$5'],
  ['7,50', ['7.50'], '$7.50'],
  ['7.5', ['7.5'], '$7.5'],
  ['10,50 - 20,00 €', ['10.50 €', '20.00 €'], '10.50€ – 20.00€'],
  ['€5–€10', ['€5', '€10'], '€5 – €10'],
  ['5 € – 10 €', ['5 €', '10 €'], '5€ – 10€'],
  ['US$ 5-10', ['US$5', 'US$10'], 'US$5 – US$10'],
  ['1.234,50 €', ['1234.50 €'], '1234.50€'],
  ["CHF 1'200", ['CHF 1200'], 'CHF1200'],
  ['Free – $5', ['$0', '$5'], 'Free – $5'],
  ['kr. 50 – 100', ['kr. 50', 'kr. 100'], 'kr.50 – kr.100'],
  ['Rs. 500', ['Rs. 500'], 'Rs.500'],
  ['5,- €', ['5 €'], '5€'],
  ['12 zł', ['12 zł'], '12zł'],
  ['0', ['0'], 'Free'],
  ['Free', ['Free'], 'Free'],
  ['Eintritt frei', ['Eintritt frei'], 'Eintritt frei'],
  ['Adults 12, children 6', undefined],
  ['Erwachsene 12 €, Kinder unter 6 frei', undefined],
  ['from 5 €', undefined],
  ['5/3', undefined],
  ['5 € – 10 $', undefined],
  ['1-2-3', undefined],
  ['7,5,3', undefined],
];
for (const [text, amounts, shown] of written) {
  test(`people write ${text}`, () => {
    assert.deepEqual(amountsIn(text), amounts);
    if (amounts) assert.equal(showCost(stored(amounts), '$').cost, shown);
  });
}
