import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository, from wherever the compiled test lies. */
function projectRoot(): string {
  let at = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(at, 'package.json'))) at = path.dirname(at);
  return at;
}
export const ROOT = projectRoot();
export const fileText = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');

export type Catalogue = Record<string, string>;
export const catalogueOf = (language: string): Catalogue => JSON.parse(fileText(`src/i18n/${language}.json`));

/** Sources by their path below src/, tests left out. */
export function sources(): Map<string, string> {
  const names = readdirSync(path.join(ROOT, 'src'), { recursive: true }).map(String);
  const kept = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return new Map(kept.sort().map((name) => [name, fileText(path.join('src', name))]));
}

/** Everything but texts for people: two languages of the same description are equal after this. */
export function withoutTexts(value: unknown, texts: readonly string[] = ['description', 'summary']): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one, texts));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([name, member]) => !(texts.includes(name) && typeof member === 'string'));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutTexts(member, texts)]));
}
