import { Failure } from '../errors.js';

/** Passes, or an operator can end it: the disk is full, read-only or broken, another process has locked the file. */
const SQLITE =
  /SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|CORRUPT|NOTADB)|database or disk is full|disk I\/O error|readonly database|database (table )?is locked|unable to open database|disk image is malformed|file is not a database|vtable constructor failed|fts5: (corrupt|missing)/i;

/** The database cannot be reached, or the connection broke. */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
const LOST =
  /connection terminated|connection ended|timeout expired|timeout exceeded when trying to connect|query read timeout|client was closed|client has encountered a connection error|standby that cannot be written/i;
/** SQLSTATE classes: connection errors, shutdown and startup, idle too long in a transaction, a write on a standby. */
const GONE = /^(08|57P|25P03|25006)/;
/** Resources, locks, cancelled statements, system errors, corruption. */
const WEATHER = /^(53|55P03|57014|58|XX00)/;
/** Serialisation failure or deadlock: the engine ended this transaction in favour of another. */
const MADE_WAY = /^(40001|40P01)$/;

const stateOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');
/** A table has changed since the statement was prepared. Known by the routine's name: messages are translated. */
const replanned = (error: unknown): boolean =>
  (error as { routine?: unknown } | null)?.routine === 'RevalidateCachedQuery' ||
  /cached plan must not change/.test(messageOf(error));

/** The connection cannot be used any more. */
export const isLost = (error: unknown): boolean =>
  NETWORK.has(stateOf(error)) || GONE.test(stateOf(error)) || LOST.test(messageOf(error)) || replanned(error);

/** An earlier statement of the same transaction failed. */
export const isAftermath = (error: unknown): boolean => stateOf(error) === '25P02';

/** Nothing of it was committed, and it may well succeed now. */
export const isRepeatable = (error: unknown): boolean =>
  !(error as { uncertain?: boolean } | null)?.uncertain &&
  (isLost(error) || MADE_WAY.test(stateOf(error)) || stateOf(error) === '53300') &&
  // After waiting for the full time limit of a statement, a caller does not wait once more.
  !/query read timeout/i.test(messageOf(error));

/** Trouble becomes "try again later"; every other error stays as it is. */
export function explained(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const trouble = SQLITE.test(error.message) || isLost(error) || isRepeatable(error) || WEATHER.test(stateOf(error));
  return trouble ? new Failure('service-unavailable', { cause: error }) : error;
}
