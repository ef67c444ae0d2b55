import { withSuffix } from '../text/slug.js';

/** Words that addresses of pages use themselves; below those of terms there is nothing else (reference). */
const RESERVED: ReadonlySet<string> = new Set(['feed', 'rdf', 'rss', 'rss2', 'atom', 'embed']);
export const NONE_RESERVED: ReadonlySet<string> = new Set();
const TRASHED = /__trashed(-\d+)?$/;

/** The slug itself, or the first free one of slug-2, slug-3, … (D16). */
export async function freeSlug(
  wanted: string,
  isTaken: (slug: string) => Promise<boolean>,
  reserved = RESERVED,
): Promise<string> {
  const taken = async (slug: string): Promise<boolean> => reserved.has(slug) || isTaken(slug);
  if (!(await taken(wanted))) return wanted;
  // The next three, nine and twenty-seven: a database that is far away is not waited for thirty times.
  let next = 2;
  for (let many = 3; many <= 27; many *= 3) {
    const slugs = Array.from({ length: many }, () => withSuffix(wanted, next++));
    const answers = await Promise.all(slugs.map(taken));
    const free = slugs[answers.indexOf(false)];
    if (free !== undefined) return free;
  }
  // A weekly event over many years: find the end of the row in few steps.
  let low = next - 1;
  let high = low * 2;
  while (await taken(withSuffix(wanted, high))) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await taken(withSuffix(wanted, middle))) low = middle;
    else high = middle;
  }
  return withSuffix(wanted, high);
}

/** In the trash a record gives its slug free (D14); one that has none gets one there. */
export const trashedSlug = (slug: string): string => `${slug}__trashed`;
export const restoredSlug = (slug: string): string => slug.replace(TRASHED, '');
