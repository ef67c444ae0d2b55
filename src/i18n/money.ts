import type { Language } from './languages.js';

/** An amount as the language writes it; without a currency it is a mere number. */
export const shownAmount = (language: Language, amount: number, currency?: string): string =>
  new Intl.NumberFormat(language, currency === undefined ? {} : { style: 'currency', currency }).format(amount);

const CODE = /^[A-Z]{3}$/;

/**
 * An amount with the currency sign that was given, which may stand for several currencies: only where it stands and how
 * numbers are written depends on the language. A code is kept apart from the amount.
 */
export function shownPrice(language: Language, amount: number, sign: string): string {
  const digits = Number.isInteger(amount) ? 0 : 2;
  const written = {
    style: 'currency',
    currency: CODE.test(sign) ? sign : 'EUR',
    currencyDisplay: CODE.test(sign) ? 'code' : 'symbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: 3,
  } as const;
  const parts = new Intl.NumberFormat(language, written).formatToParts(amount);
  return parts.map(({ type, value }) => (type === 'currency' ? sign : value)).join('');
}
