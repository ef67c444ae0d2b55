import { type Caller, editsOthers, uploads, writes } from '../access/rights.js';
import { userExisted, userExists } from '../accounts/user.store.js';
import type { ImageTable, Status } from '../db/tables.js';
import { stemOf } from '../media/files.js';
import { imageByFile, imageById, mayUse } from '../media/image.store.js';
import { isAddress } from '../text/url.js';
import { arg, bad, notOfType, ok, type Read, type Reader, type Reading } from './args.js';
import { openEvent } from './linked.store.js';
import {
  ANY_STATUS,
  type AskedStatuses,
  booleanOf,
  elements,
  FOREIGN_STATUSES,
  isEmpty,
  nothing,
  PUBLISHED,
  Repeated,
  STATUSES,
  WITH_PRIVATE,
  wholeNumber,
} from './readers.js';

/** Only an unmistakable true counts as true. */
const plainlyTrue: Reader<boolean> = (raw) => ok(booleanOf(raw) === true);
/** `force=true` removes for good (D14). */
export const forceArgs = { force: arg({ type: 'boolean', description: 'arg.force' }, plainlyTrue, { ours: true }) };
/** `context=edit` reveals what only callers who may edit can see (B12, E3). */
export const contextArgs = {
  context: arg({ type: 'string', default: 'view', description: 'arg.context' }, (raw) => ok(raw), {
    ours: true,
    // Any other value counts as `view`.
    limits: { enum: ['view', 'edit'] },
  }),
};

/** The id of a user; on update also of a removed one, so that a record can be written back as it was read. */
export const userId: Reader<number> = async (raw, { db, creating }) => {
  const id = wholeNumber(raw);
  const isKnown = creating ? userExists : userExisted;
  return id !== undefined && id > 0 && (await isKnown(db, id)) ? ok(id) : bad('reason.author');
};

/** An image: empty (which removes it on update), the id of an uploaded one, or an address (D18). */
export const image: Reader<number | null> = async (raw, reading) => {
  if (isHollow(raw)) return notOfType('string');
  if (isEmpty(raw)) return reading.creating ? nothing() : ok(null);
  const id = wholeNumber(raw);
  if (id !== undefined) return usable(await imageById(reading.db, id), reading);
  if (typeof raw === 'object' && !Array.isArray(raw)) return usable(await imageShown(raw as object, reading), reading);
  if (typeof raw !== 'string' || !isAddress(raw)) return bad('reason.image');
  if (!uploads(reading.caller)) return bad('reason.image.right');
  const own = fileIn(raw);
  const known = own === undefined ? undefined : await imageByFile(reading.db, own);
  if (known) return usable(known, reading);
  const fetched = await reading.images?.fromAddress(reading.db, raw);
  return fetched === undefined ? bad('reason.image.url') : ok(fetched);
};

/** `{}` is neither an image nor, like `[]`, a way to say that there is none (A5). */
const isHollow = (raw: unknown): boolean => isEmpty(raw) && typeof raw === 'object' && !Array.isArray(raw);

/** The name of the file in an address, if it looks like one of ours. */
const fileIn = (url: string): string | undefined => stemOf(/\/media\/([^/]+)$/.exec(url)?.[1] ?? '');

/** An image as records show it, so that it can be written back; the id of another site's image is no id here. */
async function imageShown(raw: { id?: unknown; url?: unknown }, { db }: Reading): Promise<ImageTable | undefined> {
  const id = wholeNumber(raw.id);
  const found = id === undefined ? undefined : await imageById(db, id);
  const isHere = raw.url === undefined || (typeof raw.url === 'string' && fileIn(raw.url) === found?.file);
  return isHere ? found : undefined;
}

async function usable(found: ImageTable | undefined, { db, caller }: Reading): Promise<Read<number>> {
  return found && (await mayUse(db, caller, found)) ? ok(found.id) : bad('reason.image');
}

/** For an event "0" is an unknown image; for venues and organizers it means no image. */
export const eventImage: Reader<number | null> = (raw, reading) =>
  raw === '0' || raw === 0 || isHollow(raw) ? bad('reason.image') : image(raw, reading);

/**
 * Callers who may write can ask for any status, others for `publish` only (B11). If `status` is empty, the reference
 * shows published records and private ones: private venues and organizers as far as the caller may read them, private
 * events only to callers who may read all of them.
 */
const statuses =
  (showsOwn: boolean): Reader<AskedStatuses> =>
  (raw, { caller }) => {
    const said = elements(raw);
    const asked = [...new Set(said)];
    if (!writes(caller)) {
      // `publish` repeated as a parameter counts once, but a list that has it twice is refused (reference).
      const { length } = raw instanceof Repeated ? asked : said;
      return length === 1 && asked[0] === 'publish' ? ok(PUBLISHED) : bad('reason.status.public');
    }
    if (asked.length === 0 || isEmpty(raw)) return ok(showsOwn || editsOthers(caller) ? WITH_PRIVATE : PUBLISHED);
    if (asked.includes('any'))
      return asked.length === 1 ? ok(ANY_STATUS) : bad('reason.statuses', { statuses: STATUSES.join(', ') });
    const known = asked as Status[];
    if (!known.every((one) => STATUSES.includes(one) || FOREIGN_STATUSES.includes(one)))
      return bad('reason.statuses', { statuses: STATUSES.join(', ') });
    return ok({ statuses: known, shown: known.join(',') });
  };
export const eventStatuses = statuses(false);
export const linkedStatuses = statuses(true);

export const defaultStatuses = (caller: Caller): AskedStatuses => (writes(caller) ? ANY_STATUS : PUBLISHED);

/** An event that the caller may read; whether any other exists is not revealed (A3). */
export const readableEvent: Reader<number> = async (raw, { db, caller }) => {
  // The reference looks up the number at the start of the text, and checks the type afterwards.
  const id = wholeNumber(raw) ?? (typeof raw === 'string' ? wholeNumber(/^\s*\d+/.exec(raw)?.[0]) : undefined);
  if (id === undefined || id <= 0) return bad('reason.event');
  if (!(await openEvent(db, caller, id))) return bad('reason.event');
  return wholeNumber(raw) === undefined ? notOfType('integer') : ok(id);
};
