import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';
import { distance } from '../text/nearest.js';

export const isPostgres = (url: string): boolean => /^postgres(ql)?:/i.test(url);

/** One of the machines that an address names. */
export interface Host {
  config: ClientConfig;
  /** Statements get names, unless a pooler in front forgets them (`?prepare=false`). */
  named: boolean;
}

const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/i;

/** `postgres://user:password@one:5432,two:5432/calendar`: the hosts are tried in turn, as the database's own tools do. */
export function hostsIn(url: string): Host[] {
  const [, scheme = '', user = '', authority = '', rest = ''] = PARTS.exec(url) ?? [];
  return authority.split(',').map((host) => {
    const { prepare, ...config } = parse(scheme + user + host + rest) as Record<string, unknown>;
    return { config: config as ClientConfig, named: prepare !== 'false' };
  });
}

/** Without the password and the options, which may hold one as well. */
export const shownAddress = (url: string): string => {
  const [, scheme = '', user = '', authority = '', rest = ''] = PARTS.exec(url) ?? [];
  return scheme + user.replace(/:[^@]*@$/, '@') + authority + rest.replace(/[?#].*$/, '');
};

/** What must not be passed over: how a connection is kept safe, and where it leads. */
const TELLING = ['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'prepare', 'host', 'port', 'user', 'password'];

/**
 * A parameter that is misspelt would be passed over, and with it what it asks for, such as an encrypted connection. What
 * is not nearly one of these may be for other programs: providers and tools add many to their addresses.
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

/** Why an address cannot be used; undefined when it can. */
export function addressProblem(url: string): string | undefined {
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
