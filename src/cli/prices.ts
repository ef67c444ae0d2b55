import type { Told } from './moved.js';

/** The cost of an event as another site tells it, so that it is the same here. */

interface Details {
  currency_symbol?: unknown;
  currency_position?: unknown;
  values?: unknown;
}

const RANGE = ' – ';
const AMOUNT = /\d[\d.,]*|[.,]\d+/g;

/** The sign beside the amounts: that of the event, or that of the site, which only the text shows. */
function signIn(cost: string, { currency_symbol, currency_position }: Details): { sign: string; isBehind: boolean } {
  if (typeof currency_symbol === 'string' && currency_symbol !== '')
    return { sign: currency_symbol, isBehind: currency_position === 'postfix' };
  const [text = ''] = cost.split(RANGE).slice(-1);
  const sign = text.replace(AMOUNT, '').trim();
  return { sign, isBehind: sign !== '' && text.endsWith(sign) };
}

/** Prices one by one, each with its sign, since a range loses it; words as they are told. `own`: the sign here. */
export function costOf({ cost, cost_details }: Told, own: string): unknown {
  const details = (cost_details ?? {}) as Details;
  if (typeof cost !== 'string' || !Array.isArray(details.values)) return cost;
  const values = details.values.map(String);
  const isNumber = (value: string): boolean => value !== '' && !Number.isNaN(Number(value));
  const [only = ''] = values;
  // A zero alone is dropped from what is new.
  if (values.length === 1 && (!isNumber(only) || only === '0')) return cost;
  if (values.length === 1 && Number(only) !== 0 && !cost.includes(only)) return cost;
  const { sign, isBehind } = signIn(cost, details);
  const isOwn = details.currency_symbol === '' && sign === own && !isBehind;
  const signed = (amount: string): string => (isOwn ? amount : isBehind ? amount + sign : sign + amount);
  return values.map((value) => (isNumber(value) && Number(value) !== 0 ? signed(value) : value));
}
