import path from 'node:path';
import { missingKeys } from './config.media.js';
import { namespacePath, takenPaths } from './config.paths.js';
import { type Config, type Key, TABLE } from './config.table.js';
import * as read from './config.values.js';
import { isPostgres } from './db/postgres-url.js';
import { nearest } from './text/nearest.js';
import { withoutPassword } from './text/url.js';

export type { Config, Key };
export type Source = 'default' | 'environment' | 'flag';
export type ConfigRead = { config: Config; sources: Readonly<Record<Key, Source>> } | { problems: string[] };

export interface Setting {
  key: Key;
  env: string;
  flag: string;
  description: string;
  /** Parsed like a given value; undefined: there is none, or it follows from other settings. */
  fallback: string | undefined;
  /** The default as the documentation words it. */
  shown: string;
  /** Never shown in full: an address is shown without its password; `whole`: nothing is shown. */
  secret: boolean | 'whole';
  /** An empty value, as Compose files and shells leave it behind, counts as not given, unless it means something. */
  mayBeEmpty: boolean;
  read: read.Reader<Config[Key]>;
}

const kebab = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** All settings: parsing, `kalends config`, `--help` and the table in the README are generated from this list. */
export const SETTINGS: readonly Setting[] = Object.entries(TABLE).map(([key, row]) => ({
  key: key as Key,
  flag: kebab(key),
  fallback: undefined,
  shown: row.fallback ?? '',
  secret: false,
  mayBeEmpty: false,
  ...row,
}));

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;

/** A setting's value and source; a flag overrides the environment. Flags go by their own name or the setting's key. */
function given(
  setting: Setting,
  env: Environment,
  flags: Flags,
): { text: string | undefined; name: string; source: Source } {
  const flag = flags[setting.flag] ?? flags[setting.key];
  if (flag !== undefined) return { text: String(flag).trim(), name: `--${setting.flag}`, source: 'flag' };
  const text = env[setting.env]?.trim();
  return text === undefined || (text === '' && !setting.mayBeEmpty)
    ? { text: setting.fallback, name: setting.env, source: 'default' }
    : { text, name: setting.env, source: 'environment' };
}

/** The configuration, or all of its problems at once. */
export function readConfig(env: Environment, flags: Flags = {}): ConfigRead {
  const problems: string[] = [];
  const values: Partial<Record<Key, Config[Key]>> = {};
  const sources: Partial<Record<Key, Source>> = {};
  for (const setting of SETTINGS) {
    const { text, name, source } = given(setting, env, flags);
    sources[setting.key] = source;
    if (text === undefined) continue;
    const meaning = text === '' && !setting.mayBeEmpty ? read.not('needs a value') : setting.read(text);
    if ('value' in meaning) values[setting.key] = meaning.value;
    else problems.push(problemOf(setting.secret || text === '' ? name : `${name} (${withoutPassword(text)})`, meaning));
  }
  const none = { publicUrl: undefined, awsAccessKeyId: undefined, awsSecretAccessKey: undefined };
  const config = { ...none, ...values } as { -readonly [K in Key]: Config[K] };
  if (config.perPageMax < config.perPage) {
    problems.push(
      `KALENDS_PER_PAGE_MAX (${config.perPageMax}) is less than KALENDS_PER_PAGE (${config.perPage}). Raise the first or lower the second.`,
    );
  }
  if (config.databaseReplicaUrls?.length > 0 && !isPostgres(config.databaseUrl ?? '')) {
    problems.push('DATABASE_REPLICA_URLS needs a PostgreSQL database in DATABASE_URL.');
  }
  problems.push(...takenPaths(config), ...missingKeys(config), ...unknownNames(env));
  if (problems.length > 0) return { problems };
  config.databaseUrl ??= `sqlite:${path.join(config.dataDir, 'kalends.db')}`;
  config.mediaUrl ??= path.join(config.dataDir, 'media');
  const canonical = namespacePath(config.apiRoot, config.vendor);
  config.aliases = config.aliases.filter((alias) => alias !== canonical);
  for (const value of Object.values(config)) Object.freeze(value);
  return { config: Object.freeze(config), sources: sources as Record<Key, Source> };
}

function problemOf(what: string, { problem }: { problem: string }): string {
  const text = `${what} ${withoutPassword(problem)}`;
  return /[.?]$/.test(text) ? text : `${text}.`;
}

const PREFIX = /^KALENDS_/i;

/** What Kubernetes and Docker set in every container beside a service of our name. */
const LINKED = /^KALENDS_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const isLinked = (name: string, value = ''): boolean =>
  LINKED.test(name) || (name === 'KALENDS_PORT' && /^(tcp|udp|sctp):\/\//.test(value));

/** An unknown name with our prefix is a mistake that would otherwise go unnoticed. */
function unknownNames(env: Environment): string[] {
  const known = new Map(SETTINGS.map(({ env: name }) => [name.replace(PREFIX, ''), name]));
  return Object.keys(env)
    .filter((name) => PREFIX.test(name) && known.get(name.replace(PREFIX, '')) !== name && !isLinked(name, env[name]))
    .sort()
    .map((name) => {
      const close = known.get(nearest(name.replace(PREFIX, ''), [...known.keys()]) ?? '');
      return `${name} is not known. ${close ? `Did you mean ${close}?` : 'Remove it, or see "kalends serve --help" for all settings.'}`;
    });
}

/** A value without its secrets, so that anybody may see it. */
export function shownValue(setting: Setting, config: Config): Config[Key] {
  const value = config[setting.key];
  if (setting.secret === 'whole') return value === undefined ? undefined : '***';
  if (typeof value === 'string') return withoutPassword(value);
  return Array.isArray(value) ? value.map((one: string) => withoutPassword(one)) : value;
}

/** The table of settings in the README. */
export function settingsAsMarkdown(): string {
  const rows = SETTINGS.map(({ env, flag, shown, fallback, description }) => {
    const usual = shown === fallback ? `\`${shown}\`` : shown;
    return `| \`${env}\` | \`--${flag}\` | ${usual} | ${description} |`;
  });
  return ['| environment variable | flag | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
