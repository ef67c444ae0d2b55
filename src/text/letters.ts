// Latin letters that Unicode does not decompose into a base letter and an accent, and how they are commonly spelled
// without their stroke or ligature.
const SPELLED: ReadonlyMap<string, string> = new Map(
  'æ ae Æ AE œ oe Œ OE ø o Ø O ł l Ł L đ d Đ D ð d Ð D þ th Þ TH ħ h Ħ H ŧ t Ŧ T ŋ n Ŋ N ı i ĸ k ŀ l Ŀ L ŉ n ĳ ij Ĳ IJ ſ s ª a º o'
    .split(' ')
    .flatMap((letter, i, all): [string, string][] => (i % 2 === 0 ? [[letter, all[i + 1] ?? '']] : [])),
);

const SPELLED_LETTERS = new RegExp(`[${[...SPELLED.keys()].join('')}]`, 'g');

/** 'Øresund' -> 'Oresund', 'Łódź' -> 'Lódź'. */
export function spellOut(text: string): string {
  return text.replace(SPELLED_LETTERS, (letter) => SPELLED.get(letter) ?? letter);
}
