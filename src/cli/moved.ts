import type { Records } from '../client/client.js';

/** What `kalends import` knows about records of the other site, and what became of them here. */

export type Plural = 'categories' | 'tags' | 'venues' | 'organizers' | 'events';

/** What was imported so far. */
export interface Moved {
  /** How many of each kind are new here. */
  made: Record<Plural, number>;
  /** How many existed here before. */
  present: Record<Plural, number>;
  /** Password-protected events of the other site, which are skipped. */
  closed: number;
  problems: Problem[];
}

export interface Problem {
  kind: Plural;
  /** The name of the record; absent if the list itself is concerned. */
  name?: string;
  /** It was imported, but not all of it. */
  partly: boolean;
  message: string;
}

/** A record as another site returns it: the members that matter here. What a site really sends is unknown. */
export interface Told {
  id: number;
  slug: string;
  [member: string]: unknown;
}

interface Page extends Partial<Record<Plural, Told[]>> {
  total?: number;
  total_pages?: number;
  next_rest_url?: string;
}

/** What all kinds have in common. */
type Any = Records<{
  one: Told;
  page: Page;
  query: object;
  create: object;
  update: object;
  at: number | { slug: string };
  get: { context?: string };
  remove: unknown;
}>;
export type Calendar = Record<Plural, Any>;

export function nothingMoved(): Moved {
  const none = (): Record<Plural, number> => ({ categories: 0, tags: 0, venues: 0, organizers: 0, events: 0 });
  return { made: none(), present: none(), closed: 0, problems: [] };
}
