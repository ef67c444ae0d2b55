import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';

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

/** Why an address cannot be used; undefined when it can. */
export function addressProblem(url: string): string | undefined {
  try {
    const hosts = hostsIn(url);
    if (!PARTS.test(url)) return 'must look like postgres://user:password@host:5432/database';
    if (hosts.some(({ config }) => !config.database))
      return 'must name a database: postgres://user:password@host:5432/database';
    return undefined;
  } catch {
    return 'must look like postgres://user:password@host:5432/database, with special letters percent-encoded';
  }
}
