import type { Status } from '../db/tables.js';

export const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const;
export type Role = (typeof ROLES)[number];
export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

/** Who asks. Anonymous callers have no user. */
export interface Caller {
  user?: { id: number; username: string; role: Role };
}

/** What the rights on an event, venue or organizer depend on. */
export interface Subject {
  author_id: number;
  status: Status;
  status_before_trash: Status | null;
}

const has = (caller: Caller, ...roles: Role[]): boolean =>
  caller.user !== undefined && roles.includes(caller.user.role);

/** Editors and administrators: all of everybody's records. */
export const editsOthers = (caller: Caller): boolean => has(caller, 'administrator', 'editor');
export const publishes = (caller: Caller): boolean => has(caller, 'administrator', 'editor', 'author');
/** The right to make events, venues and organizers; also the right to ask lists for what is not published (B11). */
export const writes = (caller: Caller): boolean => has(caller, 'administrator', 'editor', 'author', 'contributor');
export const uploads = publishes;

/** Categories go with the right to publish, tags with the right to edit everything (E1). */
export const managesTerms = (caller: Caller, kind: 'category' | 'tag'): boolean =>
  kind === 'category' ? publishes(caller) : editsOthers(caller);

export const owns = (caller: Caller, subject: { author_id: number }): boolean =>
  caller.user !== undefined && caller.user.id === subject.author_id;

/** Pictures: the own ones, and all of them for editors. Records ask more, see `mayEdit`. */
export const manages = (caller: Caller, subject: { author_id: number }): boolean =>
  editsOthers(caller) || owns(caller, subject);

const wasPublished = (subject: Subject): boolean => {
  const status = subject.status === 'trash' ? subject.status_before_trash : subject.status;
  return status === 'publish' || status === 'future';
};

/** Edit and delete follow the same rule: others' records for editors, own published ones from author up (E1). */
export function mayEdit(caller: Caller, subject: Subject): boolean {
  if (editsOthers(caller)) return true;
  if (!writes(caller) || !owns(caller, subject)) return false;
  return publishes(caller) || !wasPublished(subject);
}
