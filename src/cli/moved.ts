import type { Records } from '../client/client.js';

/** What `kalends import` knows of records there, and of what became of them here. */

export type Plural = 'categories' | 'tags' | 'venues' | 'organizers' | 'events';

/** What came so far. */
export interface Moved {
  /** How many of each kind are new here. */
  made: Record<Plural, number>;
  /** How many were here before. */
  present: Record<Plural, number>;
  /** Events that a password closes there. */
  closed: number;
  problems: Problem[];
}

export interface Problem {
  kind: Plural;
  /** Of the record; absent: the list itself. */
  name?: string;
  /** It is here, but not all of it. */
  partly: boolean;
  message: string;
}

/** Of what a site tells of a record, what matters here. What it is in truth is not known. */
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

/** What is the same for every kind. */
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
