import { again } from './cache.js';

// The price of an event for readers of json_ld (C4). Unlike in the displayed cost, thousands separators are understood:
// groups of three after any of the usual signs, or Indian grouping; and the dot in 'Rs.500' is not part of the amount.
const PRICE =
  /(?<!\d)[1-9]\d?(?:(?<lakh>,)\d\d)+,\d{3}(?:\.\d+)?(?![\d,])|(?<!\d)[1-9]\d{0,2}(?<sign>[ \u00a0\u2009\u202f.,'’])\d{3}(?<more>\k<sign>\d{3})*(?!\d)(?<rest>(?!\k<sign>)[.,]\d+)?|\d+(?:[.,]\d+)?|(?<![\p{L}\d])[.,]\d+/gu;
/** Currencies with three decimals: in these, '1.250' is a small amount. */
const THOUSANDTHS = /(?<!\p{L})(?:BHD|IQD|JOD|KWD|LYD|OMR|TND|KD|BD|JD|DT)(?!\p{L})/u;

function priceOf({ 0: text, groups = {} }: RegExpExecArray, inThousandths: boolean): number {
  const { lakh, sign, more, rest } = groups;
  const isSmall = inThousandths && sign === '.' && more === undefined && rest === undefined;
  const bare = sign !== undefined && !isSmall ? text.replaceAll(sign, '') : lakh ? text.replaceAll(',', '') : text;
  return Number(bare.replace(',', '.'));
}

export interface Offer {
  price: number;
  currency: string;
}

/** The lowest price as a number, 0 for free (C4); undefined if there is no number. */
function lowestIn(text: string, currency: string): number | undefined {
  const inThousandths = THOUSANDTHS.test(`${text} ${currency}`);
  const prices = [
    ...(/^\s*free\b/i.test(text) ? [0] : []),
    ...[...text.matchAll(PRICE)].map((found) => priceOf(found, inThousandths)),
  ];
  // So many digits that they exceed every number are not a price.
  const known = prices.filter(Number.isFinite);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** Signs that stand for one currency, unless letters before them make it another, as in 'AR$' and 'AUS$'. */
const SIGNS: readonly [sign: RegExp, code: string][] = [
  [/€/, 'EUR'],
  [/£/, 'GBP'],
  [/₹/, 'INR'],
  [/₺/, 'TRY'],
  [/₩/, 'KRW'],
  [/₪/, 'ILS'],
  [/₴/, 'UAH'],
  [/₱/, 'PHP'],
  [/zł/i, 'PLN'],
  [/kč/i, 'CZK'],
  [/(?<![A-Z])R\$/, 'BRL'],
  [/(?<![A-Z])US\$/, 'USD'],
];
/** Unless the site's own currency is a dollar, `$` is the American one. */
const DOLLAR: [sign: RegExp, code: string] = [/(?<![A-Z])\$/, 'USD'];
const CODE =
  /(?<!\p{L})(?:EUR|GBP|INR|TRY|ILS|UAH|PLN|CZK|BRL|USD|CHF|SEK|NOK|DKK|HUF|CAD|AUD|NZD|JPY|CNY|MXN|ZAR|SGD|HKD)(?!\p{L})/gu;

/** The lowest price, in the currency that its text names; if none, in the one that the other texts name (C4). */
export function offerOf(stored: readonly string[], site: { symbol: string; code: string }): Offer {
  const usual = offerCurrency(stored, site.symbol) ?? site.code;
  const isUsual = (text: string): boolean => site.symbol === '' || !text.includes(site.symbol);
  const offers = stored.flatMap((text): Offer[] => {
    const currency = offerCurrency([text], site.symbol) ?? (isUsual(text) ? usual : site.code);
    const price = lowestIn(text, currency);
    return price === undefined ? [] : [{ price, currency }];
  });
  return offers.reduce(
    (lowest, one) => (one.price < lowest.price ? one : lowest),
    offers[0] ?? { price: 0, currency: usual },
  );
}

/** The same of a list as it is stored, in JSON. */
export const offerIn = again(
  (stored: string, symbol: string, code: string): Offer => offerOf(JSON.parse(stored) as string[], { symbol, code }),
);

/** The currency that the texts name, by its code or by a sign other than the site's; undefined if none or several. */
export function offerCurrency(stored: readonly string[], siteSymbol: string): string | undefined {
  const text = stored.join(' ');
  const named = new Set(text.match(CODE));
  const known = siteSymbol.includes('$') ? SIGNS : [...SIGNS, DOLLAR];
  const signs = known.filter(([sign]) => sign.test(text) && !sign.test(siteSymbol)).map(([, code]) => code);
  const [only, ...others] = named.size > 0 ? named : signs;
  return others.length === 0 ? only : undefined;
}
