import sanitizeHtml from 'sanitize-html';
import { cleanStyle } from './styles.js';

// The one place that decides what HTML may contain (decision C2).
//
// Two layers. First a single pass over the text keeps the complete tags of the allow-list, removes every other tag and
// puts stand-ins for each '<' and '&' that is text; so 'a < b' and '<3' survive, entities keep their spelling, and the
// parser never meets script, svg, style or any other element that browsers read by rules of their own. Then
// sanitize-html parses what is left, filters attributes and addresses, and closes what was left open.

// Stand-ins are Unicode noncharacters, which tidy() removes from the input.
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
// The same, and what looks like it to a quicker glance: pairs of surrogates are mostly good.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const MAY_BE_UNWANTED = /[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/;
const MAX_DEPTH = 200;

/** Line ends become \n; control characters go; half a surrogate pair, which no database can store, is marked. */
export function tidy(text: string): string {
  if (!MAY_BE_UNWANTED.test(text)) return text;
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lines.replace(UNWANTED, (character) => (/\p{Cs}/u.test(character) ? '\ufffd' : ''));
}

/** The characters that entities stand for. The text must have no tags. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const decoded = sanitizeHtml(text.replaceAll('<', '&lt;'), { allowedTags: [] });
  return decoded.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

// Which names are entities is asked of the parser, many at once, instead of keeping a table of two thousand.
const names = new Map<string, boolean>();

function learnNames(text: string): void {
  if (names.size > 5000) names.clear();
  const fresh = new Set<string>();
  for (const [, name] of text.matchAll(NAMED)) if (name !== undefined && !names.has(name)) fresh.add(name);
  if (fresh.size === 0) return;
  const list = [...fresh];
  const decoded = decodeEntities(list.map((name) => `&${name};`).join(LESS)).split(LESS);
  // '&notit;' is read by browsers as '¬it;': what still ends in a semicolon was no entity.
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
    // Not just removed: '<' + comment + 'script>' must not grow together.
    result += text.slice(done, from) + COMMENT;
    done = end + 3;
    from = text.indexOf('<!--', done);
  }
  return result + text.slice(done);
}

/** Stand-ins for all '<' and '&' that are text; `onTag` says what becomes of each complete tag. */
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

/** HTML text without any tag, still encoded; `gap` is what a removed tag leaves behind. */
export function stripTags(html: string, gap: (name: string) => string = () => ''): string {
  return unmask(mask(html, gap).replaceAll('>', '&gt;'));
}

export interface Policy {
  readonly tags: ReadonlySet<string>;
  readonly options: sanitizeHtml.IOptions;
}

/** Where links may lead: pages, and what programs of the reader take up. */
const SCHEMES = ['http', 'https', 'mailto', 'tel', 'sms', 'webcal', 'ftp'];
const OPEN = new RegExp(`^\\s*(?:${SCHEMES.join('|')}):`, 'i');

function cleanAttributes(tagName: string, given: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const attribs: sanitizeHtml.Attributes = {};
  for (const [name, value] of Object.entries(given)) {
    // Decoded before sanitize-html looks: 'javascript&colon;' is a scheme too.
    const plain = value.replaceAll(AMPERSAND, '&amp;').replaceAll(ENTITY, '&');
    attribs[name] = tidy(decodeEntities(plain));
  }
  // sanitize-html removes forbidden schemes; here goes what only looks like one, too.
  for (const name of ['href', 'src', 'cite', 'poster']) {
    const address = attribs[name] ?? '';
    if (/^[^/?#\\]*:/.test(address) && !OPEN.test(address)) delete attribs[name];
  }
  if (attribs.style !== undefined) {
    attribs.style = cleanStyle(attribs.style);
    if (attribs.style === '') delete attribs.style;
  }
  // The name is the server's to give: what this site tells must not be kept as a program (reference).
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
      // It has been seen to already.
      parseStyleAttributes: false,
      transformTags: { '*': cleanAttributes },
      textFilter: unmask,
    },
  };
}

/** Keeps tags within MAX_DEPTH: the parser's time grows with the square of the depth. Their text stays. */
function depthGuard(): (name: string, closing: boolean) => boolean {
  const open = new Map<string, number>();
  let depth = 0;
  return (name, closing) => {
    if (VOID.has(name)) return !closing;
    const same = open.get(name) ?? 0;
    // A closing tag that closes nothing must not count, or '<b></i>' would go ever deeper unseen.
    if (closing ? same === 0 : depth >= MAX_DEPTH) return false;
    open.set(name, same + (closing ? -1 : 1));
    depth += closing ? -1 : 1;
    return true;
  };
}

/** Safe, well-formed HTML of the policy's tags. Idempotent. */
export function sanitize(html: string, { tags, options }: Policy): string {
  const mayStay = depthGuard();
  const masked = mask(html, (name, closing, attributes) =>
    tags.has(name) && mayStay(name, closing) ? `<${closing ? '/' : ''}${name}${attributes}>` : '',
  );
  // '</p>' after a block that closed it is parsed as an empty paragraph; nobody wants that.
  return sanitizeHtml(masked, options).replaceAll('<p></p>', '');
}
