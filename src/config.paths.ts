import { LANGUAGES } from './i18n/languages.js';

/** First segments of paths that are in use: pages, pictures, files for machines. */
export const TAKEN: readonly string[] = [
  'docs',
  'events',
  'livez',
  'llms.txt',
  'media',
  'metrics',
  'organizers',
  'readyz',
  'robots.txt',
  'sign-in',
  'sign-out',
  'sitemap.xml',
  'venues',
  '.well-known',
];

interface Paths {
  apiRoot?: string;
  vendor?: string;
  aliases?: readonly string[];
}

/** The canonical path of the API, whatever aliases it has. */
export const namespacePath = (apiRoot: string, vendor: string): string => `${apiRoot}/${vendor}/events/v1`;

/** The API and its aliases must not collide with other paths, nor lie below one another. */
export function takenPaths({ apiRoot, vendor, aliases = [] }: Paths): string[] {
  if (apiRoot === undefined || vendor === undefined) return [];
  const own: [name: string, path: string][] = [['KALENDS_API_ROOT', apiRoot]];
  for (const alias of aliases) own.push(['KALENDS_ALIASES', alias]);
  const problems: string[] = [];
  for (const [name, at] of own) {
    const first = at.split('/')[1]?.toLowerCase() ?? '';
    if (TAKEN.includes(first))
      problems.push(`${name} (${at}) cannot be used: Kalends needs /${first} for other pages. Choose another path.`);
    else if ((LANGUAGES as readonly string[]).includes(first))
      problems.push(`${name} (${at}) cannot be used: /${first} is a language prefix. Choose another path.`);
  }
  const bases = [namespacePath(apiRoot, vendor), ...aliases];
  for (const alias of aliases) {
    const outer = bases.find((base) => alias.toLowerCase().startsWith(`${base.toLowerCase()}/`));
    if (outer !== undefined)
      problems.push(`KALENDS_ALIASES (${alias}) is below ${outer}, where the API is already served. Remove it.`);
  }
  return problems;
}
