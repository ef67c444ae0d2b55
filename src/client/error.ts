import type { ErrorCode } from './schema.js';

interface ErrorBody {
  code?: string;
  message?: string;
  data?: { params?: Record<string, string> | string[] } | null;
}

/** The server answered, but not with what was asked for. Where nothing answers, `fetch` throws its own error instead. */
export class KalendsError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /**
   * What went wrong, in a word that never changes, such as `rest_invalid_param`. Two are the client's own:
   * `unreadable-answer` (no JSON, as from a proxy) and `no-interface` (no calendar was found at the site address).
   */
  readonly code: ErrorCode | 'unreadable-answer' | 'no-interface' | (string & {});
  /** What is wrong with each parameter, by its name. Empty where no parameter is to blame. */
  readonly params: Readonly<Record<string, string>>;
  /** The answer as it came: parsed JSON, or text that is none. */
  readonly body: unknown;
  /** After how many seconds to try again, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: unknown, retryAfter?: string | null) {
    const { code, message, data } = ((typeof body === 'object' && body) || {}) as ErrorBody;
    const text = message ?? `The response (HTTP status ${status}) is not from a calendar API`;
    super(text);
    this.name = 'KalendsError';
    this.status = status;
    this.code = code ?? 'unreadable-answer';
    const params = data?.params ?? {};
    // Missing parameters come as a list of names, invalid ones with a reason each.
    this.params = Array.isArray(params) ? Object.fromEntries(params.map((name) => [name, text])) : params;
    this.body = body;
    this.retryAfter = retryAfter ? secondsUntil(retryAfter) : undefined;
  }
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3). */
export function secondsUntil(header: string): number | undefined {
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
