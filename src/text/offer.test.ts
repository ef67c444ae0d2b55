import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offerCurrency, offerOf } from './offer.js';

const prices: [stored: string[], expected: number][] = [
  [[], 0],
  [['Ask us'], 0],
  [['Free'], 0],
  [['free for members, 10 others'], 0],
  [['0'], 0],
  [['$12.50'], 12.5],
  [['12,50 €'], 12.5],
  [['1,250'], 1250],
  [['1,250.75'], 1250.75],
  [['1.250,75'], 1250.75],
  [['30', '20', '25'], 20],
  [['10, 20'], 10],
  [['.5'], 0.5],
  [['Rs.500'], 500],
  [['Rs.12.50'], 12.5],
  [['kr. 150,-'], 150],
  [['1.250 €'], 1250],
  [['50.000 VND'], 50_000],
  [['1.250.000'], 1_250_000],
  [['3 000 Ft'], 3000],
  [['1\u00a0250,50 €'], 1250.5],
  [['1’250.00'], 1250],
  [['₹1,00,000'], 100_000],
  [['0.125'], 0.125],
  [['1.250 KWD'], 1.25],
  [['KWD1.250'], 1.25],
  [['2.000.000 IQD'], 2_000_000],
  [['5 € / 3 €'], 3],
  [['$1,000-$2,000'], 1000],
  [['9'.repeat(400), '20'], 20],
  [['9'.repeat(400)], 0],
];

const priceOf = (stored: string[], code: string): number => offerOf(stored, { symbol: '', code }).price;
for (const [stored, expected] of prices) {
  test(`C4 price: ${JSON.stringify(stored)}`, () => assert.equal(priceOf(stored, 'EUR'), expected));
}

test('C4 price: where money is counted in thousandths', () => assert.equal(priceOf(['1.250'], 'KWD'), 1.25));

const currencies: [stored: string[], siteSymbol: string, expected: string | undefined][] = [
  [['4€', '8€'], '$', 'EUR'],
  [['10 / 12 €'], '$', 'EUR'],
  [['£5'], '€', 'GBP'],
  [['4€'], '€', undefined],
  [['10'], '$', undefined],
  [['$10'], '$', undefined],
  [['$10'], '€', 'USD'],
  [['$10'], 'CA$', undefined],
  [['CA$10'], '€', undefined],
  [['US$10'], 'CA$', 'USD'],
  [['R$ 10'], '€', 'BRL'],
  [['R$ 10'], 'R$', undefined],
  [['AR$ 500'], '€', undefined],
  [['AUS$20'], '€', undefined],
  [['12 EUR'], '€', 'EUR'],
  [['CHF 30 (25 €)'], '$', 'CHF'],
  [['CHF20'], '$', 'CHF'],
  [['20CHF'], '$', 'CHF'],
  [['ÉEUR20'], '$', undefined],
  [['£5 or 6€'], '$', undefined],
  [['10 EUR or 11 USD'], '$', undefined],
  [['120 zł'], '$', 'PLN'],
  [['Free for ALL, EUROPE'], '$', undefined],
  [[], '$', undefined],
];
const offers: [stored: string[], price: number, currency: string][] = [
  [['$5', '€6'], 5, 'USD'],
  [['$7', '€6'], 6, 'EUR'],
  [['5', '€6'], 5, 'EUR'],
  [['4€', '8€'], 4, 'EUR'],
  [['10', '12'], 10, 'USD'],
  [['£5 or 6€'], 5, 'USD'],
  [['Free', '€6'], 0, 'EUR'],
  [['ask us'], 0, 'USD'],
];
for (const [stored, price, currency] of offers)
  test(`C4 offerOf: ${JSON.stringify(stored)}`, () =>
    assert.deepEqual(offerOf(stored, { symbol: '$', code: 'USD' }), { price, currency }));

for (const [stored, siteSymbol, expected] of currencies)
  test(`C4 offerCurrency: ${JSON.stringify(stored)} where ${siteSymbol} is used`, () =>
    assert.equal(offerCurrency(stored, siteSymbol), expected));
