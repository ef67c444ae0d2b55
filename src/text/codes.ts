// Texts from older editors contain shortcodes in brackets where HTML had no element at the time: for a picture with its
// caption, a recording, a video. Readers would see the brackets, so they become today's elements. The result is no
// safer than the input: sanitize it afterwards.

const NAMES = 'caption|wp_caption|gallery|playlist|embed|audio|video';
const OPEN = new RegExp(`\\[(${NAMES})((?:\\s[^\\][<>]*)?)\\]`, 'g');
const ALONE = new RegExp(`<p>\\s*(\\[(${NAMES})(?:\\s[^\\][<>]*)?\\](?:[^<>[\\]]*\\[/\\2\\])?)\\s*</p>`, 'g');
/** A name must not follow a letter, so that a long word without a value is scanned only once. */
const GIVEN = /(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g;
const PICTURE = /^\s*((?:<a\s[^<>]*>\s*)?<img\s[^<>]*>(?:\s*<\/a>)?)/i;
const ADDRESS = /^https?:\/\/[^\s"'<>[\]]+$/i;
/** These have contents; the others stand alone, or have nothing before their closing code. */
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

/** The element for a shortcode; undefined if the shortcode says too little for one. */
function elementFor(name: string, given: string, content: string | undefined): string | undefined {
  // They name files by their ids on another site.
  if (name === 'gallery' || name === 'playlist') return '';
  const values = valuesOf(given);
  if (name === 'audio' || name === 'video') {
    const source = SOURCES[name].map((one) => values.get(one) ?? '').find((one) => ADDRESS.test(one));
    return source && `<${name} controls src="${source}"></${name}>`;
  }
  if (content === undefined) return undefined;
  // The recursion ends, since the contents hold no shortcode of the same name.
  if (name !== 'embed') return picture(values, withoutCodes(content));
  const address = content.trim();
  return ADDRESS.test(address) ? `<a href="${address}">${address}</a>` : undefined;
}

/** A shortcode that stands alone is no paragraph (reference). */
export const codesApart = (html: string): string => (html.includes('[') ? html.replace(ALONE, '$1') : html);

export function withoutCodes(text: string): string {
  if (!text.includes('[')) return text;
  const closes = new Map<string, number>();
  /** Each closing code is searched for once, however many are open before it. */
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
    // Double brackets quote a shortcode. With the bracket as an entity, it stays quoted when the text is written back.
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
