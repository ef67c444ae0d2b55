import { Failure, type FailureCode, InvalidParams, type ParamProblem } from '../errors.js';
import { errorAnswer, toldOf } from '../http/answers.js';
import type { Translate } from '../i18n/translate.js';
import { type Values, wrongIn } from './fields.js';
import type { Problem } from './form.body.js';
import { type Place, RUNNING, type Stored, UNMET } from './form.record.js';

/** Why a form is not saved, in the terms of the form. */

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
  // A server that is busy, or whose disk is full, will take the same form later: its key says that it is the same.
  if (!(error instanceof Failure) || (status >= 500 && error.code !== 'service-unavailable')) throw error;
  if (error.code === 'rest_missing_callback_param') {
    const named = error.extra.data?.params as string[] | undefined;
    const missing = fields.filter(({ name }) => named?.includes(name));
    const params = missing.map(({ label }) => translate(label)).join(', ');
    return { status, told: [translate('form.missing', { params })], fields: missing.map(({ name }) => name) };
  }
  if (error.code === RUNNING) return { status, told: [translate('form.sent-twice')], fields: [] };
  if (error.code === UNMET) return { status, told: [translate('form.changed')], fields: [] };
  // Users who get the form may do everything that it offers, except create tags.
  if (error.code === 'rest_forbidden' && fields.some(({ name }) => name === 'tags'))
    return { status, told: [translate('form.tags-known')], fields: ['tags'] };
  if (error.code.startsWith('media-')) return { status, told: [String(body.message)], fields: ['image'] };
  const { about, values } = error.extra;
  const member = ABOUT[error.code] ?? about;
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
