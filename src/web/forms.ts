import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { publishes, writes } from '../access/rights.js';
import { newSession } from '../accounts/secrets.js';
import { Failure } from '../errors.js';
import { errorAnswer } from '../http/answers.js';
import { targetOf } from '../http/context.js';
import { BY_SESSION } from '../http/session.js';
import {
  CATEGORY,
  EVENT,
  type Field,
  momentOf,
  ORGANIZER,
  TAG,
  type Values,
  VENUE,
  valuesIn,
  valuesOf,
} from './fields.js';
import { formBody, type Problem, removeBody, trashBody } from './form.body.js';
import { problemIn, problemOf } from './form.problem.js';
import {
  ALT_SHOWN,
  altOf,
  categoriesFor,
  formOf,
  hasPicture,
  hasTrash,
  isGone,
  knownNames,
  type Opened,
  open,
  type Place,
  pictureOf,
  recordAt,
  type Stored,
  saved,
  seenIn,
  takePicture,
} from './form.record.js';
import {
  isMissing,
  isOurs,
  leadTo,
  type Shown,
  sendMissing,
  sendTold,
  sendTrouble,
  TRASH,
  textIn,
  tokenField,
  wayIn,
  withDone,
} from './frame.js';
import { pathTo, tellingOf } from './parts.js';

/** The pages of the forms to create and change records (E6). */

const editing = <R extends Stored>(singular: string, plural: Place['plural'], fields: readonly Field<R>[]): Place => ({
  path: `/${singular}/edit/:id(^\\d{1,15}$)`,
  title: 'form.edit',
  plural,
  // Safe: the fields of a place are only used with records of its own kind.
  fields: fields as readonly Field<unknown>[] as readonly Field<Stored>[],
});

const PLACES: readonly Place[] = [
  { ...editing('event', 'events', EVENT), path: '/events/new', title: 'form.new' },
  { ...editing('venue', 'venues', VENUE), path: '/venues/new', title: 'form.new-venue' },
  { ...editing('organizer', 'organizers', ORGANIZER), path: '/organizers/new', title: 'form.new-organizer' },
  editing('event', 'events', EVENT),
  editing('venue', 'venues', VENUE),
  editing('organizer', 'organizers', ORGANIZER),
  editing('category', 'categories', CATEGORY),
  editing('tag', 'tags', TAG),
];

/** The field that says that a form was sent back to somebody who was signed out. */
const SIGNED_OUT = 'signed_out';

/** On which day it takes place again, nobody can guess; a copy on the same day would be the same event twice. */
const withoutDays = (values: Values): Values => {
  const timeOnly = (name: string) => ({ [name]: `T${momentOf(values[name] ?? '').time}` });
  return { ...values, ...timeOnly('start_date'), ...timeOnly('end_date') };
};

/** Whether no other site made the browser send this, as far as the browser says: others fill in no forms of ours. */
const isFromHere = ({ headers }: FastifyRequest): boolean =>
  ['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined);

export function serveForms(app: FastifyInstance, site: Shown): void {
  for (const place of PLACES) serveForm(app, site, place);
}

function serveForm(app: FastifyInstance, site: Shown, place: Place): void {
  const { plural, fields, path, title } = place;
  /** Where users go who have removed the record. */
  const leadAway = (request: FastifyRequest, reply: FastifyReply, isDone: boolean): FastifyReply => {
    const away = tellingOf(request, site).prefix + (hasTrash(place) ? TRASH : '/events/');
    return leadTo(reply, isDone ? withDone(away, hasTrash(place) ? 'trashed' : 'removed') : away, 303);
  };
  /** Those who were signed out may have been allowed to publish: their form keeps all that was entered. */
  const mayPublish = ({ caller = {} }: FastifyRequest): boolean => !caller.user || publishes(caller);
  /** The id of the event to be copied, as asked for. */
  const copyIn = ({ query, body }: FastifyRequest): string => textIn(body, 'copy') || textIn(query, 'copy');
  /** The address of the form, below the site. */
  const pathOf = (request: FastifyRequest): string => {
    const { id = '' } = request.params as { id?: string };
    return path.replace(/:id.*/, id) + (copyIn(request) && `?${new URLSearchParams({ copy: copyIn(request) })}`);
  };
  const leadIn = (request: FastifyRequest, reply: FastifyReply, back = pathOf(request)): FastifyReply =>
    leadTo(reply, wayIn(back, tellingOf(request, site)), 303);

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
      const pictureText = String(values.alt_text ?? textIn(form, 'alt_text'));
      const hidden = {
        ...(request.caller?.user ? {} : { [SIGNED_OUT]: '1' }),
        version: textIn(form, 'version') || seenIn(place, { record, ...about }),
        key: textIn(form, 'key') || newSession(),
        copy: copyIn(request),
        [ALT_SHOWN]: request.method === 'POST' ? textIn(form, ALT_SHOWN) : pictureText,
      };
      const categories = await categoriesFor(request, site, place, record);
      const known = await knownNames(request, site, place);
      const remove = hasTrash(place) ? trashBody : removeBody;
      const filled = {
        token,
        hidden,
        values,
        categories,
        known,
        picture: await pictureOf(request, site, record, values),
        pictureText,
        mayPublish: mayPublish(request),
        problem,
      };
      const what = !targetOf(request) && copyIn(request) ? 'form.copy' : title;
      const name = record || copyIn(request) ? String(values[fields[0]?.name ?? ''] ?? '') : '';
      return {
        ...(problem ? { status: problem.status } : {}),
        title: [telling.translate(what), name].filter(Boolean).join(': '),
        body: formBody(fields, filled, telling) + (record ? remove(token, telling) : ''),
        api: '/',
        elsewhere: pathOf(request),
      };
    });
  };

  /** As readers see it: nothing is copied of what a password protects, since the copy would have none. */
  const copiedIn = async (request: FastifyRequest): Promise<Stored | undefined> => {
    const id = Number(copyIn(request));
    const found = id > 0 ? await recordAt(request, site, plural, { by: 'id', id }, {}) : undefined;
    return found?.told as Stored | undefined;
  };

  const ask = async (request: FastifyRequest, reply: FastifyReply, about: Opened): Promise<unknown> => {
    const shown = (record: Stored): Values => ({ ...valuesOf(fields, record), alt_text: altOf(record) });
    if (about.record) return show(request, reply, about, shown(about.record));
    const copied = await copiedIn(request);
    const values = copied ? withoutDays(shown(copied)) : { timezone: site.zone.name };
    const isPrivate = copied?.status === 'private';
    const status = mayPublish(request) ? (isPrivate ? 'private' : 'publish') : 'pending';
    return show(request, reply, about, { ...values, status });
  };

  /** Somebody else removed the record while they typed, or they lost the right to change it. */
  const keepGone = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { translate, prefix } = tellingOf(request, site);
    const way = hasTrash(place) ? { way: { href: prefix + TRASH, text: translate('form.trashed') } } : {};
    const problem = { status: 404, told: [translate('form.gone')], fields: [], ...way };
    return show(request, reply, { version: '' }, valuesIn(fields, formOf(request)), problem);
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
    const { translate, prefix } = telling;
    if (!isOurs(request, request.session, site)) {
      const stale = form[SIGNED_OUT] === undefined ? 'page.stale' : 'form.confirm';
      const told = [translate(stale), ...(hasPicture(request.upload) ? [translate('form.picture-again')] : [])];
      return show(request, reply, about, values, { status: 403, told, fields: [] });
    }
    try {
      if (about.record && form.trash !== undefined) {
        const target = targetOf(request);
        await site.inquire(request, { method: 'DELETE', path: `/${plural}/:id`, given: {}, target });
        return leadAway(request, reply, true);
      }
      const copied = about.record ? undefined : await copiedIn(request);
      const problem = problemIn(place, values, about.record ?? copied, translate);
      if (problem) {
        // It would have to be chosen again.
        await takePicture(request, site, values);
        return show(request, reply, about, values, problem);
      }
      const { url } = await saved(request, site, place, { ...about, copied }, values);
      return leadTo(reply, withDone(pathTo(url, telling), 'saved'), 303);
    } catch (error) {
      // Sent twice, the first one has just moved it.
      if (form.trash !== undefined && isGone(error)) return leadAway(request, reply, true);
      const problem = problemOf(error, place, translate);
      if (problem.status >= 500) request.log.error({ err: (error as Failure).extra.cause }, 'request failed');
      if (problem.status === 412) problem.way = { href: prefix + pathOf(request), text: translate('form.current') };
      return show(request, reply, about, values, problem);
    }
  };

  /** Out of the trash, as a draft (D14), unless somebody else did so before; then on to its form. */
  const restore = async (request: FastifyRequest, reply: FastifyReply, isTrashed: boolean): Promise<unknown> => {
    const { prefix } = tellingOf(request, site);
    if (!isOurs(request, request.session, site)) return leadTo(reply, prefix + TRASH, 303);
    const question = { path: `/${plural}/:id`, given: { status: 'draft' }, target: targetOf(request) };
    try {
      if (isTrashed) await site.inquire(request, { method: 'PATCH', ...question });
    } catch (error) {
      if (!isMissing(error)) throw error;
      return sendMissing(request, reply, site);
    }
    const form = prefix + pathOf(request);
    return leadTo(reply, isTrashed ? withDone(form, 'restored') : form, 303);
  };

  /** Users who see the record, but may not change it, are told so; a page that they may not see does not exist. */
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const target = targetOf(request);
    const found = target && (await recordAt(request, site, plural, target, {}));
    const isHidden = target && (!found || (found.told as Stored).status === 'trash');
    if (isHidden) return sendMissing(request, reply, site);
    const { body } = errorAnswer(new Failure('rest_forbidden'), site.translate(request), true);
    return sendTrouble(request, reply, site, { status: 403, message: String(body.message) });
  };

  // Visitors who are not signed in are sent to the sign-in page.
  app.get(path, BY_SESSION, async (request, reply) => {
    if (!request.caller?.user) return leadIn(request, reply);
    const about = await open(request, site, place);
    return about ? ask(request, reply, about) : refuse(request, reply);
  });
  app.post(path, { config: { bySession: true, uploads: true } }, async (request, reply) => {
    const { trash, restore: restoring } = formOf(request);
    if (!request.caller?.user) {
      if (restoring !== undefined) return leadIn(request, reply, TRASH);
      return trash === undefined && isFromHere(request) ? keep(request, reply) : leadIn(request, reply);
    }
    const about = await open(request, site, place);
    if (restoring !== undefined && targetOf(request)) return restore(request, reply, about === undefined);
    if (about) return take(request, reply, about);
    const target = targetOf(request);
    if (!target || !isFromHere(request) || !writes(request.caller ?? {})) return sendMissing(request, reply, site);
    if (trash === undefined) return keepGone(request, reply);
    if (!isOurs(request, request.session, site)) return sendMissing(request, reply, site);
    // Sent twice, the first one has moved it.
    const there = (await recordAt(request, site, plural, target))?.told as Stored | undefined;
    return leadAway(request, reply, !there || there.status === 'trash');
  });
}
