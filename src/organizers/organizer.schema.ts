import { arg, required, type Values } from '../records/args.js';
import { image, userId } from '../records/post.args.js';
import { filledText, freeText, LONGEST_NAME, moment, momentInUtc, slug, status, urlText } from '../records/readers.js';

/** The parameters of organizers: the single source for validation, types, index and documentation. */

const text = { type: 'string', default: null } as const;

export const organizerUpdateArgs = {
  author: arg({ type: 'integer', default: null, description: 'arg.author' }, userId),
  date: arg({ ...text, description: 'arg.date' }, moment),
  date_utc: arg({ ...text, description: 'arg.date_utc' }, momentInUtc),
  organizer: arg({ ...text, description: 'arg.organizer.organizer' }, filledText(LONGEST_NAME)),
  description: arg({ ...text, description: 'arg.organizer.description' }, freeText()),
  status: arg({ ...text, description: 'arg.status' }, status),
  phone: arg({ ...text, description: 'arg.phone' }, freeText(1000)),
  website: arg({ ...text, description: 'arg.website' }, urlText),
  email: arg({ ...text, description: 'arg.organizer.email' }, freeText(1000)),
  image: arg({ ...text, description: 'arg.image' }, image),
  slug: arg({ type: 'string', description: 'arg.slug' }, slug, { ours: true }),
};
export const organizerCreateArgs = required(organizerUpdateArgs, 'organizer');

export type OrganizerValues = Values<typeof organizerUpdateArgs>;
