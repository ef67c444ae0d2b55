import qs from 'qs';
import { Failure } from '../errors.js';

/** Where parameters come from and which source wins: JSON body, form body, query (A4). The path is not a parameter. */

const LIMITS = { depth: 5, parameterLimit: 2000, arrayLimit: 1000 };

/** Octets that are no UTF-8 are refused; a lone percent sign is a percent sign. */
export function checkOctets(text: string): void {
  for (const [octets] of text.matchAll(/(?:%[89a-f][0-9a-f])+/gi)) {
    try {
      decodeURIComponent(octets);
    } catch (error) {
      throw new Failure('bad-request', { cause: error, variant: 'utf8' });
    }
  }
}

/** `a[][b]=1&a[][b]=2`: each begins an element of its own. */
function numbered(text: string): string {
  const next = new Map<string, number>();
  return text.replace(/(^|&)([^=&[%]+)(?:\[\]|%5[bB]%5[dD])(?=\[|%5[bB])/g, (_all, before: string, name: string) => {
    const n = next.get(name) ?? 0;
    next.set(name, n + 1);
    return `${before}${name}[${n}]`;
  });
}

/** Brackets make lists and objects; of a name that is repeated without them the last counts. */
export function parseForm(text: string): Record<string, unknown> {
  checkOctets(text);
  return qs.parse(numbered(text), {
    ...LIMITS,
    duplicates: 'last',
    allowPrototypes: false,
    plainObjects: false,
    allowEmptyArrays: false,
  });
}

export function queryText(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

/** As the parser of forms does: what cannot be decoded stays as it is. */
function decoded(text: string): string {
  const plain = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

const MOST_SIMPLE = 2000;

/** Names and values without brackets, as nearly every query is: the same as by the parser of forms, sooner. */
function parseSimple(text: string, isList: (name: string) => boolean): Record<string, unknown> {
  checkOctets(text);
  const parsed: Record<string, unknown> = {};
  for (const pair of text.split('&')) {
    const at = pair.indexOf('=');
    const name = decoded(at < 0 ? pair : pair.slice(0, at));
    if (name === '' || name in Object.prototype) continue;
    const value = at < 0 ? '' : decoded(pair.slice(at + 1));
    const before = parsed[name];
    if (before === undefined || !isList(name)) parsed[name] = value;
    else parsed[name] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return parsed;
}

/** For lists a repeated name means several elements (B9). */
export function parseQuery(text: string, isList: (name: string) => boolean): Record<string, unknown> {
  if (text === '') return {};
  if (text.length < MOST_SIMPLE && !/[[\]]|%5[bd]/i.test(text)) return parseSimple(text, isList);
  const parsed = parseForm(text);
  const all = new URLSearchParams(text);
  for (const name of new Set(all.keys())) {
    if (!isList(name)) continue;
    const several = all.getAll(name);
    if (several.length > 1) parsed[name] = several;
  }
  return parsed;
}

/** Anything but an object carries no parameters. */
export function members(body: unknown): Record<string, unknown> {
  return body !== null && typeof body === 'object' && !Array.isArray(body) && !Buffer.isBuffer(body)
    ? (body as Record<string, unknown>)
    : {};
}
