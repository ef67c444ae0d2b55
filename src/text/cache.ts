import { Lru } from '../lru.js';

// Rendering is pure and the same texts are shown again and again, so results are cached. The cache is limited twice: by
// count, and by characters, since one description can be as large as a thousand titles.
const MARKUP = /[<>&]/;

/** `plain` handles texts without markup, which need no parsing; `marked` the others, whose results are cached. */
export function remembered(
  plain: (text: string) => string,
  marked: (text: string) => string,
  entries = 1000,
  characters = 1_000_000,
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

/** For what follows from a few short texts of which there are not many, such as prices: results are kept, and shared. */
export function again<Texts extends string[], V>(make: (...texts: Texts) => V): (...texts: Texts) => V {
  const known = new Lru<string, { made: V }>(1_000_000, 1000);
  return (...texts) => {
    const key = texts.join('\n');
    let found = known.get(key);
    if (!found) {
      found = { made: make(...texts) };
      known.set(key, found, key.length * 4 + 500);
    }
    return found.made;
  };
}
