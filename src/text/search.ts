import { plainText } from './html.js';
import { spellOut } from './letters.js';
import { withFewMarks } from './marks.js';

// Search ignores case and accents (decision B10). Both sides are folded by this function, never by the database, so
// that every engine finds the same.

// Marks that people leave out when they type: accents of Latin, Greek and Cyrillic, Arabic vowel signs, Hebrew points.
// Not all \p{Mn}: in Thai, Devanagari and many other scripts those are the vowels. й and ў are letters of their own, so
// the Cyrillic breve stays.
const MARKS =
  /(?<![\u0418\u0438\u0423\u0443])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc]/g;
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|[\ufe00-\ufe0f]/g;
const SINGLE_QUOTES = /[\u2018-\u201b\u02bc\u2032\u00b4`]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033\u00ab\u00bb]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;

const BLANKS = /[\s\p{Cc}\p{Cs}]+/gu;

const plainSigns = (text: string): string =>
  text.replace(SINGLE_QUOTES, "'").replace(DOUBLE_QUOTES, '"').replace(DASHES, '-');
const withoutMarks = (text: string): string => text.normalize('NFKD').replace(INVISIBLE, '').replace(MARKS, '');

/**
 * Characters that need more than their case folded: all but those of ASCII, and of these control characters and the
 * backtick. A mark that would change a letter of ASCII before it is removed anyway, so these can be folded apart.
 */
const UNUSUAL = /[^ -_a-~]+/g;

function foldUnusual(text: string): string {
  // Signs are replaced before and after, since decomposition turns some into blanks and produces others.
  const bare = plainSigns(withoutMarks(plainSigns(withFewMarks(text).normalize('NFC'))));
  // Upper case and back is full case folding: ß and ẞ meet at 'ss', ς and Σ at 'σ', ı and I at 'i'.
  const cased = spellOut(bare).toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return withoutMarks(cased).normalize('NFC').replace(BLANKS, ' ');
}

/** Most are single letters or short words, which come again and again. */
const LONGEST_KNOWN = 12;
const MOST_KNOWN = 5000;
const known = new Map<string, string>();

function foldedUnusual(text: string): string {
  if (text.length > LONGEST_KNOWN) return foldUnusual(text);
  let folded = known.get(text);
  if (folded === undefined) {
    folded = foldUnusual(text);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(text, folded);
  }
  return folded;
}

/** For comparisons: gives the same text for any two spellings that readers take for the same word. Pass plain text. */
export const fold = (text: string): string =>
  text.replace(UNUSUAL, foldedUnusual).toLowerCase().replace(/ {2,}/g, ' ').trim();

export interface SearchWords {
  include: string[];
  exclude: string[];
}

const MAX_WORDS = 20;
// Commas and plus signs separate words, too, as in the reference.
const PART = /(-?)(?:["“”„«»＂]([^"“”„«»＂]*)["“”„«»＂]|([^\s"“”„«»＂,+]+))/g;

/** Every word of `include` must occur, none of `exclude` may; a word can be a whole phrase. */
export function searchWords(query: string): SearchWords {
  const include = new Set<string>();
  const exclude = new Set<string>();
  for (const [, minus, phrase, word] of query.replace(/[\p{Cc}]/gu, ' ').matchAll(PART)) {
    const folded = fold(phrase ?? word ?? '');
    // A dash by itself is punctuation between words.
    if (folded === '' || /^-+$/.test(folded)) continue;
    (minus ? exclude : include).add(folded);
  }
  // Such a long query is a pasted sentence, and dropping some of its words would find too much.
  if (include.size + exclude.size > MAX_WORDS) return { include: [fold(query)], exclude: [] };
  return { include: [...include], exclude: [...exclude] };
}

/** Only the beginning of longer names: an index has no room for more. */
const KEY_LETTERS = 500;

/** The searchable text of a record: its texts, one per line. */
export const searchable = (texts: readonly string[]): string =>
  texts
    .map(fold)
    .filter((text) => text !== '')
    .join('\n');

/** Names with the same key are the same to readers, as far as it reaches. */
export const nameKeyOf = (name: string): string => [...fold(plainText(name))].slice(0, KEY_LETTERS).join('');

/** Whether names are the same to their end. */
export const isSameName = (one: string, other: string): boolean => fold(plainText(one)) === fold(plainText(other));
