import { Failure, InvalidParams } from '../errors.js';

const NO_ROOM = new Set(['ENOSPC', 'EROFS', 'EDQUOT', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM']);

/** Translates errors of the framework or the system into our failures. */
export function failureOf(error: unknown): Failure | InvalidParams {
  if (error instanceof Failure || error instanceof InvalidParams) return error;
  const { code = '', statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413)
    return new Failure('body-too-large', { cause: error });
  if (NO_ROOM.has(code)) return new Failure('service-unavailable', { cause: error });
  // Whatever else the framework refuses is a request that it could not read.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : code;
    return new Failure('bad-request', { cause: error, values: { reason } });
  }
  return new Failure('internal_server_error', { cause: error });
}
