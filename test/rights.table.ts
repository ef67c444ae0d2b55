/**
 * Who may do what, written down from the decisions a second time and independently of src/: E1 to E3 (the reference's
 * matrix), B11 (lists), D8 (inline), D10 (statuses), D11 (author), D14 (trash), A3 (which error wins). The suite asks
 * the server every question and compares.
 */
export const WHO = ['anonymous', 'subscriber', 'contributor', 'author', 'editor', 'admin'] as const;
export type Who = (typeof WHO)[number];
export type Owner = 'own' | 'other';
export const ownersFor = (who: Who): Owner[] => (who === 'anonymous' ? ['other'] : ['own', 'other']);

export const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const;
export type Status = (typeof STATUSES)[number];

/** The status of a record; for the trash also what it was before, on which the right to edit depends. */
export const STATES = ['publish', 'future', 'draft', 'pending', 'private', 'trash', 'trash of a draft'] as const;
export type State = (typeof STATES)[number];
export type StateOrNone = State | 'missing';
export const isTrash = (state: StateOrNone): boolean => state.startsWith('trash');
export const statusOf = (state: State): Status => (isTrash(state) ? 'trash' : (state as Status));

export interface KindWords {
  plural: 'events' | 'venues' | 'organizers';
  table: 'event' | 'venue' | 'organizer';
  name: 'title' | 'venue' | 'organizer';
  notFound: string;
}
export const KINDS: KindWords[] = [
  { plural: 'events', table: 'event', name: 'title', notFound: 'rest-event-not-found' },
  { plural: 'venues', table: 'venue', name: 'venue', notFound: 'venue-not-found' },
  { plural: 'organizers', table: 'organizer', name: 'organizer', notFound: 'organizer-not-found' },
];

export interface Wanted {
  status: number;
  code?: string;
}
const OK: Wanted = { status: 200 };
const INVALID: Wanted = { status: 400, code: 'rest_invalid_param' };
const forbidden = (who: Who): Wanted => ({ status: who === 'anonymous' ? 401 : 403, code: 'rest_forbidden' });

/** edit_X: contributors and above. */
export const mayCreate = (who: Who): boolean => !['anonymous', 'subscriber'].includes(who);
const publishes = (who: Who): boolean => ['author', 'editor', 'admin'].includes(who);
const editsAll = (who: Who): boolean => who === 'editor' || who === 'admin';
/** Categories: publish_X; tags: manage_categories. */
export const mayManage = (who: Who, plural: 'categories' | 'tags'): boolean =>
  plural === 'categories' ? publishes(who) : editsAll(who);

/** E2: published ones, the own ones, and for editors all. */
export const mayRead = (who: Who, owner: Owner, state: State): boolean =>
  editsAll(who) || state === 'publish' || owner === 'own';

/** E1: own ones that are (or were, before the trash) published from author up, other own ones from contributor up. */
export function mayEdit(who: Who, owner: Owner, state: State): boolean {
  if (editsAll(who)) return true;
  if (owner === 'other' || !mayCreate(who)) return false;
  return publishes(who) || !['publish', 'future', 'trash'].includes(state);
}

export const METHODS = ['GET', 'PATCH', 'PUT', 'POST', 'PATCH author', 'PATCH status', 'DELETE', 'DELETE force'];
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** What a single record answers, whatever the form of its address (E1). */
export function single(kind: KindWords, who: Who, owner: Owner, state: StateOrNone, method: string): Wanted {
  if (state === 'missing') {
    if (!isRead(method) && !mayCreate(who)) return forbidden(who);
    return { status: 404, code: kind.notFound };
  }
  if (isRead(method)) {
    if (kind.table === 'event' && isTrash(state)) return { status: 403, code: 'event-no-longer-available' };
    return mayRead(who, owner, state) ? OK : { status: 403, code: `${kind.table}-not-accessible` };
  }
  if (!mayEdit(who, owner, state)) return forbidden(who);
  // D14: out of the trash leads a status, or the door.
  if (isTrash(state) && method !== 'PATCH status' && method !== 'DELETE force') {
    return { status: 410, code: `${kind.table}-is-in-trash` };
  }
  if (method === 'PATCH author' && !editsAll(who)) return forbidden(who);
  return OK;
}

export const allowSingle = (who: Who, owner: Owner, state: StateOrNone): string => {
  const may = state === 'missing' ? mayCreate(who) : mayEdit(who, owner, state);
  return may ? 'GET, DELETE, POST, PUT, PATCH' : 'GET';
};
export const allowTerm = (who: Who, plural: 'categories' | 'tags'): string =>
  mayManage(who, plural) ? 'GET, POST, PUT, PATCH, DELETE' : 'GET';
export const allowCollection = (may: boolean): string => (may ? 'GET, POST' : 'GET');

/** D10: what becomes of a status. `later`: the publication date is to come. */
export function written(who: Who, asked: Status | undefined, later: boolean): Status {
  if (!publishes(who)) {
    if (asked === undefined) return 'draft';
    return ['publish', 'future', 'private'].includes(asked) ? 'pending' : asked;
  }
  const status = asked ?? 'publish';
  return status === 'publish' || status === 'future' ? (later ? 'future' : 'publish') : status;
}

export function create(who: Who, asked: string | undefined, author: 'nobody' | 'self' | 'other'): Wanted {
  if (asked !== undefined && !(STATUSES as readonly string[]).includes(asked)) return INVALID;
  if (!mayCreate(who) || (author === 'other' && !editsAll(who))) return forbidden(who);
  return { status: 201 };
}

/** D8: an id must be of a record that the caller may read (A3: told before the right to write is looked at). */
export function inlineById(who: Who, owner: Owner, state: StateOrNone, good: number): Wanted {
  if (state === 'missing' || !mayRead(who, owner, state)) return INVALID;
  return mayCreate(who) ? { status: good } : forbidden(who);
}
/** D8: a name finds what the caller may read and what is not in the trash; else one is made. */
export const inlineByName = (who: Who, good: number): Wanted => (mayCreate(who) ? { status: good } : forbidden(who));
export const findsByName = (who: Who, owner: Owner, state: StateOrNone): boolean =>
  state !== 'missing' && !isTrash(state) && mayRead(who, owner, state);

export function term(who: Who, plural: 'categories' | 'tags', method: string, missing: boolean): Wanted {
  if (!isRead(method) && !mayManage(who, plural)) return forbidden(who);
  if (missing) return { status: 404, code: 'term-not-found' };
  return OK;
}
export function createTerm(who: Who, plural: 'categories' | 'tags'): Wanted {
  return mayManage(who, plural) ? { status: 201 } : forbidden(who);
}
/** Assigning a term that is there needs the right to write events, making one the right to manage them. */
export function inlineTerm(who: Who, plural: 'categories' | 'tags', what: 'known' | 'new' | 'missing'): Wanted {
  if (what === 'missing') return INVALID;
  return mayCreate(who) && (what === 'known' || mayManage(who, plural)) ? { status: 201 } : forbidden(who);
}

/** B11: the statuses a list shows, or undefined when the caller may not ask for them. */
export function listedStatuses(who: Who, asked: string | undefined): Status[] | undefined {
  if (!mayCreate(who)) return asked === undefined || asked === 'publish' ? ['publish'] : undefined;
  if (asked === undefined || asked === 'any') return STATUSES.filter((one) => one !== 'trash');
  return asked.split(',') as Status[];
}
