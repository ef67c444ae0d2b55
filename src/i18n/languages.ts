/** The languages of the program, each with its own catalogue. Texts fall back to the first one. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

export function languageOf(text: string): Language | undefined {
  const lower = text.toLowerCase();
  return LANGUAGES.find((language) => language === lower);
}

const names = new Map<Language, string>();

/** The name of a language in that language. Cached, since every page names them all and asking takes 20 µs each. */
export function ownName(language: Language): string {
  const name = names.get(language) ?? new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  names.set(language, name);
  return name;
}

export const isRightToLeft = (language: Language): boolean => language === 'ar';

const known = new Map<string, Language>();
const KEPT = 500;

/** The reader's preferred language among ours (`Accept-Language`, RFC 9110), otherwise the site's. */
export function negotiate(header: string | undefined, fallback: Language): Language {
  if (header === undefined || header === '') return fallback;
  const remembered = known.get(header);
  if (remembered) return remembered;
  const wishes = header
    .slice(0, 1000)
    .split(',')
    .map((part, place) => {
      const [range = '', ...parameters] = part.trim().split(';');
      const weight = parameters.map((one) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(one)?.[1]).find(Boolean);
      return { language: languageOf(range.trim().split('-')[0] ?? ''), weight: Number(weight ?? 1), place };
    })
    .filter((wish) => wish.language !== undefined && wish.weight > 0)
    .sort((a, b) => b.weight - a.weight || a.place - b.place);
  const chosen = wishes[0]?.language;
  if (chosen === undefined) return fallback;
  if (known.size >= KEPT) known.clear();
  known.set(header, chosen);
  return chosen;
}
