// Rendering is pure and the same texts are shown again and again, so results are kept. Bounded twice: by count, and by
// characters, since one description can be as large as a thousand titles.
const MARKUP = /[<>&]/;

/** `plain` serves texts without markup, which need no parsing; `marked` the others, remembered. */
export function remembered(
  plain: (text: string) => string,
  marked: (text: string) => string,
  entries = 2000,
  characters = 4_000_000,
): (text: string) => string {
  const known = new Map<string, string>();
  let held = 0;

  const forgetOldest = () => {
    const oldest = known.entries().next().value;
    if (!oldest) return;
    known.delete(oldest[0]);
    held -= oldest[0].length + oldest[1].length;
  };

  return (text) => {
    if (!MARKUP.test(text)) return plain(text);
    const found = known.get(text);
    if (found !== undefined) {
      // A Map keeps the order of insertion: putting it back makes it the youngest.
      known.delete(text);
      known.set(text, found);
      return found;
    }
    const result = marked(text);
    const size = text.length + result.length;
    if (size <= characters / 8) {
      known.set(text, result);
      held += size;
      while (known.size > entries || held > characters) forgetOldest();
    }
    return result;
  };
}
