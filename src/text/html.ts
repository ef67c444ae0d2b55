import { remembered } from './cache.js';
import { codesApart, withoutCodes } from './codes.js';
import { BLOCK_TAGS, paragraphs } from './paragraphs.js';
import { decodeEntities, policy, sanitize, stripTags, tidy } from './sanitize.js';

// Stored texts are safe HTML, and are sanitized again when read (decision C2), so that neither an old row nor an import
// can put a script on a page. No typographic substitution: the author's characters stay.

const words = (text: string): string[] => text.split(' ');

const PHRASING = words(
  'a abbr b bdi bdo br cite code del dfn em i ins kbd mark q s samp small span strike strong sub sup time u var wbr',
);
const COMMON = ['class', 'title', 'lang', 'dir'];
const LINK = ['href', 'rel', 'target'];

const TITLE = policy(PHRASING, { '*': COMMON, a: ['href'], time: ['datetime'] });

/** Attributes that editors write on any tag. No `id` and no `name`: scripts of a page find elements by them. */
const SHAPE = [...COMMON, ...words('style align role aria-label aria-hidden')];
const CELL = words('colspan rowspan headers scope abbr valign width height bgcolor');

const TEXT = policy(
  [...PHRASING, ...BLOCK_TAGS, ...words('img big tt font acronym ruby rb rt rp video audio source')],
  {
    '*': SHAPE,
    a: [...LINK, 'download'],
    font: words('color size face'),
    img: words('src alt width height loading border hspace vspace'),
    video: words('src poster width height controls loop muted preload playsinline'),
    audio: words('src controls loop muted preload'),
    source: words('src type'),
    table: words('border cellpadding cellspacing width bgcolor summary'),
    tr: words('valign bgcolor'),
    td: CELL,
    th: CELL,
    col: words('span width'),
    colgroup: words('span width'),
    ol: words('start reversed type'),
    ul: ['type'],
    li: ['value'],
    blockquote: ['cite'],
    q: ['cite'],
    del: ['datetime', 'cite'],
    ins: ['datetime', 'cite'],
    time: ['datetime'],
    details: ['open'],
  },
);

const TERM = policy(words('a abbr acronym b blockquote cite code del em i q s strike strong'), {
  a: ['href', 'title'],
  abbr: ['title'],
  acronym: ['title'],
  blockquote: ['cite'],
  del: ['datetime'],
  q: ['cite'],
});

const hasMarkup = (text: string): boolean => /[<>&]/.test(text);

/** A title or name, on write. */
export function cleanTitle(raw: string): string {
  return (hasMarkup(raw) ? sanitize(raw, TITLE) : tidy(raw)).trim();
}

/** A description, on write. */
export const cleanDescription = (raw: string): string => cleanHtml(withoutCodes(raw));

/** An excerpt, on write. */
export function cleanHtml(raw: string): string {
  return hasMarkup(raw) ? sanitize(raw, TEXT) : tidy(raw);
}

/** A title or name, on read. */
export const renderTitle: (stored: string) => string = remembered(
  (text) => tidy(text).trim(),
  (text) => sanitize(text, TITLE).trim(),
);

const inParagraphs = (html: string): string => codesApart(paragraphs(html));

/** A description or excerpt, on read: safe, and in paragraphs. */
export const renderHtml: (stored: string) => string = remembered(
  (text) => inParagraphs(tidy(text)),
  (text) => inParagraphs(sanitize(text, TEXT)),
);

const BLOCKS: ReadonlySet<string> = new Set([...BLOCK_TAGS, 'br']);

/** Single blanks are left alone: replacing each of them would take most of the time. */
const collapse = (text: string): string => text.replace(/\s\s+|[^\S ]/g, ' ').trim();

/** Readable plain text of stored or rendered HTML. Not HTML: it must be escaped before it is put on a page. */
export const plainText: (html: string) => string = remembered(
  (text) => collapse(tidy(text)),
  (html) => collapse(tidy(decodeEntities(stripTags(html, (name) => (BLOCKS.has(name) ? ' ' : ''))))),
);

/** Tags that are set off by a blank line. */
const APART: ReadonlySet<string> = new Set(words('p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre figure hr'));

/** The same in lines and paragraphs, about as on a page, for readers that do not show HTML. */
export function plainLines(html: string): string {
  const gap = (name: string): string =>
    APART.has(name) ? '\n\n' : name === 'br' ? '\n' : BLOCKS.has(name) ? '\u2028' : '';
  const text = tidy(decodeEntities(stripTags(html.replace(/\s+/g, ' '), gap)));
  // One line end, however many tags end and begin there.
  const lines = (part: string): string => part.split('\u2028').map(collapse).filter(Boolean).join('\n');
  return text
    .split('\n')
    .map(lines)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Plain text of about this many words, with an ellipsis if something was left out. */
export function excerptText(html: string, limit = 55): string {
  const text = plainText(html);
  let end = -1;
  for (let words = 0; words < limit; words++) {
    end = text.indexOf(' ', end + 1);
    if (end < 0) break;
  }
  const cut = end < 0 ? text : text.slice(0, end);
  // Scripts without blanks between words have no words to count, so characters are limited too.
  const most = limit * 12;
  const characters = cut.length <= most ? cut : [...cut.slice(0, most * 2)].slice(0, most).join('');
  return characters === text ? text : `${characters.trimEnd()}…`;
}

/** Replaces <script> and <style> elements, with their contents; one that is never closed is left to the tag filter. */
function dropScripts(text: string): string {
  const open = /<(script|style)(?=[\s/>])[^<>]*>/gi;
  const unclosed = new Set<string>();
  let result = '';
  let done = 0;
  for (let found = open.exec(text); found; found = open.exec(text)) {
    const name = (found[1] ?? '').toLowerCase();
    if (unclosed.has(name)) continue;
    const close = new RegExp(`</${name}\\s*>`, 'gi');
    close.lastIndex = open.lastIndex;
    if (!close.exec(text)) {
      unclosed.add(name);
      continue;
    }
    result += `${text.slice(done, found.index)}<wbr>`;
    done = close.lastIndex;
    open.lastIndex = done;
  }
  return result + text.slice(done);
}

/** Spaces of other widths stay: clients look up a name as they wrote it, and addresses contain them. */
const inOneLine = (text: string): string => text.replace(/[\t\n\v\f\r \u2028\u2029]+/g, ' ').trim();

/** The name of a category or tag: no tags, entities encoded. Quotes stay as they are, as in titles. */
export function cleanTermName(raw: string): string {
  return inOneLine(stripTags(dropScripts(tidy(raw))));
}

/** The description of a category or tag: basic inline tags only. */
export function cleanTermDescription(raw: string): string {
  return hasMarkup(raw) ? sanitize(raw, TERM) : tidy(raw);
}

/** Both on read. */
export const renderTermName: (stored: string) => string = remembered((text) => text, cleanTermName);
export const renderTermDescription: (stored: string) => string = remembered((text) => text, cleanTermDescription);

// 'Ann <ann@example.org>' is not a tag; anything else from '<' and a letter to '>' is, to be on the safe side.
const LINE_TAG = /<(?![\w.+-]+@[\w.-]+>)[a-z/!?][^<>]*>/gi;

/** A one-line field such as address or phone. Plain text: '&' and a lone '<' stay; percent signs too (C2). */
export function cleanLine(raw: string): string {
  const text = tidy(raw);
  return bareLine(text.includes('<') ? dropScripts(text) : text);
}

/** The same, but the contents of scripts are text like any other. */
export function bareLine(text: string): string {
  if (!text.includes('<')) return inOneLine(text);
  // What a removed tag would join into a new one ('<<b>script>') is separated by a blank.
  const bare = text.replace(LINE_TAG, '').replace(LINE_TAG, (tag) => `< ${tag.slice(1)}`);
  // An unclosed tag ('<img onerror=…') is text, but must not become a tag where somebody forgets to escape it.
  return inOneLine(apart(bare));
}

/** Only after the last `>` can anything be unclosed, so the text is scanned once, however many `<` it has. */
function apart(text: string): string {
  const end = text.lastIndexOf('>') + 1;
  const open = text.slice(end);
  const given = open.lastIndexOf('=');
  return (
    text.slice(0, end) +
    open.replace(/<([a-z][a-z0-9]*[\s/])/gi, (sign, name, at) => (at + sign.length <= given ? `< ${name}` : sign))
  );
}
