import { readFileSync } from 'node:fs';

/** Texts for people, by key. Catalogues are flat: one file a language. */
export type Translate = (key: string, values?: Record<string, string | number>) => string;

const catalogues = new Map<string, Record<string, string>>();

function catalogue(language: string): Record<string, string> {
  const known = catalogues.get(language);
  if (known) return known;
  const read = JSON.parse(readFileSync(new URL(`./${language}.json`, import.meta.url), 'utf8')) as Record<
    string,
    string
  >;
  catalogues.set(language, read);
  return read;
}

export function translator(language: string): Translate {
  const texts = catalogue(language);
  return (key, values = {}) => {
    const text = texts[key];
    if (text === undefined) return key;
    return text.replace(/\{(\w+)\}/g, (all, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : all,
    );
  };
}
