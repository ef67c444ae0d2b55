import { mediaUrl } from './config.media.js';
import * as read from './config.values.js';

/** What the service was told at start. Read once, by `readConfig`; nobody else looks at the environment. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly workers: number;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly databaseReplicaUrls: readonly string[];
  readonly databaseConnections: number;
  readonly mediaUrl: string;
  readonly awsAccessKeyId: string | undefined;
  readonly awsSecretAccessKey: string | undefined;
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
  readonly memory: string;
  readonly requestTimeout: number;
  readonly logLevel: string;
}
export type Key = keyof Config;

export interface Row<K extends Key> {
  env: string;
  fallback?: string;
  shown?: string;
  secret?: true | 'whole';
  mayBeEmpty?: true;
  read: read.Reader<Config[K]>;
  description: string;
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Every setting, in the order in which people look for them. */
export const TABLE: { [K in Key]: Row<K> } = {
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
  workers: {
    env: 'KALENDS_WORKERS',
    fallback: '1',
    read: read.workers,
    description: 'Processes that serve, on one port; auto for one on each core.',
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
  databaseReplicaUrls: {
    env: 'DATABASE_REPLICA_URLS',
    fallback: '',
    shown: 'none',
    secret: true,
    mayBeEmpty: true,
    read: read.replicaUrls,
    description:
      'Servers that follow the PostgreSQL database, written like it and separated by blanks or commas: they answer those who are not signed in.',
  },
  databaseConnections: {
    env: 'DATABASE_CONNECTIONS',
    fallback: '10',
    read: read.whole(2, 1000),
    description: 'Most connections to PostgreSQL that one process keeps.',
  },
  mediaUrl: {
    env: 'KALENDS_MEDIA_URL',
    shown: 'media in the data folder',
    secret: true,
    read: mediaUrl,
    description:
      'Where the files of pictures lie: a folder, or s3://bucket/prefix?endpoint=https://host&region=name (docs/pictures.md).',
  },
  awsAccessKeyId: {
    env: 'AWS_ACCESS_KEY_ID',
    shown: 'none',
    secret: 'whole',
    read: read.words(200),
    description: 'Name of the key to the object store of pictures.',
  },
  awsSecretAccessKey: {
    env: 'AWS_SECRET_ACCESS_KEY',
    shown: 'none',
    secret: 'whole',
    read: read.words(200),
    description: 'The key itself; better given by the environment than by a flag.',
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
    description:
      'Other web sites whose pages may send credentials, separated by commas; of apps capacitor://localhost and the like.',
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
    description: 'Most pixels that a picture may have, all frames together; of GIF and AVIF a fifth.',
  },
  fetchAllow: {
    env: 'KALENDS_FETCH_ALLOW',
    fallback: '',
    shown: 'none',
    mayBeEmpty: true,
    read: read.each(read.hostAndPort),
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
      'Wrong credentials that one address may send for one user name, or wrong event passwords for all events together, in a quarter of an hour; 0 for no limit.',
  },
  writeLimit: {
    env: 'KALENDS_WRITE_LIMIT',
    fallback: '120000',
    read: read.whole(0, 100_000_000),
    description: 'Writes that one caller may send in a minute; 0 for no limit.',
  },
  memory: {
    env: 'KALENDS_MEMORY',
    fallback: 'on',
    read: read.oneOf(['on', 'off']),
    description: 'off: nothing is kept in memory between requests; every answer is made from the database.',
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
