import { Lru } from '../lru.js';

// Rendering is pure and the same texts are shown again and again, so results are cached. The cache is limited twice: by
// count, and by characters, since one description can be as large as a thousand titles.
const MARKUP = /[<>&]/;

/** `plain` handles texts without markup, which need no parsing; `marked` the others, whose results are cached. */
export function remembered(
  plain: (text: string) => string,
  marked: (text: string) => string,
  entries = 2000,
  characters = 4_000_000,
): (text: string) => string {
  const known = new Lru<string, string>(characters, entries);

  return (text) => {
    if (!MARKUP.test(text)) return plain(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = marked(text);
    const size = text.length + result.length;
    if (size <= characters / 8) known.set(text, result, size);
    return result;
  };
}
