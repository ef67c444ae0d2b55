import { spellOut } from './letters.js';
import { withFewMarks } from './marks.js';
import { stripTags } from './sanitize.js';

// Slugs are ASCII: Latin letters lose their accents, letters of other scripts are written as lower-case percent-encoded
// UTF-8, as clients of the reference expect (D16 says how slugs are made unique).
const MAX_BYTES = 200;

const LATIN_ACCENTS = /(\p{Script=Latin})[\u0300-\u036f]+/gu;
// Characters that become dashes, and characters that are dropped, anywhere.
const DASHES = /[\u00a0\u2000-\u200a\u2013\u2014\u2028\u2029\u202f./]/g;
const DROPPED =
  /[\u00a1\u00a9\u00ab\u00ad\u00ae\u00b0\u00b4\u00bb\u00bf\u2018-\u201f\u2022\u2026\u2039\u203a\u2122\u02ca\u200b-\u200f\u202a-\u202e\ufeff\ufffc]/g;
// Further ones in titles: other dashes, punctuation and signs of Latin scripts, and invisible characters. In a slug
// that a client encoded itself they stay, so that known addresses still find it.
const DASHES_OF_TITLES = /[\u1680\u2010-\u2015\u205f\u2212\u3000]/g;
const DROPPED_OF_TITLES =
  /[\u00a3\u00a6-\u00a8\u00ac\u00af\u00b1\u00b6-\u00b8\u2020-\u2027\u2030-\u2038\u02b9-\u02df\u2060-\u2064\u{e0001}-\u{e007f}]/gu;
const DASH_ENTITIES = /&(?:nbsp|ndash|mdash|#160|#8211|#8212|#x(?:a0|2013|2014));/gi;
const ENTITIES = /&(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);/gi;

function withoutAccents(text: string): string {
  const bare = withFewMarks(text).normalize('NFD').replace(LATIN_ACCENTS, '$1').normalize('NFC');
  return spellOut(bare).replaceAll('ß', 's').replaceAll('€', 'E');
}

const plainSigns = (text: string): string => text.replace(DROPPED, '').replace(DASHES, '-').replaceAll('×', 'x');
const encoded = (text: string): string =>
  text.replace(/[^\p{ASCII}]/gu, (character) => encodeURIComponent(character).toLowerCase());

/** Decodes octets and treats the characters like plain text; octets that are not UTF-8 are dropped. */
function readOctets(octets: string): string {
  try {
    return encoded(plainSigns(decodeURIComponent(octets).toLowerCase()));
  } catch {
    return '';
  }
}

/** Octets that a client encoded itself stay, except slashes, control characters and what is not UTF-8. */
function checkOctets(slug: string): string {
  return slug
    .replace(/%(?:[01][0-9a-f]|7f)/g, '')
    .replace(/%(?:2f|5c)/g, '-')
    .replace(/(?:%[89a-f][0-9a-f])+/g, readOctets);
}

/** At most this many bytes, and never half a character: '%e6%97%a5' stays or goes as a whole. */
function cut(slug: string, bytes: number): string {
  if (slug.length <= bytes) return slug;
  const short = slug.slice(0, bytes).replace(/%[0-9a-f]?$/, '');
  const last = /%([c-f])[0-9a-f](?:%[89ab][0-9a-f])*$/.exec(short.slice(-12));
  const octets = last ? last[0].length / 3 : 0;
  const needed = last?.[1] === 'f' ? 4 : last?.[1] === 'e' ? 3 : 2;
  const whole = last && octets < needed ? short.slice(0, -last[0].length) : short;
  return whole.replace(/-+$/, '');
}

/**
 * The slug that an address asks for: like `slugify`, but accents stay, so that a slug with encoded letters is found,
 * and a plus sign is a blank. A slug that was encoded twice finds nothing, as in the reference.
 */
export function slugOfAddress(text: string): string {
  if (/[%/]/.test(text)) return '';
  return toSlug(text.replaceAll('+', ' '), TRASHED.test(text) ? MAX_BYTES + LONGEST_ENDING : MAX_BYTES);
}

/** Printable characters of ASCII that begin no tag, entity or octet. */
const PLAIN = /^[ -$'-;=?-~]*$/;

export function slugify(text: string): string {
  if (PLAIN.test(text)) return toSlug(text);
  const bare = stripTags(text).replace(DASH_ENTITIES, '-').replace(ENTITIES, '');
  return toSlug(withoutAccents(bare).replace(DROPPED_OF_TITLES, '').replace(DASHES_OF_TITLES, '-'));
}

/** What is a slug already. */
const FINISHED = /^[a-z0-9_]+(?:-[a-z0-9_]+)*$/;

function toSlug(text: string, most = MAX_BYTES): string {
  if (text.length <= most && FINISHED.test(text)) return text;
  // A percent sign stays only as part of an encoded octet.
  const signs = plainSigns(text.toLowerCase()).replace(/%(?![0-9a-f]{2})/g, '');
  const ascii = encoded(signs)
    .replace(/[^%a-z0-9 _-]/g, '')
    .replace(/[ -]+/g, '-');
  const checked = checkOctets(ascii).replace(/-{2,}/g, '-').replace(/^-|-$/g, '');
  return cut(checked, most);
}

/** 'x', 2 -> 'x-2', still within the limit. */
export function withSuffix(slug: string, ending: number | string): string {
  const suffix = `-${ending}`;
  return `${cut(slug, MAX_BYTES - suffix.length)}${suffix}`;
}

/** The trash appends to the whole slug, beyond its limit, so that restoring gives all of it back. */
const TRASHED = /__trashed(-\d{1,9})?$/;
const LONGEST_ENDING = 19;
export const trashedSlug = (slug: string, n?: number): string => `${slug}__trashed${n === undefined ? '' : `-${n}`}`;
export const restoredSlug = (slug: string): string => slug.replace(TRASHED, '');
