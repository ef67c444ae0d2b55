import type { components, operations } from './schema.js';

/** The types of the API, as callers of the client write and read them. */

type Schemas = components['schemas'];

export type Event = Schemas['Event'];
export type Venue = Schemas['Venue'];
export type Organizer = Schemas['Organizer'];
/** A category or a tag. */
export type Term = Schemas['Term'];
/** An uploaded picture. */
export type Image = Schemas['Image'];

type DateName =
  | 'start_date'
  | 'end_date'
  | 'starts_before'
  | 'starts_after'
  | 'ends_before'
  | 'ends_after'
  | 'date'
  | 'date_utc'
  | 'sale_starts'
  | 'sale_ends';

/** What may be sent: as the API declares it, with a Date wherever it takes a date and time. */
export type Sent<T> = T extends readonly (infer One)[]
  ? readonly Sent<One>[]
  : T extends object
    ? { [Name in keyof T]: Sent<T[Name]> | (Name extends DateName ? Date : never) }
    : T;

/** The query parameters of an operation. */
type Query<Operation> = Operation extends { parameters: { query?: infer Given } }
  ? [Given] extends [undefined]
    ? unknown
    : Sent<NonNullable<Given>>
  : never;

type Answer<Operation> = Operation extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never;

export type EventQuery = Query<operations['listEvents']>;
export type VenueQuery = Query<operations['listVenues']>;
export type OrganizerQuery = Query<operations['listOrganizers']>;
export type CategoryQuery = Query<operations['listCategories']>;
export type TagQuery = Query<operations['listTags']>;
export type MediaQuery = Query<operations['listMedia']>;

export type EventPage = Answer<operations['listEvents']>;
export type VenuePage = Answer<operations['listVenues']>;
export type OrganizerPage = Answer<operations['listOrganizers']>;
export type CategoryPage = Answer<operations['listCategories']>;
export type TagPage = Answer<operations['listTags']>;
export type MediaPage = Answer<operations['listMedia']>;

export type EventCreate = Sent<Schemas['EventCreate']>;
export type EventUpdate = Sent<Schemas['EventUpdate']>;
export type VenueCreate = Sent<Schemas['VenueCreate']>;
export type VenueUpdate = Sent<Schemas['VenueUpdate']>;
export type OrganizerCreate = Sent<Schemas['OrganizerCreate']>;
export type OrganizerUpdate = Sent<Schemas['OrganizerUpdate']>;
export type CategoryCreate = Sent<Schemas['CategoryCreate']>;
export type CategoryUpdate = Sent<Schemas['CategoryUpdate']>;
export type TagCreate = Sent<Schemas['TagCreate']>;
export type TagUpdate = Sent<Schemas['TagUpdate']>;

/** Who the caller is, what they may do, and whether their credentials arrived. */
export type Me = Answer<operations['getMe']>;

export interface CallOptions {
  /** Aborts the request: from an `AbortController`, or `AbortSignal.timeout(5000)`. */
  signal?: AbortSignal;
}

export interface KeyOptions extends CallOptions {
  /**
   * Any text, a new one for each record: if the call is repeated with the same key, the record is created only once and
   * returned again.
   */
  idempotencyKey?: string;
}

export interface WriteOptions<One> extends CallOptions {
  /** The record as read by this client with `get`. If it has changed since, nothing is done: `precondition-failed`. */
  ifUnchanged?: One & object;
}

export interface UploadOptions extends KeyOptions {
  /** What the picture shows, for people who cannot see it. */
  alt_text?: string;
}

export interface CreateOptions extends KeyOptions {
  /** Fails with `precondition-failed` if the slug is in use; without it, the new record gets another slug. */
  onlyIfNew?: boolean;
}

/** What the methods of one kind of record take and return. */
export interface Shape {
  one: unknown;
  page: { next_rest_url?: string };
  query: unknown;
  create: unknown;
  update: unknown;
  /** How a single record is identified. */
  at: number | { slug: string };
  get: unknown;
  remove: unknown;
}

type IdOrSlug = number | { slug: string };

export interface EventShape {
  one: Event;
  page: EventPage;
  query: EventQuery;
  create: EventCreate;
  update: EventUpdate;
  at: IdOrSlug;
  get: Query<operations['getEvent']>;
  remove: Query<operations['deleteEvent']>;
}

export interface VenueShape {
  one: Venue;
  page: VenuePage;
  query: VenueQuery;
  create: VenueCreate;
  update: VenueUpdate;
  at: IdOrSlug;
  get: Query<operations['getVenue']>;
  remove: Query<operations['deleteVenue']>;
}

export interface OrganizerShape {
  one: Organizer;
  page: OrganizerPage;
  query: OrganizerQuery;
  create: OrganizerCreate;
  update: OrganizerUpdate;
  at: IdOrSlug;
  get: Query<operations['getOrganizer']>;
  remove: Query<operations['deleteOrganizer']>;
}

export interface CategoryShape {
  one: Term;
  page: CategoryPage;
  query: CategoryQuery;
  create: CategoryCreate;
  update: CategoryUpdate;
  at: number;
  get: Query<operations['getCategory']>;
  remove: Query<operations['deleteCategory']>;
}

export interface TagShape {
  one: Term;
  page: TagPage;
  query: TagQuery;
  create: TagCreate;
  update: TagUpdate;
  at: number;
  get: Query<operations['getTag']>;
  remove: Query<operations['deleteTag']>;
}

export interface MediaShape {
  one: Image;
  page: MediaPage;
  query: MediaQuery;
  create: never;
  update: { alt_text: string };
  at: number;
  get: Query<operations['getMedia']>;
  remove: Query<operations['deleteMedia']>;
}
