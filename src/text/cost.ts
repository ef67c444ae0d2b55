import { again } from './cache.js';
import { bareLine } from './html.js';
import { tidy } from './sanitize.js';
import { slugify } from './slug.js';

// Costs are free texts that are read as prices if possible (reference, 3.4; values are strings, C1). The texts are
// stored as given and taken apart when shown.

export const MOST_COSTS = 50;
export const LONGEST_COST = 1000;
export const RANGE = ' – ';
/** The API's word for what costs nothing; pages translate it. */
export const FREE = 'Free';

const AMOUNT = /[,.]?\d+[,.]?\d*/g;
const ENTITY = /&(?!(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);)/gi;

/** Without plain white space around it. A no-break space stays: it belongs to the currency sign. */
const trimmed = (text: string): string => text.replace(/^[ \t\n]+|(?<![ \t\n])[ \t\n]+$/g, '');

type Position = 'prefix' | 'postfix' | '';

export interface CostView {
  cost: string;
  cost_details: { currency_symbol: string; currency_code: string; currency_position: Position; values: string[] };
}

/** As the reference writes a number that was too large, or too close to zero, to be written out: `1.0E+20`. */
function numberText(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 2 ** 63)) return String(value);
  const [digits = '', power = ''] = value.toExponential(13).split('e');
  return `${digits.replace(/(\.\d+?)0*$/, '$1')}E${power}`;
}

/** Why a cost is not acceptable. */
export type CostProblem = 'no-cost' | 'too-long' | 'too-many';

/** The text to store, or what is wrong. */
function readEntry(value: unknown): { text: string } | CostProblem {
  if (value === null || value === false) return { text: '' };
  if (value === true) return { text: '1' };
  if (typeof value === 'number') return Number.isFinite(value) ? { text: numberText(value) } : 'no-cost';
  if (typeof value !== 'string') return 'no-cost';
  // A cost that was read can be written back: the digits of `&#039;` are not a price.
  const text = trimmed(
    tidy(value)
      .replace(/&#0?39;/g, "'")
      .replace(/[ \t\n]+/g, ' '),
  );
  return text.length <= LONGEST_COST ? { text } : 'too-long';
}

/**
 * What a write stores, one text per value; [] clears the cost. 0 and '0' give ['0']: a create takes that as "not given",
 * an update as free. An object of plain values counts as a list of them (A6).
 */
export function readCost(value: unknown): string[] | CostProblem {
  const given = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  if (given.length > MOST_COSTS) return 'too-many';
  const entries: string[] = [];
  for (const item of given) {
    const entry = readEntry(item);
    if (typeof entry === 'string') return entry;
    if (entry.text !== '') entries.push(entry.text);
  }
  return entries;
}

/** One amount as people write it: thousands grouped, a decimal comma or point, a currency before or after it. */
const WRITTEN =
  /^(\p{L}{0,3}\p{Sc}|[A-Z]{3}|kr\.?|Rs\.?|Fr\.?|R)?\s*(\d{1,3}(?:[.,'’\s]\d{3})+|\d+)(?:[.,](?:(\d{1,2})|[-–—]))?\s*(\p{Sc}|\p{L}{1,4}\.?)?$/u;
/** A dash with a further amount behind it. */
const DASH = /\s*[-–—]\s*(?=\D*\d)/;

/**
 * What people write as the cost, as a list that the API reads in the same sense: `7,50 – 10 €` is two amounts with the
 * same sign. Undefined: there are digits in it that the API would take for something else.
 */
export function amountsIn(text: string): string[] | undefined {
  if (!/\d/.test(text)) return [text];
  const parts = text.trim().split(DASH);
  const found = parts.map((part) => WRITTEN.exec(part === FREE ? '0' : part));
  const signs = new Set(found.flatMap((one) => [one?.[1], one?.[4]].filter(Boolean)));
  if (found.length > 2 || signs.size > 1 || found.some((one) => one === null || (one[1] && one[4]))) return undefined;
  const [sign = ''] = signs;
  const isBefore = found.some((one) => one?.[1]);
  return found.map((one) => {
    const amount = `${one?.[2]?.replace(/\D/g, '')}${one?.[3] ? `.${one[3]}` : ''}`;
    // Right before an amount, the dot of 'kr.' would be a decimal point.
    const isWord = /[\p{L}.]$/u.test(sign);
    return isBefore && !isWord ? sign + amount : (isBefore ? [sign, amount] : [amount, sign]).join(' ').trim();
  });
}

// As in the reference, both separators are a decimal point ...
const numberOf = (amount: string): number => Number(amount.replaceAll(',', '.'));
const isAmount = (text: string): boolean => /\d/.test(text) && /^[\d.,]+$/.test(text);
// ... but only what is a number as it stands counts for the range, so '1,000' does not.
const isPlainNumber = (text: string): boolean => /^(?:\d+\.?\d*|\.\d+)$/.test(text);

/** The amounts (or words) in all texts, sorted by size; of equal ones, the last spelling. */
function chunksOf(stored: readonly string[]): string[] {
  const chunks = stored.flatMap((text) => {
    const bare = bareLine(text);
    return bare.match(AMOUNT) ?? [bare];
  });
  const byKey = new Map<string, string>();
  for (const chunk of chunks) byKey.set(isAmount(chunk) ? String(numberOf(chunk)) : slugify(chunk), chunk);
  return [...byKey.values()].sort((a, b) => sizeOf(a) - sizeOf(b));
}

const sizeOf = (chunk: string): number => (isAmount(chunk) ? numberOf(chunk) || 0 : 0);

function plainValue(chunk: string): string {
  if (!isAmount(chunk)) return slugify(chunk);
  return /^\d+,\d{3}$/.test(chunk) ? chunk.replace(',', '') : chunk.replaceAll(',', '.');
}

/** The texts in which to look for a currency sign; a single text is split into its parts. */
function partsOf(stored: readonly string[], defaultSymbol: string): readonly string[] {
  const [only = ''] = stored;
  if (stored.length !== 1) return stored;
  const ends = only.split(RANGE);
  const [sign, other] = ends.map((end) => trimmed(end.replace(AMOUNT, '')));
  // A range as it is shown, written back. In the currency of the site, it needs no sign.
  return ends.length === 2 && sign === other && sign !== defaultSymbol ? ends : only.split(',');
}

/** The sign beside the amount, if all texts with an amount agree on it. */
function signOf(stored: readonly string[], defaultSymbol: string): { symbol: string; position: Position } {
  const none = { symbol: '', position: '' as const };
  const parts = partsOf(stored, defaultSymbol);
  const signs = new Set<string>();
  const positions = new Set<Position>();
  for (const part of parts.map(trimmed)) {
    const amounts = part.match(AMOUNT) ?? [];
    if (amounts.length === 0) continue;
    if (amounts.length > 1) return none;
    const sign = trimmed(part.replace(amounts[0] ?? '', ''));
    signs.add(sign);
    if (sign !== '') positions.add(part.startsWith(sign) ? 'prefix' : part.endsWith(sign) ? 'postfix' : '');
  }
  if (signs.size !== 1) return none;
  const [sign = ''] = signs;
  const [position = ''] = positions.size === 1 ? positions : [];
  const symbol = sign.includes('<') ? bareLine(sign) : sign;
  return { symbol: symbol.replaceAll('<', '&lt;').replaceAll('>', '&gt;'), position };
}

function escapeText(text: string): string {
  return text
    .replace(ENTITY, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#039;');
}

export function showCost(stored: string[], defaultSymbol: string): CostView {
  const chunks = chunksOf(stored);
  const { symbol, position } = signOf(stored, defaultSymbol);

  const show = (chunk: string): string => {
    if (!isAmount(chunk)) return chunk;
    if (numberOf(chunk) === 0) return FREE;
    const sign = symbol || defaultSymbol;
    return position === 'postfix' ? `${chunk}${sign}` : `${sign}${chunk}`;
  };

  const numbers = chunks.filter(isPlainNumber);
  const [only] = chunks;
  let cost = '';
  if (chunks.length === 1 && only !== undefined) cost = show(only);
  else if (chunks.length > 1) {
    const low = show(numbers[0] ?? '0');
    const high = show(numbers.at(-1) ?? '0');
    cost = low === high ? low : `${low}${RANGE}${high}`;
  }
  return {
    cost: escapeText(cost),
    cost_details: {
      currency_symbol: symbol,
      currency_code: '',
      currency_position: position,
      values: chunks.map(plainValue).sort((a, b) => (Number(a) || 0) - (Number(b) || 0)),
    },
  };
}

/** The same of a list as it is stored, in JSON. */
export const shownCost = again(
  (stored: string, defaultSymbol: string): CostView => showCost(JSON.parse(stored) as string[], defaultSymbol),
);
