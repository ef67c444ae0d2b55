import { RANGE, showCost } from '../text/cost.js';
import type { Told } from './moved.js';

/** The cost of an event as another site returns it, converted so that it is the same here. */

interface Details {
  currency_symbol?: unknown;
  currency_position?: unknown;
  values?: unknown;
}

/** The sign beside the amounts: that of the event, or that of the other site, which only the text shows. */
function signIn(cost: string, details: Details, own: string): { sign: string; isBehind: boolean } {
  const shown = details.currency_symbol ? details : showCost([cost.split(RANGE).at(-1) ?? ''], own).cost_details;
  return { sign: String(shown.currency_symbol), isBehind: shown.currency_position === 'postfix' };
}

/** Prices one by one, each with its sign, since a range loses it; words as they are. `own`: the sign here. */
export function costOf({ cost, cost_details }: Told, own: string): unknown {
  const details = (cost_details ?? {}) as Details;
  if (typeof cost !== 'string' || !Array.isArray(details.values)) return cost;
  const values = details.values.map(String);
  const isNumber = (value: string): boolean => value !== '' && !Number.isNaN(Number(value));
  const [only = ''] = values;
  // A zero alone would be dropped when the event is created.
  if (values.length === 1 && (!isNumber(only) || only === '0')) return cost;
  if (values.length === 1 && Number(only) !== 0 && !cost.includes(only)) return cost;
  const { sign, isBehind } = signIn(cost, details, own);
  const isOwn = details.currency_symbol === '' && sign === own && !isBehind;
  const signed = (amount: string): string => (isOwn ? amount : isBehind ? amount + sign : sign + amount);
  return values.map((value) => (isNumber(value) && Number(value) !== 0 ? signed(value) : value));
}
