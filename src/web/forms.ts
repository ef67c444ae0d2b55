import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { publishes } from '../access/rights.js';
import { looksLikeSession, newSession } from '../accounts/secrets.js';
import { Failure, InvalidParams } from '../errors.js';
import { errorAnswer, toldOf } from '../http/answers.js';
import { targetOf } from '../http/context.js';
import { tagOf } from '../http/negotiate.js';
import { BY_SESSION } from '../http/session.js';
import type { Translate } from '../i18n/translate.js';
import { changedIn, EVENT, type Field, ORGANIZER, seenOf, type Values, VENUE, valuesIn, valuesOf } from './fields.js';
import { type Category, formBody, type Problem, trashBody } from './form.body.js';
import {
  answerTo,
  isMissing,
  isOurs,
  leadTo,
  type Shown,
  sendMissing,
  sendTold,
  textIn,
  tokenField,
  wayIn,
} from './frame.js';
import { pathTo, tellingOf } from './parts.js';

/** Forms to create and change records (E6): what is submitted becomes the API request that a program would send. */

/** A form: its path, kind and fields. Venues and organizers are created along with the events that name them. */
interface Place {
  path: string;
  plural: 'events' | 'venues' | 'organizers';
  fields: readonly Field<Stored>[];
}

/** A record, with the members that are used here for all kinds. */
interface Stored {
  id: number;
  url: string;
  status: string;
  categories?: readonly Category[];
}

const editing = <R extends Stored>(singular: string, plural: Place['plural'], fields: readonly Field<R>[]): Place => ({
  path: `/${singular}/edit/:id(^\\d{1,15}$)`,
  plural,
  // Safe: the fields of a place are only used with records of its own kind.
  fields: fields as readonly Field<unknown>[] as readonly Field<Stored>[],
});

const PLACES: readonly Place[] = [
  { ...editing('event', 'events', EVENT), path: '/events/new' },
  editing('event', 'events', EVENT),
  editing('venue', 'venues', VENUE),
  editing('organizer', 'organizers', ORGANIZER),
];

/** What a form is about: a record in a certain version, or a new record. */
interface Opened {
  record?: Stored;
  version: string;
}

type Form = Record<string, unknown>;

const formOf = ({ body }: FastifyRequest): Form => (body ?? {}) as Form;

/** Undefined: the signed-in user may not write here. */
async function open(request: FastifyRequest, site: Shown, { plural }: Place): Promise<Opened | undefined> {
  const target = targetOf(request);
  if (!target) {
    const { allow } = await site.inquire(request, { path: `/${plural}`, given: { per_page: 1 } });
    return allow.includes('POST') ? { version: '' } : undefined;
  }
  const question = { path: `/${plural}/:id`, given: { context: 'edit' }, target };
  const found = await site.inquire(request, question).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  const record = found?.told as Stored | undefined;
  if (!found || !record || record.status === 'trash' || !found.allow.includes('PATCH')) return undefined;
  return { record, version: found.tag() };
}

/**
 * A tag of what the user saw in the form. Not the version of the record, which also covers what surrounds it: how many
 * events its categories have, or the telephone number of its venue.
 */
const seenIn = ({ fields }: Place, { record }: Opened): string =>
  record ? tagOf(Buffer.from(seenOf(fields, record))) : '';

const MOST_PAGES = 20;

/** All categories, and those that the event already has, so that saving does not lose one. */
async function categoriesFor(request: FastifyRequest, site: Shown, chosen: readonly Category[]): Promise<Category[]> {
  const all = new Map(chosen.map((one) => [one.id, one]));
  for (let page = 1, pages = 1; page <= pages && page <= MOST_PAGES; page++) {
    const given = { hide_empty: 'false', per_page: 50, page };
    const found = await answerTo(site, request, '/categories', given);
    const { categories, total_pages } = found as { categories: Category[]; total_pages: number };
    pages = total_pages;
    for (const one of categories) all.set(one.id, one);
  }
  return [...all.values()];
}

const UNMET = 'precondition-failed';
const RUNNING = 'idempotency-conflict';

/** Expresses a refusal by the API in the terms of the form. */
function problemOf(error: unknown, { fields }: Place, translate: Translate): Problem {
  if (error instanceof InvalidParams) {
    const told = [...error.problems].map(([name, problem]) => {
      const label = fields.find((field) => field.name === name)?.label;
      return toldOf(label ? translate(label) : name, problem, translate);
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
  // Users who get the form may do everything that it offers, except create tags.
  const tags = error.code === 'rest_forbidden' ? fields.find(({ name }) => name === 'tags') : undefined;
  if (tags) return { status, told: [`${translate(tags.label)}: ${body.message}`], fields: [tags.name] };
  return { status, told: [String(body.message)], fields: [] };
}

/**
 * A hidden field does for people what the Idempotency-Key header does for programs: it identifies a repeated
 * submission. The key includes the contents, so going back and changing something makes a new request.
 */
function sayKey(request: FastifyRequest, sent: Buffer): void {
  const key = textIn(formOf(request), 'key');
  if (looksLikeSession(key)) request.headers['idempotency-key'] = key + tagOf(sent);
}

/** The picture is uploaded first. The record refers to its id, which the form retains if something is corrected. */
async function takePicture(request: FastifyRequest, site: Shown, values: Values, form: Form): Promise<void> {
  const { upload } = request;
  if (upload instanceof Failure && upload.code === 'media-too-large') throw upload;
  const isSent = Buffer.isBuffer(upload) && upload.length > 0;
  if (isSent) {
    const given = { alt_text: textIn(form, 'alt_text') };
    sayKey(request, Buffer.concat([upload, Buffer.from(given.alt_text)]));
    const { told } = await site.inquire(request, { method: 'POST', path: '/media', given });
    values.image = String((told as { id: number }).id);
    delete form.remove_image;
  } else if (form.remove_image !== undefined) values.image = '';
  request.upload = undefined;
}

/** If nothing differs, nothing is written: so it conflicts with nobody, not even with the same form sent before. */
async function save(
  request: FastifyRequest,
  site: Shown,
  place: Place,
  about: Opened,
  values: Values,
): Promise<Stored> {
  const { plural, fields } = place;
  const given = changedIn(fields, values, about.record);
  if (!about.record) {
    sayKey(request, Buffer.from(JSON.stringify(given)));
    return (await site.inquire(request, { method: 'POST', path: `/${plural}`, given })).told as Stored;
  }
  if (Object.keys(given).length === 0) return about.record;
  if (textIn(formOf(request), 'version') !== seenIn(place, about)) throw new Failure(UNMET);
  delete request.headers['idempotency-key'];
  request.headers['if-match'] = about.version;
  const question = { method: 'PATCH', path: `/${plural}/:id`, given, target: targetOf(request) } as const;
  return (await site.inquire(request, question)).told as Stored;
}

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

export function serveForms(app: FastifyInstance, site: Shown): void {
  for (const place of PLACES) serveForm(app, site, place);
}

function serveForm(app: FastifyInstance, site: Shown, place: Place): void {
  const { plural, fields, path } = place;
  /** Those who were signed out may have been allowed to publish: their form keeps all that was entered. */
  const mayPublish = ({ caller = {} }: FastifyRequest): boolean => !caller.user || publishes(caller);
  /** The address of the form, below the site. */
  const pathOf = ({ params }: FastifyRequest): string => path.replace(/:id.*/, (params as { id?: string }).id ?? '');
  const leadIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    leadTo(reply, wayIn(pathOf(request), tellingOf(request, site)), 303);

  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    { record, ...about }: Opened,
    values: Values,
    problem?: Problem,
  ): Promise<unknown> => {
    reply.header('X-Robots-Tag', 'noindex');
    const form = formOf(request);
    return sendTold(request, reply, site, async (_request, telling) => {
      const token = tokenField(request.session ?? '', site);
      const hidden = {
        version: textIn(form, 'version') || seenIn(place, { record, ...about }),
        key: textIn(form, 'key') || newSession(),
      };
      const hasCategories = plural === 'events' && request.caller?.user !== undefined;
      const categories = hasCategories ? await categoriesFor(request, site, record?.categories ?? []) : undefined;
      const filled = { token, hidden, values, categories, mayPublish: mayPublish(request), problem };
      return {
        ...(problem ? { status: problem.status } : {}),
        title: telling.translate(targetOf(request) ? 'form.edit' : 'form.new'),
        body: formBody(fields, filled, telling) + (record ? trashBody(token, telling) : ''),
        api: '/',
      };
    });
  };

  const ask = (request: FastifyRequest, reply: FastifyReply, about: Opened): Promise<unknown> => {
    const fresh = { timezone: site.zone.name, status: mayPublish(request) ? 'publish' : 'pending' };
    return show(request, reply, about, about.record ? valuesOf(fields, about.record) : fresh);
  };

  /** The session ended while they typed: they can sign in beside the form, and send it again. */
  const keep = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const telling = tellingOf(request, site);
    const way = { href: wayIn('/', telling), text: telling.translate('page.sign-in') };
    const problem = { status: 403, told: [telling.translate('form.signed-out')], fields: [], way };
    return show(request, reply, { version: '' }, valuesIn(fields, formOf(request)), problem);
  };

  const take = async (request: FastifyRequest, reply: FastifyReply, about: Opened): Promise<unknown> => {
    const form = formOf(request);
    const values = valuesIn(fields, form);
    const telling = tellingOf(request, site);
    if (!isOurs(request, request.session, site)) {
      const told = [telling.translate('page.stale')];
      return show(request, reply, about, values, { status: 403, told, fields: [] });
    }
    try {
      if (about.record && form.trash !== undefined) {
        const target = targetOf(request);
        await site.inquire(request, { method: 'DELETE', path: `/${plural}/:id`, given: {}, target });
        return leadTo(reply, `${telling.prefix}/events/trash`, 303);
      }
      const write = async (now: Opened): Promise<Stored> => {
        await takePicture(request, site, values, form);
        return save(request, site, place, now, values);
      };
      const saved = await write(about).catch(async (error: unknown) => {
        const now = await openAfter(error, request, site, place);
        if (!now) throw error;
        return write(now);
      });
      return leadTo(reply, pathTo(saved.url, telling), 303);
    } catch (error) {
      return show(request, reply, about, values, problemOf(error, place, telling.translate));
    }
  };

  /** Out of the trash, as a draft (D14), unless somebody else did so before; then on to its form. */
  const restore = async (request: FastifyRequest, reply: FastifyReply, isTrashed: boolean): Promise<unknown> => {
    const { prefix } = tellingOf(request, site);
    if (!isOurs(request, request.session, site)) return leadTo(reply, `${prefix}/events/trash`, 303);
    const question = { path: `/${plural}/:id`, given: { status: 'draft' }, target: targetOf(request) };
    try {
      if (isTrashed) await site.inquire(request, { method: 'PATCH', ...question });
    } catch (error) {
      if (!isMissing(error)) throw error;
      return sendMissing(request, reply, site);
    }
    return leadTo(reply, prefix + pathOf(request), 303);
  };

  // Visitors who are not signed in are sent to the sign-in page; users who may not write get the 404 page.
  app.get(path, BY_SESSION, async (request, reply) => {
    if (!request.caller?.user) return leadIn(request, reply);
    const about = await open(request, site, place);
    return about ? ask(request, reply, about) : sendMissing(request, reply, site);
  });
  app.post(path, { config: { bySession: true, uploads: true } }, async (request, reply) => {
    const { trash, restore: restoring } = formOf(request);
    if (!request.caller?.user)
      return trash === undefined && restoring === undefined ? keep(request, reply) : leadIn(request, reply);
    const about = await open(request, site, place);
    if (restoring !== undefined) return restore(request, reply, about === undefined);
    return about ? take(request, reply, about) : sendMissing(request, reply, site);
  });
}
