import { userExists } from '../accounts/user.store.js';
import { arg, bad, ok, type Reader } from './args.js';
import { boolean, isEmpty, nothing, wholeNumber } from './readers.js';

/** `force=true` removes for good (D14). */
export const forceArgs = { force: arg({ type: 'boolean', description: 'arg.force' }, boolean, { ours: true }) };
/** `context=edit` opens what only those who may edit can see (B12, E3). */
export const contextArgs = {
  context: arg({ type: 'string', default: 'view', description: 'arg.context' }, (raw) => ok(raw), { ours: true }),
};

/** The id of somebody who has an account. */
export const userId: Reader<number> = async (raw, { db }) => {
  const id = wholeNumber(raw);
  return id !== undefined && id > 0 && (await userExists(db, id)) ? ok(id) : bad('reason.author');
};

/** An image: nothing (which takes the image away on update), or the id of one that was uploaded (D18). */
export const image: Reader<number | null> = (raw, { creating }) => {
  if (isEmpty(raw)) return creating ? nothing() : ok(null);
  return bad('reason.image');
};

/** For an event "0" is the id of no image; for venues and organizers it is none at all. */
export const eventImage: Reader<number | null> = (raw, reading) =>
  raw === '0' || raw === 0 ? bad('reason.image') : image(raw, reading);
