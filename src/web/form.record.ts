import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { looksLikeSession } from '../accounts/secrets.js';
import { Failure, invalidParam } from '../errors.js';
import type { Question } from '../http/api.js';
import { targetOf } from '../http/context.js';
import { tagOf } from '../http/negotiate.js';
import type { Target } from '../records/context.js';
import { plainText } from '../text/html.js';
import { changedIn, type Field, seenOf, type Values } from './fields.js';
import type { Category } from './form.body.js';
import { categoriesOf, isMissing, listOf, type Shown, textIn } from './frame.js';

/** The record of a form (E6): read, and written by the API request that a program would send. */

/** A form: its path, title (the key of a text), kind and fields. Categories and tags are created along with events. */
export interface Place {
  path: string;
  title: string;
  plural: 'events' | 'venues' | 'organizers' | 'categories' | 'tags';
  fields: readonly Field<Stored>[];
}

/** A record, with the members that are used here for all kinds. */
export interface Stored {
  id: number;
  url: string;
  /** Categories and tags have none. */
  status?: string;
  categories?: readonly Category[];
  image?: false | Picture;
  /** Of a venue its name, of an event its venues; and alike. */
  venue?: string | Linked | readonly Linked[];
  organizer?: string | readonly Linked[];
  excerpt?: string;
  show_map?: boolean | null;
  show_map_link?: boolean | null;
}

interface Picture {
  id: number;
  url: string;
  alt_text?: string;
  sizes?: Record<string, { url: string }>;
}

interface Linked {
  id: number;
  status: string;
}

/** What a form is about: a record in a certain version, or a new record. */
export interface Opened {
  record?: Stored;
  /** The event that a new one is a copy of: what it links keeps its ids. */
  copied?: Stored | undefined;
  version: string;
}

type Form = Record<string, unknown>;

export const formOf = ({ body }: FastifyRequest): Form => (body ?? {}) as Form;

/** The record as those see it who may edit it; or, with other parameters, as readers do. */
export const recordAt = async (
  request: FastifyRequest,
  site: Shown,
  plural: string,
  target: Target,
  given: Record<string, unknown> = { context: 'edit' },
) =>
  site.inquire(request, { path: `/${plural}/:id`, given, target }).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });

/** The picture that a form means, which need not be that of the record: it may have been chosen just now, or copied. */
export async function pictureOf(
  request: FastifyRequest,
  site: Shown,
  record: Stored | undefined,
  { image: id }: Values,
): Promise<string> {
  const { image } = record ?? {};
  if (image && String(image.id) === id) return (image.sizes?.thumbnail ?? image).url;
  if (!request.caller?.user || !Number(id)) return '';
  const found = await recordAt(request, site, 'media', { by: 'id', id: Number(id) }, {});
  const chosen = found?.told as Picture | undefined;
  return chosen ? (chosen.sizes?.thumbnail ?? chosen).url : '';
}

/** Undefined: the signed-in user may not write here. */
export async function open(request: FastifyRequest, site: Shown, { plural }: Place): Promise<Opened | undefined> {
  const target = targetOf(request);
  if (!target) {
    const { allow } = await site.inquire(request, { path: `/${plural}`, given: { per_page: 1 } });
    return allow.includes('POST') ? { version: '' } : undefined;
  }
  const found = await recordAt(request, site, plural, target);
  const record = found?.told as Stored | undefined;
  if (!found || !record || record.status === 'trash' || !found.allow.includes('PATCH')) return undefined;
  return { record, version: found.tag() };
}

/**
 * A tag of what the user saw in the form. Not the version of the record, which also covers what surrounds it: how many
 * events its categories have, or the telephone number of its venue.
 */
export const seenIn = ({ fields }: Place, { record }: Opened): string =>
  record ? tagOf(Buffer.from(seenOf(fields, record))) : '';

/** Whether it failed because the record is in the trash, or no longer exists. */
export const isGone = (error: unknown): boolean =>
  isMissing(error) || (error instanceof Failure && error.code.endsWith('-is-in-trash'));

/** Categories and tags have no trash: they are removed for good. */
export const hasTrash = ({ plural }: Place): boolean => plural !== 'categories' && plural !== 'tags';

/** The categories to choose from: all, and those that the event already has, so that saving does not lose one. */
export async function categoriesFor(
  request: FastifyRequest,
  site: Shown,
  { plural }: Place,
  record: Stored | undefined,
): Promise<Category[] | undefined> {
  const isTree = plural === 'categories';
  if (!request.caller?.user || !(isTree || plural === 'events')) return undefined;
  const all = new Map((record?.categories ?? []).map((one) => [one.id, one]));
  for (const one of await categoriesOf(site, request, { hide_empty: 'false' })) all.set(one.id, one);
  return isTree ? outside([...all.values()], record?.id) : [...all.values()];
}

/** Of very many venues or organizers, only the newest are suggested. */
const MOST_PAGES_OF_NAMES = 10;

/** The names of the venues and organizers that the reader of a form may choose from. */
export async function knownNames(
  request: FastifyRequest,
  site: Shown,
  { plural }: Place,
): Promise<Record<string, string[]>> {
  if (!request.caller?.user || plural !== 'events') return {};
  const namesOf = async (path: 'venues' | 'organizers', member: 'venue' | 'organizer'): Promise<string[]> => {
    const all = await listOf<Stored>(site, request, path, {}, MOST_PAGES_OF_NAMES);
    const names = new Set(all.map((one) => plainText(String(one[member]))));
    return [...names].sort((one, other) => one.localeCompare(other, request.language, { numeric: true }));
  };
  return { venue: await namesOf('venues', 'venue'), organizer: await namesOf('organizers', 'organizer') };
}

/** Without a category and those below it, none of which can be above it. */
function outside(all: readonly Category[], id: number | undefined): Category[] {
  const inside = new Set([id]);
  for (let before = 0; before < inside.size; ) {
    before = inside.size;
    for (const one of all) if (inside.has(one.parent)) inside.add(one.id);
  }
  return all.filter((one) => !inside.has(one.id));
}

/** The codes of what happens if somebody else, or the same form, writes at the same time. */
export const UNMET = 'precondition-failed';
export const RUNNING = 'idempotency-conflict';

/**
 * A hidden field does for people what the Idempotency-Key header does for programs: it identifies a repeated
 * submission. The key includes the contents, so going back and changing something makes a new request.
 */
function keyFor(request: FastifyRequest, sent: Buffer): Record<string, string> {
  const key = textIn(formOf(request), 'key');
  return looksLikeSession(key) ? { 'idempotency-key': key + tagOf(sent) } : {};
}

/** One of the requests that a form stands for; of the headers that concern a single write, it has only its own. */
async function sent(
  request: FastifyRequest,
  site: Shown,
  question: Question,
  own: Record<string, string> = {},
): Promise<Stored> {
  delete request.headers['idempotency-key'];
  delete request.headers['if-match'];
  Object.assign(request.headers, own);
  return (await site.inquire(request, question)).told as Stored;
}

/** Browsers send an empty file if none was chosen. */
export const hasPicture = (upload: FastifyRequest['upload']): upload is Buffer =>
  Buffer.isBuffer(upload) && upload.length > 0;

/** The field that says which text of the picture the form showed. */
export const ALT_SHOWN = 'alt_shown';
export const altOf = ({ image }: Stored): string => (image ? (image.alt_text ?? '') : '');

/** The picture is uploaded first. The record refers to its id, which the form retains if something is corrected. */
export async function takePicture(request: FastifyRequest, site: Shown, values: Values): Promise<void> {
  const { upload } = request;
  const form = formOf(request);
  if (upload instanceof Failure && upload.code === 'media-too-large') throw upload;
  const given = { alt_text: textIn(form, 'alt_text') };
  if (hasPicture(upload)) {
    const key = keyFor(request, Buffer.concat([upload, Buffer.from(given.alt_text)]));
    values.image = String((await sent(request, site, { method: 'POST', path: '/media', given }, key)).id);
    form[ALT_SHOWN] = given.alt_text;
    delete form.remove_image;
  } else if (form.remove_image !== undefined) values.image = '';
  request.upload = undefined;
}

/** The text of a picture can be changed without the picture. It comes first, so that nothing is saved if it is refused. */
async function describePicture(request: FastifyRequest, site: Shown, values: Values): Promise<void> {
  const form = formOf(request);
  const [id, alt_text] = [Number(values.image), textIn(form, 'alt_text')];
  if (!id || alt_text === textIn(form, ALT_SHOWN)) return;
  const question = { method: 'PATCH', path: '/media/:id', given: { alt_text }, target: { by: 'id', id } } as const;
  await sent(request, site, question).catch((error: unknown) => {
    throw isMissing(error) ? invalidParam('alt_text', 'form.picture-others') : error;
  });
  form[ALT_SHOWN] = alt_text;
}

/** What a copy takes along though no field shows it. Not tickets, which are for one date. */
const alsoCopied = (copied: Stored | undefined): Record<string, unknown> =>
  copied ? { excerpt: copied.excerpt, show_map: copied.show_map, show_map_link: copied.show_map_link } : {};

const MEANWHILE_MS = 1000;

/** The present state, if somebody else wrote in the meantime or the form was submitted twice, as by a double click. */
async function openAfter(
  error: unknown,
  request: FastifyRequest,
  site: Shown,
  place: Place,
): Promise<Opened | undefined> {
  const code = error instanceof Failure ? error.code : undefined;
  if (code !== UNMET && code !== RUNNING) return undefined;
  if (code === RUNNING) await sleep(MEANWHILE_MS);
  return open(request, site, place);
}

/**
 * Uploads the picture and writes what was changed, also if somebody else was quicker with something else. If nothing
 * differs, nothing is written: so it conflicts with nobody, not even with the same form sent before.
 */
export async function saved(
  request: FastifyRequest,
  site: Shown,
  place: Place,
  about: Opened,
  values: Values,
): Promise<Stored> {
  const { plural, fields } = place;
  const write = async (now: Opened): Promise<Stored> => {
    await takePicture(request, site, values);
    await describePicture(request, site, values);
    const given = changedIn(fields, values, now.record, now.record ?? about.copied);
    if (!now.record) {
      const all = { ...alsoCopied(about.copied), ...given };
      const key = keyFor(request, Buffer.from(JSON.stringify(all)));
      return sent(request, site, { method: 'POST', path: `/${plural}`, given: all }, key);
    }
    if (Object.keys(given).length === 0) return now.record;
    const isSeen = textIn(formOf(request), 'version') === seenIn(place, now);
    const question = { method: 'POST', path: `/${plural}/:id`, given, target: targetOf(request) } as const;
    const key = keyFor(request, Buffer.from(JSON.stringify([place.path, values])));
    return sent(request, site, question, { 'if-match': isSeen ? now.version : '"changed"', ...key }).catch((error) => {
      // The same form, sent before, was saved: part of it no longer differs.
      if (error instanceof Failure && error.code === 'idempotency-mismatch' && now.record) return now.record;
      throw error;
    });
  };
  const made = await write(about).catch(async (error: unknown) => {
    const now = await openAfter(error, request, site, place);
    if (!now) throw error;
    return write(now);
  });
  const { status, venue, organizer } = changedIn(fields, values, about.record);
  if ([status, venue, organizer].some((one) => one !== undefined)) await publishAlong(request, site, made);
  return made;
}

/**
 * What a contributor proposes has a place and an organizer that are drafts, too. Whoever publishes the event by its form
 * means them as well: otherwise the public would see an event without a place.
 */
async function publishAlong(request: FastifyRequest, site: Shown, event: Stored): Promise<void> {
  if (event.status !== 'publish') return;
  const given = { status: 'publish' };
  for (const [plural, linked] of Object.entries({ venues: event.venue, organizers: event.organizer })) {
    for (const one of [linked ?? []].flat()) {
      if (typeof one === 'string' || !['draft', 'pending'].includes(one.status)) continue;
      const target = { by: 'id', id: one.id } as const;
      const question = { method: 'PATCH', path: `/${plural}/:id`, given, target } as const;
      // If they may not, these stay as they are.
      await sent(request, site, question).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    }
  }
}
