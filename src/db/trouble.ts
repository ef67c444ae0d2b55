import { Failure } from '../errors.js';

/** Bad weather that passes, or that an operator can end: the disk is full, read-only or broken, the file is held by another. */
const SQLITE =
  /SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|CORRUPT|NOTADB)|database or disk is full|disk I\/O error|readonly database|database (table )?is locked|unable to open database|disk image is malformed|file is not a database|vtable constructor failed|fts5: (corrupt|missing)/i;

/** The database cannot be reached, or went away. */
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
/** Classes of SQLSTATE: connections, shutting down and starting up, idle too long in a transaction, written to a standby. */
const GONE = /^(08|57P|25P03|25006)/;
/** Resources, locks, cancelled statements, the system's own errors, damage. */
const WEATHER = /^(53|55P03|57014|58|XX00)/;
/** The engine chose this transaction to make way for another, or a table has a new column since it was planned. */
const MADE_WAY = /^(40001|40P01)$/;

const stateOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');
/** By the name of the place where it is raised: messages are in the language of the server. */
const replanned = (error: unknown): boolean =>
  (error as { routine?: unknown } | null)?.routine === 'RevalidateCachedQuery' ||
  /cached plan must not change/.test(messageOf(error));

/** The connection cannot be used any more. */
export const isLost = (error: unknown): boolean =>
  NETWORK.has(stateOf(error)) || GONE.test(stateOf(error)) || LOST.test(messageOf(error)) || replanned(error);

/** Something before it failed in the same transaction. */
export const isAftermath = (error: unknown): boolean => stateOf(error) === '25P02';

/** Nothing of it was kept, and it may well succeed now. */
export const isRepeatable = (error: unknown): boolean =>
  !(error as { uncertain?: boolean } | null)?.uncertain &&
  (isLost(error) || MADE_WAY.test(stateOf(error)) || stateOf(error) === '53300') &&
  // Who waited the whole time a statement may take does not wait once more.
  !/query read timeout/i.test(messageOf(error));

/** Trouble becomes "try again later"; everything else stays what it is. */
export function explained(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const trouble = SQLITE.test(error.message) || isLost(error) || isRepeatable(error) || WEATHER.test(stateOf(error));
  return trouble ? new Failure('service-unavailable', { cause: error }) : error;
}
