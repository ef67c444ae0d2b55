/** The languages that the interface speaks, each with a catalogue of its own. The first is the one texts fall back to. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

export function languageOf(text: string): Language | undefined {
  const lower = text.toLowerCase();
  return LANGUAGES.find((language) => language === lower);
}

const names = new Map<Language, string>();

/** Each language is named in itself. Kept, since every page names them all and asking takes 20 µs each. */
export function ownName(language: Language): string {
  const name = names.get(language) ?? new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  names.set(language, name);
  return name;
}

export const isRightToLeft = (language: Language): boolean => language === 'ar';

const known = new Map<string, Language>();
const KEPT = 500;

/** The first of the reader's languages that we speak (`Accept-Language`, RFC 9110), else the site's. */
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
