import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { looksLikeSession } from '../accounts/secrets.js';
import { Failure, type FailureCode, InvalidParams, invalidParam, type ParamProblem } from '../errors.js';
import { errorAnswer, toldOf } from '../http/answers.js';
import type { Question } from '../http/api.js';
import { targetOf } from '../http/context.js';
import { tagOf } from '../http/negotiate.js';
import type { Translate } from '../i18n/translate.js';
import type { Target } from '../records/context.js';
import { changedIn, type Field, seenOf, type Values, wrongIn } from './fields.js';
import type { Category, Problem } from './form.body.js';
import { categoriesOf, isMissing, type Shown, textIn } from './frame.js';

/** The record of a form (E6): read, and written by the API request that a program would send. */

/** A form: its path, kind and fields. Everything but events is created along with the events that name it. */
export interface Place {
  path: string;
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
  image?: false | { id: number; url: string; alt_text?: string; sizes?: Record<string, { url: string }> };
  /** Of a venue its name, of an event its venues; and alike. */
  venue?: string | Linked | readonly Linked[];
  organizer?: string | readonly Linked[];
  excerpt?: string;
  show_map?: boolean | null;
  show_map_link?: boolean | null;
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

/** Without a category and those below it, none of which can be above it. */
function outside(all: readonly Category[], id: number | undefined): Category[] {
  const inside = new Set([id]);
  for (let before = 0; before < inside.size; ) {
    before = inside.size;
    for (const one of all) if (inside.has(one.parent)) inside.add(one.id);
  }
  return all.filter((one) => !inside.has(one.id));
}

const UNMET = 'precondition-failed';
const RUNNING = 'idempotency-conflict';

/** What the API would misunderstand is not sent. */
export function problemIn({ fields }: Place, values: Values, record: Stored | undefined, translate: Translate) {
  const wrong = wrongIn(fields, values, record);
  const labels = new Map<string, string[]>();
  for (const { label, reason } of wrong) labels.set(reason, [...(labels.get(reason) ?? []), translate(label)]);
  const told = [...labels].map(([reason, some]) => `${some.join(', ')}: ${translate(reason)}`);
  return wrong.length > 0 ? { status: 400, told, fields: wrong.map(({ name }) => name) } : undefined;
}

/** Where a name in a list is wrong, people look at the list. */
const outermost = (problem: ParamProblem): ParamProblem[] =>
  problem.within ? [...problem.within.values()].flatMap(outermost) : [problem];

/** What a refusal is about that names no parameter. A venue or an organizer has its name in a field of that name. */
const ABOUT: Partial<Record<FailureCode, string>> = {
  empty_content: 'title',
  'could-not-create-venue': 'venue',
  'could-not-update-venue': 'venue',
  'could-not-create-organizer': 'organizer',
  'could-not-update-organizer': 'organizer',
};

/** Expresses a refusal by the API in the terms of the form. */
export function problemOf(error: unknown, { fields }: Place, translate: Translate): Problem {
  if (error instanceof InvalidParams) {
    const told = [...error.problems].flatMap(([name, problem]) => {
      const label = name === 'alt_text' ? 'form.picture-text' : fields.find((field) => field.name === name)?.label;
      return outermost(problem).map((one) => toldOf(label ? translate(label) : name, one, translate));
    });
    return { status: 400, told, fields: [...error.problems.keys()] };
  }
  const { status, body } = errorAnswer(error, translate, true);
  if (!(error instanceof Failure) || status >= 500) throw error;
  if (error.code === 'rest_missing_callback_param') {
    const named = error.extra.data?.params as string[] | undefined;
    const missing = fields.filter(({ name }) => named?.includes(name));
    const params = missing.map(({ label }) => translate(label)).join(', ');
    return { status, told: [translate('form.missing', { params })], fields: missing.map(({ name }) => name) };
  }
  if (error.code === RUNNING) return { status, told: [translate('form.sent-twice')], fields: [] };
  if (error.code === UNMET) return { status, told: [translate('form.changed')], fields: [] };
  if (error.code.startsWith('media-')) return { status, told: [String(body.message)], fields: ['image'] };
  // Users who get the form may do everything that it offers, except create tags.
  const { about, values } = error.extra;
  const member = error.code === 'rest_forbidden' ? 'tags' : (ABOUT[error.code] ?? about);
  const fieldOf = (member: string | undefined) => fields.find(({ name }) => name === member);
  // The form of a category or tag has the name itself.
  const field = fieldOf(member) ?? (about && fieldOf('name'));
  if (!field) return { status, told: [String(body.message)], fields: [] };
  const label = translate(field.label);
  // The text names the parameter itself.
  if (values?.name !== undefined) {
    const told = translate(`error.${error.code}`, { ...values, name: label });
    return { status, told: [told], fields: [field.name] };
  }
  return { status, told: [`${label}: ${body.message}`], fields: [field.name] };
}

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
