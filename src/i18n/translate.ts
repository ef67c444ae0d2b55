import { readFileSync } from 'node:fs';
import { LANGUAGES, type Language } from './languages.js';

/** Texts for people, by key. Catalogues are flat, one file per language. */
export type Translate = (key: string, values?: Record<string, string | number>) => string;

type Catalogue = Record<string, string>;

const read = (language: Language): Catalogue =>
  JSON.parse(readFileSync(new URL(`./${language}.json`, import.meta.url), 'utf8'));

const translators = new Map<Language, Translate>();

export function translator(language: Language): Translate {
  const known = translators.get(language);
  if (known) return known;
  const texts: Catalogue = { ...read(LANGUAGES[0]), ...read(language) };
  const plurals = new Intl.PluralRules(language);
  const made: Translate = (key, values = {}) => {
    const text = texts[key];
    if (text === undefined) return key;
    return counted(text, values, plurals).replace(/\{(\w+)\}/g, (all, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : all,
    );
  };
  translators.set(language, made);
  return made;
}

const PLURAL = /\{(\w+), plural, ((?:\w+ \{[^{}]*\} ?)+)\}/g;

/** `{n, plural, one {# day} other {# days}}`: the form that the language uses for the number. */
function counted(text: string, values: Record<string, string | number>, rules: Intl.PluralRules): string {
  if (!text.includes(', plural,')) return text;
  return text.replace(PLURAL, (all, name: string, forms: string) => {
    const n = Number(values[name]);
    const found = new Map([...forms.matchAll(/(\w+) \{([^{}]*)\}/g)].map(([, category, form]) => [category, form]));
    return (found.get(rules.select(n)) ?? found.get('other') ?? all).replaceAll('#', String(values[name]));
  });
}
