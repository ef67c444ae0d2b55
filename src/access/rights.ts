import type { Status } from '../db/tables.js';

export const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const;
export type Role = (typeof ROLES)[number];
export const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

/** Who sent the request. Anonymous callers have no user. */
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

/** Editors and administrators may edit everybody's records. */
export const editsOthers = (caller: Caller): boolean => has(caller, 'administrator', 'editor');
export const publishes = (caller: Caller): boolean => has(caller, 'administrator', 'editor', 'author');
/** The right to create events, venues and organizers, and to list unpublished ones (B11). */
export const writes = (caller: Caller): boolean => has(caller, 'administrator', 'editor', 'author', 'contributor');
export const uploads = publishes;

/** Managing categories requires the right to publish, managing tags the right to edit everything (E1). */
export const managesTerms = (caller: Caller, kind: 'category' | 'tag'): boolean =>
  kind === 'category' ? publishes(caller) : editsOthers(caller);

export const owns = (caller: Caller, subject: { author_id: number }): boolean =>
  caller.user !== undefined && caller.user.id === subject.author_id;

/** Pictures: their owners manage them, and editors all of them. Records require more, see `mayEdit`. */
export const manages = (caller: Caller, subject: { author_id: number }): boolean =>
  editsOthers(caller) || owns(caller, subject);

const wasPublished = (subject: Subject): boolean => {
  const status = subject.status === 'trash' ? subject.status_before_trash : subject.status;
  return status === 'publish' || status === 'future';
};

/** Both editing and deleting: editors all records, authors their own, contributors their own unpublished ones (E1). */
export function mayEdit(caller: Caller, subject: Subject): boolean {
  if (editsOthers(caller)) return true;
  if (!writes(caller) || !owns(caller, subject)) return false;
  return publishes(caller) || !wasPublished(subject);
}
