// Turns plain text into paragraphs: a blank line begins a new <p>, a single line break is a <br /> (decision C2). Works
// on sanitized, well-formed HTML. What is wrapped are runs of text and inline tags between block tags.

/**
 * flow:   every run is wrapped in <p>
 * mixed:  wrapped only when a blank line divides it ('<li>one</li>' stays as it is), or after another block in a <div>
 * line:   never wrapped, for what cannot hold a <p>
 * frame:  holds other blocks; white space in it means nothing
 */
type Kind = 'flow' | 'mixed' | 'line' | 'frame';

const KINDS: Record<Kind, string> = {
  flow: 'blockquote main',
  mixed: 'div section article aside header footer li td th dd figcaption address details',
  line: 'h1 h2 h3 h4 h5 h6 dt caption summary',
  frame: 'ul ol dl table thead tbody tfoot tr colgroup figure hgroup',
};

const CONTAINERS: ReadonlyMap<string, Kind> = new Map(
  (Object.keys(KINDS) as Kind[]).flatMap((kind) => KINDS[kind].split(' ').map((name): [string, Kind] => [name, kind])),
);

/** Tags that begin and end a line of their own. */
export const BLOCK_TAGS: readonly string[] = [...CONTAINERS.keys(), 'p', 'pre', 'hr', 'col'];

interface Inline {
  name: string;
  tag: string;
  written: boolean;
  /** Never written so far; an element that is closed while fresh is empty on purpose, such as an icon. */
  fresh: boolean;
}

/** `run`: a paragraph that was made here; `name`: of the tag, where that matters. */
interface Piece {
  text: string;
  edge: 'open' | 'close' | 'whole' | 'run' | 'bare';
  name?: string;
}

const BREAK = '<br />';
const TAG = /<(\/?)([a-z][a-z0-9]*)[^>]*>/g;
const isBlank = (text: string) => !/[^ \t\n]/.test(text);

function withoutEndingBreaks(text: string): string {
  let rest = text;
  for (;;) {
    const bare = rest.trimEnd();
    if (bare.endsWith(BREAK)) rest = bare.slice(0, -BREAK.length);
    else return rest.includes('\n', bare.length) ? bare : rest;
  }
}

/** Tags whose text is wrapped when it follows another block, and whose end follows it on the same line. */
const DIVISIONS: readonly (string | undefined)[] = ['div', 'address'];

/** Whether two pieces stand on one line, as the reference writes them. */
function areTight(before: Piece, piece: Piece): boolean {
  const [{ edge: last }, { edge }] = [before, piece];
  if ((edge === 'open' && piece.name === 'figcaption') || (last === 'close' && before.name === 'figcaption'))
    return true;
  if (last === 'open') return edge === 'bare' || edge === 'close' || (edge === 'run' && before.name === 'blockquote');
  if (edge !== 'close') return false;
  return last === 'bare' || (last === 'run' && [...DIVISIONS, 'blockquote'].includes(piece.name));
}

function joinPieces(pieces: readonly Piece[]): string {
  let result = '';
  pieces.forEach((piece, i) => {
    const before = pieces[i - 1];
    result += before === undefined || areTight(before, piece) ? piece.text : `\n${piece.text}`;
  });
  return result;
}

export function paragraphs(html: string): string {
  if (isBlank(html)) return '';
  const pieces: Piece[] = [];
  const kinds: Kind[] = ['flow'];
  const names: string[] = []; // of the tags that are open
  const inline: Inline[] = [];
  let given = ''; // the author's own <p> tag that is open
  let done: string[] = []; // finished paragraphs of the current run
  let text = ''; // the paragraph being written
  let filled = false; // it has something to show
  let brokenAt = -1; // where its last <br /> stands, while only blanks follow
  // How many characters may be repeated; without a limit, a few tags around very many paragraphs would grow enormously.
  let spare = html.length + 10_000;

  const kind = (): Kind => (given ? 'flow' : (kinds.at(-1) ?? 'flow'));

  const openInline = () => {
    for (const tag of inline) {
      if (tag.written) continue;
      if (!tag.fresh) {
        if (spare < tag.tag.length * 2) continue;
        spare -= tag.tag.length * 2;
      }
      text += tag.tag;
      tag.written = true;
      tag.fresh = false;
    }
  };

  // Inline tags that span the end of a paragraph are closed here and reopened by what follows.
  const endParagraph = () => {
    if (filled) {
      let paragraph = withoutEndingBreaks(text);
      for (const tag of inline.toReversed()) if (tag.written) paragraph += `</${tag.name}>`;
      done.push(paragraph);
    }
    for (const tag of inline) tag.written = false;
    text = '';
    filled = false;
    brokenAt = -1;
  };

  const endRun = () => {
    endParagraph();
    const follows = DIVISIONS.includes(names.at(-1)) && pieces.at(-1)?.edge !== 'open';
    const wrap = given !== '' || kind() === 'flow' || done.length > 1 || follows;
    done.forEach((paragraph, i) => {
      const isGiven = i === 0 && given !== '';
      const text = `${isGiven ? given : '<p>'}${paragraph}</p>`;
      pieces.push(wrap ? { text, edge: isGiven ? 'whole' : 'run' } : { text: paragraph, edge: 'bare' });
    });
    done = [];
    given = '';
  };

  const write = (content: string) => {
    openInline();
    text += content;
    if (!isBlank(content)) {
      filled = true;
      brokenAt = -1;
    }
  };

  const writeBreak = () => {
    const second = brokenAt >= 0 && isBlank(text.slice(brokenAt + BREAK.length));
    if (second && kind() !== 'line') {
      text = text.slice(0, brokenAt);
      endParagraph();
    } else if (filled && text !== '') {
      openInline();
      brokenAt = text.length;
      text += BREAK;
    } else {
      filled = true;
    }
  };

  const writeText = (content: string) => {
    if (kind() === 'frame') {
      if (filled || !isBlank(content)) write(content);
      return;
    }
    const parts = kind() === 'line' ? [content] : content.split(/\n\s*\n/);
    parts.forEach((part, i) => {
      if (i > 0) endParagraph();
      const begun = filled ? part : part.replace(/^\s*\n/, '');
      if (begun === '') return;
      const lines = begun.split('\n');
      lines.forEach((line, j) => {
        const last = j === lines.length - 1;
        const shown = last ? line : line.trimEnd();
        if (shown !== '') write(shown);
        if (last) return;
        // The author's own <br> at the end of the line is enough.
        if (brokenAt < 0) writeBreak();
        if (text !== '') text += '\n';
      });
    });
  };

  const closeInline = (name: string) => {
    const tag = inline.at(-1);
    if (tag?.name !== name) return;
    if (tag.fresh) {
      openInline();
      filled = true;
    }
    if (tag.written) text += `</${name}>`;
    inline.pop();
  };

  let at = 0;
  let preformatted = 0;
  let preFrom = 0;
  for (const match of html.matchAll(TAG)) {
    const [tag, slash, name = ''] = match;
    const closing = slash === '/';
    const after = match.index + tag.length;
    if (name === 'pre') {
      if (preformatted === 0) {
        if (closing) continue;
        if (match.index > at) writeText(html.slice(at, match.index));
        endRun();
        preFrom = match.index;
      }
      preformatted += closing ? -1 : 1;
      if (preformatted === 0) pieces.push({ text: html.slice(preFrom, after), edge: 'whole' });
      at = after;
      continue;
    }
    if (preformatted > 0) continue;
    if (match.index > at) writeText(html.slice(at, match.index));
    at = after;
    const container = CONTAINERS.get(name);
    if (container) {
      endRun();
      if (closing) {
        kinds.pop();
        names.pop();
      } else {
        kinds.push(container);
        names.push(name);
      }
      pieces.push({ text: tag, edge: closing ? 'close' : 'open', name });
    } else if (name === 'p') {
      endRun();
      if (!closing) given = tag;
    } else if (name === 'hr' || name === 'col') {
      endRun();
      pieces.push({ text: tag, edge: 'whole' });
    } else if (name === 'br') writeBreak();
    else if (name === 'img' || name === 'wbr' || name === 'source') write(tag);
    else if (closing) closeInline(name);
    else inline.push({ name, tag, written: false, fresh: true });
  }
  if (at < html.length) writeText(html.slice(at));
  endRun();
  return joinPieces(pieces);
}
