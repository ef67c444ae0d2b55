import type { ErrorCode } from './schema.js';

interface ErrorBody {
  code?: string;
  message?: string;
  data?: { params?: Record<string, string> | string[] } | null;
}

/** The server responded, but not as requested. If there is no response at all, `fetch` throws its own error instead. */
export class KalendsError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /**
   * What went wrong, as a code that never changes, such as `rest_invalid_param`. Two codes are the client's own:
   * `unreadable-answer` (not JSON, as from a proxy) and `no-interface` (no calendar was found at the site's address).
   */
  readonly code: ErrorCode | 'unreadable-answer' | 'no-interface' | (string & {});
  /** What is wrong with each parameter, by name. Empty if no parameter is to blame. */
  readonly params: Readonly<Record<string, string>>;
  /** The body of the response: parsed JSON, or text if it is not JSON. */
  readonly body: unknown;
  /** After how many seconds to try again, if the server says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: unknown, retryAfter?: string | null) {
    const { code, message, data } = ((typeof body === 'object' && body) || {}) as ErrorBody;
    const text = message ?? `The response (HTTP status ${status}) is not from a calendar API`;
    super(text);
    this.name = 'KalendsError';
    this.status = status;
    this.code = code ?? 'unreadable-answer';
    const params = data?.params ?? {};
    // Missing parameters come as a list of names, invalid ones each with a reason.
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
