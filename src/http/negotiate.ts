import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** What a client says about the form of a response: compressed or not, and which version it has already. */

export type Encoding = 'identity' | 'gzip' | 'br';

/** Shorter bodies are sent uncompressed: the headers alone are as long. */
const WORTH_COMPRESSING = 1000;
const choices = new Map<string, Encoding>();

function choose(header: string): Encoding {
  const wishes = new Map(
    header
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [name = '', ...params] = one.split(';').map((part) => part.trim());
        const quality = params.find((param) => param.startsWith('q='));
        return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0] as const;
      }),
  );
  const wanted = (name: string): number => wishes.get(name) ?? wishes.get('*') ?? 0;
  const [br, gzip] = [wanted('br'), Math.max(wanted('gzip'), wishes.get('x-gzip') ?? 0)];
  if (!(br > 0) && !(gzip > 0)) return 'identity';
  return br >= gzip ? 'br' : 'gzip';
}

export function encodingOf(header: string | string[] | undefined, length: number): Encoding {
  if (header === undefined || length < WORTH_COMPRESSING) return 'identity';
  const text = String(header);
  let choice = choices.get(text);
  if (choice === undefined) {
    choice = choose(text);
    if (choices.size > 500) choices.clear();
    choices.set(text, choice);
  }
  return choice;
}

/** `before`: stands for what precedes these bytes. */
export const tagOf = (bytes: Buffer, before?: Buffer): string =>
  `"${hash('sha1', before ? Buffer.concat([before, bytes]) : bytes, 'base64url')}"`;

/** The same of a digest that was made of those bytes. */
export const tagBy = (digest: Buffer): string => `"${digest.toString('base64url')}"`;

/** Each encoding has different bytes, so a different tag. */
export const tagFor = (tag: string, encoding: Encoding): string =>
  encoding === 'identity' ? tag : `${tag.slice(0, -1)}-${encoding}"`;

const plain = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/-(br|gzip)"$/, '"');

/** In whichever encoding the client got it: it has what it would be sent. */
export function tagMatches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  const own = plain(tag);
  return header.split(',').some((one) => plain(one) === own);
}

/** The same for all responses: equal tags promise equal bytes, whether cached or not. */
export function compressed(body: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(body, { level: 4 });
  if (encoding === 'identity') return body;
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}
