import { Failure } from '../errors.js';
import { formOf, type IsList } from './form.js';

/** Where parameters come from and which source wins: JSON body, form body, query (A4). The path is not a parameter. */

/** Octets that are not UTF-8 are refused; a lone percent sign is a percent sign. */
function checkOctets(text: string): void {
  for (const [octets] of text.matchAll(/(?:%[89a-f][0-9a-f])+/gi)) {
    try {
      decodeURIComponent(octets);
    } catch (error) {
      throw new Failure('bad-request', { cause: error, variant: 'utf8' });
    }
  }
}

export function queryText(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

/** For lists, a repeated name means several elements (B9). */
export function parseQuery(text: string, isList: IsList): Record<string, unknown> {
  if (text === '') return {};
  checkOctets(text);
  return formOf(text, isList);
}

export const parseForm = (text: string): Record<string, unknown> => parseQuery(text, () => false);

/** A body that is not an object carries no parameters. */
export function members(body: unknown): Record<string, unknown> {
  return body !== null && typeof body === 'object' && !Array.isArray(body) && !Buffer.isBuffer(body)
    ? (body as Record<string, unknown>)
    : {};
}
