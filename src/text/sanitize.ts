import sanitizeHtml from 'sanitize-html';
import { cleanStyle } from './styles.js';

// The one place that decides what HTML may contain (decision C2).
//
// Two layers. First a single pass over the text keeps the complete tags of the allow-list, removes every other tag and
// replaces each '<' and '&' that is text by a placeholder; so 'a < b' and '<3' survive, entities keep their spelling,
// and the parser never meets script, svg, style or any other element that browsers parse by special rules. Then
// sanitize-html parses what is left, filters attributes and addresses, and closes what was left open.

// Placeholders are Unicode noncharacters, which tidy() removes from the input.
const LESS = '\ufdd0';
const ENTITY = '\ufdd1';
const AMPERSAND = '\ufdd2';
const COMMENT = '\ufdd3';

// No part of a tag may contain '<': every attempt ends at the next one, which keeps the pass linear.
const TOKEN =
  /<(\/?)([a-zA-Z][a-zA-Z0-9:-]*)((?:[\s/][^<>"']*(?:(?:"[^"<]*"|'[^'<]*')[^<>"']*)*)?)>|<[!?][^<>]*>|<|&(?:(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});)?|\ufdd3/g;
const REFERENCE = /&(?:(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});)?|\ufdd3/g;
const NAMED = /&([a-zA-Z][a-zA-Z0-9]{1,31});/g;
const UNWANTED = /[^\P{Cc}\n\t]|\p{Cs}|\p{Noncharacter_Code_Point}/gu;
// A quick test for the same, which also matches every surrogate pair, although most are valid.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const MAY_BE_UNWANTED = /[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/;
const MAX_DEPTH = 200;

/** Line ends become \n; control characters are removed; lone surrogates, which no database stores, are replaced. */
export function tidy(text: string): string {
  if (!MAY_BE_UNWANTED.test(text)) return text;
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lines.replace(UNWANTED, (character) => (/\p{Cs}/u.test(character) ? '\ufffd' : ''));
}

/** Replaces entities by the characters they stand for. The text must not contain tags. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const decoded = sanitizeHtml(text.replaceAll('<', '&lt;'), { allowedTags: [] });
  return decoded.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

// Whether a name is an entity is asked of the parser, many at once, instead of keeping a table of two thousand.
const names = new Map<string, boolean>();

function learnNames(text: string): void {
  if (names.size > 5000) names.clear();
  const fresh = new Set<string>();
  for (const [, name] of text.matchAll(NAMED)) if (name !== undefined && !names.has(name)) fresh.add(name);
  if (fresh.size === 0) return;
  const list = [...fresh];
  const decoded = decodeEntities(list.map((name) => `&${name};`).join(LESS)).split(LESS);
  // Browsers read '&notit;' as '¬it;': what still ends in a semicolon was not an entity.
  list.forEach((name, i) => {
    names.set(name, name === 'semi' || !decoded[i]?.endsWith(';'));
  });
}

function isEntity(name: string): boolean {
  if (!name.startsWith('#')) return names.get(name) === true;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code <= 0x10ffff && !(code >= 0x7f && code <= 0x9f) && !(code >= 0xd800 && code <= 0xdfff);
}

function maskReference(whole: string, entity: string | undefined): string {
  if (whole === COMMENT) return '';
  if (entity === undefined) return AMPERSAND;
  return `${isEntity(entity) ? ENTITY : AMPERSAND}${entity};`;
}

function maskComments(text: string): string {
  let from = text.indexOf('<!--');
  if (from < 0) return text;
  let result = '';
  let done = 0;
  while (from >= 0) {
    const end = text.indexOf('-->', from + 4);
    if (end < 0) break;
    // Replaced, not just removed: '<' + comment + 'script>' must not join into a tag.
    result += text.slice(done, from) + COMMENT;
    done = end + 3;
    from = text.indexOf('<!--', done);
  }
  return result + text.slice(done);
}

/** Replaces all '<' and '&' that are text by placeholders; `onTag` returns what becomes of each complete tag. */
function mask(text: string, onTag: (name: string, closing: boolean, attributes: string) => string): string {
  const tidied = maskComments(tidy(text));
  learnNames(tidied);
  return tidied.replace(
    TOKEN,
    (whole: string, slash?: string, name?: string, attributes?: string, entity?: string): string => {
      if (name !== undefined) {
        return onTag(name.toLowerCase(), slash === '/', (attributes ?? '').replace(REFERENCE, maskReference));
      }
      if (whole === '<') return LESS;
      return whole.startsWith('<') ? '' : maskReference(whole, entity);
    },
  );
}

const unmask = (text: string): string =>
  text.replaceAll(LESS, '&lt;').replaceAll(ENTITY, '&').replaceAll(AMPERSAND, '&amp;');

/** HTML text without any tags, still encoded; `gap` returns what a removed tag leaves behind. */
export function stripTags(html: string, gap: (name: string) => string = () => ''): string {
  return unmask(mask(html, gap).replaceAll('>', '&gt;'));
}

export interface Policy {
  readonly tags: ReadonlySet<string>;
  readonly options: sanitizeHtml.IOptions;
}

/** Where links may lead: pages, and what other programs of the reader open. */
const SCHEMES = ['http', 'https', 'mailto', 'tel', 'sms', 'webcal', 'ftp'];
const OPEN = new RegExp(`^\\s*(?:${SCHEMES.join('|')}):`, 'i');

function cleanAttributes(tagName: string, given: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const attribs: sanitizeHtml.Attributes = {};
  for (const [name, value] of Object.entries(given)) {
    // Decoded before sanitize-html looks: 'javascript&colon;' is a scheme, too.
    const plain = value.replaceAll(AMPERSAND, '&amp;').replaceAll(ENTITY, '&');
    attribs[name] = tidy(decodeEntities(plain));
  }
  // sanitize-html removes forbidden schemes; this also removes what only looks like one.
  for (const name of ['href', 'src', 'cite', 'poster']) {
    const address = attribs[name] ?? '';
    if (/^[^/?#\\]*:/.test(address) && !OPEN.test(address)) delete attribs[name];
  }
  if (attribs.style !== undefined) {
    attribs.style = cleanStyle(attribs.style);
    if (attribs.style === '') delete attribs.style;
  }
  // The file name is for the server to choose: a link must not save a response of this site as a program (reference).
  if (attribs.download !== undefined) attribs.download = '';
  if (attribs.target !== undefined) {
    if (attribs.target.toLowerCase() !== '_blank') delete attribs.target;
    else if (!/\bno(opener|referrer)\b/i.test(attribs.rel ?? '')) {
      attribs.rel = attribs.rel ? `${attribs.rel} noopener` : 'noopener';
    }
  }
  return { tagName, attribs };
}

const VOID = new Set(['img', 'br', 'hr', 'wbr', 'col', 'source']);

export function policy(tags: readonly string[], attributes: Record<string, string[]>): Policy {
  const media = ['http', 'https'];
  return {
    tags: new Set(tags),
    options: {
      allowedTags: [...tags],
      allowedAttributes: attributes,
      allowedSchemes: SCHEMES,
      allowedSchemesByTag: { img: media, video: media, audio: media, source: media },
      nonBooleanAttributes: sanitizeHtml.defaults.nonBooleanAttributes.filter((name) => name !== 'download'),
      selfClosing: [...VOID],
      nonTextTags: [],
      // cleanAttributes has filtered them already.
      parseStyleAttributes: false,
      transformTags: { '*': cleanAttributes },
      textFilter: unmask,
    },
  };
}

/** Keeps tags within MAX_DEPTH, since the parser takes quadratic time in the depth. The text in them stays. */
function depthGuard(): (name: string, closing: boolean) => boolean {
  const open = new Map<string, number>();
  let depth = 0;
  return (name, closing) => {
    if (VOID.has(name)) return !closing;
    const same = open.get(name) ?? 0;
    // A closing tag that closes nothing must not count, or '<b></i>' would nest ever deeper unnoticed.
    if (closing ? same === 0 : depth >= MAX_DEPTH) return false;
    open.set(name, same + (closing ? -1 : 1));
    depth += closing ? -1 : 1;
    return true;
  };
}

/** Safe, well-formed HTML with the policy's tags. Idempotent. */
export function sanitize(html: string, { tags, options }: Policy): string {
  const mayStay = depthGuard();
  const masked = mask(html, (name, closing, attributes) =>
    tags.has(name) && mayStay(name, closing) ? `<${closing ? '/' : ''}${name}${attributes}>` : '',
  );
  // A '</p>' after a block that closed the paragraph is parsed as an empty one, which nobody wants.
  return sanitizeHtml(masked, options).replaceAll('<p></p>', '');
}
