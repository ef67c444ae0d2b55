// Texts of older editors have codes in brackets where HTML had no element at the time: a picture with its caption, a
// recording, a video. As they stand readers would see brackets, so they become the elements of today. What comes out is
// no safer than what went in: sanitize it afterwards.

const OPEN = /\[(caption|wp_caption|gallery|playlist|embed|audio|video)((?:\s[^\][<>]*)?)\]/g;
/** A name begins where no letter stands before it: long words without a value are looked at once. */
const GIVEN = /(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g;
const PICTURE = /^\s*((?:<a\s[^<>]*>\s*)?<img\s[^<>]*>(?:\s*<\/a>)?)/i;
const ADDRESS = /^https?:\/\/[^\s"'<>[\]]+$/i;
/** The others stand alone, or with nothing before their end. */
const HOLDING = new Set(['caption', 'wp_caption', 'embed']);
const SOURCES = {
  audio: ['src', 'mp3', 'm4a', 'ogg', 'wav', 'flac'],
  video: ['src', 'mp4', 'm4v', 'webm', 'ogv', 'flv'],
} as const;

type Values = ReadonlyMap<string, string>;

const valuesOf = (given: string): Values =>
  new Map([...given.matchAll(GIVEN)].map(([, name = '', a, b, c]) => [name, a ?? b ?? c ?? '']));

function picture(values: Values, content: string): string {
  const found = PICTURE.exec(content);
  if (!found) return content;
  const told = values.get('caption');
  const shown = told === undefined ? found[1] : content;
  const caption = told ?? content.slice(found[0].length).trim();
  const align = /^align(?:left|right|center|none)$/.exec(values.get('align') ?? '')?.[0] ?? 'alignnone';
  return `<figure class="wp-caption ${align}">${shown}<figcaption>${caption}</figcaption></figure>`;
}

/** The element for a code; undefined where it says too little for one. */
function elementFor(name: string, given: string, content: string | undefined): string | undefined {
  // Pictures that are named by numbers of another site.
  if (name === 'gallery' || name === 'playlist') return '';
  const values = valuesOf(given);
  if (name === 'audio' || name === 'video') {
    const source = SOURCES[name].map((one) => values.get(one) ?? '').find((one) => ADDRESS.test(one));
    return source && `<${name} controls src="${source}"></${name}>`;
  }
  if (content === undefined) return undefined;
  // No code of the same name is in there, so that there is an end to it.
  if (name !== 'embed') return picture(values, withoutCodes(content));
  const address = content.trim();
  return ADDRESS.test(address) ? `<a href="${address}">${address}</a>` : undefined;
}

export function withoutCodes(text: string): string {
  if (!text.includes('[')) return text;
  const closes = new Map<string, number>();
  /** Looked for once, however many are open before it. */
  const closeOf = (name: string, from: number): number => {
    const known = closes.get(name);
    if (known !== undefined && (known < 0 || known >= from)) return known;
    const close = text.indexOf(`[/${name}]`, from);
    closes.set(name, close);
    return close;
  };
  let result = '';
  let done = 0;
  for (const found of text.matchAll(OPEN)) {
    const [code, name = '', given = ''] = found;
    if (found.index < done) continue;
    const end = found.index + code.length;
    // In two brackets somebody writes about a code. Told by number it is still one when it is written back.
    if (text[found.index - 1] === '[' && text[end] === ']') {
      result += `${text.slice(done, found.index - 1)}&#91;${code.slice(1)}`;
      done = end + 1;
      continue;
    }
    const close = closeOf(name, end);
    const next = text.indexOf(`[${name}`, end);
    const content = close < 0 || (next >= 0 && next < close) ? undefined : text.slice(end, close);
    const isPair = content !== undefined && (HOLDING.has(name) || content.trim() === '');
    const element = elementFor(name, given, isPair ? content : undefined);
    if (element === undefined) continue;
    result += text.slice(done, found.index) + element;
    done = isPair ? close + name.length + 3 : end;
  }
  return result + text.slice(done);
}
