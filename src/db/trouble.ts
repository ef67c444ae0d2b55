import { Failure } from '../errors.js';

/** Bad weather that passes, or that an operator can end: the disk is full, read-only or broken, the file is held by another. */
const TROUBLE =
  /SQLITE_(FULL|IOERR|READONLY|BUSY|LOCKED|CANTOPEN|CORRUPT|NOTADB)|database or disk is full|disk I\/O error|readonly database|database (table )?is locked|unable to open database|disk image is malformed|file is not a database/i;

/** Trouble becomes "try again later"; everything else stays what it is. */
export function explained(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  return TROUBLE.test(error.message) ? new Failure('service-unavailable', { cause: error }) : error;
}
