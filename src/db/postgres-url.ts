import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';
import { distance } from '../text/nearest.js';

export const isPostgres = (url: string): boolean => /^postgres(ql)?:/i.test(url);

/** One of the hosts that an address names. */
export interface Host {
  config: ClientConfig;
  /** Statements get names, unless a pooler in front loses them (`?prepare=false`). */
  named: boolean;
}

const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/i;

/** What the driver means by these, too, though it warns of them at length: encrypted, with the certificate checked. */
const CHECKED = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|#|$)/i;

/** `postgres://user:password@one:5432,two:5432/calendar`: the hosts are tried in turn, as by PostgreSQL's own tools. */
export function hostsIn(url: string): Host[] {
  const [, scheme = '', user = '', authority = '', given = ''] = PARTS.exec(url) ?? [];
  const rest = given.includes('uselibpqcompat') ? given : given.replace(CHECKED, '$1verify-full');
  return authority.split(',').map((host) => {
    const { prepare, ...config } = parse(scheme + user + host + rest) as Record<string, unknown>;
    return { config: config as ClientConfig, named: prepare !== 'false' };
  });
}

/** Without the password and the options, which may contain one, too. */
export const shownAddress = (url: string): string => {
  const [, scheme = '', user = '', authority = '', rest = ''] = PARTS.exec(url) ?? [];
  return scheme + user.replace(/:[^@]*@$/, '@') + authority + rest.replace(/[?#].*$/, '');
};

/** Parameters that must not be ignored: how a connection is secured, and where it leads. */
const TELLING = ['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'prepare', 'host', 'port', 'user', 'password'];

/**
 * A misspelt parameter would be ignored, and with it what it asks for, such as an encrypted connection. Names that
 * resemble none of these may be for other programs: providers and tools add many to their addresses.
 */
function misspelt(url: string): string | undefined {
  for (const name of new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).keys()) {
    const most = name.length < 8 ? 1 : 2;
    const meant = TELLING.find((known) => distance(name.toLowerCase(), known) <= most);
    if (meant !== undefined && !TELLING.includes(name))
      return `has the parameter ${name}, which is not known. Did you mean ${meant}?`;
  }
  return undefined;
}

/** Why an address cannot be used; undefined if it can. */
export function addressProblem(url: string): string | undefined {
  const [, , , , rest = ''] = PARTS.exec(url) ?? [];
  if (/^[^?#]*@/.test(rest)) return 'has an @ or / in its user or password: write %40 or %2F instead';
  try {
    const hosts = hostsIn(url);
    if (!PARTS.test(url)) return 'must look like postgres://user:password@host:5432/database';
    if (hosts.some(({ config }) => !config.database))
      return 'must name a database: postgres://user:password@host:5432/database';
    return misspelt(url);
  } catch {
    return 'must look like postgres://user:password@host:5432/database, with special characters percent-encoded';
  }
}
