import { type Media, media } from './media.js';
import { type Records, records } from './records.js';
import { type ClientOptions, connect } from './request.js';
import type { CallOptions, CategoryShape, EventShape, Me, OrganizerShape, TagShape, VenueShape } from './types.js';

/** `kalends/client`: what is exported here is public. Nothing in this folder may need Node or the service. */
export { KalendsError } from './error.js';
export type { Media } from './media.js';
export type { Records } from './records.js';
export type { ClientOptions } from './request.js';
export type { ErrorCode } from './schema.js';
export type * from './types.js';

export interface Client {
  events: Records<EventShape>;
  venues: Records<VenueShape>;
  organizers: Records<OrganizerShape>;
  categories: Records<CategoryShape>;
  tags: Records<TagShape>;
  /** Uploaded pictures. Only Kalends has these and `me`; everything else works with the reference, too. */
  media: Media;
  /** Who the caller is and what it may do. */
  me(options?: CallOptions): Promise<Me>;
}

/**
 * A client of a calendar, for browsers and Node.
 *
 *     const client = createClient({ url: 'https://example.org', user: 'ada', password: 'xxxx xxxx xxxx' });
 *     for await (const event of client.events.all({ search: 'fado', starts_after: new Date() })) console.log(event.title);
 *
 * `url` is the address of the API, or of the site; then the API is searched for with the first request.
 * Methods reject with a `KalendsError` if the server refuses, and with the error of `fetch` if there is no response.
 */
export function createClient(options: ClientOptions): Client {
  const call = connect(options);
  return {
    events: records(call, 'events'),
    venues: records(call, 'venues'),
    organizers: records(call, 'organizers'),
    categories: records(call, 'categories'),
    tags: records(call, 'tags'),
    media: media(call),
    me: ({ signal } = {}) => call({ path: '/users/me', signal }),
  };
}
