import type { Language } from './languages.js';

/** An amount as the language writes it; without a currency it is a mere number. */
export const shownAmount = (language: Language, amount: number, currency?: string): string =>
  new Intl.NumberFormat(language, currency === undefined ? {} : { style: 'currency', currency }).format(amount);
