import { constants, userInfo } from 'node:os';
import { Failure } from '../errors.js';
import { Refusal } from './io.js';

/** The user that this process runs as; not every id has a name. */
function user(): string {
  try {
    return `the user ${userInfo().username}`;
  } catch {
    return `the user ${process.getuid?.()}`;
  }
}

const denied = (path: string): string =>
  `Access to ${path} is denied. Give ${user()} permission (chown), or choose another location.`;

const SYSTEM: Record<string, (path: string) => string> = {
  EACCES: denied,
  EPERM: denied,
  ENOENT: (path) => `There is no file or folder ${path}. Check the name.`,
  EEXIST: (path) => `${path} already exists and is not a folder. Choose another location.`,
  EISDIR: (path) => `${path} is a folder. Name a file.`,
  ENOTDIR: (path) => `Part of ${path} is a file, not a folder. Check the path.`,
  ENOSPC: (path) => `The disk with ${path} is full. Free some space and try again.`,
  EROFS: (path) => `${path} is on a read-only disk. Choose another location.`,
};

const HELD = 'Another program has locked the database. Try again, or stop that program.';
const FULL = 'The disk is full. Free some space and try again.';

const DAMAGED = /malformed/;
const FOREIGN = /file is not a database/;

const ENGINE: [RegExp, string][] = [
  [
    /unable to open database file/,
    'The database file cannot be opened. Check that its folder exists and that this user may write to it.',
  ],
  [
    FOREIGN,
    'The database file is not an SQLite database. Check DATABASE_URL, or restore a backup with "kalends restore FILE --force".',
  ],
  [DAMAGED, 'The database is damaged. Keep a copy of it, then restore a backup with "kalends restore FILE --force".'],
  [/readonly database/, 'The database is read-only. Give this user permission to write to the file and its folder.'],
  [/database or disk is full/, FULL],
  [
    /disk I\/O error/,
    'The disk cannot be read or written. Check whether it is full ("df") or failing ("dmesg"), and try again.',
  ],
  [
    /^timeout expired$/,
    'The database server does not respond. Check the server and the network, or correct the database URL.',
  ],
  [
    /client password must be a/,
    'The database server requires a password. Put it in the database URL, in PGPASSWORD or in ~/.pgpass.',
  ],
  [/database is locked/, HELD],
  [
    /does not support SSL/,
    'The database server accepts no encrypted connections. Turn TLS on there, or remove sslmode from the database URL.',
  ],
  [/read-only transaction/, 'The database is read-only. Name one that can be written.'],
];

const CERTIFICATE =
  'The certificate of the server is not trusted. Name the file of the authority that signed it: sslrootcert=FILE in the database URL.';

/** By error code, since the messages of PostgreSQL are in the language of the server. */
const SERVER: Record<string, string> = {
  '28000': 'Correct the user in the database URL, or allow it to connect (CREATE ROLE, pg_hba.conf).',
  '28P01': 'Correct the user and the password in the database URL, in PGPASSWORD or in ~/.pgpass.',
  '3D000': 'Create that database (createdb), or correct its name in the URL.',
  '53300':
    'All connections that it allows are in use. Raise its limit (max_connections, or that of the role or database), or use fewer: DATABASE_CONNECTIONS, workers, instances.',
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  '42501': 'Make the user the owner of the database, or grant it the privilege.',
};

interface Unreached {
  syscall?: string;
  code?: string;
  hostname?: string;
  address?: string;
  port?: number;
}

/** A database or an object store that cannot be reached. A name may have several addresses. */
function unreached(error: Error): string | undefined {
  const first: Unreached = error instanceof AggregateError ? error.errors[0] : error;
  if (first.syscall !== 'connect' && first.syscall !== 'getaddrinfo') return undefined;
  const place = first.hostname ?? [first.address, first.port].filter((part) => part !== undefined).join(', port ');
  return `The server at ${place} cannot be reached (${first.code}). Start it, or correct the URL of the database or of the object store.`;
}

/** The file itself is damaged and a backup is needed; on a disk that is full or failing, the file may be intact. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error && [DAMAGED, FOREIGN].some((pattern) => pattern.test(error.message));

/** The error of the database engine itself. */
export const originOf = (thrown: unknown): unknown =>
  thrown instanceof Failure ? (thrown.extra.cause ?? thrown) : thrown;

/** One plain sentence about anything that can go wrong. */
export function explain(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof Failure && error.extra.cause instanceof Error) return explain(error.extra.cause);
  if (error instanceof Failure && error.code === 'service-unavailable') {
    return HELD;
  }
  if (!(error instanceof Error)) return String(error);
  const { code, path, dest, systemErrno } = error as NodeJS.ErrnoException & { dest?: string; systemErrno?: number };
  if (systemErrno === constants.errno.ENOSPC || (code === 'ENOSPC' && !dest && !path)) return FULL;
  const missing = unreached(error);
  if (missing) return missing;
  const advice = SERVER[code ?? ''];
  if (advice) return `PostgreSQL says: ${error.message}. ${advice}`;
  const known = SYSTEM[code ?? ''];
  // When copying or moving, the source was read before, so it is the target that fails.
  if (known) return known(dest ?? path ?? 'a file');
  return ENGINE.find(([pattern]) => pattern.test(error.message))?.[1] ?? error.message;
}
