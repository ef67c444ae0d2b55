import type { ClientConfig } from 'pg';
import { parse } from 'pg-connection-string';
import { nearest } from '../text/nearest.js';

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

/** What we, the driver, or PostgreSQL's own tools know; the last ones are another program's, and found in many addresses. */
const PARAMETERS = [
  'prepare',
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
  ...['sslpassword', 'sslcrl', 'sslcompression', 'sslsni', 'gssencmode', 'channel_binding', 'require_auth'],
  ...['host', 'hostaddr', 'port', 'user', 'password', 'passfile', 'dbname', 'service', 'options'],
  ...['application_name', 'fallback_application_name', 'client_encoding', 'encoding', 'replication'],
  ...['connect_timeout', 'statement_timeout', 'query_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
  ...['target_session_attrs', 'load_balance_hosts'],
  ...['schema', 'pgbouncer', 'connection_limit', 'pool_timeout', 'socket_timeout', 'sslaccept', 'sslidentity'],
];

/**
 * A parameter that is misspelt would be passed over, and with it what it asks for, such as an encrypted connection.
 * What looks like none of them is for other programs: providers add such to their addresses.
 */
function misspelt(url: string): string | undefined {
  for (const name of new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]).keys()) {
    const meant = PARAMETERS.includes(name) ? undefined : nearest(name, PARAMETERS);
    if (meant) return `has the parameter ${name}, which is not known. Did you mean ${meant}?`;
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
    return 'must look like postgres://user:password@host:5432/database, with special letters percent-encoded';
  }
}
