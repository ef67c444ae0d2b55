import { userExists } from '../accounts/user.store.js';
import { bad, ok, type Reader } from './args.js';
import { isEmpty, nothing, textOf, wholeNumber } from './readers.js';

/** The id of somebody who has an account. */
export const userId: Reader<number> = async (raw, { db }) => {
  const id = wholeNumber(raw);
  return id !== undefined && id > 0 && (await userExists(db, id)) ? ok(id) : bad('reason.author');
};

/** An image: nothing (which takes the image away on update), or the id of one that was uploaded (D18). */
export const image: Reader<number | null> = (raw, { creating }) => {
  if (isEmpty(raw) && raw !== '0' && raw !== 0) return creating ? nothing() : ok(null);
  return textOf(raw) === undefined ? bad('reason.image') : bad('reason.image');
};
