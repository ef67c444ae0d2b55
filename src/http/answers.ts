import { Failure, type FailureCode, InvalidParams, type ParamProblem } from '../errors.js';
import type { Translate } from '../i18n/translate.js';

/** Failures as responses: only this file knows their HTTP status. 401 or 403 may depend on the caller. */
export const STATUS: Record<FailureCode, number> = {
  incorrect_password: 401,
  rest_cookie_invalid_nonce: 403,
  rest_no_route: 404,
  rest_invalid_namespace: 404,
  rest_invalid_json: 400,
  rest_missing_callback_param: 400,
  rest_invalid_param: 400,
  rest_forbidden: 403,
  rest_taxonomy_not_hierarchical: 400,
  'rest-event-not-found': 404,
  'venue-not-found': 404,
  'organizer-not-found': 404,
  'term-not-found': 404,
  'event-archive-page-not-found': 404,
  'venue-archive-page-not-found': 404,
  'organizer-archive-page-not-found': 404,
  'event-not-accessible': 403,
  'event-no-longer-available': 403,
  'event-password-protected': 403,
  'venue-not-accessible': 403,
  'organizer-not-accessible': 403,
  'event-is-in-trash': 410,
  'venue-is-in-trash': 410,
  'organizer-is-in-trash': 410,
  'could-not-create-venue': 400,
  'could-not-create-organizer': 400,
  'could-not-update-venue': 400,
  'could-not-update-organizer': 400,
  empty_content: 400,
  empty_term_name: 400,
  invalid_term_name: 400,
  db_insert_error: 400,
  duplicate_term_slug: 400,
  term_exists: 400,
  'body-too-large': 413,
  'media-not-found': 404,
  'media-in-use': 409,
  'media-too-large': 413,
  'media-type': 415,
  'idempotency-key': 400,
  'idempotency-conflict': 409,
  'idempotency-mismatch': 422,
  'too-many-requests': 429,
  'precondition-failed': 412,
  'bad-request': 400,
  'service-unavailable': 503,
  internal_server_error: 500,
};

export interface ErrorAnswer {
  status: number;
  body: Record<string, unknown>;
}

const body = (
  code: string,
  message: string,
  status: number,
  data: Record<string, unknown> = {},
  beside: object = {},
) => ({
  status,
  body: { code, message, data: { status, ...data }, ...beside },
});

export function errorAnswer(error: unknown, translate: Translate, signedIn: boolean): ErrorAnswer {
  if (error instanceof InvalidParams) return invalidParams(error, translate);
  const failure = error instanceof Failure ? error : new Failure('internal_server_error');
  const { code, extra } = failure;
  const status = code === 'rest_forbidden' && !signedIn ? 401 : STATUS[code];
  const key = extra.variant === undefined ? `error.${code}` : `error.${code}.${extra.variant}`;
  return body(code, translate(key, extra.values), status, extra.data, extra.beside);
}

/** What is wrong with a parameter, in the caller's language. */
export function toldOf(name: string, { reason, values, within }: ParamProblem, translate: Translate): string {
  if (!within) return translate(reason, { name, ...values });
  return [...within].map(([place, problem]) => toldOf(`${name}${place}`, problem, translate)).join(' ');
}

/** `details` is an empty list unless a reason has its own code, as clients expect (A7). */
function invalidParams({ problems }: InvalidParams, translate: Translate): ErrorAnswer {
  const params: Record<string, string> = {};
  const details: Record<string, unknown> = {};
  for (const [name, problem] of problems) {
    const message = toldOf(name, problem, translate);
    params[name] = message;
    if (problem.code) details[name] = { code: problem.code, message, data: { param: name } };
  }
  const names = [...problems.keys()].join(', ');
  return body('rest_invalid_param', translate('error.rest_invalid_param', { params: names }), 400, {
    params,
    details: Object.keys(details).length > 0 ? details : [],
  });
}
