import path from 'node:path';
import { takenPaths } from './config.paths.js';
import * as read from './config.values.js';
import { nearest } from './text/nearest.js';
import { withoutPassword } from './text/url.js';

/** What the service was told at start. Read once, by `readConfig`; nobody else looks at the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly publicUrl: string | undefined;
  readonly apiRoot: string;
  readonly vendor: string;
  readonly aliases: readonly string[];
  readonly timezone: string;
  readonly language: string;
  readonly siteName: string;
  readonly siteDescription: string;
  readonly currencySymbol: string;
  readonly currencyCode: string;
  readonly perPage: number;
  readonly perPageMax: number;
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly bodyLimit: number;
  readonly mediaLimit: number;
  readonly mediaPixels: number;
  readonly fetchAllow: readonly string[];
  readonly fetchTimeout: number;
  readonly signInLimit: number;
  readonly writeLimit: number;
  readonly requestTimeout: number;
  readonly logLevel: string;
}
export type Key = keyof Config;
export type Source = 'default' | 'environment' | 'flag';
export type Reading = { config: Config; sources: Readonly<Record<Key, Source>> } | { problems: string[] };

export interface Setting {
  key: Key;
  env: string;
  flag: string;
  description: string;
  /** Read like anything given; undefined: there is none, or it follows from other settings. */
  fallback: string | undefined;
  /** The default as the documentation says it. */
  shown: string;
  /** Never shown as it is. */
  secret: boolean;
  /** An empty value is none given, as Compose files and shells leave it behind, except where it means something. */
  mayBeEmpty: boolean;
  read: read.Reader<Config[Key]>;
}

interface Row<K extends Key> {
  env: string;
  fallback?: string;
  shown?: string;
  secret?: true;
  mayBeEmpty?: true;
  read: read.Reader<Config[K]>;
  description: string;
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const TABLE: { [K in Key]: Row<K> } = {
  host: {
    env: 'HOST',
    fallback: '127.0.0.1',
    read: read.host,
    description: 'Address to listen on; 0.0.0.0 or :: for every network.',
  },
  port: {
    env: 'PORT',
    fallback: '3000',
    read: read.whole(0, 65_535),
    description: 'Port to listen on; 0 takes any free one.',
  },
  dataDir: {
    env: 'KALENDS_DATA_DIR',
    fallback: './data',
    read: read.words(4000),
    description: 'Folder of the database; made when missing.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    shown: 'kalends.db in the data folder',
    secret: true,
    read: read.databaseUrl,
    description:
      'The database: sqlite:/path/to/file, just the path, or postgres://user:password@host:5432/database (several hosts, with commas between, are tried in turn).',
  },
  publicUrl: {
    env: 'KALENDS_PUBLIC_URL',
    shown: 'where the server listens',
    read: read.publicUrl,
    description: 'Address under which the world reaches the service; links in answers begin with it.',
  },
  apiRoot: {
    env: 'KALENDS_API_ROOT',
    fallback: '/api',
    read: read.absolutePath(1, '/api'),
    description: 'Path under which the interface lives.',
  },
  vendor: {
    env: 'KALENDS_VENDOR',
    fallback: 'calendar',
    read: read.segment,
    description: 'First word of the namespace: the interface is at {api root}/{vendor}/events/v1.',
  },
  aliases: {
    env: 'KALENDS_ALIASES',
    fallback: '/wp-json/tribe/events/v1',
    mayBeEmpty: true,
    read: read.each(read.absolutePath(3, '/wp-json/tribe/events/v1')),
    description: 'Further paths at which the interface answers, separated by commas; empty for none.',
  },
  timezone: {
    env: 'KALENDS_TIMEZONE',
    fallback: 'UTC',
    read: read.timezone,
    description: 'Time zone of the site, such as Europe/Berlin.',
  },
  language: {
    env: 'KALENDS_LANGUAGE',
    fallback: 'en',
    read: read.language,
    description: 'Language of messages when the address names none.',
  },
  siteName: { env: 'KALENDS_SITE_NAME', fallback: 'Kalends', read: read.words(200), description: 'Name of the site.' },
  siteDescription: {
    env: 'KALENDS_SITE_DESCRIPTION',
    fallback: '',
    shown: 'empty',
    mayBeEmpty: true,
    read: read.words(1000),
    description: 'One line about the site.',
  },
  currencySymbol: {
    env: 'KALENDS_CURRENCY_SYMBOL',
    fallback: '$',
    read: read.words(10),
    description: 'Currency symbol of prices that name none.',
  },
  currencyCode: {
    env: 'KALENDS_CURRENCY_CODE',
    fallback: 'USD',
    read: read.currencyCode,
    description: 'Currency code of prices that name none.',
  },
  perPage: {
    env: 'KALENDS_PER_PAGE',
    fallback: '10',
    read: read.whole(1, 1000),
    description: 'Records on a page when the caller does not say.',
  },
  perPageMax: {
    env: 'KALENDS_PER_PAGE_MAX',
    fallback: '50',
    read: read.whole(1, 1000),
    description: 'Most records on a page, whatever the caller says.',
  },
  allowedOrigins: {
    env: 'KALENDS_ALLOWED_ORIGINS',
    fallback: '',
    shown: 'none',
    mayBeEmpty: true,
    read: read.each(read.origin),
    description: 'Other web sites whose pages may send credentials, separated by commas.',
  },
  trustedProxies: {
    env: 'KALENDS_TRUSTED_PROXIES',
    fallback: '',
    shown: 'none',
    mayBeEmpty: true,
    read: read.each(read.proxy),
    description: 'IP addresses or ranges whose X-Forwarded-* headers count, separated by commas.',
  },
  bodyLimit: {
    env: 'KALENDS_BODY_LIMIT',
    fallback: '1m',
    read: read.bytes,
    description: 'Largest request body: bytes, or with k or m.',
  },
  mediaLimit: {
    env: 'KALENDS_MEDIA_LIMIT',
    fallback: '10m',
    read: read.bytes,
    description: 'Largest picture that can be uploaded or fetched: bytes, or with k or m.',
  },
  mediaPixels: {
    env: 'KALENDS_MEDIA_PIXELS',
    fallback: '50000000',
    read: read.whole(1, 1_000_000_000),
    description: 'Most pixels that a picture may have, all frames together.',
  },
  fetchAllow: {
    env: 'KALENDS_FETCH_ALLOW',
    fallback: '',
    shown: 'none',
    mayBeEmpty: true,
    read: read.each(read.words(300)),
    description: 'Hosts (host or host:port) that pictures may be fetched from although they are not public.',
  },
  fetchTimeout: {
    env: 'KALENDS_FETCH_TIMEOUT',
    fallback: '20',
    read: read.whole(1, 600),
    description: 'Seconds that fetching the pictures of one write may take, all together.',
  },
  signInLimit: {
    env: 'KALENDS_SIGN_IN_LIMIT',
    fallback: '200',
    read: read.whole(0, 1_000_000),
    description:
      'Wrong credentials or event passwords that one address may send in a quarter of an hour; 0 for no limit.',
  },
  writeLimit: {
    env: 'KALENDS_WRITE_LIMIT',
    fallback: '120000',
    read: read.whole(0, 100_000_000),
    description: 'Writes that one caller may send in a minute; 0 for no limit.',
  },
  requestTimeout: {
    env: 'KALENDS_REQUEST_TIMEOUT',
    fallback: '30',
    read: read.whole(1, 3600),
    description: 'Seconds a client may take to send a request.',
  },
  logLevel: {
    env: 'KALENDS_LOG_LEVEL',
    fallback: 'info',
    read: read.oneOf(LEVELS),
    description: `How much is logged: ${LEVELS.join(', ')}.`,
  },
};

const kebab = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Every setting there is: parsing, `kalends config`, `--help` and the table in the README all come from here. */
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

/** Where a setting comes from; a flag wins over the environment. Flags may go by their own name or by the setting's key. */
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

/** The configuration, or everything that is wrong with it at once. */
export function readConfig(env: Environment, flags: Flags = {}): Reading {
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
  const config = { publicUrl: undefined, ...values } as { -readonly [K in Key]: Config[K] };
  if (config.perPageMax < config.perPage) {
    problems.push(
      `KALENDS_PER_PAGE_MAX (${config.perPageMax}) is less than KALENDS_PER_PAGE (${config.perPage}). Raise the first or lower the second.`,
    );
  }
  problems.push(...takenPaths(config), ...unknownNames(env));
  if (problems.length > 0) return { problems };
  config.databaseUrl ??= `sqlite:${path.join(config.dataDir, 'kalends.db')}`;
  config.aliases = config.aliases.filter((alias) => alias !== `${config.apiRoot}/${config.vendor}/events/v1`);
  for (const value of Object.values(config)) Object.freeze(value);
  return { config: Object.freeze(config), sources: sources as Record<Key, Source> };
}

function problemOf(what: string, { problem }: { problem: string }): string {
  const text = `${what} ${withoutPassword(problem)}`;
  return /[.?]$/.test(text) ? text : `${text}.`;
}

const PREFIX = /^KALENDS_/i;

/** Our own prefix with a name we do not know is a mistake that would otherwise go unseen. */
function unknownNames(env: Environment): string[] {
  const known = new Map(SETTINGS.map(({ env: name }) => [name.replace(PREFIX, ''), name]));
  return Object.keys(env)
    .filter((name) => PREFIX.test(name) && known.get(name.replace(PREFIX, '')) !== name)
    .sort()
    .map((name) => {
      const close = known.get(nearest(name.replace(PREFIX, ''), [...known.keys()]) ?? '');
      return `${name} is not known. ${close ? `Did you mean ${close}?` : 'Remove it, or see "kalends serve --help" for the names there are.'}`;
    });
}

/** A value as it may be shown to anybody. */
export function shownValue(setting: Setting, config: Config): Config[Key] {
  const value = config[setting.key];
  if (typeof value === 'string') return withoutPassword(value);
  return Array.isArray(value) ? value.map((one: string) => withoutPassword(one)) : value;
}

/** The table of settings in the README. */
export function settingsAsMarkdown(): string {
  const rows = SETTINGS.map(({ env, flag, shown, fallback, description }) => {
    const usual = shown === fallback ? `\`${shown}\`` : shown;
    return `| \`${env}\` | \`--${flag}\` | ${usual} | ${description} |`;
  });
  return ['| environment | flag | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
