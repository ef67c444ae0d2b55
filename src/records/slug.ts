import { trashedSlug, withSuffix } from '../text/slug.js';

/** Words that page addresses use. Slugs of terms may use them: nothing else lies below a term's address (reference). */
export const RESERVED: ReadonlySet<string> = new Set(['feed', 'rdf', 'rss', 'rss2', 'atom', 'embed']);
export const NONE_RESERVED: ReadonlySet<string> = new Set();

interface Naming {
  reserved?: ReadonlySet<string>;
  numbered?: (slug: string, n: number) => string;
}

/** The slug itself, or the first free one of slug-2, slug-3, … (D16). */
export async function freeSlug(
  wanted: string,
  isTaken: (slug: string) => Promise<boolean>,
  { reserved = RESERVED, numbered = withSuffix }: Naming = {},
): Promise<string> {
  const taken = async (slug: string): Promise<boolean> => reserved.has(slug) || isTaken(slug);
  if (!(await taken(wanted))) return wanted;
  // Checks the next 3, 9 and 27 together, so that with a distant database this costs three round trips, not dozens.
  let next = 2;
  for (let many = 3; many <= 27; many *= 3) {
    const slugs = Array.from({ length: many }, () => numbered(wanted, next++));
    const answers = await Promise.all(slugs.map(taken));
    const free = slugs[answers.indexOf(false)];
    if (free !== undefined) return free;
  }
  // A longer row (say, a weekly event over many years): its end is found by doubling and bisection.
  let low = next - 1;
  let high = low * 2;
  while (await taken(numbered(wanted, high))) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await taken(numbered(wanted, middle))) low = middle;
    else high = middle;
  }
  return numbered(wanted, high);
}

/** In the trash a record gives up its slug (D14) for a trashed one, even if it had none. */
export const freeTrashedSlug = (slug: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> =>
  freeSlug(trashedSlug(slug), isTaken, { numbered: (_, n) => trashedSlug(slug, n) });
