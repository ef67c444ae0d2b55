/**
 * The closed list of failures. A code is part of the API and never changes; its text is in the catalogues (key
 * `error.<code>`), its HTTP status in http/answers.ts: the domain does not know HTTP.
 */
export const CODES = [
  'incorrect_password',
  'rest_cookie_invalid_nonce',
  'rest_no_route',
  'rest_invalid_namespace',
  'rest_invalid_json',
  'rest_missing_callback_param',
  'rest_invalid_param',
  'rest_forbidden',
  'rest_taxonomy_not_hierarchical',
  'rest-event-not-found',
  'venue-not-found',
  'organizer-not-found',
  'term-not-found',
  'event-archive-page-not-found',
  'venue-archive-page-not-found',
  'organizer-archive-page-not-found',
  'event-not-accessible',
  'event-no-longer-available',
  'event-password-protected',
  'venue-not-accessible',
  'organizer-not-accessible',
  'event-is-in-trash',
  'venue-is-in-trash',
  'organizer-is-in-trash',
  'could-not-create-venue',
  'could-not-create-organizer',
  'could-not-update-venue',
  'could-not-update-organizer',
  'empty_content',
  'empty_term_name',
  'invalid_term_name',
  'db_insert_error',
  'duplicate_term_slug',
  'term_exists',
  'body-too-large',
  'media-not-found',
  'media-in-use',
  'media-too-large',
  'media-type',
  'idempotency-key',
  'idempotency-conflict',
  'idempotency-mismatch',
  'too-many-requests',
  'precondition-failed',
  'bad-request',
  'service-unavailable',
  'internal_server_error',
] as const;

export type FailureCode = (typeof CODES)[number];

export interface FailureExtra {
  /** Selects one of several texts for the code: catalogue key `error.<code>.<variant>`. */
  variant?: string;
  /** Values for the placeholders of the text. */
  values?: Record<string, string | number>;
  /** The parameter that it is about, where several could be: for forms; no part of the response. */
  about?: string;
  /** Further members of `data` in the response. */
  data?: Record<string, unknown>;
  /** In how many seconds to try again. */
  retryAfter?: number;
  /** Members beside `data`. */
  beside?: Record<string, unknown>;
  cause?: unknown;
}

export class Failure extends Error {
  constructor(
    readonly code: FailureCode,
    readonly extra: FailureExtra = {},
  ) {
    super(code, extra.cause === undefined ? undefined : { cause: extra.cause });
  }
}

/** What is wrong with one parameter. `type`: not of its declared type; `check`: of that type, but not valid. */
export interface ParamProblem {
  pass: 'check' | 'type';
  /** Catalogue key of the reason, and values for its placeholders. */
  reason: string;
  values?: Record<string, string | number>;
  /** Inner code, if the reason has its own. */
  code?: string;
  /** What is wrong with members of the value, by path (`.website`, `[2].price`); reported instead of the reason. */
  within?: ReadonlyMap<string, ParamProblem>;
}

/** Invalid parameters, all of them at once, in the order in which they are declared. */
export class InvalidParams extends Error {
  constructor(readonly problems: ReadonlyMap<string, ParamProblem>) {
    super(`invalid parameters: ${[...problems.keys()].join(', ')}`);
  }
}

export const invalidParam = (name: string, reason: string): InvalidParams =>
  new InvalidParams(new Map([[name, { pass: 'check', reason }]]));
